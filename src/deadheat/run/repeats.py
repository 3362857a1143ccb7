"""How many blocks may be begun in all, and how much of a race is still to come.

Nothing here reads a reply or a time of a contender that counts: how long blocks took in all, what only early
ones have in them, and how many of them count decide, so what a block would have said has no part in whether
there is another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from deadheat import stats
from deadheat.model.observation import BlockEnded, Interference, Invocation, LongTurn, Observation
from deadheat.model.plan import RacePlan
from deadheat.model.progress import Progress
from deadheat.plan import skew
from deadheat.results import pace

# Without a budget, for each block planned so many may be begun.
MOST = 2
# So many times its share of the budget a race may take, but for the fewest blocks that any verdict needs.
LONGEST = 1.1


@dataclass(frozen=True)
class Took:
    """Of the blocks begun so far `walls_s`, seconds, each without what only early ones have: that took
    `early_s` in all, and `early_left_s` more of it are to come."""

    walls_s: Sequence[float] = ()
    early_s: float = 0.0
    early_left_s: float = 0.0


def took(race: RacePlan, observed: Iterable[Observation]) -> Took:
    """What blocks begun so far took."""
    own = [o for o in observed if isinstance(o, Interference | LongTurn | Invocation) and o.race == race.key]
    early = pace.early_of(race, own)
    around = [o for o in own if isinstance(o, Interference) and o.host is None]
    early_s = [pace.early_s(early, o.block) for o in around]
    left = pace.early_left(race, early, around[-1].block) if around else 0
    return Took(
        [o.wall_ns / 1e9 - one for o, one in zip(around, early_s, strict=True)],
        early_s=sum(early_s),
        early_left_s=left * early_s[-1] if around else 0.0,
    )


def most_blocks(race: RacePlan, took: Took, *, budgeted: bool) -> int:
    """How many blocks may be begun, those that do not count among them.

    Up to twice as many as planned; with a budget more than planned only within the race's share of it, and
    fewer than planned where these would take much longer than that.
    """
    most = MOST * race.blocks
    if not budgeted or race.estimated_s is None or (pace_s := _pace_s(race, took)) <= 0:
        return most
    once_s = took.early_s + took.early_left_s + max(0.0, sum(took.walls_s[:1]) - pace_s)
    within = min(most, int((race.estimated_s - once_s) / pace_s))
    kept = int((LONGEST * race.estimated_s - once_s) / pace_s)
    return min(max(race.blocks, within), max(stats.METHODS[race.method_version].fewest_blocks, kept))


def disturbed(race: RacePlan, observed: Iterable[Observation]) -> int:
    """Blocks so far that somebody got into."""
    ended = (o for o in observed if isinstance(o, BlockEnded) and o.race == race.key)
    return sum(o.disturbed is not None for o in ended)


def progress(
    race: RacePlan, took: Took, disturbed: int, clean: int, within: float, *, budgeted: bool
) -> Progress:
    """How far a race is: `within` (0 to 1) the block after those that it took so long for, of which
    `disturbed` were disturbed and `clean` count for all.

    Of the blocks to come as many are expected to be disturbed as of those so far; one of the skewed alone is
    as much of a block of everybody as they are of all.
    """
    begun, missing = len(took.walls_s), race.blocks - clean
    room = most_blocks(race, took, budgeted=budgeted) - begun
    quiet = begun - disturbed
    expected = missing * begun / quiet if quiet else float(missing if not begun else room)
    alike = skew.in_all(race, clean) / missing if missing > 0 else 1.0
    left = max(0.0, min(expected, room) - within) * alike
    return Progress(
        clean=clean,
        planned=race.blocks,
        uncounted=disturbed,
        outgrown=quiet - clean,
        done=min(1.0, (begun + within) / (begun + within + left)) if left else 1.0,
        left_s=left * _pace_s(race, took) + (took.early_left_s if left else 0.0),
    )


def _pace_s(race: RacePlan, took: Took) -> float:
    """Of a block without what only early ones have: the mean of those after the first, of it where it is
    alone; as planned where there is none yet."""
    walls_s = pace.after_first(took.walls_s)
    return sum(walls_s) / len(walls_s) if walls_s else skew.block_s(race)
