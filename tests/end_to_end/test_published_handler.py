"""The published Crystal handler keeps the slash that Go's strips: not the same work, so it is refused."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from .bench import HABITS, SERVE, Deadheat, hello

FIXTURE = HABITS.parent / "published-crystal-handler"


@pytest.mark.skipif(shutil.which("crystal") is None, reason="crystal is not installed")
def test_check_refuses_it_and_shows_the_exchange(home: Path, tmp_path: Path) -> None:
    suite = hello(tmp_path / "suite")
    shutil.copytree(FIXTURE, suite.path / "hello" / "published")
    ended = Deadheat(home, suite.path).run("check", "published", "good")
    assert ended.code == 3
    refused = re.search(
        r'^wrong +hello/published: GET /(\w+)  expected body "Hello from (\w+)!"  got "Hello from /(\w+)!"$',
        ended.out,
        re.MULTILINE,
    )
    assert refused, ended
    assert refused[1] == refused[2] == refused[3]
    # The whole exchange: what was asked, status, headers, body.
    shown = ended.out[refused.end() :]
    assert f"\n    GET /{refused[1]}\n" in shown
    assert "\n    HTTP/1.1 200 OK\n" in shown
    assert re.search(r"^    Content-Length: \d+$", shown, re.MULTILINE)
    assert f"\n    Hello from /{refused[1]}!\n" in shown
    assert "right       hello/good" in shown


def test_a_handler_with_its_fault_is_refused_without_crystal(home: Path, tmp_path: Path) -> None:
    suite = hello(tmp_path / "suite")
    suite.contender("hello", "slash-kept", f"{SERVE} wrong")
    ended = Deadheat(home, suite.path).run("check", "slash-kept")
    assert ended.code == 3
    assert re.search(r'^wrong .*got "Hello from /\w+!"$', ended.out, re.MULTILINE)
