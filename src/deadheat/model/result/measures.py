"""Figures of a contender, each with what it must be told with."""

from typing import Literal

from deadheat.model.base import Record
from deadheat.model.gate import GateResult

Interval = tuple[float, float]


def turned(ratio: float, ci: Interval | None) -> tuple[float, Interval | None]:
    """The ratio of b to a with its interval, where a's to b is given."""
    return 1 / ratio, None if ci is None else (1 / ci[1], 1 / ci[0])


class Measure(Record):
    """A figure with its 95% interval over blocks (null with one block), and its value in each block.

    By a study's own method `estimate` is the best run's and `blocks` are the runs.
    """

    estimate: float
    ci: Interval | None
    blocks: tuple[float, ...]


class Latency(Record):
    """Milliseconds. `at_rps` is the fixed rate of an open loop, null in a closed loop.

    A percentile is null unless at least 10 observations lie beyond it.
    """

    at_rps: float | None
    mean: float
    p50: float | None
    p90: float | None
    p99: float | None
    p99_9: float | None
    max: float


class Against(Record):
    """A contender is `ratio` times as fast as the reference, with the interval that was judged; a plain 95%
    one of what is described and not judged (ceilings, drift, latencies; runs of the method's version 1)."""

    ratio: float
    ci: Interval | None


class CpuRatio(Record):
    """CPU time of a contender over the reference's, by block: of a server for each reply, of a program for
    each invocation; 0.8 is a fifth less.

    `ci`: 95%, about the ratio on the logarithmic scale. `family`: of so many questions that claims ask of the
    race it was judged as one, by an interval that is adjusted for them; null where it is described only.
    """

    ratio: float
    ci: Interval | None
    family: int | None = None


class RequestFigures(Record):
    """One request of a mix, in the closed loop of the whole: its `share` of all right replies, how many of it
    a second, `errors` in all blocks, and how many times as fast as the reference it is answered, by the mean
    over all blocks, with a plain 95% interval."""

    name: str
    share: float
    throughput_rps: float | None
    errors: int
    latency_ms: Latency | None
    against_reference: Against | None


class LatencyAtLoad(Record):
    """Latency from the intended send time at one fixed rate, the same for every contender of the race.

    Milliseconds, by name (mean, p50, p90, p99, p99_9, max), null unless at least 10 observations lie
    beyond: the mean over blocks with its interval, or where single blocks are too short for that
    percentile, of all blocks merged and without one. `service_ms`: the same requests from their actual
    sending. `against_reference`: how many times as fast. No figures where the gate is broken.
    """

    load: float
    at_rps: float
    achieved_rps: float
    queue_max: int
    latency_ms: dict[str, Measure | None]
    service_ms: dict[str, float | None]
    against_reference: dict[str, Against | None]
    gate: GateResult


class Overlaps(Record):
    """Whether a client sends before all is handed over, and reads before all is written; `unknown`: why that
    is not known."""

    sends_early: bool | None = None
    reads_while_writing: bool | None = None
    unknown: str | None = None


class Calls(Record):
    """Calls executed beside calls that the source asks for, over the same range of n; None: not known."""

    n: tuple[int, int]
    asked: int
    executed: int | None
    unknown: str | None = None


class Compiling(Record):
    """Time of repeated builds, seconds (`deadheat build --times`): their medians, and 95% intervals."""

    times: int
    cold_s: float
    cold_ci: Interval | None
    warm_s: float
    warm_ci: Interval | None


class Handshakes(Record):
    """Of TLS, full ones. `before`: those of the connections that were opened before anything was counted;
    `in_slices`: of connections that the server closed and that were opened again under load. `cpu_us`: CPU
    time of the server for opening a connection, its handshake with it: the median of blocks, and their range.
    `agreed`: the version and the ciphers.
    """

    before: int
    in_slices: int
    cpu_us: float | None = None
    cpu_range_us: tuple[float, float] | None = None
    agreed: str | None = None


class Variance(Record):
    """Where a contender's spread comes from, in log units (0.02 is about 2%): one start to the next, one
    round to the next. `share_of_starts`: how much of what it brings to a block's ratio more rounds cannot
    narrow, 0 to 1; null where nothing varies.
    """

    starts_sd: float
    rounds_sd: float
    share_of_starts: float | None


class WarmUp(Record):
    """From which turn of a block on a contender was steady; null: never. `start`: its first level as a share
    of its last."""

    kind: Literal["flat", "warms up", "slows down", "never got steady"]
    steady_from: int | None
    start: float
