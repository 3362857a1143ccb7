"""A race's observations, sorted: by entry, by block, by round. What gates and statistics start from."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from deadheat import stats
from deadheat.model.observation import (
    BlockEnded,
    Built,
    CallCount,
    Checked,
    ColdStart,
    Disturbance,
    Ended,
    Failed,
    Interference,
    Invocation,
    LeadInGrown,
    Left,
    LongTurn,
    LongTurnsKnown,
    NetworkFloor,
    Observation,
    OpenLoop,
    RaceUnavailable,
    ServiceRan,
    Slice,
    SocketTrace,
    Started,
    StatementsRan,
    WarmedUp,
)
from deadheat.model.plan import RacePlan
from deadheat.model.workload import HIGHER_IS_FASTER
from deadheat.results.values import TURN_VALUES, VALUES, Turn, Value, sums
from deadheat.stats import FloatArray, Series


@dataclass
class Tally:
    """What was observed of one race. Turns are of completed blocks only, warm-up apart.

    `unavailable`: why there was no further block; those before it count all the same.
    """

    race: RacePlan
    built: dict[str, Built] = field(default_factory=dict)
    checked: dict[str, Checked] = field(default_factory=dict)
    failed: dict[str, Failed] = field(default_factory=dict)
    unavailable: str | None = None
    grown: list[LeadInGrown] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    blocks: list[int] = field(default_factory=list)
    started: dict[str, list[Started]] = field(default_factory=dict)
    ended: dict[str, list[Ended]] = field(default_factory=dict)
    interference: list[Interference] = field(default_factory=list)
    turns: dict[str, dict[int, list[Turn]]] = field(default_factory=dict)
    warm_ups: dict[str, list[Turn]] = field(default_factory=dict)
    traced: dict[str, SocketTrace] = field(default_factory=dict)
    calls: dict[str, CallCount] = field(default_factory=dict)
    open_loop: dict[str, list[OpenLoop]] = field(default_factory=dict)
    warmed_up: dict[str, list[WarmedUp]] = field(default_factory=dict)
    disturbed: list[Disturbance] = field(default_factory=list)
    long_turns: dict[str, list[LongTurn]] = field(default_factory=dict)
    long_known: dict[str, LongTurnsKnown] = field(default_factory=dict)
    services: list[ServiceRan] = field(default_factory=list)
    statements: dict[str, list[StatementsRan]] = field(default_factory=dict)
    network: list[NetworkFloor] = field(default_factory=list)
    services_network: list[NetworkFloor] = field(default_factory=list)

    def of(self, entry: str) -> list[Turn]:
        """Every counted turn of an entry."""
        return [turn for block in self.turns.get(entry, {}).values() for turn in block]

    def slices(self, entry: str) -> list[Slice]:
        return [turn for turn in self.of(entry) if isinstance(turn, Slice)]

    def replies_in(self, block: int) -> int:
        """All that servers gave under load: while they warmed up, in slices, at equal load, in long turns."""
        slices = [turn for entry in self.turns for turn in self.slices(entry)]
        slices += [turn for of in self.warm_ups.values() for turn in of if isinstance(turn, Slice)]
        others: list[OpenLoop | LongTurn] = [turn for of in self.open_loop.values() for turn in of]
        others += [turn for of in self.long_turns.values() for turn in of]
        in_slices = sum(turn.replies_all for turn in slices if turn.block == block)
        return in_slices + sum(turn.replies for turn in others if turn.block == block)

    def cold_starts(self, entry: str) -> list[ColdStart]:
        return [turn for turn in self.of(entry) if isinstance(turn, ColdStart)]

    def invocations(self, entry: str) -> list[Invocation]:
        return [turn for turn in self.of(entry) if isinstance(turn, Invocation)]

    def metered(self, entry: str) -> bool:
        """Whether its CPU time and memory could be read: not of a server that runs elsewhere."""
        return all(started.metered for started in self.started.get(entry, ()))

    def bytes_per_response(self, entry: str) -> float | None:
        """On the wire, of the counted parts; None of what is no server under our load."""
        slices = self.slices(entry)
        return sum(s.bytes_in for s in slices) / max(1, sum(s.replies for s in slices)) if slices else None

    def common_blocks(self, *entries: str) -> list[int]:
        """The blocks in which all these entries were measured."""
        return [b for b in self.blocks if all(b in self.turns.get(entry, {}) for entry in entries)]

    def walls_s(self) -> dict[int, float]:
        """From before its first start to after its last stop, of each block that was timed, seconds."""
        return {one.block: one.wall_ns / 1e9 for one in self.interference}

    def drift(self, entry: str) -> stats.Estimate:
        """Its ratio to the reference in the second half of a block's rounds over that in the first."""
        reference, metric = self.race.reference_entry, self.race.metric
        blocks = self.common_blocks(entry, reference)
        return stats.drift(
            *(self.series(one, VALUES[metric], blocks) for one in (entry, reference)),
            lower_is_better=not HIGHER_IS_FASTER[metric],
        )

    def series(self, entry: str, value: Value, blocks: Iterable[int]) -> Series:
        """Per block one array of a value a round, in log units; NaN where a round has none.

        What the round contributes to the log of the block's ratio of sums; by the method's version 1, the
        mean log of its turns.
        """
        if self.method.of_sums:
            return stats.linear(self.rounds(entry, value, blocks))
        return [self._logs(entry, value, block) for block in blocks]

    def rounds(self, entry: str, value: Value, blocks: Iterable[int]) -> list[stats.Rounds]:
        """Per block the sums of each round's turns; NaN where the entry was not in the round."""
        return [self._sums(entry, value, block) for block in blocks]

    @property
    def judged_value(self) -> Value:
        """What each turn says of the figure that the race is judged by; where no turn says it, of its own."""
        return TURN_VALUES.get(self.race.judged, VALUES[self.race.metric])

    @property
    def method(self) -> stats.Method:
        """The statistics that the race's plan names."""
        return stats.METHODS[self.race.method_version]

    def _raced(self, block: int) -> int:
        """A block may have had fewer rounds than planned: what nobody raced is not lost, but not there."""
        return max(turn.round for blocks in self.turns.values() for turn in blocks.get(block, [])) + 1

    def _sums(self, entry: str, value: Value, block: int) -> stats.Rounds:
        raced = self._raced(block)
        both = np.zeros((2, raced))
        there = np.zeros(raced, dtype=bool)
        for turn in self.turns[entry][block]:
            both[:, turn.round] += sums(value, turn)
            there[turn.round] = True
        both[:, ~there] = np.nan
        return stats.Rounds(both[0], both[1])

    def _logs(self, entry: str, value: Value, block: int) -> FloatArray:
        logs: list[list[float]] = [[] for _ in range(self._raced(block))]
        for turn in self.turns[entry][block]:
            number = value(turn)
            logs[turn.round].append(float(np.log(number)) if number > 0 else np.nan)
        return np.array([np.mean(two) if two else np.nan for two in logs])


