"""A verdict followed back to its slices: everything it rests on, worked out once more from the journal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deadheat import stats
from deadheat.errors import UserError
from deadheat.model.claim import MORE_IS_BETTER
from deadheat.model.observation import BlockEnded, BlockStarted, Observation, Settled
from deadheat.model.plan import Plan, RacePlan
from deadheat.model.result import RaceResult, Results, Verdict
from deadheat.plan import going_on, reference
from deadheat.plan.looks import looks_of
from deadheat.results import derive, figures, judging
from deadheat.results.tally import Tally, tallied
from deadheat.results.values import TURN_VALUES, Turn
from deadheat.storage.journal import whole_blocks

# Two derivations of one journal differ by no more than this, which is the last digits of a float.
EQUAL = 1e-9


@dataclass(frozen=True)
class BlockEffect:
    """One block of the pair: `ratio` is how many times as fast a is as b, None where it cannot be told.

    `rounds` counts those with a value of both, of `raced`; `lines` are the first and the last of the block
    in the journal, from 1.
    """

    block: int
    ratio: float | None
    rounds: int
    raced: int
    lines: tuple[int, int]


@dataclass(frozen=True)
class Played:
    """A turn of a block and its line in the journal; `after` is who had the turn before it."""

    turn: Turn
    line: int
    after: str | None


@dataclass(frozen=True)
class BlockTurns:
    """One block in the order played: the turns of the pair, and what each round makes of them.

    `of_sums`: the block's ratio is of sums over its rounds (the method's version 2), else their mean.
    """

    effect: BlockEffect
    order: tuple[str, ...]
    played: tuple[Played, ...]
    rounds: tuple[float | None, ...]
    of_sums: bool


@dataclass(frozen=True)
class Why:
    """A pair of one race. `a` is the winner where there is one, as in the verdict's own sentence.

    `judged` is by the figures alone and None where the pair is described and not judged; `estimate` is the
    plain 95% one. `told` is the verdict that results.json holds, `settled` the line of the
    journal that says that a look ended the race. `others` are further races that have this pair.
    """

    race: RacePlan
    margin: float
    a: str
    b: str
    result: RaceResult
    verdict: Verdict | None
    judged: stats.Verdict | None
    looks: stats.Looks
    estimate: stats.Estimate
    blocks: tuple[BlockEffect, ...]
    reported: Verdict | None
    settled: int | None
    others: tuple[str, ...]
    tally: Tally
    lines: dict[int, int]

    @property
    def agrees(self) -> bool:
        """Whether results.json holds this very verdict."""
        return self.verdict is None or (self.reported is not None and _same(self.verdict, self.reported))

    def block(self, number: int) -> BlockTurns:
        """Block `number`, counted from 1. Raises UserError where it does not count or is not there."""
        effect = next((one for one in self.blocks if one.block == number - 1), None)
        if effect is None:
            known = ", ".join(str(one.block + 1) for one in self.blocks) or "none"
            raise UserError(f"no block {number} counts here", hint=f"those that do: {known}")
        played = sorted(
            ((t, e) for e, of in self.tally.turns.items() for t in of.get(effect.block, [])),
            key=lambda one: (one[0].round, one[0].turn),
        )
        before = [None, *(entry for _, entry in played)]
        own = [
            Played(turn, self.lines[id(turn)], before[place])
            for place, (turn, entry) in enumerate(played)
            if entry in self._entries()
        ]
        rounds = [None if not np.isfinite(log) else math.exp(log) for log in self._logs(effect.block)]
        order = tuple(entry for _, entry in played)
        return BlockTurns(effect, order, tuple(own), tuple(rounds), self.tally.method.of_sums)

    def _entries(self) -> set[str]:
        """The pair, and the reference's second entry where its sums are in the ratio."""
        pair = {self.a, self.b}
        second = judging.second_entry(self.tally, self.tally.common_blocks(*pair))
        return pair | {second} if second is not None and self.race.reference_entry in pair else pair

    def _logs(self, block: int) -> stats.FloatArray:
        """The log ratio of each round."""
        return round_logs(self.tally, self.a, self.b, block)


