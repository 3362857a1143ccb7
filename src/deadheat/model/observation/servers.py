"""A server in a block, beside its turns: that it answers, how it was warmed up, what it held at its end;
and services, which serve contenders."""

from typing import Literal

from deadheat.model.base import Record
from deadheat.model.container import Contained


class Started(Record):
    """A server answered right for the first time, `first_response_ms` after its start; null of one that ran
    already. Without `metered` it runs elsewhere, and its CPU time and memory are not known. Over TLS
    `opening_cpu_ns` is its CPU time while the connections of the load were opened, a full handshake each.
    `container`: how it is contained, of one that is.
    """

    type: Literal["started"] = "started"
    race: str
    block: int
    entry: str
    first_response_ms: float | None
    metered: bool = True
    opening_cpu_ns: int | None = None
    container: Contained | None = None


class WarmedUp(Record):
    """A server was loaded for `loaded_s` seconds before its slices, and left alone for `rested_s` in between.
    `needed_s`: from then on it was at the level of the end. `watched`: until a rise was ruled out, little or
    nothing being known of its contender. `rising`: it still got faster when the longest warm-up was over;
    `working`: it was still at work then, asked nothing (a compiler, a collector). `compilers`: so many of its
    threads translate hot code, and had the load generator's CPUs meanwhile, where these are others."""

    type: Literal["warmed-up"] = "warmed-up"
    race: str
    block: int
    entry: str
    loaded_s: float
    rested_s: float = 0.0
    needed_s: float
    watched: bool = False
    rising: bool
    working: bool = False
    compilers: int = 0


class OfRequest(Record):
    """What a block's slices counted of one request of a mix, warm-up apart. `errors`: wrong replies and none;
    `hdr`: its latencies, HdrHistogram V2 (ns), base64."""

    name: str
    replies: int
    errors: int
    latency_sum_ns: int
    latency_max_ns: int
    hdr: str


class Ended(Record):
    """A server before it is stopped. `hdr`: the block's latencies, HdrHistogram V2 (ns), base64; of a mix
    also those of each request. `hdr_by_host`: where load comes from several hosts, what each of them saw."""

    type: Literal["ended"] = "ended"
    race: str
    block: int
    entry: str
    memory_bytes: int | None
    private_bytes: int | None = None
    peak_memory_bytes: int | None
    threads: int | None
    frozen_cpu_ns: int | None = None
    hdr: str | None = None
    hdr_by_host: dict[str, str] = {}
    by_request: tuple[OfRequest, ...] = ()


class StatementsRan(Record):
    """What the database of an entry counted in a block's slices, warm-up included: `statements` that read its
    table and the `rows` that these gave, beside the server's own count of `replies`, each of which asks
    for `per_reply` statements and `rows_per_reply` rows (as many, where that is null). They are null where
    it counts none. Where rows may be kept, both are from before the server's start on, and `at_most` are the
    rows that it may have read by the end.

    Of a workload that writes also the rows `written`, of which each reply asks for `written_per_reply`, and
    `unasked`: how many rows have at the end a value that no request said.

    `sessions_begun` in the counted part of its slices, `unsettled`: how often a session was not idle when the
    server was to be frozen, and `deadlocks`; null in journals from before these were asked."""

    type: Literal["statements-ran"] = "statements-ran"
    race: str
    block: int
    entry: str
    replies: int
    per_reply: int = 1
    rows_per_reply: int | None = None
    at_most: int | None = None
    statements: int | None
    rows: int | None
    written_per_reply: int | None = None
    written: int | None = None
    unasked: int | None = None
    sessions_begun: int | None = None
    unsettled: int | None = None
    deadlocks: int | None = None


class ServiceRan(Record):
    """A service of a block, before it is stopped: what it was, its CPUs, and what it used from its start on.
    `host`: the address of the machine that it ran on, where that was not the servers' own.
    `entry`: whose it was, where each has one of its own. `beside_load`: the load generator had its CPUs too.
    `version` of its program, where that tells one. `container`: how it is contained, of one that is."""

    type: Literal["service-ran"] = "service-ran"
    race: str
    block: int
    service: str
    host: str | None = None
    entry: str | None = None
    program: str
    version: str | None = None
    cpus: tuple[int, ...]
    beside_load: bool = True
    ready_ms: float
    cpu_s: float
    peak_memory_bytes: int | None = None
    container: Contained | None = None
