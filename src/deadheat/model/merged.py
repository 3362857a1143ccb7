"""Runs of one plan on several machines, put together: what `deadheat merge --json` prints."""

from pydantic import Field

from deadheat.model.base import Record
from deadheat.model.choices import JudgedBy
from deadheat.model.judged import metric_of
from deadheat.model.kinds.registry import Kind
from deadheat.model.reason import Reason
from deadheat.model.result import Answer, Interval, Verdict
from deadheat.model.workload import Metric


class OnMachine(Record):
    """A pair on one machine by itself: `contender` is `ratio` times as good as the reference over so many
    `blocks`, with its own 95% interval. `answer`: what that interval alone says; null with `reasons`, which
    are why this machine has none."""

    run: str
    ratio: float | None
    ci: Interval | None
    blocks: int
    answer: Answer | None
    reasons: tuple[Reason, ...] = ()


class MergedPair(Record):
    """A contender against the reference. `these`: on the mean of just these machines; `of_kind`: on the mean
    of all machines of their kind, null where nothing is said of that: with fewer than four, or unlike ones.
    The `blocks` of both are those of all machines together."""

    contender: str
    these: Verdict
    of_kind: Verdict | None
    machines: tuple[OnMachine, ...]


class MergedRace(Record):
    """One race, raced on each machine. `metric`: its own figure; `judged_by`: what verdicts are about."""

    name: str
    setting: str | None
    kind: Kind
    metric: Metric
    judged_by: JudgedBy
    reference: str
    pairs: tuple[MergedPair, ...]

    @property
    def judged(self) -> str:
        """The figure that verdicts are about: the race's own, or what `judged_by` means."""
        return metric_of(self.judged_by, self.metric)


class MachineRun(Record):
    """A run, and the machine that it was raced on: processor and cores."""

    run: str
    machine: str


class Merged(Record):
    """All of it. `unlike`: in what the machines, or what was built on them, differ; `left_out`: races that
    are not in every run."""

    schema_: int = Field(default=1, alias="schema")
    version: str
    margin: float
    runs: tuple[MachineRun, ...]
    unlike: tuple[str, ...]
    races: tuple[MergedRace, ...]
    left_out: tuple[str, ...]
