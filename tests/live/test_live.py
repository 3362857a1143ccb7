"""The live page: only for browsers of this machine that know its address; the race never notices it."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page

from deadheat.app import reports
from deadheat.errors import UserError
from deadheat.live import watch as live
from deadheat.live.follower import Follower
from deadheat.live.watch import Watch
from deadheat.model.observation import BlockEnded, BlockStarted, LeadInGrown, Observation
from deadheat.run.progress import NoView
from deadheat.storage.journal import Journal
from deadheat.storage.run_folder import RunFolder
from tests.made.runs import Made

#: Long enough for a loaded machine: the page's process has the lowest priority. Only who fails waits for it.
PATIENCE_S = 300


class Race:
    """A race that is told, not run: its journal grows block by block."""

    def __init__(self, folder: Path, blocks: int = 4) -> None:
        self.made = Made(folder / "suite", contenders=3, blocks=blocks)
        self.folder = RunFolder(self.made.save(folder / "run"))
        self.folder.journal.unlink()
        ends = [i + 1 for i, o in enumerate(self.made.observations) if isinstance(o, BlockEnded)]
        self._blocks = [self.made.observations[a:b] for a, b in zip([0, *ends], ends, strict=False)]
        self.pid = 0

    def block(self) -> None:
        """The next block, whole."""
        self.tell(self._blocks.pop(0))

    def tell(self, observations: list[Observation]) -> None:
        with Journal(self.folder.journal) as journal:
            for observation in observations:
                journal.append(observation)

    def report(self) -> None:
        reports.derive_again(self.folder)


@pytest.fixture
def race(tmp_path: Path) -> Race:
    return Race(tmp_path)


@pytest.fixture
def url(race: Race) -> Iterator[str]:
    """Of a race that is being shown, with one block."""
    yield from shown_by(race)


@pytest.fixture(scope="module")
def same_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The same, for all tests that only ask."""
    yield from shown_by(Race(tmp_path_factory.mktemp("race")))


def shown_by(race: Race) -> Iterator[str]:
    race.block()
    watch = Watch()
    with watch.on(race.folder, race.made.plan, NoView()):
        wait(lambda: "times as fast as" in get(watch.url).text, "the first page")
        yield watch.url


def get(url: str, **more: Any) -> httpx.Response:
    return httpx.get(url, timeout=PATIENCE_S, **more)


def wait(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.05)


def shown(page: Page, text: str) -> None:
    page.locator("body", has_text=text).wait_for(timeout=PATIENCE_S * 1000)


def server_of(url: str) -> int:
    """The process that listens there."""
    port = httpx.URL(url).port
    inode = next(
        fields[9]
        for fields in map(str.split, Path("/proc/net/tcp").read_text().splitlines()[1:])
        if fields[1].endswith(f":{port:04X}") and fields[3] == "0A"
    )
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and int(process.name) != os.getpid():
            for fd in process.glob("fd/*"):
                try:
                    if fd.readlink().name == f"socket:[{inode}]":
                        return int(process.name)
                except OSError:
                    continue
    raise AssertionError("nobody listens")


def test_it_is_the_report_so_far(same_url: str) -> None:
    answer = get(same_url)
    assert answer.status_code == 200
    assert "1 block of 4" in answer.text
    assert "block 1 is whole" in answer.text


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"host": "evil.example"}, 403),
        ({"host": "127.0.0.1"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"}, 403),
        ({"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors"}, 403),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, 200),
        ({"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"}, 200),
    ],
)
def test_who_is_refused(same_url: str, headers: dict[str, str], code: int) -> None:
    answer = get(same_url, headers=headers)
    assert answer.status_code == code
    assert "access-control-allow-origin" not in answer.headers
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert answer.headers["x-content-type-options"] == "nosniff"
    if code != 200:
        assert "times as fast" not in answer.text


@pytest.mark.parametrize(
    "path", ["", "x/", "TOKEN/plan.json", "TOKEN/../plan.json", "TOKEN/%2e%2e/plan.json", "TOKEN//etc/passwd"]
)
def test_nothing_else_is_served(same_url: str, path: str) -> None:
    base, token = same_url.rstrip("/").rsplit("/", 1)
    assert get(f"{base}/{path.replace('TOKEN', token)}").status_code == 404


