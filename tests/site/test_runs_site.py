"""A site of runs: every link leads somewhere, a real browser is silent, nothing that was there is lost."""

from __future__ import annotations

import csv
import gzip
import io
import json
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import pytest

from deadheat.errors import UserError
from deadheat.model.result import Results
from deadheat.site import pages, places, write
from tests.history.made_up import MACHINE, results
from tests.made.pages import Opened, Scheme, too_wide, unusable
from tests.made.runs import Made, renamed

OTHER = {"cpu_model": "Loud 3", "cores": 8}
RUST = [1.5] * 8 + [2.0] * 4
URL = "https://bench.example/ours"
ATOM = "{http://www.w3.org/2005/Atom}"
# 200 runs of two workloads with six contenders each take at most 20 MB.
A_RUN = 100_000


def runs(name: str = "rust") -> list[Results]:
    """Twelve of one machine, in the last four of which rust is faster, and one of another."""
    made = [
        results(f"run-{n:02}", {"rust": ratio}, started=f"2026-01-{n + 1:02}T03:04:05Z", commit=f"c{n:03}")
        for n, ratio in enumerate(RUST)
    ]
    made.append(results("elsewhere", started="2026-02-01T03:04:05Z", machine=OTHER))
    return [renamed(one, {"rust": name}) for one in made]


def written(folder: Path, of: list[Results] | None = None, url: str | None = URL) -> Path:
    write.write(of or runs(), folder, title="Ours", url=url, say=lambda _: None)
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("site") / "ours")


class Links(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.found += [value for name in ("href", "src") if (value := given.get(name))]
        self.ids |= {given["id"] or ""} if "id" in given else set()


def test_every_link_leads_to_a_page_of_the_site(site: Path) -> None:
    found = [*site.rglob("*.html")]
    assert len(found) == 1 + 1 + 3 + 13
    for page in found:
        for link in Links(page.read_text()).found:
            parts = urlsplit(link)
            assert parts.scheme in ("", "data"), link
            if parts.scheme == "" and parts.path:
                target = (page.parent / unquote(parts.path)).resolve()
                assert target.is_file(), f"{page}: {link}"
                if parts.fragment:
                    assert parts.fragment in Links(target.read_text()).ids, f"{page}: {link}"
            elif parts.fragment:
                assert parts.fragment in Links(page.read_text()).ids, f"{page}: {link}"


def test_each_page_can_be_reached(site: Path) -> None:
    seen, waiting = set[Path](), [site / places.INDEX]
    while waiting:
        page = waiting.pop()
        if page in seen:
            continue
        seen.add(page)
        links = (urlsplit(link) for link in Links(page.read_text()).found)
        waiting += [(page.parent / link.path).resolve() for link in links if link.path.endswith(".html")]
    assert seen == {page.resolve() for page in site.rglob("*.html")}


def test_the_newest_race_of_each_machine_stands_on_the_workloads_page(site: Path) -> None:
    page = (site / places.workload("http-hello")).read_text()
    assert page.count('class="race"') == 2
    assert page.index("Loud 3") < page.index("Quiet 9000")
    assert "run-11" in page


def test_a_contenders_page_has_its_trend_on_each_machine_and_where_it_changed(site: Path) -> None:
    page = (site / places.contender("rust")).read_text()
    assert "over 12 runs" in page and "over 1 run" in page
    assert page.count("<strong>Change:</strong>") == 1
    assert "commit c008" in page


def test_the_data_can_be_downloaded(site: Path) -> None:
    rows = list(csv.DictReader(io.StringIO((site / places.VERDICTS).read_text())))
    assert len(rows) == 13 * 3
    assert {row["contender"] for row in rows} == {"go", "rust", "ceiling"}
    assert rows[-1]["machine"] == "Loud 3, 8 cores"
    home = site / places.run("run-03")
    whole = Results.model_validate_json(gzip.decompress((home / "results.json.gz").read_bytes()))
    assert whole.run == "run-03"
    assert (home / "report.md").read_text().startswith("# Deadheat")


def test_the_feed_has_the_newest_run_first(site: Path) -> None:
    feed = ElementTree.fromstring((site / places.FEED).read_text())
    assert feed.findtext(f"{ATOM}id") == f"{URL}/"
    entries = feed.findall(f"{ATOM}entry")
    assert [entry.findtext(f"{ATOM}id") for entry in entries][:2] == [
        f"{URL}/runs/elsewhere/",
        f"{URL}/runs/run-11/",
    ]
    assert "rust is" in (entries[0].findtext(f"{ATOM}content") or "")


def test_without_a_url_there_is_no_feed(tmp_path: Path) -> None:
    assert not (written(tmp_path / "site", url=None) / places.FEED).exists()


def test_no_two_names_share_a_place() -> None:
    names = [
        "a:b",
        "a-b",
        "a_b",
        "a_3ab",
        "a/b",
        "a b",
        ".a",
        "a",
        "A",
        "ä",
        "..",
        "a%3Ab",
        "x" * 300,
        "x" * 301,
    ]
    found = [places.contender(name) for name in names]
    assert len(set(found)) == len(names)
    assert all(place.count("/") == 1 and "/." not in place and len(place) < 200 for place in found)


def test_written_again_it_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    folder = written(tmp_path / "site")
    written(folder, runs()[:2])
    assert not (folder / places.run("elsewhere")).exists()
    assert json.loads((folder / write.MARK).read_text())["runs"] == ["run-01", "run-00"]
    assert [*tmp_path.iterdir()] == [folder]


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("all of it")
    with pytest.raises(UserError, match="no site of ours"):
        written(mine)
    assert [*mine.iterdir()] == [mine / "thesis.tex"]
    assert [*tmp_path.iterdir()] == [mine]


def test_what_goes_wrong_leaves_the_site_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path / "site")

    def full(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pages, "verdicts_csv", full)
    with pytest.raises(UserError, match="No space left"):
        written(folder, runs()[:2])
    assert (folder / places.run("elsewhere") / places.INDEX).is_file()
    assert [*tmp_path.iterdir()] == [folder]


