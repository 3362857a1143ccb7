"""Races of one application go side by side: each server is started once for a block of each of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from deadheat.model.observation import Failed, Started
from deadheat.plan import schedule
from deadheat.run.kind import Stage
from deadheat.run.rounds import Rounds
from tests.made.written_down import FakeHost, Step, observe

from .bench import HELLO, SERVE, Deadheat, SuiteFolder


@pytest.fixture
def family(stage: Stage) -> tuple[Stage, Stage]:
    """Two races of the same servers, and no round of theirs yet."""
    other = stage.race.replaced(setting="connections=9")
    name = stage.workload.name
    rounds = Rounds("7:app", {name: stage.workload}, {name: stage.builds})
    return replace(stage, rounds=rounds), replace(stage, race=other, rounds=rounds)


def observed(stage: Stage) -> list[object]:
    with ExitStack() as stack:
        return list(observe(stage, schedule.blocks(stage.race, stage.plan.seed)[0], stack))


def test_a_server_is_started_with_the_first_race_and_stopped_behind_the_last(
    family: tuple[Stage, Stage], steps: list[Step]
) -> None:
    first, second = family
    assert first.rounds is not None
    with first.rounds.begin(0, [first.race]):
        here = [o for o in observed(first) if isinstance(o, Started)]
        behind = len(steps)
        then = [o for o in observed(second) if isinstance(o, Started)]
        assert not [step for step in steps if step[0] == "stop"]
    entries = {entry.id for entry in first.race.entries}
    assert Counter(entry for verb, entry in steps if verb == "start") == dict.fromkeys(entries, 1)
    assert {entry for verb, entry in steps if verb == "stop"} == entries
    # One of them runs at a time in the second race, too.
    begun = [step for step in steps[behind:] if step[0] in ("thaw", "open")][:2]
    assert [verb for verb, _ in begun] == ["thaw", "open"] and begun[0][1] == begun[1][1]
    assert all(o.first_response_ms is not None for o in here)
    assert [o.first_response_ms for o in then] == [None] * len(entries)


def test_the_next_round_starts_all_anew(family: tuple[Stage, Stage], steps: list[Step]) -> None:
    first, second = family
    assert first.rounds is not None
    for number in range(2):
        with first.rounds.begin(number, [first.race]):
            observed(first)
            observed(second)
        first.rounds.end()
    assert {count for (verb, _), count in Counter(steps).items() if verb == "start"} == {2}
    assert first.round is None


def test_who_fails_in_a_race_is_started_anew_for_the_next(
    family: tuple[Stage, Stage], steps: list[Step]
) -> None:
    first, second = family
    assert isinstance(first.host, FakeHost) and first.rounds is not None
    first.host.dies_at = ("freeze", "copy")
    with first.rounds.begin(0, [first.race]):
        failed = [o for o in observed(first) if isinstance(o, Failed)]
        assert [o.entry for o in failed] == ["copy"]
        assert ("stop", "copy") in steps
        observed(second)
    assert Counter(steps)["start", "copy"] == 2
    assert Counter(steps)["start", "good"] == 1


def test_workloads_of_one_application_are_raced_by_the_same_starts(home: Path, tmp_path: Path) -> None:
    suite = SuiteFolder(tmp_path / "suite")
    shared = HELLO.replace('kind = "http"', 'kind = "http"\ncontenders = "stacks"')
    for name in ("one", "two"):
        suite.workload(name, shared)
    (suite.path / "stacks").mkdir()
    server = (Path(__file__).parents[1] / "fixtures" / "habits" / "server.py").read_text()
    (suite.path / "stacks" / "server.py").write_text(server)
    for name in ("good", "copy"):
        folder = suite.contender("stacks", name, SERVE)
        with (folder / "contender.toml").open("a") as manifest:
            manifest.write('[serves.one]\nby = "itself"\n[serves.two]\nby = "itself"\n')
    deadheat = Deadheat(home, suite.path)
    ended = deadheat.run("race", "one", "two", "--budget", "30s", "--seed", "11")
    assert ended.code in (0, 4), ended.err
    assert "one" in ended.out and "two" in ended.out
    journal = [
        json.loads(line) for line in (deadheat.runs / "latest" / "journal.jsonl").read_text().splitlines()
    ]
    blocks = [(o["race"], o["block"]) for o in journal if o["type"] == "block-started"]
    # A round has a block of each, in either order.
    rounds = [blocks[at : at + 2] for at in range(0, len(blocks), 2)]
    assert len(rounds) >= 5
    assert all({race for race, _ in each} == {"one", "two"} for each in rounds)
    fresh = Counter(o["entry"] for o in journal if o["type"] == "started" and o["first_response_ms"])
    assert fresh == {entry: len(rounds) for entry in ("good", "copy", "good'")}
    # A line for each race, and not for each of its blocks.
    assert len(re.findall(r"^one: 3 entries, about", ended.err, re.MULTILINE)) == 1
