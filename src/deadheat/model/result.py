"""results.json: what a run found, derived from its journal and nothing else."""

from typing import Annotated, Literal

from pydantic import Field

from deadheat.model.artifact import Binary
from deadheat.model.base import Noun
from deadheat.model.calibration import CalibrationCited
from deadheat.model.claim import ClaimResult, PublishedGate, PublishedRow
from deadheat.model.contender import Class, Offer
from deadheat.model.observation import OutsideRun
from deadheat.model.workload import Kind, Metric, Preset

Interval = tuple[float, float]
Status = Literal["measured", "unavailable", "failed", "invalid", "not run"]
VerdictWord = Literal["faster", "dead heat", "inconclusive", "invalid"]


class Measure(Noun):
    """A figure with its 95% interval over blocks (null with one block), and its value in each block.

    By a study's own method `estimate` is the best run's and `blocks` are the runs.
    """

    estimate: float
    ci: Interval | None
    blocks: tuple[float, ...]


class Latency(Noun):
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


class GateResult(Noun):
    """A check on the measurement itself."""

    name: str
    ok: bool
    value: float | None
    limit: str
    advice: str | None = None


class Against(Noun):
    """A contender is `ratio` times as fast as the reference (described; verdicts are judged apart)."""

    ratio: float
    ci: Interval | None


class LatencyAtLoad(Noun):
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


class Calls(Noun):
    """Calls executed beside calls that the source asks for, over the same range of n; None: not known."""

    n: tuple[int, int]
    asked: int
    executed: int | None
    unknown: str | None = None


class Compiling(Noun):
    """Time of repeated builds, seconds (`deadheat build --times`): their medians, and 95% intervals."""

    times: int
    cold_s: float
    cold_ci: Interval | None
    warm_s: float
    warm_ci: Interval | None


class Variance(Noun):
    """Where a contender's spread comes from, in log units (0.02 is about 2%): one start to the next, one
    round to the next. `share_of_starts`: how much of what it brings to a block's ratio more rounds cannot
    narrow, 0 to 1; null where nothing varies.
    """

    starts_sd: float
    rounds_sd: float
    share_of_starts: float | None


class WarmUp(Noun):
    """From which turn of a block on a contender was steady; null: never. `start`: its first level as a share
    of its last."""

    kind: Literal["flat", "warms up", "slows down", "never got steady"]
    steady_from: int | None
    start: float


class CarryOver(Noun):
    """A contender right after another does `ratio` times as well as after the rest. All such pairs of a race
    were tested together; here are those that were found."""

    contender: str
    predecessor: str
    ratio: float
    ci: Interval | None


class ContenderResult(Noun):
    """One row of a workload's table. `offers`: what a gRPC server has beside its service, as was checked.
    `runtime_bytes`: what must be shipped beside the artifact, where it does not bring its runtime itself."""

    name: str
    variant: str | None
    title: str
    language: str
    class_: Annotated[Class, Field(alias="class")]
    status: Status
    reason: str | None = None
    throughput_rps: Measure | None = None
    wall_s: Measure | None = None
    cpu_s: Measure | None = None
    user_s: Measure | None = None
    system_s: Measure | None = None
    own_wall_s: Measure | None = None
    cpu_us_per_request: Measure | None = None
    latency_ms: Latency | None = None
    latency_closed_ms: Latency | None = None
    latency_at_load: tuple[LatencyAtLoad, ...] = ()
    memory_bytes: int | None = None
    private_memory_bytes: int | None = None
    shared_memory_bytes: int | None = None
    response_headers: tuple[str, ...] = ()
    offers: tuple[Offer, ...] = ()
    bytes_per_response: float | None = None
    peak_memory_bytes: int | None = None
    peak_memory_range_bytes: tuple[int, int] | None = None
    threads: int | None = None
    artifact_bytes: int | None = None
    runtime_bytes: int | None = None
    build_s: float | None = None
    binary: Binary | None = None
    compiling: Compiling | None = None
    calls: Calls | None = None
    overlaps: str | None = None
    write_calls: int | None = None
    read_calls: int | None = None
    bytes_out: int | None = None
    bytes_in: int | None = None
    toolchains: dict[str, str] = {}
    first_response_ms: float | None = None
    of_ceiling: float | None = None
    against_reference: Against | None = None
    place: int | None = None
    shares_place: bool = False
    lower_bound: bool = False
    published: PublishedRow | None = None
    outside: OutsideRun | None = None
    variance: Variance | None = None
    warm_up: WarmUp | None = None
    drift: Against | None = None
    gates: tuple[GateResult, ...] = ()

    @property
    def id(self) -> str:
        return self.name if self.variant is None else f"{self.name}:{self.variant}"


class NullPair(Noun):
    """The reference against itself. `ci` is the 95% interval; `ok` is judged by the 99.9% interval."""

    contender: str
    ratio: float
    ci: Interval | None
    ci_99_9: Interval | None
    ok: bool


class Verdict(Noun):
    """`a` is `ratio` times as fast as `b`. `ci` is null where one block is all there is."""

    a: str
    b: str
    metric: str
    ratio: float | None
    ci: Interval | None
    verdict: VerdictWord
    why: str | None = None


class WorkloadResult(Noun):
    """A race and its verdicts. `findings`: what else its blocks tell, a sentence each. `server_cores`: how
    many each server had, where that is what the races of a run differ in.
    """

    name: str
    kind: Kind
    title: str
    question: str
    setting: str | None = None
    method: str = "deadheat"
    metric: Metric
    reference: str
    n: int | None = None
    connections: int | None = None
    streams: int | None = None
    server_cores: int | None = None
    blocks: int
    blocks_planned: int
    slices: int
    contenders: tuple[ContenderResult, ...]
    null_pair: NullPair | None
    gates: tuple[GateResult, ...]
    verdicts: tuple[Verdict, ...]
    carry_over: tuple[CarryOver, ...] = ()
    findings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Results(Noun):
    """`runs/<id>/results.json`. `commit` is that of the suite's repository."""

    schema_: int = Field(default=1, alias="schema")
    run: str
    version: str
    preset: Preset
    command: tuple[str, ...]
    commit: str | None = None
    started: str
    resumed: int = 0
    stopped: str | None = None
    seed: int
    margin: float
    calibration: CalibrationCited | None = None
    machine: dict[str, object]
    workloads: tuple[WorkloadResult, ...]
    claims: tuple[ClaimResult, ...] = ()
    published_gates: tuple[PublishedGate, ...] = ()