def test_two_hundred_runs_take_20_mb_at_most(tmp_path: Path) -> None:
    one = Made(tmp_path / "suite", workloads=2, contenders=6, blocks=10).results()
    many = [one.replaced(run=f"2026010{n}-030405-quick") for n in range(4)]
    size = write.write(many, tmp_path / "site", title="Ours", url=None, say=lambda _: None)
    shared = write.write(many[:1], tmp_path / "one", title="Ours", url=None, say=lambda _: None)
    assert (size - shared) / 3 < A_RUN


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1400])
def test_it_opens_from_a_file_fits_and_is_usable(
    opened: Opened, site: Path, width: int, scheme: Scheme
) -> None:
    for place in (places.INDEX, places.workload("http-hello"), places.contender("rust")):
        shown = opened.open(site / place, width=width, scheme=scheme)
        assert not too_wide(shown), place
        assert shown.evaluate("getComputedStyle(document.body).fontFamily") != ""
        assert unusable(shown) == [], place


def test_one_walks_from_the_verdict_to_the_whole_run_and_back(opened: Opened, site: Path) -> None:
    shown = opened.open(site / places.INDEX)
    shown.get_by_role("link", name="the whole run").first.click()
    assert "Deadheat" in shown.title()
    # Its style and its script are files beside it, and they are used.
    assert shown.locator("#controls").is_visible()
    assert shown.evaluate("document.styleSheets.length") == 1
    shown.locator("p.brand a").click()
    assert shown.title() == "Ours"


def test_names_are_only_text(opened: Opened, tmp_path: Path) -> None:
    name = '<script>document.title = "hacked"</script>"\' \u202egnp.exe ' + "x" * 300
    folder = written(tmp_path / "site", runs(name))
    shown = opened.open(folder / places.INDEX, width=360)
    assert shown.title() == "Ours"
    assert not too_wide(shown)
    ElementTree.fromstring((folder / places.FEED).read_text())


def test_machines_are_told_apart_by_what_ratios_depend_on(tmp_path: Path) -> None:
    assert MACHINE != OTHER
    of = [results("a", started="2026-01-01T00:00:00Z"), results("b", started="2026-01-02T00:00:00Z")]
    page = (written(tmp_path / "site", of) / places.workload("http-hello")).read_text()
    assert page.count('class="race"') == 1
