"""Who leaves a race before its end: those whose pairs are settled, or hardly can be."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import pytest

from deadheat.app.race import code_of
from deadheat.errors import ExitCode
from deadheat.model.observation import BlockEnded, Disturbance, Left, Observation, Settled, Slice
from deadheat.model.past import Past
from deadheat.model.plan import Leaving, RacePlan
from deadheat.report import verdicts
from deadheat.report.findings import sentences
from deadheat.results import derive
from deadheat.run.check import Check
from deadheat.run.kind import Stage
from tests.made import observed as made
from tests.made import playing
from tests.made.observed import observations, plan, race

LONG_S = Leaving().hopeless_least_s


def leaving(blocks: int, estimated_s: float = LONG_S) -> RacePlan:
    return race(blocks).replaced(leaving=Leaving(), estimated_s=estimated_s)


def raced(tmp_path: Path, kind: playing.Playing, blocks: int = 12) -> list[Observation]:
    return playing.run(tmp_path, plan(leaving(blocks), playing.suite_in(tmp_path)), kind)


def left(observed: list[Observation]) -> list[tuple[str, str, int]]:
    return [(o.entry, o.why, o.from_block) for o in observed if isinstance(o, Left)]


def test_a_settled_pair_ends_the_race(tmp_path: Path) -> None:
    kind = playing.Playing(noise=0.05)
    observed = raced(tmp_path, kind)
    assert ("fast", "settled", 5) in left(observed)
    assert len(kind.raced) == 5
    assert [o.blocks for o in observed if isinstance(o, Settled)] == [5]


def test_a_pair_that_hardly_can_be_settled_is_given_up_halfway(tmp_path: Path) -> None:
    """At exactly the margin's edge no number of blocks helps."""
    kind = playing.Playing(noise=0.02, speeds={"fast": 1.02})
    observed = raced(tmp_path, kind)
    (after,) = [block for entry, why, block in left(observed) if (entry, why) == ("fast", "hopeless")]
    assert 6 <= after < 12
    result = derive.results(plan(leaving(12), playing.suite_in(tmp_path)), {}, observed).workloads[0]
    assert result.verdicts[0].verdict == "inconclusive"
    assert f"given up with hardly a chance to be settled: fast after {after} of 12 blocks" in sentences(
        result
    )


def test_a_short_race_gives_nobody_up_and_says_what_it_can(tmp_path: Path) -> None:
    """The truth lies at exactly the margin's edge: open after every block, as it should be."""
    kind = playing.Playing(noise=0.02, speeds={"fast": 1.02})
    asked = plan(leaving(12, LONG_S - 1), playing.suite_in(tmp_path))
    observed = playing.run(tmp_path, asked, kind)
    assert len(kind.raced) == 12
    assert {why for _, why, _ in left(observed)} <= {"enough"}
    results = derive.results(asked, {}, observed)
    assert [verdict.verdict for verdict in results.workloads[0].verdicts] == ["inconclusive"]
    assert code_of(results) == ExitCode.DONE


@pytest.mark.parametrize(
    ("counting", "code"), [(0, ExitCode.NOTHING_JUDGED), (4, ExitCode.NOTHING_JUDGED), (5, ExitCode.DONE)]
)
def test_only_too_few_blocks_that_count_judge_nothing(tmp_path: Path, counting: int, code: ExitCode) -> None:
    """Twice as many are begun as are planned; all but so many are another machine's."""
    stolen = Disturbance(by="another machine", share=0.3, limit=0.05)
    asked = plan(leaving(6, 60.0), playing.suite_in(tmp_path))
    clean: list[Observation] = [
        o.model_copy(update={"disturbed": stolen}) if isinstance(o, BlockEnded) and o.block >= counting else o
        for o in observations(race(12), {"fast": 1.02}, noise=0.02)
    ]
    results = derive.results(asked, {}, clean)
    assert results.workloads[0].blocks == counting
    assert [verdict.verdict for verdict in results.workloads[0].verdicts] != ["faster"]
    assert code_of(results) == code
    if not counting:
        for row in results.workloads[0].contenders:
            assert "this machine is too busy" in (verdicts.reason(results.workloads[0], row) or "")


