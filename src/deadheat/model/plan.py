"""A plan: what a run will do, fixed before it starts and recorded with it."""

from collections.abc import Iterable
from typing import Literal, TypeVar

from pydantic import Field

from deadheat.model.base import Record
from deadheat.model.calibration import CalibrationCited
from deadheat.model.choices import JudgedBy
from deadheat.model.http_protocol import HttpProtocol
from deadheat.model.judged import metric_of
from deadheat.model.kinds.registry import Kind
from deadheat.model.measured import ColdPlan, InvocationPlan, Measured, OutsidePlan, SlicePlan
from deadheat.model.own_database import OwnDatabase
from deadheat.model.parameter import Setting
from deadheat.model.past import Past
from deadheat.model.suite_facts import SuiteFacts
from deadheat.model.workload import Metric, Preset

_Sort = TypeVar("_Sort", bound=Record)


class Entry(Record):
    """A contender as it is entered in a race. The null entry is the reference a second time."""

    id: str
    contender: str
    null: bool = False


class Leaving(Record):
    """Who leaves a race before its last block: entries whose every pair is settled; and, not binding, from
    this share of its blocks on, those with less than this chance to be settled by the last (0 to 1). A race
    that is planned to take less than `hopeless_least_s` seconds gives nobody up: it would save next to
    nothing."""

    hopeless_from: float = 0.5
    hopeless_below: float = 0.05
    hopeless_least_s: float = 300.0


class GoingOn(Record):
    """Up to how many blocks, `most`, a race may be made to go on (`race --more`) once it has come to its
    planned `end`; `reserve` of alpha (0 to 1) is kept back for that."""

    end: int = Field(ge=1)
    most: int = Field(ge=1)
    reserve: float = Field(ge=0, lt=1)


