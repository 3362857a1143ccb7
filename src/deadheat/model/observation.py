"""What a run observes. Each observation is one line of the journal; everything else is derived from them."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from deadheat.model.artifact import Binary, BuildTimes
from deadheat.model.base import Noun


class Built(Noun):
    """A contender after its build: `ready`, or why it does not race. Bytes and seconds.

    `tail`: the last lines that a failed build said; all of them are in `log`. `runtime_bytes`: what must be
    shipped beside the artifact, of runtimes that it does not bring itself.
    """

    type: Literal["built"] = "built"
    workload: str
    contender: str
    status: Literal["ready", "unavailable", "failed"]
    reason: str | None = None
    cached: bool = False
    build_s: float | None = None
    artifact_bytes: int | None = None
    runtime_bytes: int | None = None
    binary: Binary | None = None
    times: BuildTimes | None = None
    toolchains: dict[str, str] = {}
    log: str | None = None
    tail: tuple[str, ...] = ()


class Checked(Noun):
    """Full conformance, once a run: `exchange` is what was asked and answered where it went wrong;
    `headers` are those of the first right answer, where answers have such; `remarks` say what is right, but
    unlike what most answer."""

    type: Literal["checked"] = "checked"
    workload: str
    contender: str
    ok: bool
    cases: int
    reason: str | None = None
    exchange: str | None = None
    headers: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


class RaceUnavailable(Noun):
    """A whole race that cannot be run here, and why: its server or its generator is missing."""

    type: Literal["race-unavailable"] = "race-unavailable"
    workload: str
    reason: str


class BlockStarted(Noun):
    """A block begins: entries in the order they are started."""

    type: Literal["block-started"] = "block-started"
    workload: str
    block: int
    order: tuple[str, ...]
    at: str


class Started(Noun):
    """A server answered right for the first time, `first_response_ms` after its start."""

    type: Literal["started"] = "started"
    workload: str
    block: int
    entry: str
    first_response_ms: float


class Slice(Noun):
    """A turn of load on one contender. Counts are of the counted part alone; times in nanoseconds."""

    type: Literal["slice"] = "slice"
    workload: str
    block: int
    round: int
    turn: int
    entry: str
    warm_up: bool = False
    token: str
    started_ns: int
    counted_from_ns: int
    counted_until_ns: int
    drained_ns: int
    replies: int
    replies_all: int
    bin_ms: int
    bins: tuple[int, ...]
    latency_sum_ns: int
    latency_max_ns: int
    in_flight_ns: int
    bytes_in: int
    bytes_out: int
    reconnects: int
    errors: dict[str, int]
    first_error: str | None
    engine_cpu_ns: int
    server_cpu_ns: int | None
    loop_delay_max_ns: int
    server_runqueue_wait_ns: int | None = None

    @property
    def counted_s(self) -> float:
        return (self.counted_until_ns - self.counted_from_ns) / 1e9


class Invocation(Noun):
    """One run of a program. Seconds and bytes; a warm-up is traced for its memory, not timed."""

    type: Literal["invocation"] = "invocation"
    workload: str
    block: int
    round: int
    turn: int
    entry: str
    warm_up: bool = False
    n: int | None = None
    at_ns: int
    wall_s: float
    user_s: float
    system_s: float
    peak_memory_bytes: int | None
    own_wall_s: float | None = None
    server_cpu_s: float | None = None


class SocketTrace(Noun):
    """The system calls of one invocation on its connection, as strace saw them (docs/redis-sink.md).

    `sends_early`: bytes left before the last command was handed over. `reads_while_writing`: replies were
    read before the last write had ended. `unknown` says why none of it is known.
    """

    type: Literal["socket-trace"] = "socket-trace"
    workload: str
    block: int
    entry: str
    write_calls: int | None = None
    read_calls: int | None = None
    bytes_out: int | None = None
    bytes_in: int | None = None
    sends_early: bool | None = None
    reads_while_writing: bool | None = None
    unknown: str | None = None


class CallCount(Noun):
    """Calls that a program executed from the smaller n to the larger, beside those its source asks for."""

    type: Literal["call-count"] = "call-count"
    workload: str
    block: int
    entry: str
    n: tuple[int, int]
    asked: int
    executed: int | None = None
    unknown: str | None = None


class OutsideRun(Noun):
    """One run of somebody else's load generator on one server, with nothing pinned.

    Figures are the tool's own, in its precision: `latency_ms` by its names (mean, stdev, max, p50, ...),
    `errors` what it counted and is not zero. CPU times are ours, of the whole run; `cpus` is how many both
    could use, `threads` how many the generator has where it says. `output` names the file in the run's
    folder that holds all that it printed, `shown` its lines worth showing.
    """

    type: Literal["outside-run"] = "outside-run"
    workload: str
    block: int
    entry: str
    run: int
    tool: str
    version: str
    argv: tuple[str, ...]
    in_flight: int | None = None
    requests: int
    seconds: float
    throughput_rps: float
    latency_ms: dict[str, float]
    errors: dict[str, int]
    bytes_in: int | None = None
    wall_s: float
    generator_cpu_s: float
    server_cpu_s: float | None = None
    cpus: int
    threads: int | None = None
    output: str
    shown: tuple[str, ...] = ()
    note: str | None = None

    @property
    def round(self) -> int:
        """The one round of the one block."""
        return 0


class OpenLoop(Noun):
    """A turn of load at a fixed rate, whatever the server does. Counted are the requests due in the counted
    part, `load` times the slowest contender's capacity a second.

    `hdr`: latencies from when each was due; `service_hdr`: from its sending; HdrHistogram V2 (ns), base64.
    """

    type: Literal["open-loop"] = "open-loop"
    workload: str
    block: int
    entry: str
    load: float
    rate_rps: float
    achieved_rps: float
    due: int
    unsent: int
    queue_max: int
    replies: int
    errors: dict[str, int]
    first_error: str | None
    latency_sum_ns: int
    latency_max_ns: int
    hdr: str
    service_hdr: str | None = None
    engine_cpu_ns: int
    server_cpu_ns: int | None
    loop_delay_max_ns: int


class Ended(Noun):
    """A server before it is stopped. `hdr`: the block's latencies, HdrHistogram V2 (ns), base64."""

    type: Literal["ended"] = "ended"
    workload: str
    block: int
    entry: str
    memory_bytes: int | None
    private_bytes: int | None = None
    peak_memory_bytes: int | None
    threads: int | None
    frozen_cpu_ns: int | None = None
    hdr: str | None = None


