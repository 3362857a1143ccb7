"""How long a race takes, and what fits into a time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from deadheat.errors import UserError
from deadheat.model.measured import ColdPlan, InvocationPlan, SlicePlan
from deadheat.model.plan import RacePlan
from deadheat.model.workload import Preset
from deadheat.plan import calibrated, equal_load, learnt, long_turns, skew
from deadheat.plan.asked import Asked
from deadheat.stats import Costs, steady

# What a turn costs beside its load (thaw, drain, freeze), and a start with its warm-up: for estimates only.
TURN_OVERHEAD_S, START_S = 0.012, 1.2
# A warm-up of half a second and a stop, where it is known how long a start takes until the server answers.
WARMED_S = 0.65
# A start that is loaded to its 10,000th reply, and stopped: for estimates only, too.
COLD_S = 1.5
# What a program's start, its end and a look at its answer take beside its own time.
INVOCATION_OVERHEAD_S = 0.01
MIN_ROUNDS = 4
# Of programs: more time goes into rounds from here on, since ever more looks tell less.
MOST_PROGRAM_BLOCKS = 60


@dataclass(frozen=True)
class Size:
    """How much a preset measures.

    Servers: blocks, and seconds for each entry up to a most for all. Programs, each run of which is a start
    of its own: blocks of one round, and a guess of an invocation's length.
    """

    blocks: int
    entry_s: float
    most_s: float
    program_blocks: int
    invocation_s: float
    open_loop_ms: int


SIZES: dict[Preset, Size] = {
    "quick": Size(8, 26, 240, 18, 0.25, 300),
    "standard": Size(10, 65, 1300, 24, 1.3, 1000),
    "thorough": Size(20, 190, 3800, 16, 15, 4000),
}


def estimated_s(race: RacePlan, asked: Asked) -> float:
    """About how long a race takes at most, builds and conformance apart, seconds."""
    return (_blocks_s(race, asked) + long_turns_s(race)) * learnt.overrun(race, asked.past)


def long_turns_s(race: RacePlan) -> float:
    """Of it the long turns."""
    return long_turns.seconds(race, TURN_OVERHEAD_S)


def with_long_turns(races: Sequence[RacePlan], asked: Asked) -> list[RacePlan]:
    """Races of servers with long turns, where these take no longer than the race itself, nor than half of a
    budget; the quick preset has none, whose race they would make thrice as long."""
    every = [long_turns.planned(race, taken=asked.preset != "quick") for race in races]
    if asked.budget_s is None:
        fitting = [long_turns_s(race) <= _blocks_s(race, asked) for race in every]
    else:
        fit_in = sum(map(long_turns_s, every)) <= long_turns.MOST_OF_BUDGET * asked.budget_s
        fitting = [fit_in] * len(every)
    return [
        race if fits else long_turns.planned(race, taken=False)
        for race, fits in zip(every, fitting, strict=True)
    ]


def _blocks_s(race: RacePlan, asked: Asked) -> float:
    blocks = skew.in_all(race)
    return blocks * _block_s(race, asked) + _warm_ups_s(race, asked, blocks)


def _block_s(race: RacePlan, asked: Asked, rounds: int | None = None) -> float:
    """Of a block with its own rounds, or with so many, warm-ups of programs apart."""
    turns = (race.rounds if rounds is None else rounds) * 2 * len(race.entries)
    if isinstance(slices := race.measured, SlicePlan):
        turn = (slices.lead_in_ms + slices.counted_ms) / 1000 + TURN_OVERHEAD_S
        turn_ms = equal_load.LEAD_IN_MS + slices.open_loop_ms / equal_load.TURNS
        open_loop = equal_load.TURNS * (turn_ms / 1000 + TURN_OVERHEAD_S)
        start_s = WARMED_S + asked.start_s if asked.start_s else START_S
        each = start_s + len(equal_load.loads_of(race, 0)) * open_loop
        longer_s = longer_warm_ups_s(race, learnt.warm_up_s(race, asked.past))
        return len(race.entries) * each + turns * turn + longer_s
    if isinstance(race.measured, ColdPlan):
        return turns * (COLD_S + asked.start_s)
    return turns * _invocation_s(race, asked)


def _warm_ups_s(race: RacePlan, asked: Asked, blocks: float) -> float:
    """Of programs the invocations of so many blocks that are not timed."""
    if not isinstance(race.measured, InvocationPlan):
        return 0.0
    warmed = race.measured.warmed_blocks
    return min(blocks, warmed or blocks) * len(race.entries) * _invocation_s(race, asked)


def longer_warm_ups_s(race: RacePlan, known: Mapping[str, float]) -> float:
    """Of a block what is known (of contenders what they need, seconds) of warm-ups beyond the shortest."""
    shortest_s = race.slices.warm_up_ms / 1000
    needed_s = (known[entry.contender] for entry in race.entries if entry.contender in known)
    return sum(max(0.0, steady.load_s(seconds) - shortest_s) for seconds in needed_s)


def least_s(races: Iterable[RacePlan], blocks: int, asked: Asked) -> float:
    """How long so many blocks of each take at least, with as few rounds as there may be."""

    def fewest(race: RacePlan) -> int:
        return MIN_ROUNDS if isinstance(race.measured, SlicePlan) else 1

    return sum(
        blocks * _block_s(race, asked, fewest(race)) + _warm_ups_s(race, asked, blocks) for race in races
    )


def _invocation_s(race: RacePlan, asked: Asked) -> float:
    known_s = race.invocations.about_s if asked.invocation_s is None else asked.invocation_s
    return SIZES[asked.preset].invocation_s if known_s is None else known_s + INVOCATION_OVERHEAD_S


def seconds_of(race: RacePlan, size: Size) -> float:
    """How long all blocks of a server race may take."""
    return min(size.entry_s * len(race.entries), size.most_s)


def sized(race: RacePlan, seconds: float, asked: Asked) -> RacePlan:
    """A server race of about so long: by the calibration, else the preset's blocks, as many rounds as fit."""
    fitting = int(seconds / _block_s(race, asked, MIN_ROUNDS))
    race = race.replaced(blocks=max(min(race.blocks, fitting), calibrated.LEAST_BLOCKS))
    costs = _costs(race, asked)
    rounds = max(MIN_ROUNDS, int((seconds / race.blocks - costs.block_s) / costs.round_s))
    return calibrated.sized(race, seconds, costs, asked, MIN_ROUNDS) or race.replaced(rounds=rounds)