def follow(
    plan: Plan,
    observations: Sequence[Observation],
    results: Results | None,
    pair: tuple[str, str],
    workload: str | None = None,
) -> Why:
    """The pair in a workload (its name, or its key with the setting), the first that has it without one.

    `observations` are every line of the journal; `results` what the run wrote, where it can be read. Raises
    UserError where no race has the pair, or by a study's own method alone.
    """
    counting = list(whole_blocks(list(observations)))
    so_far = [going_on.so_far(reference.so_far(race, counting), counting) for race in plan.workloads]
    races = _races(so_far, pair, workload)
    race = races[0]
    if race.judged not in TURN_VALUES:
        raise UserError(
            f"{race.key} is judged by {race.judged_by}, which single turns do not have",
            hint="--why follows throughput, time and cpu to the lines of the journal",
        )
    tally = tallied(race, counting)
    result = derive.workload(race, plan.facts, plan.margin, counting)
    rows = {row.id: row for row in result.contenders}
    for entry in pair:
        if rows[entry].status != "measured":
            reason = f": {rows[entry].reason}" if rows[entry].reason else ""
            raise UserError(f"{entry} is {rows[entry].status}{reason}")
    measured = [e.id for e in race.entries if not e.null and rows[e.id].status == "measured"]
    ceilings = [entry for entry in measured if rows[entry].class_ == "ceiling"]
    family = judging.judged(
        tally,
        measured,
        ceilings,
        plan.margin,
        derive.claimed_pairs(plan.facts, race),
        figures.compared(tally),
    )
    verdict = _of_pair(result, pair)
    a, b = (verdict.a, verdict.b) if verdict is not None else pair
    lines = {id(o): number for number, o in enumerate(observations, 1)}
    effects = figures.by_block(tally, a, b)
    return Why(
        race=race,
        margin=plan.margin,
        a=a,
        b=b,
        result=result,
        verdict=verdict,
        judged=family.get((a, b)) or family.get((b, a)),
        looks=looks_of(race, pair),
        estimate=figures.compared(tally)(a, b),
        blocks=tuple(
            _effect(tally, a, b, block, effects.get(block), observations)
            for block in tally.common_blocks(a, b)
        ),
        reported=None if results is None else _reported(results, race, pair),
        settled=next((lines[id(o)] for o in counting if isinstance(o, Settled) and o.race == race.key), None),
        others=tuple(other.key for other in races[1:]),
        tally=tally,
        lines=lines,
    )


def round_logs(tally: Tally, a: str, b: str, block: int) -> stats.FloatArray:
    """The log ratio of each round of a block, more being a faster; NaN where a turn has no value."""
    value = TURN_VALUES[tally.race.judged]
    if tally.method.of_sums:
        logs = [rounds[0].linear() for rounds in judging.paired_rounds(tally, a, b, value, [block])]
    else:
        logs = [tally.series(entry, value, [block])[0] for entry in (a, b)]
    return (logs[0] - logs[1]) * (1 if MORE_IS_BETTER[tally.race.judged] else -1)


def _races(raced: Sequence[RacePlan], pair: tuple[str, str], workload: str | None) -> list[RacePlan]:
    """Those that have the pair; a name that is a race's very key is that race alone."""
    named = [race for race in raced if workload in (None, race.key, race.workload)]
    if not named:
        keys = ", ".join(race.key for race in raced)
        raise UserError(f'no race of this run is called "{workload}"', hint=f"it has {keys}")
    have = [race for race in named if set(pair) <= {e.id for e in race.entries if not e.null}]
    ours = [race for race in have if race.outside is None]
    if pair[0] == pair[1]:
        raise UserError("a contender against itself is the null pair", hint="--why takes two contenders")
    if not have:
        entries = sorted({e.id for race in named for e in race.entries if not e.null})
        missing = [name for name in pair if name not in entries]
        said = f'"{missing[0]}" was not raced' if missing else f"no race has both {pair[0]} and {pair[1]}"
        raise UserError(said, hint=f"contenders here: {', '.join(entries)}")
    if not ours:
        raise UserError("by a study's own method there is one figure of each, and no verdict to follow")
    return sorted(ours, key=lambda race: race.key != workload)


def _effect(
    tally: Tally, a: str, b: str, block: int, effect: float | None, observations: Sequence[Observation]
) -> BlockEffect:
    logs = round_logs(tally, a, b, block)
    return BlockEffect(
        block=block,
        ratio=None if effect is None else math.exp(effect),
        rounds=int(np.isfinite(logs).sum()),
        raced=len(logs),
        lines=_lines(tally.race.key, block, observations),
    )


def _lines(key: str, block: int, observations: Sequence[Observation]) -> tuple[int, int]:
    """Of the last, completed try of a block."""
    first = last = 0
    for number, o in enumerate(observations, 1):
        if isinstance(o, BlockStarted | BlockEnded) and (o.race, o.block) == (key, block):
            first, last = (number, last) if isinstance(o, BlockStarted) else (first, number)
    return first, last


def _of_pair(result: RaceResult, pair: tuple[str, str]) -> Verdict | None:
    return next((verdict for verdict in result.verdicts if {verdict.a, verdict.b} == set(pair)), None)


def _reported(results: Results, race: RacePlan, pair: tuple[str, str]) -> Verdict | None:
    for result in results.workloads:
        if (result.name, result.setting, result.method) == (race.workload, race.setting, race.method):
            return _of_pair(result, pair)
    return None


def _same(here: Verdict, reported: Verdict) -> bool:
    """Whether two verdicts say the same; their reasons follow from the figures, and are not compared."""
    words = (here.a, here.b, here.metric, here.verdict) == (
        reported.a,
        reported.b,
        reported.metric,
        reported.verdict,
    )
    figures = zip((here.ratio, *(here.ci or ())), (reported.ratio, *(reported.ci or ())), strict=False)
    return (
        words
        and (here.ci is None) == (reported.ci is None)
        and all(
            x == y or (x is not None and y is not None and math.isclose(x, y, rel_tol=EQUAL))
            for x, y in figures
        )
    )