class RacePlan(Record):
    """One race: a workload in one setting by one method, `measured` as its kind and its method are.

    `values`: of the workload's parameters, without those that it goes without. `shape`: of a race under a
    published load STUDY/NAME, the study's and its name there. `notes`: what the race cannot
    show. `estimated_s`: about how long it takes, builds and conformance apart. `method_version`: by which
    statistics its journal is read (stats/method.py). `leaving`: null where all race on to the end;
    `to_the_end`: so they do even where all is settled. `ranked`: all pairs are judged, and numbered by that.
    `past`: what earlier races on this machine left, null where nobody looked. `going_on`: null where it ends
    for good. `unskewed_blocks`: of a race with more blocks for whoever's starts were skewed before, those of
    the others; null where all have `blocks`. `metric`: the race's own figure; `judged_by`: what verdicts are
    about, that where it is throughput. `own_database`: somebody's own, in the place of the one that a service
    is.
    """

    workload: str
    setting: str | None = None
    values: dict[str, Setting] = {}
    shape: str | None = None
    method: str = "deadheat"
    kind: Kind
    metric: Metric
    judged_by: JudgedBy = "throughput"
    reference: str
    entries: tuple[Entry, ...]
    blocks: int = Field(ge=1)
    rounds: int = Field(ge=1)
    method_version: Literal[1, 2] = 2
    to_the_end: bool = False
    ranked: bool = False
    past: Past | None = None
    measured: Measured
    notes: tuple[str, ...] = ()
    estimated_s: float | None = None
    leaving: Leaving | None = None
    going_on: GoingOn | None = None
    unskewed_blocks: int | None = None
    own_database: OwnDatabase | None = None

    @property
    def key(self) -> str:
        """What the journal calls this race by."""
        setting = f" [{self.setting}]" if self.setting else ""
        method = "" if self.method == "deadheat" else f" ({self.method})"
        return f"{self.workload}{setting}{method}"

    @property
    def judged(self) -> str:
        """The figure that verdicts are about: the race's own, or what `judged_by` means."""
        return metric_of(self.judged_by, self.metric)

    @property
    def slices(self) -> SlicePlan:
        """What slices are to be like; raises TypeError for a race that is not measured by any."""
        return self._measured_as(SlicePlan)

    @property
    def load(self) -> SlicePlan | ColdPlan:
        """How servers are loaded, in slices or from their start on; raises TypeError for other races."""
        return self.measured if isinstance(self.measured, ColdPlan) else self.slices

    @property
    def protocol(self) -> HttpProtocol | None:
        """What servers are asked over; None for HTTP/1.1 in the clear, and where it is not HTTP."""
        return self.measured.protocol if isinstance(self.measured, SlicePlan | ColdPlan) else None

    @property
    def invocations(self) -> InvocationPlan:
        """What invocations are to be like; raises TypeError for a race that is not measured by any."""
        return self._measured_as(InvocationPlan)

    @property
    def outside(self) -> OutsidePlan | None:
        """The study whose way it is run, None by our own method."""
        return self.measured if isinstance(self.measured, OutsidePlan) else None

    @property
    def n(self) -> int:
        """The size that programs are run with; raises TypeError for a race without one."""
        if self.outside is not None and self.outside.n is not None:
            return self.outside.n
        return self.invocations.n

    @property
    def commands(self) -> int | None:
        """How many an invocation sends to a service, None where no pipeline is measured."""
        return self.measured.commands if isinstance(self.measured, InvocationPlan) else None

    @property
    def loads(self) -> tuple[float, ...]:
        """Those of the open loop, none where there is no such."""
        return self.measured.loads if isinstance(self.measured, SlicePlan) else ()

    @property
    def server_cpus(self) -> tuple[int, ...] | None:
        """The servers' CPUs where they are not the run's."""
        return self.measured.server_cpus if isinstance(self.measured, SlicePlan | ColdPlan) else None

    def _measured_as(self, sort: type[_Sort]) -> _Sort:
        if not isinstance(self.measured, sort):
            raise TypeError(f"{self.key} is measured by {self.measured.by}")
        return self.measured

    def contender_of(self, entry: str) -> str:
        """Whose entry it is; the null entry is the reference's."""
        return next(e.contender for e in self.entries if e.id == entry)

    def lead_in_of(self, entry: str) -> int:
        """The least lead-in of an entry's slices, milliseconds; 0 where it has none."""
        plan = self.measured
        return plan.lead_ins_ms.get(entry, plan.lead_in_ms) if isinstance(plan, SlicePlan) else 0

    @property
    def reference_entry(self) -> str:
        return next(e.id for e in self.entries if e.contender == self.reference and not e.null)

    @property
    def null_entry(self) -> str | None:
        return next((e.id for e in self.entries if e.null), None)


class DisturbanceLimits(Record):
    """From which share of the time of a race's CPUs (0 to 1) on a block is disturbed, and run again: used by
    programs that are not ours, stolen by the hypervisor, lost to a quota. On several machines also where a
    wall clock stepped by more than `clock_step_s` seconds, and where more than a few of its slices, or one of
    them by far, were not begun by all generators at once: apart by more than `late` of the lead-in. None: a
    gate alone looks at that. What `others` lets through was measured: docs/method.md, bench/foreign_share.py.
    """

    others: float = 0.02
    steal: float = 0.05
    throttled: float = 0.01
    clock_step_s: float | None = None
    late: float | None = None


class Plan(Record):
    """A whole run. `commit` is that of the suite's repository, with -dirty where it had other changes;
    `facts` what the suite said when the run was planned, `calibration` what was known of this machine;
    `services_cpus`: empty where services have the generator's; `disturbance` is null where every block counts
    (runs of before 0.2, and calibrations beside a neighbour).
    """

    schema_: int = Field(default=4, alias="schema")
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
    services_cpus: tuple[int, ...] = ()
    budget_s: float | None = None
    disturbance: DisturbanceLimits | None = DisturbanceLimits()
    calibration: CalibrationCited | None = None
    workloads: tuple[RacePlan, ...]
    facts: SuiteFacts


def contenders_of(races: Iterable[RacePlan]) -> dict[str, list[str]]:
    """Of each workload the ids of those that are raced in any of its races, each once."""
    found: dict[str, dict[str, None]] = {}
    for race in races:
        found.setdefault(race.workload, {}).update((entry.contender, None) for entry in race.entries)
    return {workload: list(ids) for workload, ids in found.items()}
