"""What a study printed of its own runs, and how its author ran them."""

from typing import Literal

from pydantic import Field

from deadheat.model.base import Record
from deadheat.model.parameter import Setting

# What the studies were measured with; h2load and our own generator are set beside ghz.
Tool = Literal["wrk", "ghz", "time", "h2load", "deadheat-load"]


class PublishedLoad(Record):
    """A published run of a load generator, to hold against Little's law. Milliseconds and connections."""

    name: str
    where: str
    throughput_rps: float = Field(gt=0)
    mean_latency_ms: float = Field(gt=0)
    asked: int
    connected: int | None = None
    note: str | None = None


class PublishedRow(Record):
    """What the study printed of one contender. Milliseconds by the tool's own names; seconds.

    `arguments` are this row's own where they are not the study's. CPU and memory are the server's: per cent
    of one CPU, and memory as it is printed, with its unit or without. Of a program `process_cpu_percent`,
    what time calls cpu, `service_cpu_percent` of the server that it talks to, user and system time apart;
    `binary`: its size, as printed. Of wrk: `within_stdev_percent` of its latencies, `thread_rps` (mean,
    stdev, max, within_stdev_percent), megabytes of 2^20. Of ghz: `histogram` (upper edge in milliseconds,
    calls), `statuses`.
    """

    contender: str
    arguments: str | None = None
    in_flight: int | None = None
    throughput_rps: float | None = None
    latency_ms: dict[str, float] = {}
    errors: dict[str, int] = {}
    wall_s: float | None = None
    own_wall_s: float | None = None
    cpu_s: float | None = None
    cpu_percent: float | None = None
    process_cpu_percent: float | None = None
    service_cpu_percent: float | None = None
    binary: str | None = None
    memory: str | None = None
    generator_cpu_percent: float | None = None
    requests: int | None = None
    seconds: float | None = None
    mb_read: float | None = None
    transfer_mb_s: float | None = None
    within_stdev_percent: float | None = None
    thread_rps: dict[str, float] = {}
    histogram: tuple[tuple[float, int], ...] = ()
    statuses: dict[str, int] = {}
    user_s: float | None = None
    system_s: float | None = None


class OtherTool(Record):
    """Another generator in the study's shape, raced apart from it: its own arguments, without the length.

    `note` says what is unlike the study.
    """

    tool: Tool
    arguments: str
    note: str


class AsPublished(Record):
    """How the author ran a part of the study, so that it can be run again: `--method as-published`.

    `arguments` are the tool's without its length, which is `seconds` or `total` (requests) and is scaled
    by the preset. `in_flight`: requests that it asks to have in flight. Each contender is run `runs` times
    and the best run counts. `path` and `body` are the study's own request and its answer; a contender
    that answers otherwise is asked for `instead`. `also`: other generators in the same shape. Of programs:
    the size `n`, scaled by the preset, and `set`, values of the workload's parameters.
    """

    workload: str
    tool: Tool
    arguments: str = ""
    leanest: str | None = None
    connections: int | None = Field(default=None, ge=1)
    in_flight: int | None = Field(default=None, ge=1)
    seconds: int | None = Field(default=None, ge=1)
    total: int | None = Field(default=None, ge=1)
    runs: int = Field(default=1, ge=1)
    n: int | None = None
    set_: dict[str, Setting] = Field(default={}, alias="set")
    path: str | None = None
    body: str | None = None
    instead: str | None = None
    also: tuple[OtherTool, ...] = ()
    row: tuple[PublishedRow, ...]

    @property
    def reference(self) -> str:
        """The first row: what the others are held against."""
        return self.row[0].contender

    def setting(self, study: str) -> str:
        """What a race of it is known by: `STUDY`, `STUDY, rounds=10`."""
        return ", ".join([study, self.values] if self.values else [study])

    @property
    def values(self) -> str:
        """Of the workload's parameters, as they are set: `rounds=10`; empty where none is."""
        return ", ".join(f"{name}={value}" for name, value in self.set_.items())
