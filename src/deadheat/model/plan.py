"""A plan: what a run will do, fixed before it starts and recorded with it."""

from typing import Literal

from pydantic import Field

from deadheat.model.base import Noun
from deadheat.model.calibration import CalibrationCited
from deadheat.model.claim import Tool
from deadheat.model.workload import Kind, Metric, Preset


class Entry(Noun):
    """A contender as it is entered in a race. The null entry is the reference a second time."""

    id: str
    contender: str
    null: bool = False


class OutsidePlan(Noun):
    """How a race is run the way a study's author did, with the author's tool.

    `arguments` of each entry are whole, the length of the run with them; `in_flight` is how many requests
    they ask to have in flight. `notes` say what is unlike the study.
    """

    study: str
    tool: Tool
    arguments: dict[str, tuple[str, ...]]
    in_flight: dict[str, int] = {}
    seconds: int | None = None
    total: int | None = None
    runs: int = 1
    path: str | None = None
    body: str | None = None
    instead: str | None = None
    notes: tuple[str, ...] = ()


class RedisPlan(Noun):
    """What client programs are asked to do, and against which server (a program's name without `-server`,
    or the engine's sink): `rounds` in one process, each of 4 x `iterations` + 3 commands, handed over
    `depth` at a time (None: all) with their replies awaited between.
    """

    server: Literal["redis", "valkey", "sink"] = "redis"
    iterations: int = Field(ge=1)
    rounds: int = Field(default=1, ge=1)
    depth: int | None = Field(default=None, ge=1)

    @property
    def commands(self) -> int:
        """Commands of one invocation."""
        return (4 * self.iterations + 3) * self.rounds


class WorkloadPlan(Noun):
    """One race: a workload in one setting by one method. Times in milliseconds.

    `loads`: shares of the slowest contender's capacity at which latency is measured in an open loop.
    `server_cpus`: the servers' CPUs where they are not the run's. `notes`: what the race cannot show.
    """

    workload: str
    setting: str | None = None
    method: str = "deadheat"
    kind: Kind
    metric: Metric
    reference: str
    entries: tuple[Entry, ...]
    blocks: int = Field(ge=1)
    rounds: int = Field(ge=1)
    n: int | None = None
    connections: int | None = None
    streams: int | None = None
    server_cpus: tuple[int, ...] | None = None
    generator_threads: int = Field(default=1, ge=1)
    notes: tuple[str, ...] = ()
    warm_up_ms: int = 0
    lead_in_ms: int = 0
    counted_ms: int = 0
    loads: tuple[float, ...] = ()
    open_loop_ms: int = 0
    redis: RedisPlan | None = None
    outside: OutsidePlan | None = None

    @property
    def key(self) -> str:
        """What the journal calls this race by."""
        setting = f" [{self.setting}]" if self.setting else ""
        method = "" if self.method == "deadheat" else f" ({self.method})"
        return f"{self.workload}{setting}{method}"

    @property
    def reference_entry(self) -> str:
        return next(e.id for e in self.entries if e.contender == self.reference and not e.null)

    @property
    def null_entry(self) -> str | None:
        return next((e.id for e in self.entries if e.null), None)


class Plan(Noun):
    """A whole run. `commit` is that of the suite's repository, with -dirty where it had other changes;
    `calibration` what was known of this machine.
    """

    schema_: int = Field(default=1, alias="schema")
    run: str
    version: str
    started: str
    command: tuple[str, ...]
    commit: str | None = None
    suite: str
    preset: Preset
    seed: int
    margin: float = Field(ge=0, lt=1)
    server_cpus: tuple[int, ...]
    generator_cpus: tuple[int, ...]
    budget_s: float | None = None
    calibration: CalibrationCited | None = None
    workloads: tuple[WorkloadPlan, ...]