def _costs(race: RacePlan, asked: Asked) -> Costs:
    """Of one block without a round, and of a round."""
    fixed_s = _block_s(race, asked, 0)
    return Costs(fixed_s, _block_s(race, asked, 1) - fixed_s)


def fit(races: Sequence[RacePlan], budget_s: float, asked: Asked) -> list[RacePlan]:
    """The same races in about `budget_s`: more or fewer blocks, and where need be fewer rounds."""
    budget_s -= sum(map(long_turns_s, races))
    share = budget_s / sum(_blocks_s(race, asked) * learnt.overrun(race, asked.past) for race in races)
    fitted = []
    for race in races:
        time_s = _blocks_s(race, asked) * share
        if _first_s(race, asked) > time_s:
            least = sum(_first_s(r, asked) * learnt.overrun(r, asked.past) for r in races)
            raise UserError(
                f"a budget of {budget_s:g} s is too short for one block of {race.workload}",
                hint=f"it takes at least about {math.ceil(least)} s, or fewer contenders",
            )
        of = _of_slices if isinstance(race.measured, SlicePlan) else _of_turns
        fitted.append(of(race, time_s, asked))
    return fitted


def _of_slices(race: RacePlan, time_s: float, asked: Asked) -> RacePlan:
    """By what is known of starts; else the race's rounds, and fewer where there would be too few blocks."""
    if (chosen := calibrated.sized(race, time_s, _costs(race, asked), asked, MIN_ROUNDS)) is not None:
        return chosen
    blocks, rounds = max(1, round(time_s / _block_s(race, asked))), race.rounds
    while blocks < SIZES[asked.preset].blocks and rounds > 1:
        rounds -= 1
        blocks = max(1, int(time_s / _block_s(race, asked, rounds)))
    return race.replaced(blocks=blocks, rounds=rounds)


def _of_turns(race: RacePlan, time_s: float, asked: Asked) -> RacePlan:
    """Where each turn is a start of its own: blocks of one round, of more where there would be too many."""
    rounds = 1
    while (blocks := _blocks_in(race, time_s, asked, rounds)) > MOST_PROGRAM_BLOCKS:
        rounds += 1
    return race.replaced(blocks=max(1, blocks), rounds=rounds)


def _blocks_in(race: RacePlan, time_s: float, asked: Asked, rounds: int) -> int:
    """How many blocks of programs take about so long."""
    one_s = _block_s(race, asked, rounds)
    fewest = round(time_s / (one_s + _warm_ups_s(race, asked, 1)))
    warmed = race.measured.warmed_blocks if isinstance(race.measured, InvocationPlan) else None
    if warmed is None or fewest <= warmed:
        return fewest
    return round((time_s - _warm_ups_s(race, asked, warmed)) / one_s)


def _first_s(race: RacePlan, asked: Asked) -> float:
    """Of a race's first block at the least."""
    return _block_s(race, asked, 1) + _warm_ups_s(race, asked, 1)
