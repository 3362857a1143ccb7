"""Blocks added to a run beyond its planned end: for whom, up to how many, and when they are refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from deadheat import stats
from deadheat.app import race as races
from deadheat.build.built import Build
from deadheat.errors import UserError
from deadheat.model.contender import Contender
from deadheat.model.observation import GoneOn, Left, Observation, Settled
from deadheat.model.plan import Leaving, Plan
from deadheat.plan import going_on
from deadheat.plan.looks import looks_of
from deadheat.results import derive
from deadheat.run import more
from deadheat.run.progress import NoView
from deadheat.stats import trials
from deadheat.storage import run_folder
from tests.made import playing
from tests.made.observed import plan, race

# At exactly the margin's edge no number of blocks settles anything.
OPEN = {"fast": 1.02}


def planned(tmp_path: Path, blocks: int = 6, estimated_s: float = 60.0) -> Plan:
    of = race(blocks).replaced(leaving=Leaving(), estimated_s=estimated_s)
    return plan(going_on.planned(of), playing.suite_in(tmp_path))


def kind() -> playing.Playing:
    return playing.Playing(noise=0.02, speeds=OPEN)


def gone_on(tmp_path: Path) -> tuple[Plan, playing.Playing, list[Observation]]:
    """A race to its planned end, and on."""
    asked = planned(tmp_path)
    before = playing.run(tmp_path, asked, kind())
    added = more.of_run(asked, derive.results(asked, {}, before))
    assert added == {"echo": 12}
    again = kind()
    return asked, again, playing.run(tmp_path, asked, again, before, more=added)


def test_an_open_pair_goes_on_to_the_most_that_was_planned_and_no_further(tmp_path: Path) -> None:
    asked, again, observed = gone_on(tmp_path)
    (result,) = derive.results(asked, {}, observed).workloads
    assert (result.blocks, result.blocks_planned, len(again.raced)) == (12, 12, 6)
    assert [o.blocks for o in observed if isinstance(o, GoneOn)] == [12]
    with pytest.raises(UserError, match="echo: it has the 12 blocks that were planned at most"):
        more.of_run(asked, derive.results(asked, {}, observed))


def test_the_interval_is_that_of_looks_which_kept_alpha_for_it(tmp_path: Path) -> None:
    asked, _, observed = gone_on(tmp_path)
    (of,), (result,) = asked.workloads, derive.results(asked, {}, observed).workloads
    looks = looks_of(of)
    assert (looks.planned_end, looks.blocks[-1], looks.reserve) == (6, 12, stats.RESERVE)
    assert looks.spent(0.05, 6) == pytest.approx(0.045)
    again = derive.race_of(of, asked.facts, asked.margin, observed)
    (verdict,) = (v for v in again.result.verdicts if "fast" in (v.a, v.b))
    assert verdict.blocks == 12 and verdict.ci is not None
    alone = stats.plan_looks(12, first=5)
    assert looks.nominal(0.05, 12) < alone.nominal(0.05, 12)
    assert result.verdicts == again.result.verdicts


def test_who_was_given_up_is_raced_again_and_who_was_settled_is_not(tmp_path: Path) -> None:
    asked = planned(tmp_path, 12, Leaving().hopeless_least_s)
    before = playing.run(tmp_path, asked, kind())
    assert "hopeless" in {o.why for o in before if isinstance(o, Left)}
    assert any(isinstance(o, Settled) for o in before)
    again = kind()
    playing.run(tmp_path, asked, again, before, more=more.of_run(asked, derive.results(asked, {}, before)))
    assert again.raced and "fast" in again.raced[0]


def test_a_settled_race_has_nothing_to_go_on_for(tmp_path: Path) -> None:
    asked = planned(tmp_path)
    observed = playing.run(tmp_path, asked, playing.Playing(noise=0.05))
    with pytest.raises(UserError, match="no race of this run can go on: echo: every pair is settled"):
        more.of_run(asked, derive.results(asked, {}, observed))


def test_a_run_of_before_kept_nothing_for_it(tmp_path: Path) -> None:
    asked = plan(race(6), playing.suite_in(tmp_path))
    observed = playing.run(tmp_path, asked, kind())
    with pytest.raises(UserError, match="it was planned without blocks to go on by"):
        more.of_run(asked, derive.results(asked, {}, observed))


def test_another_build_is_refused_by_name_and_nothing_is_journaled(tmp_path: Path) -> None:
    asked = planned(tmp_path)
    before = playing.run(tmp_path, asked, kind())

    class Rebuilt(playing.Ready):
        def build(self, contender: Contender, _say: object) -> Build:
            made = super().build(contender, _say)
            changed = {"key": "2", "toolchains": {"go": "1.27"}}
            return Build(made.contender, made.folder, made.record.model_copy(update=changed))

    journal = tmp_path / "run" / "journal.jsonl"
    lines = journal.read_bytes()
    with pytest.raises(
        UserError, match=r"echo/.* is not what this run raced: go was not needed and is 1\.27"
    ):
        playing.run(tmp_path, asked, kind(), before, more={"echo": 12}, builder=Rebuilt(tmp_path))
    assert journal.read_bytes() == lines


def test_another_kernel_is_refused_by_name(tmp_path: Path) -> None:
    asked = planned(tmp_path)
    folder = run_folder.create(tmp_path / "runs", asked, {"kernel": "0.1"})
    asked_for = (folder.path / "plan.json").read_text()
    suite = str(playing.suite_in(tmp_path).folder)
    (folder.path / "plan.json").write_text(json.dumps(json.loads(asked_for) | {"suite": suite}))
    with pytest.raises(UserError, match=r"begun on kernel 0\.1, and this is"):
        races.resume(tmp_path / "runs", asked.run, NoView(), more=True)


def test_a_race_of_too_few_blocks_keeps_all_it_has_for_the_fewest_that_judge() -> None:
    looks = looks_of(going_on.planned(race(3)))
    assert (looks.blocks[0], looks.planned_end, looks.blocks[-1]) == (5, 5, 10)


@pytest.mark.parametrize("blocks", [6, 10])
def test_whoever_goes_on_until_it_suits_errs_in_5_percent(blocks: int) -> None:
    """Nothing to find: watched after each block, gone on with where there is no winner yet."""
    effects = np.random.default_rng(blocks).normal(0, 0.02, (8_000, 1, 2 * blocks))
    found = trials.race(
        effects, 0.0, looks_of(going_on.planned(race(blocks))), watched=True, going_on="if undecided"
    )
    assert 0.03 < found.winners.mean() < 0.057
