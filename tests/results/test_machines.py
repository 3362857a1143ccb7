"""Runs of one plan on several machines, put together: machines whose truth is known."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deadheat import stats
from deadheat.errors import UserError
from deadheat.model.merged import Merged
from deadheat.model.observation import Built
from deadheat.model.plan import Plan
from deadheat.report import merged as words
from deadheat.results import derive
from deadheat.results.claimed import Race
from deadheat.results.machines import Run, merge
from deadheat.storage import run_folder
from deadheat.storage.journal import Journal
from deadheat.suite.suite import Suite
from tests.made.observed import observations, plan, race, suite

DEADHEAT = Path(sys.executable).parent / "deadheat"
KIND = {"cpu_model": "A CPU", "architecture": "x86_64", "cores": 2, "memory_bytes": 2**33, "kernel": "6.1"}


@pytest.fixture(scope="module")
def raced(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return suite(tmp_path_factory.mktemp("suite"))


def run_of(
    raced: Suite,
    number: int,
    fast: float = 1.3,
    *,
    machine: dict[str, Any] | None = None,
    changed: dict[str, Any] | None = None,
    observed: dict[str, Any] | None = None,
    blocks: int = 8,
) -> Run:
    """One machine's: `fast` is so many times as fast there; `changed`: of its plan of the race."""
    of = race(blocks=blocks).replaced(**{"to_the_end": True, **(changed or {})})
    planned = plan(of, raced).replaced(run=f"m{number}", seed=number)
    seen = observations(of, speeds={"fast": fast}, seed=number, **(observed or {}))
    return made(planned, {**KIND, "id": f"{number:016x}", **(machine or {})}, seen)


def made(planned: Plan, machine: dict[str, Any], seen: Sequence[Any]) -> Run:
    [only] = planned.workloads
    found = derive.race_of(only, planned.facts, planned.margin, seen)
    return Run(planned, machine, {only.key: Race(found.tally, found.result)})


def four(raced: Suite, *fast: float) -> list[Run]:
    return [run_of(raced, number, speed) for number, speed in enumerate(fast, 1)]


def printed(merged: Merged) -> str:
    return "\n".join(words.lines(merged))


def test_four_alike_settle_it_for_themselves_and_for_their_kind(raced: Suite) -> None:
    [found] = merge(four(raced, 1.3, 1.3, 1.3, 1.3)).races
    [pair] = found.pairs
    assert pair.contender == "fast"
    assert pair.these.verdict == "faster" and pair.these.a == "fast"
    assert pair.these.ci is not None and pair.these.ci[0] < 1.3 < pair.these.ci[1]
    assert pair.of_kind is not None and pair.of_kind.verdict == "faster"
    assert [one.answer for one in pair.machines] == ["faster"] * 4
    assert pair.these.blocks == 32


def test_the_figures_are_those_of_the_blocks(raced: Suite) -> None:
    runs = four(raced, 1.25, 1.3, 1.35, 1.28)
    [pair] = merge(runs).races[0].pairs
    each = []
    for run in runs:
        [only] = run.races.values()
        row = next(row for row in only.result.contenders if row.id == "fast")
        assert row.against_reference is not None
        each.append(math.log(row.against_reference.ratio))
    assert pair.these.ratio == pytest.approx(math.exp(np.mean(each)))
    kind = stats.estimate(np.array(each))
    assert pair.of_kind is not None and pair.of_kind.ci == pytest.approx(kind.ci)
    assert [math.log(one.ratio) for one in pair.machines if one.ratio] == pytest.approx(each)


def test_of_a_kind_nothing_is_said_by_three(raced: Suite) -> None:
    merged = merge(four(raced, 1.3, 1.3, 1.3))
    assert merged.races[0].pairs[0].of_kind is None
    assert "machines of this kind" not in printed(merged)


def test_machines_that_disagree_are_told(raced: Suite) -> None:
    """These machines' mean is sure, their kind's is not: one of four says the contrary."""
    merged = merge(four(raced, 1.5, 1.5, 1.5, 0.7))
    [pair] = merged.races[0].pairs
    assert pair.these.verdict == "faster"
    assert pair.of_kind is not None and pair.of_kind.verdict == "inconclusive"
    said = printed(merged)
    assert "the machines disagree: fast is faster on 3 of 4, slower on 1" in said
    assert "not settled" in said


def test_a_slower_contender_is_told_by_the_winner(raced: Suite) -> None:
    merged = merge(four(raced, 0.8, 0.8))
    assert merged.races[0].pairs[0].these.a == "slow"
    assert "times as fast as fast" in printed(merged)
    assert "fast is slower on 2 of 2" in printed(merged)


def test_one_machine_twice_is_no_second_one(raced: Suite) -> None:
    runs = four(raced, 1.3, 1.3)
    same = [runs[0], Run(runs[1].plan, runs[0].machine, runs[1].races)]
    with pytest.raises(UserError, match="m1 and m2 were raced on one machine"):
        merge(same)
    assert merge(same, known_different=True).races
    with pytest.raises(UserError, match="m1 is named twice"):
        merge([runs[0], runs[0]], known_different=True)