def tallied(race: RacePlan, observations: Iterable[Observation]) -> Tally:
    """Sort the observations (those that count: see journal.whole_blocks) of one race."""
    tally = Tally(race)
    entries = {entry.contender: entry.id for entry in race.entries if not entry.null}
    for o in observations:
        # Builds and conformance are a workload's, whatever its settings and methods.
        if isinstance(o, Built) and o.workload == race.workload and o.contender in entries:
            tally.built[o.contender] = o
        elif isinstance(o, Checked) and o.workload == race.workload:
            tally.checked[o.contender] = o
        elif isinstance(o, NetworkFloor):
            (tally.network if o.role == "load" else tally.services_network).append(o)
        elif getattr(o, "race", None) != race.key:
            continue
        elif isinstance(o, LeadInGrown):
            tally.grown.append(o)
        elif isinstance(o, Left):
            tally.left.append(o)
        elif isinstance(o, ServiceRan):
            tally.services.append(o)
        elif isinstance(o, StatementsRan):
            tally.statements.setdefault(o.entry, []).append(o)
        else:
            _sort(tally, o)
    if tally.grown:  # blocks of which nothing counts any more
        tally.blocks = [b for b in tally.blocks if any(b in of for of in tally.turns.values())]
    tally.blocks.sort()
    return tally


def _sort(tally: Tally, o: Observation) -> None:
    """One observation of this very race."""
    match o:
        case RaceUnavailable():
            tally.unavailable = o.reason
        case Failed():
            tally.failed.setdefault(o.entry, o)
        case Started():
            tally.started.setdefault(o.entry, []).append(o)
        case Ended():
            tally.ended.setdefault(o.entry, []).append(o)
        case Slice() | Invocation() if o.warm_up:
            tally.warm_ups.setdefault(o.entry, []).append(o)
        case Slice() | Invocation() | ColdStart():
            tally.turns.setdefault(o.entry, {}).setdefault(o.block, []).append(o)
        case OpenLoop():
            tally.open_loop.setdefault(o.entry, []).append(o)
        case SocketTrace() | CallCount() | LongTurnsKnown():
            _see_once(tally, o)
        case Interference():
            tally.interference.append(o)
        case LongTurn():
            tally.long_turns.setdefault(o.entry, []).append(o)
        case WarmedUp():
            tally.warmed_up.setdefault(o.entry, []).append(o)
        case BlockEnded():
            _end(tally, o)


def _see_once(tally: Tally, o: SocketTrace | CallCount | LongTurnsKnown) -> None:
    """What an invocation apart showed, or an earlier race, which no other repeats."""
    if isinstance(o, SocketTrace):
        tally.traced[o.entry] = o
    elif isinstance(o, LongTurnsKnown):
        tally.long_known[o.entry] = o
    else:
        tally.calls[o.entry] = o


def _end(tally: Tally, block: BlockEnded) -> None:
    if block.disturbed is not None:
        tally.disturbed.append(block.disturbed)
        return
    tally.blocks.append(block.block)
    # A resume went on: it is no longer so.
    tally.unavailable = None
