"""What more blocks would take, held against recorded journals: how long those that followed really took."""

from __future__ import annotations

import gzip
from datetime import datetime
from pathlib import Path

import pytest

from deadheat.model.observation import BlockEnded, BlockStarted, Disturbance, Interference, Observation
from deadheat.model.plan import Plan, RacePlan
from deadheat.results import pace
from deadheat.results.tally import tallied
from deadheat.storage import journal
from deadheat.storage.run_folder import RunFolder
from tests.made.observed import observations, race

RECORDED = Path(__file__).parents[1] / "fixtures" / "runs-f6a1ed6" / "deadheat"
# Races of that run with blocks enough to foretell some of them.
RACES = ("fib", "http-hello", "grpc-unary", "redis-pipeline")
WITHIN = 0.25


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, list[Observation]]:
    path = tmp_path_factory.mktemp("recorded") / "journal.jsonl"
    path.write_bytes(gzip.decompress((RECORDED / "journal.jsonl.gz").read_bytes()))
    return RunFolder(RECORDED).plan(), journal.read(path)[0]


def _began(seen: list[Observation], of: RacePlan) -> list[float]:
    """When each block began by the wall clock, and when the last of them was over, seconds."""
    starts = [o.at for o in seen if isinstance(o, BlockStarted) and o.race == of.key]
    walls = [o.wall_ns / 1e9 for o in seen if isinstance(o, Interference) and o.race == of.key]
    at = [datetime.fromisoformat(start.replace("Z", "+00:00")).timestamp() for start in starts]
    return [*at, at[-1] + walls[-1]]


@pytest.mark.parametrize("name", RACES)
def test_the_time_of_more_blocks_is_within_a_quarter(
    recorded: tuple[Plan, list[Observation]], name: str
) -> None:
    planned, seen = recorded
    of = next(one for one in planned.workloads if one.key == name)
    began = _began(seen, of)
    half = (len(began) - 1) // 2
    so_far = [o for o in seen if not (isinstance(o, BlockStarted) and o.race == name and o.block >= half)]
    so_far = [o for o in so_far if getattr(o, "race", None) != name or getattr(o, "block", 0) < half]
    reported = pace.more_s(tallied(of, so_far), len(began) - 1 - half)
    assert reported == pytest.approx(began[-1] - began[half], rel=WITHIN)


def test_no_block_to_come_is_like_the_first() -> None:
    """Whose warm-ups are watched for longer."""
    of = race(6)
    seen = [
        o.replaced(wall_ns=round((70.0 if o.block == 0 else 40.0) * 1e9))
        if isinstance(o, Interference)
        else o
        for o in observations(of)
    ]
    until = {blocks: [o for o in seen if getattr(o, "block", 0) < blocks] for blocks in (1, 2, 6)}
    assert {blocks: pace.more_s(tallied(of, so_far), 1) for blocks, so_far in until.items()} == {
        1: 70.0,
        2: 40.0,
        6: 40.0,
    }


def test_blocks_that_do_not_count_are_expected_again() -> None:
    of = race(6)
    seen = observations(of)
    stolen = Disturbance(by="another machine", share=0.3, limit=0.05)
    half_lost = [
        o.model_copy(update={"disturbed": stolen}) if isinstance(o, BlockEnded) and o.block % 2 else o
        for o in seen
    ]
    whole = list(journal.whole_blocks(half_lost))
    quiet, busy = (pace.more_s(tallied(of, journaled), 1) for journaled in (seen, whole))
    assert busy == 2 * quiet