def test_verdicts_that_no_gate_lets_stand_are_none(tmp_path: Path) -> None:
    asked = plan(leaving(6, 60.0), playing.suite_in(tmp_path))
    results = derive.results(asked, {}, observations(race(6), {"fast": 1.1}, noise=0.01))
    assert code_of(results) == ExitCode.DONE
    (raced_,) = results.workloads
    void = tuple(verdict.model_copy(update={"verdict": "invalid"}) for verdict in raced_.verdicts)
    without = results.model_copy(update={"workloads": (raced_.model_copy(update={"verdicts": void}),)})
    assert code_of(without) == ExitCode.NOTHING_JUDGED


def test_without_the_rule_all_race_on(tmp_path: Path) -> None:
    kind = playing.Playing(noise=0.02, speeds={"fast": 1.02})
    asked = race(12)
    observed = playing.run(tmp_path, plan(asked, playing.suite_in(tmp_path)), kind)
    assert len(kind.raced) == 12 and not left(observed)


def test_who_has_left_is_in_no_later_block_and_the_ceiling_stays_for_five(tmp_path: Path) -> None:
    kind = playing.Playing(noise=0.6)
    observed = raced(tmp_path, kind)
    assert ("ceiling", "enough", 5) in left(observed)
    assert all(set(later) <= set(earlier) for earlier, later in pairwise(kind.raced))
    assert all("ceiling" in block for block in kind.raced[:5])
    assert all("ceiling" not in block for block in kind.raced[5:])
    assert {"slow", "slow'"} <= set(kind.raced[-1])
    assert {o.block for o in observed if isinstance(o, Slice) and o.entry == "ceiling"} == set(range(5))


def with_a_skewed_one(monkeypatch: pytest.MonkeyPatch) -> RacePlan:
    """A third contender, which needs ten blocks where others need six."""
    monkeypatch.setitem(made.CLASSES, "rare", "idiomatic")
    monkeypatch.setitem(made.SPEEDS, "rare", 1.02)
    starts = (*(0.01 * math.sin(n) for n in range(24)), -0.1)
    return leaving(10, 60.0).replaced(unskewed_blocks=6, past=Past(starts={"rare": starts}))


def test_whoever_was_skewed_before_races_on_beside_the_reference_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both at the margin's edge: open to their ends, which are after 6 and after 10 blocks."""
    asked = with_a_skewed_one(monkeypatch)
    kind = playing.Playing(noise=0.02, speeds={"fast": 1.02})
    seen = playing.run(tmp_path, plan(asked, playing.suite_in(tmp_path)), kind)
    assert ("fast", "enough", 6) in left(seen)
    assert len(kind.raced) == 10
    assert all({*block} == {"slow", "slow'", "rare"} for block in kind.raced[6:])
    result = derive.results(plan(asked, playing.suite_in(tmp_path)), {}, seen).workloads[0]
    assert {verdict.a: verdict.blocks for verdict in result.verdicts} == {"fast": 6, "rare": 10}
    assert [verdict.verdict for verdict in result.verdicts] == ["inconclusive", "inconclusive"]


def test_nobody_waits_for_whoever_was_skewed_and_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = with_a_skewed_one(monkeypatch)

    class Crashes(playing.Playing):
        def check(self, stage: Stage, entry: str) -> Check:
            return Check(entry != "rare", 12, None, None)

    kind = Crashes(noise=0.02, speeds={"fast": 1.02})
    playing.run(tmp_path, plan(asked, playing.suite_in(tmp_path)), kind)
    assert len(kind.raced) == 6


def test_a_run_taken_up_again_leaves_out_who_had_left(tmp_path: Path) -> None:
    observed = raced(tmp_path, playing.Playing(noise=0.6))
    at = next(i for i, o in enumerate(observed) if isinstance(o, Left))
    (tmp_path / "run" / "journal.jsonl").unlink()
    again = playing.Playing(noise=0.6)
    playing.run(tmp_path, plan(leaving(12), playing.suite_in(tmp_path)), again, observed[: at + 1])
    assert again.raced and all("ceiling" not in block for block in again.raced)
