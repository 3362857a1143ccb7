"""docs/coming-from.md: each pair of commands makes the same requests, and as many as it is asked for."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest

from deadheat.generators.engine import find_binary
from deadheat.generators.ghz import Ghz

from . import recording
from .recording import Asked, Record

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "coming-from.md").read_text()
SECTION = re.compile(r"^## (\S+)$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What the page calls ten seconds. Enough for a percentile of 500 requests a second to have a verdict.
SHORT_S = 3
LIMIT_S = 300
SERVERS: dict[str, Callable[[], AbstractContextManager[Record]]] = {
    "127.0.0.1:8080": recording.http1,
    "127.0.0.1:8081": recording.http2,
    "127.0.0.1:50051": recording.grpc,
    "127.0.0.1:6379": recording.redis,
}
# Where each is had that Debian does not have, or has under another name.
HAD_BY = {
    "h2load": "apt-get install nghttp2-client",
    "redis-benchmark": "apt-get install redis-tools",
    "oha": "make bench installs it",
    "ghz": "deadheat installs it for the studies that need it",
    "gcannon": "not installed",
    "hey": "go install github.com/rakyll/hey@latest",
    "vegeta": "go install github.com/tsenart/vegeta/v12@latest",
}


@dataclass(frozen=True)
class Pair:
    tool: str
    theirs: str
    ours: str
    files: tuple[tuple[str, str], ...]

    @property
    def place(self) -> str:
        """Where the page has its server."""
        (place,) = (place for place in SERVERS if place in self.ours)
        return place

    def option(self, name: str) -> list[str]:
        """What our command says by this option."""
        words = shlex.split(self.ours)
        return [words[i + 1] for i, word in enumerate(words) if word == name]


def pairs() -> Iterator[Pair]:
    for tool, text in SECTION.findall(PAGE):
        blocks = FENCE.findall(text)
        files = tuple((info.strip(), body) for language, info, body in blocks if language != "sh")
        (commands,) = (body.splitlines() for language, _, body in blocks if language == "sh")
        assert len(commands) % 2 == 0, tool
        for theirs, ours in zip(commands[::2], commands[1::2], strict=True):
            yield Pair(tool, theirs, ours, files)


PAIRS = list(pairs())


def test_the_page_has_all_of_them() -> None:
    tools = "wrk wrk2 oha hey vegeta k6 h2load ghz redis-benchmark gcannon"
    assert list(dict.fromkeys(pair.tool for pair in PAIRS)) == tools.split()


def ghz() -> Path:
    return Path(Ghz().argv((), "", Path())[0])


def search_path() -> str:
    """Ours first; then where `make bench` and deadheat itself install others."""
    ours = Path(find_binary()).parent
    return os.pathsep.join(
        [str(ours), str(ROOT / ".cache" / "bench" / "bin"), str(ghz().parent), os.environ["PATH"]]
    )


def run(command: str, pair: Pair, folder: Path, *options: str) -> tuple[Counter[Asked], str]:
    """Runs it against a server of its own: what came there, what it printed."""

    def here(text: str) -> str:
        host, port = record.address.split(":")
        text = text.replace(pair.place, record.address).replace("10s", f"{SHORT_S}s")
        return text.replace("-h 127.0.0.1 -p 6379", f"-h {host} -p {port}")

    with SERVERS[pair.place]() as record:
        for name, body in pair.files:
            (folder / name).write_text(here(body))
        ran = subprocess.run(
            " ".join([here(command), *options]),
            shell=True,
            cwd=folder,
            env={**os.environ, "PATH": search_path()},
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    assert ran.returncode == 0, f"{command}\n{ran.stdout}\n{ran.stderr}"
    return record.asked, ran.stdout


def those_asked_for(pair: Pair, asked: Counter[Asked]) -> Counter[Asked]:
    """Without headers that nobody asked for, and without what a tool asks besides."""
    if pair.tool == "redis-benchmark":
        names = [command.split()[0] for command in pair.option("-r")]
        return Counter({one: n for one, n in asked.items() if one.method in names})
    wanted = {header.split(":")[0].lower() for header in pair.option("-H")}
    found: Counter[Asked] = Counter()
    for one, n in asked.items():
        headers = tuple((name, value) for name, value in one.headers if name in wanted)
        found[Asked(one.method, one.path, one.body, headers)] += n
    return found


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.tool}: {pair.ours}")
def test_both_make_the_requests_asked_for(pair: Pair, tmp_path: Path) -> None:
    if pair.place == "127.0.0.1:8081" and shutil.which("node") is None:
        pytest.skip("node not found: it serves HTTP/2 here (apt-get install nodejs)")
    ours, printed = run(
        pair.ours, pair, tmp_path, "--json --timeout 60s", "--allow-shortfall" if pair.option("-R") else ""
    )
    ours = those_asked_for(pair, ours)
    summary = json.loads(printed)
    assert summary["errors"] == 0
    assert len(ours) == 1
    (count,) = ours.values()
    if pair.option("-n"):
        assert count == summary["requests"] == int(pair.option("-n")[0])
    elif pair.option("-R"):
        assert count == int(pair.option("-R")[0]) * SHORT_S
    else:
        assert count >= summary["requests"] > 0

    if shutil.which(pair.tool, path=search_path()) is None:
        pytest.skip(f"{pair.tool} not found: {HAD_BY.get(pair.tool, 'not installed')}; ours ran")
    theirs, _ = run(pair.theirs, pair, tmp_path)
    theirs = those_asked_for(pair, theirs)
    assert set(theirs) == set(ours)
    if pair.option("-n"):
        assert theirs == ours
