"""`kill -9` of the referee, at several moments of one race: nothing survives it, and little is lost."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .bench import SERVE, Deadheat, all_gone, hello

Journal = list[dict[str, Any]]
RACE = ("race", "--budget", "4s", "--seed", "3")


def _of(journal: Journal, type_: str) -> Journal:
    return [line for line in journal if line["type"] == type_]


def _after_resume(journal: Journal) -> Journal:
    at = max((n for n, line in enumerate(journal) if line["type"] == "resumed"), default=0)
    return journal[at:]


#: What the journal says when the referee is killed, each time after a resume. While a server warms up others
#: may still be starting.
MOMENTS: dict[str, Callable[[Journal], bool]] = {
    "all are built, the first is being checked": lambda j: len(_of(j, "built")) >= 2,
    "a block has begun": lambda j: bool(_of(j, "block-started")),
    "some servers run frozen, others start": lambda j: len(_of(j, "started")) == 2,
    "a server is under load": lambda j: any(not line["warm_up"] for line in _of(j, "slice")),
    "a block is whole, the next is under load": lambda j: (
        bool(_of(j, "block-ended")) and j[-1]["type"] == "slice" and not j[-1]["warm_up"]
    ),
}
#: How many servers live at that moment, at least.
SERVING = {
    "some servers run frozen, others start": 2,
    "a server is under load": 4,
    "a block is whole, the next is under load": 4,
}

# Null or empty as it happens: keys of results.json.
CHANCE = ("findings", "reasons", "variance", "warm_up", "drift", "peak_memory_range_bytes")


@pytest.fixture
def deadheat(home: Path, tmp_path: Path) -> Deadheat:
    suite = hello(tmp_path / "suite", copies=["copy"])
    mark = tmp_path / "built-before"
    # The first build does not end by itself.
    suite.contender("hello", "slow-build", SERVE, build=f"test -e {mark} || {{ touch {mark}; sleep 600; }}")
    return Deadheat(home, suite.path)


def test_nothing_survives_and_a_resume_gives_the_same(deadheat: Deadheat, tmp_path: Path) -> None:
    with deadheat.start(*RACE) as race:
        race.until((tmp_path / "built-before").exists, "the build is under way")
        started = race.kill()
    assert any("sleep 600" in process.name for process in started)
    all_gone(started)

    for moment, reached in MOMENTS.items():
        before = deadheat.journal()
        with deadheat.start("race", "--resume", "latest") as race:
            lines = len(before)
            race.until_journal(lambda j, n=lines, r=reached: r(_after_resume(j[n:])), moment)  # type: ignore[misc]
            started = race.kill()
        serving = [process for process in started if "server.py" in process.name]
        assert len(serving) >= SERVING.get(moment, 0), moment
        all_gone(started)
        # Append-only: what was told before stays told.
        assert deadheat.journal()[: len(before)] == before

    # Of the same machine as races that end, though the referee was bound to some of its CPUs.
    (begun,) = map(json.loads, (deadheat.home / "cache" / "past-races.jsonl").read_text().splitlines())
    assert begun["outcome"] == "begun"
    assert begun["machine"].endswith(f", {len(os.sched_getaffinity(0))} cores")

    whole = {(o["race"], o["block"]) for o in _of(deadheat.journal(), "block-ended")}
    assert whole, "the last kill came after a whole block"
    killed = deadheat.journal()
    ended = deadheat.run("race", "--resume", "latest")
    assert ended.code in (0, 4), ended
    rerun = {(o["race"], o["block"]) for o in _of(deadheat.journal()[len(killed) :], "block-started")}
    assert not rerun & whole, "whole blocks are not run again"
    resumed = deadheat.results()
    assert resumed["resumed"] >= len(MOMENTS)
    assert resumed["stopped"] is None
    assert "resumed" in ended.out

    assert deadheat.run(*RACE).code in (0, 4)
    uninterrupted = deadheat.results()
    assert uninterrupted["resumed"] == 0
    assert _shape(resumed) == _shape(uninterrupted)
    for results in (resumed, uninterrupted):
        race_ = results["workloads"][0]
        assert race_["blocks"] == race_["blocks_planned"]
        assert {row["status"] for row in race_["contenders"]} == {"measured"}
    assert resumed["workloads"][0]["slices"] == uninterrupted["workloads"][0]["slices"]
    # And in the same order, though some blocks were begun more than once.
    assert _orders(deadheat, resumed["run"]) == _orders(deadheat, uninterrupted["run"])


def _orders(deadheat: Deadheat, run: str) -> dict[int, list[str]]:
    """Whose turns each block had, of its last try."""
    orders: dict[int, list[str]] = {}
    for line in deadheat.journal(run):
        if line["type"] == "block-started":
            orders[line["block"]] = list(line["order"])
        elif line["type"] == "slice":
            orders[line["block"]].append(line["entry"])
    return orders


def _shape(value: object, key: str = "") -> object:
    """Keys and kinds, without figures. What may be null by chance (a percentile, a place) may be either.

    So may what these blocks happened to tell.
    """
    if key in CHANCE:
        return "by chance"
    if isinstance(value, dict) and value.keys() in ({"estimate", "ci", "blocks"}, {"ratio", "ci"}):
        return "value"
    if isinstance(value, dict):
        return {name: _shape(inner, name) for name, inner in sorted(value.items())}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return sorted({json.dumps(_shape(inner, key)) for inner in value})
    if isinstance(value, bool | str | int | float) or value is None:
        return "value"
    return "values"
