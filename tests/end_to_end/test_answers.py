"""Servers whose answers vary, differ, or are alike by structure: by the first's own answers."""

from __future__ import annotations

import json
import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.made.repository import ENVIRONMENT, Made, made

from .bench import HABITS, Deadheat, Ended

SERVER = HABITS / "json_server.py"
PLAN = ("--budget", "20s", "--seed", "7", "--dry-run")


@pytest.fixture
def deadheat(home: Path) -> Deadheat:
    """With no suite anywhere."""
    return Deadheat(home, home / "no-suite")


def raced(deadheat: Deadheat, *hows: str) -> Ended:
    lines = [f"{shlex.join([sys.executable, '-S', '-E', str(SERVER)])} {{port}} {how}" for how in hows]
    return deadheat.run("race", *(word for line in lines for word in ("--command", line)), *PLAN)


def case(deadheat: Deadheat) -> dict[str, Any]:
    [manifest] = (deadheat.home / "cache" / "ad-hoc").glob("*/ad-hoc/workload.toml")
    found: dict[str, Any] = tomllib.loads(manifest.read_text())["conformance"][0]
    return found


def test_what_varies_is_masked_by_class_and_listed(deadheat: Deadheat) -> None:
    ended = raced(deadheat, "plain", "changed")
    assert ended.code == 0, ended
    listed = "answers: 3 fields compared, 3 masked: $.id (uuid), $.at.s (epoch), $.requests (number)"
    assert listed in ended.err
    masks = '"$.id" = "uuid", "$.at.s" = "epoch", "$.requests" = "number"'
    assert f"to keep that: masks = {{ {masks} }}" in ended.err
    found = case(deadheat)
    assert found["masks"] == {"$.id": "uuid", "$.at.s": "epoch", "$.requests": "number"}
    assert json.loads(found["structure"])["name"] == "one"
    assert found["content_type"] == "application/json"


def test_the_same_to_the_byte_is_compared_to_the_byte(deadheat: Deadheat) -> None:
    assert raced(deadheat, "same", "same").code == 0
    assert "masks" not in case(deadheat)
    assert json.loads(case(deadheat)["body"])["name"] == "one"


def test_another_order_of_keys_is_no_difference(deadheat: Deadheat) -> None:
    ended = raced(deadheat, "same", "other")
    assert "answers: 3 fields compared" in ended.err
    assert "structure" in case(deadheat)


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_masks_are_of_what_a_coding_decodes_to(deadheat: Deadheat, coding: str) -> None:
    ended = raced(deadheat, f"plain {coding}", f"plain {coding}")
    assert ended.code == 0, ended
    assert (
        "answers: 3 fields compared, 3 masked: $.id (uuid), $.at.s (epoch), $.requests (number)" in ended.err
    )
    found = case(deadheat)
    assert json.loads(found["structure"])["name"] == "one"
    assert found["content_encoding"] == coding


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_the_same_in_a_coding_is_compared_as_it_decodes(deadheat: Deadheat, coding: str) -> None:
    ended = raced(deadheat, f"same {coding}", f"other {coding}")
    assert "answers: 3 fields compared" in ended.err
    found = case(deadheat)
    assert "masks" not in found
    assert json.loads(found["structure"])["name"] == "one"


def test_where_it_leads_and_the_names_of_its_cookies(deadheat: Deadheat) -> None:
    ended = raced(deadheat, "leads", "leads")
    assert ended.code == 0, ended
    assert "answers with another Location each time: compared is /items/{number}?page=1" in ended.err
    found = case(deadheat)
    assert (found["location"], found["cookies"]) == ("/items/{number}?page=1", ["csrf", "session"])
    assert json.loads(found["body"])["name"] == "one"


def test_bytes_that_are_no_text_are_compared_by_their_digest(deadheat: Deadheat) -> None:
    assert raced(deadheat, "binary", "binary").code == 0
    assert len(case(deadheat)["sha256"]) == 64


def test_two_equal_500s_are_a_fault(deadheat: Deadheat) -> None:
    ended = raced(deadheat, "broken", "broken")
    assert ended.code == 3
    assert "answers GET / with 500" in ended.error


BENCH = f"""run = "{sys.executable} -S -E app.py {{port}} {{how}}"
connections = 2
[[request]]
path = "/"
masks = {{ "$.name" = "text" }}
"""


@pytest.fixture
def mine(tmp_path: Path) -> Made:
    files = {"app.py": SERVER.read_text(), "bench/deadheat.toml": BENCH.replace("{how}", "plain")}
    return made(tmp_path / "mine", files)


def test_masks_of_the_bench_file_and_another_answer(home: Path, mine: Made) -> None:
    deadheat = Deadheat(home, home / "no-suite", env={**ENVIRONMENT}, cwd=mine.path)
    mine.write({"bench/deadheat.toml": BENCH.replace("{how}", "changed")})
    ended = deadheat.run("ab", "HEAD", "--budget", "60s", "--seed", "7")
    assert ended.code == 3, ended
    assert 'GET /  $.id: expected a UUID  got "seven"' in ended.out
    assert "not compared: the working tree: " in ended.out
    # The name differs too, and its mask was given.
    assert "and 1 more" not in ended.out
    assert "$.name (text), $.id (uuid)" in ended.out
    mine.write({"bench/deadheat.toml": BENCH.replace("{how}", "plain").replace("text", "uuid")})
    ended = deadheat.run("ab", "HEAD", "--budget", "60s", "--seed", "7", "--race-the-same")
    assert ended.code == 2, ended
    assert 'answers $.name: expected a UUID  got "one"' in ended.error
