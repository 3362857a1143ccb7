"""A race's observations, sorted: by entry, by block, by round. What gates and statistics start from."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from deadheat.model.observation import (
    BlockEnded,
    Built,
    CallCount,
    Checked,
    Ended,
    Failed,
    Invocation,
    LeadInGrown,
    Observation,
    OpenLoop,
    OutsideRun,
    RaceUnavailable,
    Slice,
    SocketTrace,
    Started,
    Surroundings,
)
from deadheat.model.plan import WorkloadPlan
from deadheat.stats import FloatArray, Series

Turn = Slice | Invocation | OutsideRun
Value = Callable[[Turn], float]


@dataclass
class Tally:
    """What was observed of one race. Turns are of completed blocks only, warm-up apart.

    `unavailable`: why there was no further block; those before it count all the same.
    """

    race: WorkloadPlan
    built: dict[str, Built] = field(default_factory=dict)
    checked: dict[str, Checked] = field(default_factory=dict)
    failed: dict[str, Failed] = field(default_factory=dict)
    unavailable: str | None = None
    grown: LeadInGrown | None = None
    blocks: list[int] = field(default_factory=list)
    started: dict[str, list[Started]] = field(default_factory=dict)
    ended: dict[str, list[Ended]] = field(default_factory=dict)
    surroundings: list[Surroundings] = field(default_factory=list)
    turns: dict[str, dict[int, list[Turn]]] = field(default_factory=dict)
    warm_ups: dict[str, list[Turn]] = field(default_factory=dict)
    outside: dict[str, list[OutsideRun]] = field(default_factory=dict)
    traced: dict[str, SocketTrace] = field(default_factory=dict)
    calls: dict[str, CallCount] = field(default_factory=dict)
    open_loop: dict[str, list[OpenLoop]] = field(default_factory=dict)

    def of(self, entry: str) -> list[Turn]:
        """Every counted turn of an entry."""
        return [turn for block in self.turns.get(entry, {}).values() for turn in block]

    def slices(self, entry: str) -> list[Slice]:
        return [turn for turn in self.of(entry) if isinstance(turn, Slice)]

    def invocations(self, entry: str) -> list[Invocation]:
        return [turn for turn in self.of(entry) if isinstance(turn, Invocation)]

    def outside_run(self, entry: str) -> OutsideRun | None:
        """The best run of an entry, which alone counts where a study took the best of several."""
        runs = self.outside.get(entry)
        return _best(runs) if runs else None

    def common_blocks(self, *entries: str) -> list[int]:
        """The blocks in which all these entries were measured."""
        return [b for b in self.blocks if all(b in self.turns.get(entry, {}) for entry in entries)]

    def block_s(self) -> float:
        """How long a block's turns took, seconds: the median over blocks."""
        spans = [self._span_s(block) for block in self.blocks]
        return float(np.median(spans)) if spans else 0.0

    def _span_s(self, block: int) -> float:
        turns = [turn for blocks in self.turns.values() for turn in blocks.get(block, [])]
        ends = [turn.drained_ns for turn in turns if isinstance(turn, Slice)]
        ends += [turn.at_ns for turn in turns if isinstance(turn, Invocation)]
        return (max(ends) - min(ends)) / 1e9 if ends else 0.0

    def series(self, entry: str, value: Value, blocks: Iterable[int]) -> Series:
        """Per block one array: the mean log value of each round; NaN where a turn of the round has none."""
        return [self._rounds(entry, value, block) for block in blocks]

    def _rounds(self, entry: str, value: Value, block: int) -> FloatArray:
        # A block may have had fewer rounds than planned: those that nobody raced are not lost, but not there.
        raced = max(turn.round for blocks in self.turns.values() for turn in blocks.get(block, [])) + 1
        logs: list[list[float]] = [[] for _ in range(raced)]
        for turn in self.turns[entry][block]:
            number = value(turn)
            logs[turn.round].append(float(np.log(number)) if number > 0 else np.nan)
        return np.array([np.mean(two) if two else np.nan for two in logs])


