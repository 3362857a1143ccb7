"""One turn of one contender, whatever drives it: a slice of load, an invocation, a run of another tool."""

from typing import Literal

from deadheat.model.base import Record


class GeneratorShare(Record):
    """What one of several generators counted in the counted part of a turn. `late_ns`: how much later than
    the first it began; `clock_ahead_ns`: how far its clock was ahead of the servers', which is taken off, and
    `clock_error_ns` by how much that may be wrong."""

    host: str
    late_ns: int
    clock_error_ns: int
    clock_ahead_ns: int = 0
    replies: int
    errors: int
    latency_sum_ns: int
    engine_cpu_ns: int
    loop_delay_max_ns: int


class Slice(Record):
    """A turn of load on one contender. Counts are of the counted part alone, but `reconnects`, `resent` and
    `errors` of the whole turn; times in nanoseconds. `resent`: requests that went out again on another
    connection (0 in journals from before it was told). `services_cpu_ns`: CPU time of the race's services
    over the whole turn; None where it has none. `turn_cpu_ns`: that of the server from its thaw to its
    freeze, all that is not counted in it, and `compilers_cpu_ns`: that of its threads which translate hot
    code, where it has any; `generator_runqueue_wait_ns`: how long the generator's threads
    waited for their CPU meanwhile; None where it is not known, and in older journals. `generators`: where
    load comes from other hosts, what each of these counted; moments are then on the servers' clock."""

    type: Literal["slice"] = "slice"
    race: str
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
    resent: int = 0
    errors: dict[str, int]
    first_error: str | None
    engine_cpu_ns: int
    server_cpu_ns: int | None
    loop_delay_max_ns: int
    server_runqueue_wait_ns: int | None = None
    services_cpu_ns: int | None = None
    turn_cpu_ns: int | None = None
    compilers_cpu_ns: int | None = None
    generator_runqueue_wait_ns: int | None = None
    generators: tuple[GeneratorShare, ...] = ()

    @property
    def counted_s(self) -> float:
        return (self.counted_until_ns - self.counted_from_ns) / 1e9

    @property
    def took_ns(self) -> int:
        """From the start of its load to its last reply."""
        return self.drained_ns - self.started_ns

    @property
    def wrong_replies(self) -> int:
        """Those that came and were not right, by their status or their body."""
        return self.errors.get("status", 0) + self.errors.get("body", 0)


class ColdStart(Record):
    """A server started and loaded at once: seconds from its start to its first right answer, and, with the
    time under load since, to its 100th and 10,000th. What the referee takes in between is not in it."""

    type: Literal["cold-start"] = "cold-start"
    race: str
    block: int
    round: int
    turn: int
    entry: str
    at_ns: int
    first_reply_s: float
    reply_100_s: float
    reply_10000_s: float
    peak_memory_bytes: int | None = None


class LongTurn(Record):
    """A turn of load without a break, many times as long as a slice, and not counted for throughput: slices
    are held against it. Rounds go on from those of the slices; counts are of the counted part, but `errors`
    of the whole turn, and `took_s` is all of it, with its lead-in and until the last reply."""

    type: Literal["long-turn"] = "long-turn"
    race: str
    block: int
    round: int
    turn: int
    entry: str
    counted_s: float
    took_s: float | None = None
    replies: int
    errors: dict[str, int]
    server_cpu_ns: int | None


class OpenLoop(Record):
    """A turn of load at a fixed rate, whatever the server does. Counted are the requests due in the counted
    part, `load` times the slowest contender's capacity a second.

    The `turn`-th of those at this load in the block. `arrivals`: all gaps alike, or as of independent users.
    `hdr`: latencies from when each was due; `service_hdr`: from its sending; HdrHistogram V2 (ns), base64.
    `hdr_by_host`: where load comes from several hosts, what each of them saw, of which `hdr` is the sum.
    """

    type: Literal["open-loop"] = "open-loop"
    race: str
    block: int
    entry: str
    load: float
    rate_rps: float
    turn: int = 0
    counted_ms: int | None = None
    arrivals: Literal["constant", "poisson"] = "constant"
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
    hdr_by_host: dict[str, str] = {}
    engine_cpu_ns: int
    server_cpu_ns: int | None
    loop_delay_max_ns: int


class Invocation(Record):
    """One run of a program. Seconds and bytes; a warm-up is traced for its memory, not timed."""

    type: Literal["invocation"] = "invocation"
    race: str
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


class OutsideRun(Record):
    """One run of somebody else's load generator on one server, with nothing pinned.

    Figures are the tool's own, in its precision: `latency_ms` by its names (mean, stdev, max, p50, ...),
    `errors` what it counted and is not zero. CPU times are ours, of the whole run; `cpus` is how many both
    could use, `threads` how many the generator has where it says. `output` names the file in the run's
    folder that holds all that it printed, `shown` its lines worth showing. Of wrk: the share of latencies
    `within_stdev_percent` of their mean, `thread_rps` (mean, stdev, max, within_stdev_percent). Of ghz:
    `histogram` (upper edge in milliseconds, calls) and `statuses`.
    """

    type: Literal["outside-run"] = "outside-run"
    race: str
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
    within_stdev_percent: float | None = None
    thread_rps: dict[str, float] = {}
    histogram: tuple[tuple[float, int], ...] = ()
    statuses: dict[str, int] = {}
    wall_s: float
    generator_cpu_s: float
    server_cpu_s: float | None = None
    cpus: int
    threads: int | None = None
    output: str
    shown: tuple[str, ...] = ()
    note: str | None = None
