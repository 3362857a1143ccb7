"""What `deadheat ab` found: `ab.json` of a run."""

from typing import Literal

from pydantic import Field

from deadheat.model.base import Record
from deadheat.model.condition import Condition, FigureName
from deadheat.model.kinds.registry import Kind
from deadheat.model.mask import Masks
from deadheat.model.reason import Reason
from deadheat.model.result import Interval, NullPair
from deadheat.model.workload import Metric

# Of the figure that is judged, by its interval; "not compared": no figures, or a broken gate.
Answer = Literal["no worse", "worse", "better", "cannot tell", "not compared"]


class Side(Record):
    """A revision of the comparison. `changed`: files of a working tree that are not as committed; `set_`:
    what was set for this side alone, without values. `build_s` is null where nothing was built."""

    label: str
    commit: str
    tree: str
    working: bool = False
    changed: int = 0
    set_: tuple[str, ...] = Field(default=(), alias="set")
    build_s: float | None = None
    cached: bool = False


class FigureChange(Record):
    """Head's figure is `ratio` times base's. `judged`: by the interval of the command's family; else a plain
    95% one. `at_rps`: the rate of latencies. Null of a size, which does not vary: its interval."""

    figure: FigureName
    more_is_better: bool
    ratio: float
    ci: Interval | None
    judged: bool
    at_rps: float | None = None


class Answers(Record):
    """How head's answers were held against base's: so many fields by value, those masked by class."""

    fields: int
    masks: Masks = {}


class RequestChange(Record):
    """Head's mean latency of one request of a mix is `ratio` times base's, with a plain 95% interval: closed
    loop, so that it moves with the whole."""

    name: str
    ratio: float
    ci: Interval | None


class WorkloadChange(Record):
    """One request, or the program. `by`: the figure that the answer is about. `detectable`: how much worse
    it must have been, as a ratio, to be told four times in five; null of a size, of which nothing is chance.
    `more_s`: so many seconds more are likely to settle it. `reasons`: why there is no answer. `answers`: null
    where they were compared to the byte, by a digest, or by their status alone.
    """

    workload: str
    title: str
    kind: Kind
    metric: Metric
    by: FigureName = "slower"
    answer: Answer
    margin: float
    blocks: int
    seconds: float
    figures: tuple[FigureChange, ...] = ()
    null_pair: NullPair | None = None
    detectable: float | None = None
    more_s: float | None = None
    reasons: tuple[Reason, ...] = ()
    answers: Answers | None = None
    by_request: tuple[RequestChange, ...] = ()


class Decided(Record):
    """A condition on one workload, and whether it fails, holds or is open. `chances`: how often it fails by
    chance in a race like this one, by how much worse the truth is (0, the threshold, twice that)."""

    condition: Condition
    workload: str
    state: Literal["fails", "holds", "open"]
    chances: tuple[tuple[float, float], ...] = ()


class Comparison(Record):
    """Two revisions. `same`: what is the same to the byte, where there was nothing to race."""

    schema_: int = Field(default=1, alias="schema")
    run: str | None = None
    base: Side
    head: Side
    same: str | None = None
    workloads: tuple[WorkloadChange, ...] = ()
    conditions: tuple[Decided, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether a condition fails."""
        return any(one.state == "fails" for one in self.conditions)

    @property
    def open(self) -> bool:
        """Whether nobody can say of a condition whether it holds."""
        return any(one.state == "open" for one in self.conditions)