def tally(race: WorkloadPlan, observations: Iterable[Observation]) -> Tally:
    """Sort the observations (those that count: see journal.whole_blocks) of one race."""
    found = Tally(race)
    entries = {entry.contender: entry.id for entry in race.entries if not entry.null}
    for o in observations:
        # Builds and conformance are a workload's, whatever its settings and methods.
        if isinstance(o, Built) and o.workload == race.workload and o.contender in entries:
            found.built[o.contender] = o
        elif isinstance(o, Checked) and o.workload == race.workload:
            found.checked[o.contender] = o
        elif getattr(o, "workload", None) != race.key:
            continue
        elif isinstance(o, LeadInGrown):
            found.grown = o
        else:
            _sort(found, o)
    found.blocks.sort()
    found.turns |= {run.entry: {run.block: [run]} for run in map(_best, found.outside.values())}
    return found


def _sort(found: Tally, o: Observation) -> None:
    """One observation of this very race."""
    match o:
        case RaceUnavailable():
            found.unavailable = o.reason
        case Failed():
            found.failed.setdefault(o.entry, o)
        case Started():
            found.started.setdefault(o.entry, []).append(o)
        case Ended():
            found.ended.setdefault(o.entry, []).append(o)
        case Slice() | Invocation() if o.warm_up:
            found.warm_ups.setdefault(o.entry, []).append(o)
        case Slice() | Invocation():
            found.turns.setdefault(o.entry, {}).setdefault(o.block, []).append(o)
        case OpenLoop():
            found.open_loop.setdefault(o.entry, []).append(o)
        case SocketTrace():
            found.traced[o.entry] = o
        case CallCount():
            found.calls[o.entry] = o
        case OutsideRun():
            found.outside.setdefault(o.entry, []).append(o)
        case Surroundings():
            found.surroundings.append(o)
        case BlockEnded():
            found.blocks.append(o.block)
            # A resume went on: it is no longer so.
            found.unavailable = None


def _best(runs: Iterable[OutsideRun]) -> OutsideRun:
    return max(runs, key=lambda run: run.throughput_rps)


def throughput_rps(turn: Turn) -> float:
    """Replies in the counted part over its length; 0 where something went wrong in it, or where it had none.

    An outside generator's is what it printed, errors and all: a gate judges those.
    """
    if isinstance(turn, OutsideRun):
        return turn.throughput_rps
    assert isinstance(turn, Slice)
    if turn.counted_s <= 0 or (turn.errors and sum(turn.errors.values())):
        return 0.0
    return turn.replies / turn.counted_s


def wall_s(turn: Turn) -> float:
    assert isinstance(turn, Invocation)
    return turn.wall_s


def cpu_s(turn: Turn) -> float:
    assert isinstance(turn, Invocation)
    return turn.user_s + turn.system_s


def user_s(turn: Turn) -> float:
    """CPU time of the program itself."""
    assert isinstance(turn, Invocation)
    return turn.user_s


def system_s(turn: Turn) -> float:
    """CPU time of the kernel on the program's behalf."""
    assert isinstance(turn, Invocation)
    return turn.system_s


def own_wall_s(turn: Turn) -> float:
    """Wall time by the program's own clock; 0 where it has none."""
    assert isinstance(turn, Invocation)
    return turn.own_wall_s or 0.0


def cpu_us_per_request(turn: Turn) -> float:
    """The server's CPU time in the counted part for each reply of it, microseconds."""
    if isinstance(turn, OutsideRun):
        return (turn.server_cpu_s or 0.0) * 1e6 / turn.requests
    assert isinstance(turn, Slice)
    return turn.server_cpu_ns / 1e3 / turn.replies if turn.server_cpu_ns and turn.replies else 0.0


VALUES: dict[str, Value] = {"throughput_rps": throughput_rps, "wall_s": wall_s, "cpu_s": cpu_s}
