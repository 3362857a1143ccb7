"""How many blocks may be begun, and what is said to be left: by wall times and counts alone."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from deadheat.model.measured import LongTurns
from deadheat.model.observation import BlockEnded, Disturbance, Interference, LongTurn, Observation
from deadheat.model.past import Past
from deadheat.model.plan import DisturbanceLimits, Entry
from deadheat.plan import skew
from deadheat.run import disturbance, repeats
from deadheat.run.progress import NoView
from deadheat.run.repeats import Took
from tests.made import playing
from tests.made.observed import observations, plan, race

PLANNED = race(blocks=6).replaced(estimated_s=240.0)


def test_without_a_budget_twice_as_many_as_planned_may_be_begun() -> None:
    assert repeats.most_blocks(PLANNED, Took(), budgeted=False) == 12
    assert repeats.most_blocks(PLANNED, Took([90.0] * 5), budgeted=False) == 12


@pytest.mark.parametrize(
    ("wall_s", "most"),
    [(40.0, 6), (44.0, 6), (46.0, 5), (90.0, 5), (30.0, 8), (10.0, 12)],
    ids=["as planned", "a tenth slower", "slow", "slower, and five count", "fast", "faster"],
)
def test_repeats_come_out_of_the_budget(wall_s: float, most: int) -> None:
    assert repeats.most_blocks(PLANNED, Took([wall_s] * 3), budgeted=True) == most


@pytest.mark.parametrize("slower", [0.7, 0.9, 1.0, 1.05, 1.2, 1.5, 3.0])
def test_a_budget_is_kept_within_a_tenth(slower: float) -> None:
    """Of 20 blocks of 15 s, each of which takes so many times as long; quick ones are not stretched."""
    planned, begun = race(blocks=20).replaced(estimated_s=300.0), 0
    while begun < min(20, repeats.most_blocks(planned, Took([15.0 * slower] * begun), budgeted=True)):
        begun += 1
    assert begun >= 5
    assert begun * 15 * slower <= 330
    assert begun == 20 or begun * 15 * slower >= 270


def test_what_is_left_counts_repeats_to_be_expected() -> None:
    at_first = repeats.progress(PLANNED, Took(), 0, 0, 0.5, budgeted=False)
    assert (at_first.clean, at_first.uncounted, at_first.left_s) == (0, 0, 5.5 * 40)
    quiet = repeats.progress(PLANNED, Took([40.0] * 4), 0, 4, 0.0, budgeted=False)
    assert (quiet.left_s, quiet.uncounted) == (80.0, 0)
    assert quiet.done == pytest.approx(4 / 6)
    noisy = repeats.progress(PLANNED, Took([40.0] * 4), 2, 2, 0.0, budgeted=False)
    assert (noisy.clean, noisy.uncounted, noisy.left_s) == (2, 2, 8 * 40.0)


def test_blocks_of_one_skewed_contender_alone_are_told_as_short_as_they_are() -> None:
    """Ten blocks, six of which are of everybody: the others are of it and the reference, three entries of
    the five."""
    entries = (*race(blocks=10).entries, Entry(id="third", contender="third"))
    past = Past(starts={"third": (0.0,) * 14 + (-1.0,)})
    planned = race(blocks=10).replaced(entries=entries, past=past, unskewed_blocks=6, estimated_s=360.0)
    assert skew.in_all(planned) == 6 + 4 * 3 / 5
    begun = repeats.progress(planned, Took([40.0] * 2), 0, 2, 0.0, budgeted=False)
    assert begun.left_s == pytest.approx((4 + 4 * 3 / 5) * 40.0)
    alone = repeats.progress(planned, Took([40.0] * 7), 0, 7, 0.0, budgeted=False)
    assert alone.left_s == pytest.approx(3 * 3 / 5 * 40.0)
    assert repeats.progress(planned, Took([40.0] * 10), 0, 10, 0.0, budgeted=False).left_s == 0.0


def test_what_is_left_is_bounded_as_the_blocks_are() -> None:
    hardly = repeats.progress(PLANNED, Took([40.0] * 10), 9, 1, 0.5, budgeted=False)
    assert hardly.left_s == 1.5 * 40.0
    assert repeats.progress(PLANNED, Took([40.0] * 3), 3, 0, 0.0, budgeted=False).left_s == 9 * 40.0
    assert repeats.progress(PLANNED, Took([40.0] * 12), 8, 4, 1.0, budgeted=False).left_s == 0.0


LONG = race(blocks=6, long_turns=LongTurns(rounds=6)).replaced(estimated_s=240.0)


def with_long_turns(first: int, blocks: int) -> list[Observation]:
    """So many blocks of 40 s each, of which the first have long turns for 16 s."""
    found: list[Observation] = []
    for around in observations(LONG):
        if not isinstance(around, Interference) or around.block >= blocks:
            continue
        for turn, entry in enumerate(("slow", "fast", "fast", "slow") if around.block < first else ()):
            found.append(
                LongTurn(
                    race=LONG.key,
                    block=around.block,
                    round=8,
                    turn=turn,
                    entry=entry,
                    counted_s=2.0,
                    took_s=4.0,
                    replies=1,
                    errors={},
                    server_cpu_ns=None,
                )
            )
        found.append(around.replaced(wall_ns=40_000_000_000))
    return found


def test_long_turns_are_expected_as_long_as_some_are_due() -> None:
    took = repeats.took(LONG, with_long_turns(2, 2))
    assert (took.walls_s, took.early_s, took.early_left_s) == ([24.0] * 2, 32.0, 4 * 16.0)
    assert repeats.progress(LONG, took, 0, 2, 0.0, budgeted=False).left_s == 4 * 40.0
    over = repeats.took(LONG, with_long_turns(2, 3))
    assert over.early_left_s == 0.0
    assert repeats.progress(LONG, over, 0, 3, 0.0, budgeted=False).left_s == 3 * (24 + 40) / 2
    # Of 240 s, 32 were theirs.
    assert repeats.most_blocks(LONG, over, budgeted=True) == int((240 - 32) / ((24 + 40) / 2))


def test_blocks_to_come_are_like_those_after_the_first() -> None:
    """Whose warm-ups are watched for longer."""
    took = Took([90.0, 40.0, 40.0])
    assert repeats.progress(PLANNED, took, 0, 3, 0.0, budgeted=False).left_s == 3 * 40.0
    # Its 50 s more are taken once.
    of = PLANNED.replaced(estimated_s=330.0)
    assert repeats.most_blocks(of, took, budgeted=True) == 7


def test_no_result_has_a_part_in_it() -> None:
    """Given are the plan, how long blocks took and how many count: no observation of any contender."""
    assert list(inspect.signature(repeats.most_blocks).parameters) == ["race", "took", "budgeted"]


class Warned(NoView):
    """Keeps what it is warned of."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def warn(self, text: str) -> None:
        self.said.append(text)