def test_a_run_that_does_not_name_its_machine_is_refused(raced: Suite) -> None:
    old = run_of(raced, 2, machine={"id": None})
    with pytest.raises(UserError, match="m2 does not say which machine"):
        merge([run_of(raced, 1), old])


def test_unlike_machines_are_never_put_together_in_silence(raced: Suite) -> None:
    runs = [run_of(raced, number) for number in range(1, 5)]
    runs.append(run_of(raced, 5, machine={"kernel": "6.18", "memory_bytes": 2**34}))
    with pytest.raises(UserError, match=r"unlike machines: memory: 9 GB in m1.*17 GB in m5; kernel: 6\.1 in"):
        merge(runs)
    merged = merge(runs, unlike=True)
    assert merged.races[0].pairs[0].of_kind is None
    assert "unlike: kernel" in printed(merged)


def test_another_build_is_a_difference_too(raced: Suite) -> None:
    runs = four(raced, 1.3, 1.3)
    for run, key in zip(runs, ("a", "b"), strict=True):
        run.races["echo"].tally.built["fast"] = Built(
            workload="echo", contender="fast", status="ready", key=key, toolchains={"go": f"1.26.{key}"}
        )
    with pytest.raises(UserError, match=r"builds of echo/fast: go 1\.26\.a and go 1\.26\.b"):
        merge(runs)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"judged_by": "cpu"}, "what is judged is throughput_rps in m1, cpu_us_per_request in m2"),
        ({"values": {"depth": 10}}, "the parameters is none in m1, depth = 10 in m2"),
    ],
)
def test_another_question_is_refused(raced: Suite, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        merge([run_of(raced, 1), run_of(raced, 2, changed=changed)])


def test_another_load_is_refused(raced: Suite) -> None:
    of = race(connections=8).replaced(to_the_end=True)
    other = made(plan(of, raced).replaced(run="m2", seed=2), {**KIND, "id": "2"}, observations(of))
    with pytest.raises(UserError, match="the load is 64 connections of 1 in m1, 8 connections of 1 in m2"):
        merge([run_of(raced, 1), other])


def test_another_margin_is_refused(raced: Suite) -> None:
    runs = four(raced, 1.3, 1.3)
    wider = Run(runs[1].plan.replaced(margin=0.05), runs[1].machine, runs[1].races)
    with pytest.raises(UserError, match=r"other margins: 0\.02 in m1, 0\.05 in m2"):
        merge([runs[0], wider])


def test_a_contender_that_was_changed_is_refused(raced: Suite) -> None:
    runs = four(raced, 1.3, 1.3)
    facts = runs[1].plan.facts
    echo = facts.workloads["echo"]
    others = tuple(one.replaced(digest="else") if one.name == "fast" else one for one in echo.contenders)
    facts = facts.replaced(workloads={"echo": echo.replaced(contenders=others)})
    with pytest.raises(UserError, match="echo: fast is another in m1 than in m2"):
        merge([runs[0], Run(runs[1].plan.replaced(facts=facts), runs[1].machine, runs[1].races)])


def test_one_run_is_none_to_merge(raced: Suite) -> None:
    with pytest.raises(UserError, match="at least two"):
        merge([run_of(raced, 1)])


def test_races_that_may_end_early_have_figures_and_no_verdict(raced: Suite) -> None:
    merged = merge([run_of(raced, 1), run_of(raced, 2, changed={"to_the_end": False})])
    [pair] = merged.races[0].pairs
    assert pair.these.verdict == "invalid" and pair.these.ratio is not None
    assert "m2 could end before the last block: race --to-the-end" in printed(merged)


def test_a_gate_that_broke_on_one_machine_voids_the_pair(raced: Suite) -> None:
    wrong = {"changed": {"fast": {"errors": {"body": 3}, "first_error": "another body"}}}
    merged = merge([run_of(raced, 1), run_of(raced, 2, observed=wrong)])
    [pair] = merged.races[0].pairs
    assert pair.these.verdict == "invalid"
    assert pair.machines[1].answer is None and pair.machines[1].reasons
    assert "m2: no ratio: " in printed(merged)


def test_the_verb_reads_folders(raced: Suite, tmp_path: Path) -> None:
    folders = []
    for number in (1, 2):
        of = race(blocks=8).replaced(to_the_end=True)
        planned = plan(of, raced).replaced(run=f"m{number}", seed=number)
        folder = run_folder.create(tmp_path, planned, {**KIND, "id": str(number)})
        with Journal(folder.journal) as journal:
            for one in observations(of, seed=number):
                journal.append(one)
        folders.append(str(folder.path))
    ran = subprocess.run([DEADHEAT, "merge", *folders], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "times as fast as slow" in ran.stdout and "these 2 machines: " in ran.stdout
    assert max(map(len, ran.stdout.splitlines())) <= 120
    as_json = subprocess.run(
        [DEADHEAT, "merge", "--json", *folders], capture_output=True, text=True, check=True
    ).stdout
    assert Merged.model_validate(json.loads(as_json)).runs[1].machine == "A CPU, 2 cores"
    alone = subprocess.run([DEADHEAT, "merge", folders[0]], capture_output=True, text=True, check=False)
    assert alone.returncode == 2 and "at least two" in alone.stderr
