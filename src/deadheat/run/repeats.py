"""How many blocks may be begun in all, and how much of a race is still to come.

Nothing here reads a reply or a time of a contender: how long blocks took in all and how many of them count
decide, so what a block would have said has no part in whether there is another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from deadheat import stats
from deadheat.model.observation import BlockEnded, Interference, Observation
from deadheat.model.plan import RacePlan
from deadheat.model.progress import Progress

# Without a budget, for each block planned so many may be begun.
MOST = 2
# So many times its share of the budget a race may take, but for the fewest blocks that any verdict needs.
LONGEST = 1.1


def walls_s(race: RacePlan, observed: Iterable[Observation]) -> list[float]:
    """How long each block begun so far took, seconds."""
    around = (o for o in observed if isinstance(o, Interference) and o.race == race.key and o.host is None)
    return [o.wall_ns / 1e9 for o in around]


def most_blocks(race: RacePlan, walls_s: Sequence[float], *, budgeted: bool) -> int:
    """How many blocks may be begun, those that do not count among them; `walls_s`: how long each so far took.

    Up to twice as many as planned; with a budget more than planned only within the race's share of it, and
    fewer than planned where these would take much longer than that.
    """
    most = MOST * race.blocks
    if not budgeted or race.estimated_s is None or (pace_s := _pace_s(race, walls_s)) <= 0:
        return most
    within = min(most, int(race.estimated_s / pace_s))
    kept = int(LONGEST * race.estimated_s / pace_s)
    return min(max(race.blocks, within), max(stats.METHODS[race.method_version].fewest_blocks, kept))


def disturbed(race: RacePlan, observed: Iterable[Observation]) -> int:
    """Blocks so far that somebody got into."""
    ended = (o for o in observed if isinstance(o, BlockEnded) and o.race == race.key)
    return sum(o.disturbed is not None for o in ended)


def progress(
    race: RacePlan, walls_s: Sequence[float], disturbed: int, clean: int, within: float, *, budgeted: bool
) -> Progress:
    """How far a race is: `within` (0 to 1) the block after those of `walls_s`, of which `disturbed` were
    disturbed and `clean` count for all.

    Of the blocks to come as many are expected to be disturbed as of those so far.
    """
    begun, missing = len(walls_s), race.blocks - clean
    room = most_blocks(race, walls_s, budgeted=budgeted) - begun
    quiet = begun - disturbed
    expected = missing * begun / quiet if quiet else float(missing if not begun else room)
    left = max(0.0, min(expected, room) - within)
    return Progress(
        clean=clean,
        planned=race.blocks,
        uncounted=disturbed,
        outgrown=quiet - clean,
        done=min(1.0, (begun + within) / (begun + within + left)) if left else 1.0,
        left_s=left * _pace_s(race, walls_s),
    )


def _pace_s(race: RacePlan, walls_s: Sequence[float]) -> float:
    """Of a block: the mean so far, at first as planned."""
    return sum(walls_s) / len(walls_s) if walls_s else (race.estimated_s or 0.0) / race.blocks