def test_a_machine_that_is_never_left_alone_ends_the_race(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stolen = Disturbance(by="another machine", share=0.3, limit=0.05)
    clean = iter([None, stolen, None, None])
    monkeypatch.setattr(disturbance, "of_block", lambda *_: next(clean, stolen))
    planned = plan(PLANNED, playing.suite_in(tmp_path)).replaced(disturbance=DisturbanceLimits())
    view = Warned()
    observed = playing.run(tmp_path, planned, playing.Playing(), view=view)
    ended = [o.disturbed is None for o in observed if isinstance(o, BlockEnded)]
    assert (len(ended), sum(ended)) == (12, 3)
    assert view.said == [
        "echo: 3 of 6 blocks count after 12, and no more are begun: twice as many as planned"
    ]


def test_blocks_before_a_longer_lead_in_are_not_expected_again() -> None:
    grown = repeats.progress(PLANNED, Took([40.0] * 3), 0, 0, 0.0, budgeted=False)
    assert (grown.clean, grown.uncounted, grown.outgrown, grown.left_s) == (0, 0, 3, 6 * 40.0)
    noisy_too = repeats.progress(PLANNED, Took([40.0] * 4), 2, 1, 0.0, budgeted=False)
    assert (noisy_too.uncounted, noisy_too.outgrown, noisy_too.left_s) == (2, 1, 8 * 40.0)