class Surroundings(Noun):
    """What else went on around a block, from before its first start to after its last stop.

    Differences of the machine's own counters over `wall_ns`, nanoseconds of CPU time summed over `cpus`
    (those of servers, generator and referee). `others_ns` is what processes that are not ours used of them,
    without work of lower priority than ours, which is `lower_priority_ns`. `clock_step_ns` is how far the
    wall clock moved against the steady one. Bytes swapped and `throttled_ns` (by a cgroup's quota) are of
    the machine and of our cgroups. Null: this machine does not tell.
    """

    type: Literal["surroundings"] = "surroundings"
    workload: str
    block: int
    cpus: tuple[int, ...]
    wall_ns: int
    busy_ns: int
    own_ns: int
    others_ns: int
    lower_priority_ns: int
    steal_ns: int
    iowait_ns: int
    swapped_in_bytes: int | None = None
    swapped_out_bytes: int | None = None
    throttled: int | None = None
    throttled_ns: int | None = None
    frequency_mhz: float | None = None
    clock_step_ns: int = 0


class Failed(Noun):
    """A contender that leaves the race, and why.

    `not_run`: it cannot do what this setting asks for. `unavailable`: what should have loaded it broke.
    """

    type: Literal["failed"] = "failed"
    workload: str
    block: int
    entry: str
    reason: str
    wrong_answer: bool = False
    not_run: bool = False
    unavailable: bool = False


class BlockEnded(Noun):
    """A whole block is in the journal. Without this line a block does not count."""

    type: Literal["block-ended"] = "block-ended"
    workload: str
    block: int


class Settled(Noun):
    """A race ended at a planned look, before its last block: every verdict was in."""

    type: Literal["settled"] = "settled"
    workload: str
    blocks: int


class LeadInGrown(Noun):
    """From block `from_block` on slices have a lead-in of so long, and blocks before it do not count."""

    type: Literal["lead-in-grown"] = "lead-in-grown"
    workload: str
    from_block: int
    lead_in_ms: int
    why: str


class Stopped(Noun):
    """The run ended before its plan did (Ctrl-C, or the budget)."""

    type: Literal["stopped"] = "stopped"
    why: str


class Resumed(Noun):
    """The run was taken up again; a block that was cut off starts anew."""

    type: Literal["resumed"] = "resumed"
    at: str
    note: str | None = None


Observation = Annotated[
    Built
    | Checked
    | RaceUnavailable
    | BlockStarted
    | Started
    | Slice
    | Invocation
    | SocketTrace
    | CallCount
    | OutsideRun
    | OpenLoop
    | Ended
    | Surroundings
    | Failed
    | BlockEnded
    | Settled
    | LeadInGrown
    | Stopped
    | Resumed,
    Field(discriminator="type"),
]

OBSERVATION: TypeAdapter[Observation] = TypeAdapter(Observation)