def test_nothing_is_taken(same_url: str) -> None:
    assert httpx.post(same_url).status_code == 405


def test_only_on_the_loopback(same_url: str) -> None:
    assert same_url.startswith(f"http://{live.HOST}:")
    port = httpx.URL(same_url).port
    listening = [line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    assert [at.split(":")[0] for at in listening if at.endswith(f":{port:04X}")].count("00000000") == 0


def test_in_nobodys_way(same_url: str) -> None:
    pid = server_of(same_url)
    assert os.sched_getscheduler(pid) == os.SCHED_IDLE
    assert os.getpriority(os.PRIO_PROCESS, pid) == 19


def test_a_port_in_use_is_one_line() -> None:
    with socket.create_server((live.HOST, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=f"cannot use port {port}"):
            Watch(port)


def test_addresses_differ() -> None:
    watches = [Watch(), Watch()]
    assert len({httpx.URL(watch.url).path for watch in watches}) == 2
    for watch in watches:
        watch.close()


def test_a_race_survives_the_page(race: Race, url: str) -> None:
    os.kill(server_of(url), signal.SIGKILL)
    race.block()
    race.report()
    assert "2 blocks of 4" in (race.folder.path / "report.html").read_text()


def events(watch: Watch, path: str) -> Iterator[dict[str, Any]]:
    """What the page's stream of events tells, until it ends."""
    with httpx.stream("GET", watch.url + path, timeout=PATIENCE_S) as stream:
        for line in stream.iter_lines():
            if line.startswith("data: "):
                yield json.loads(line.removeprefix("data: "))


def test_events_tell_of_blocks_and_of_the_end(race: Race) -> None:
    race.block()
    watch = Watch()
    reported = []
    with ExitStack() as stack:
        shown_on = ExitStack()
        shown_on.enter_context(watch.on(race.folder, race.made.plan, NoView()))
        stack.enter_context(shown_on)
        wait(lambda: "times as fast as" in get(watch.url).text, "the first page")
        for event in events(watch, "events"):
            reported.append(event)
            if len(reported) == 1:
                race.block()
            elif event["version"] > reported[0]["version"] and not event["ended"]:
                race.report()
                shown_on.close()
    assert reported[-1]["ended"]
    assert [one["version"] for one in reported] == sorted(one["version"] for one in reported)


def test_a_hidden_tab_hears_of_nothing_but_the_end(race: Race) -> None:
    race.block()
    watch = Watch()
    reported = []
    with ExitStack() as shown_on:
        shown_on.enter_context(watch.on(race.folder, race.made.plan, NoView()))
        wait(lambda: "1 block of 4" in get(watch.url).text, "the first page")
        for event in events(watch, "events?end"):
            reported.append(event)
            if len(reported) == 1:
                race.block()
                wait(lambda: "2 blocks of 4" in get(watch.url).text, "the second block")
                race.report()
                shown_on.close()
    assert [one["ended"] for one in reported] == [False, True]


def test_what_is_early_does_not_read_like_what_went_wrong(tmp_path: Path) -> None:
    """No block, one block, then enough for a verdict."""
    race = Race(tmp_path, blocks=6)
    first = race.made.observations
    ends = next(i for i, o in enumerate(first) if isinstance(o, BlockStarted))
    page = _page(race, first[:ends])
    assert "Not raced yet." in page
    assert "waits for its first whole block" in page
    one = next(i for i, o in enumerate(first) if isinstance(o, BlockEnded)) + 1
    early = _page(race, first[:one])
    assert "So far: c2 1.2" in early
    assert "this is 1 block." in early
    for said in (page, early):
        assert "Gate broken" not in said
        assert "not run:" not in said
        assert "no verdict" not in said.lower()
    whole = _page(race, first)
    assert "So far" not in whole
    assert "times as fast as c0 (95%" in whole


def test_a_longer_lead_in_is_told_and_what_was_before_it_is_not_shown(race: Race) -> None:
    race.block()
    race.block()
    follower = Follower(race.folder)
    follower.read()
    assert "2 blocks of 4" in follower.page()
    before = follower.version
    grown = LeadInGrown(race="w0", from_block=2, lead_in_ms=100, why="c1 was not flat after 50 ms")
    race.tell([grown])
    follower.read()
    assert follower.version > before
    page = follower.page()
    assert "w0: a lead-in of 100 ms from block 3 on" in page
    assert "do not count: c1 was not flat after 50 ms" in page
    assert "2 blocks of 4" not in page
    assert "Not raced yet." in page


def _page(race: Race, observations: list[Observation]) -> str:
    """A growing page of just these."""
    race.folder.journal.unlink(missing_ok=True)
    race.tell(observations)
    follower = Follower(race.folder)
    follower.read()
    return follower.page()


def test_it_ends_with_the_race(race: Race) -> None:
    race.block()
    watch = Watch()
    with watch.on(race.folder, race.made.plan, NoView()):
        wait(lambda: get(watch.url).status_code == 200, "an answer")

    def gone() -> bool:
        with socket.socket() as asking:
            return asking.connect_ex((live.HOST, watch.port)) != 0

    wait(gone, "its end")


def test_cpus_where_nothing_is_measured() -> None:
    plan = type("Plan", (), {"server_cpus": (0,), "generator_cpus": (1,), "services_cpus": ()})()
    assert not {0} & set(live.quiet_cpus(plan))


def test_several_browsers_watch_a_race_to_its_report(browser: Browser, race: Race) -> None:
    race.block()
    watch = Watch()
    complaints: list[str] = []
    shown_on = ExitStack()
    with shown_on:
        shown_on.enter_context(watch.on(race.folder, race.made.plan, NoView()))
        wait(lambda: "times as fast as" in get(watch.url).text, "the first page")
        pages = [browser.new_context(color_scheme=scheme).new_page() for scheme in ("light", "dark")]
        for page in pages:
            page.on("console", lambda message: complaints.append(message.text))
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.goto(watch.url)
            shown(page, "1 block of 4")
        pages[0].select_option("[name=language]", "Go")
        pages[0].locator("summary", has_text="Gates:").click()
        race.block()
        for page in pages:
            shown(page, "2 blocks of 4")
        assert pages[0].locator("table.forest tbody tr[data-k]:not(.off)").count() == 1
        assert pages[0].locator("details.gates").get_attribute("open") is not None
        race.block()
        race.block()
        race.report()
    for page in pages:
        page.locator("body[data-live=ended]").wait_for(timeout=PATIENCE_S * 1000)
        shown(page, "4 blocks")
        assert page.locator("section.live").count() == 0
    assert complaints == []


def test_a_browser_comes_back(browser: Browser, race: Race, url: str) -> None:
    """What happened while it had no network is there when it has."""
    page = browser.new_context().new_page()
    page.goto(url)
    shown(page, "1 block of 4")
    page.context.set_offline(True)
    race.block()
    page.context.set_offline(False)
    shown(page, "2 blocks of 4")


def test_a_page_that_could_not_be_fetched_is_fetched_again(browser: Browser, race: Race, url: str) -> None:
    """The stream of events stands, and says nothing twice."""
    page = browser.new_context().new_page()
    page.goto(url)
    shown(page, "1 block of 4")
    page.route("**/?version=*", lambda route: route.abort(), times=1)
    race.block()
    shown(page, "2 blocks of 4")
    page.wait_for_function("document.getElementById('live-link').textContent === ''")


HIDE = """hidden => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_a_hidden_tab_draws_nothing_until_it_is_seen_and_gets_the_report(
    browser: Browser, race: Race
) -> None:
    race.block()
    watch = Watch()
    with ExitStack() as shown_on:
        shown_on.enter_context(watch.on(race.folder, race.made.plan, NoView()))
        wait(lambda: "1 block of 4" in get(watch.url).text, "the first page")
        hidden, seen = (browser.new_context().new_page() for _ in range(2))
        for page in (hidden, seen):
            page.goto(watch.url)
            shown(page, "1 block of 4")
        hidden.evaluate(HIDE, True)
        race.block()
        shown(seen, "2 blocks of 4")
        assert hidden.locator("body", has_text="1 block of 4").count() == 1
        hidden.evaluate(HIDE, False)
        shown(hidden, "2 blocks of 4")
        hidden.evaluate(HIDE, True)
        race.block()
        race.block()
        race.report()
    hidden.locator("body[data-live=ended]").wait_for(state="attached", timeout=PATIENCE_S * 1000)
    shown(hidden, "4 blocks")
