"""A claim: one checkable statement of a published study, with its published figures."""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from deadheat.model.base import Record
from deadheat.model.beside import Beside
from deadheat.model.kinds.registry import TRAITS, Kind
from deadheat.model.published import AsPublished, PublishedLoad
from deadheat.model.reason import Reason
from deadheat.model.shape import Shape
from deadheat.model.statement import Statement

# By the method's version 1, in one word.
Outcome = Literal["replicated", "different size", "contradicted", "inconclusive", "not run"]
Direction = Literal["confirmed", "refuted", "dead heat", "open", "not run"]
Size = Literal["as published", "bigger", "smaller", "open"]

# Of each metric: whether more is better. A ratio is always how many times as good `a` is as `b`.
MORE_IS_BETTER: dict[str, bool] = {
    "throughput_rps": True,
    "wall_s": False,
    "own_wall_s": False,
    "cpu_s": False,
    "first_reply_s": False,
    "reply_100_s": False,
    "reply_10000_s": False,
    "cpu_us_per_request": False,
    "server_cores": False,
    "latency_mean_ms": False,
    "latency_stdev_ms": False,
    "latency_p10_ms": False,
    "latency_p25_ms": False,
    "latency_p50_ms": False,
    "latency_p75_ms": False,
    "latency_p90_ms": False,
    "latency_p95_ms": False,
    "latency_p99_ms": False,
    "latency_max_ms": False,
    "peak_memory_bytes": False,
    "artifact_bytes": False,
    "build_s": False,
}
ClaimMetric = Literal[
    "throughput_rps",
    "wall_s",
    "own_wall_s",
    "cpu_s",
    "first_reply_s",
    "reply_100_s",
    "reply_10000_s",
    "cpu_us_per_request",
    "server_cores",
    "latency_mean_ms",
    "latency_stdev_ms",
    "latency_p10_ms",
    "latency_p25_ms",
    "latency_p50_ms",
    "latency_p75_ms",
    "latency_p90_ms",
    "latency_p95_ms",
    "latency_p99_ms",
    "latency_max_ms",
    "peak_memory_bytes",
    "artifact_bytes",
    "build_s",
]


# What only a client that is timed as a whole has; servers have what is neither here nor common to both.
OF_CLIENTS = ("wall_s", "own_wall_s", "cpu_s")
OF_ALL = ("peak_memory_bytes", "artifact_bytes", "build_s")


def metrics_of(kind: Kind) -> tuple[str, ...]:
    """The metrics that a claim about a workload of this kind may name."""
    clients = not TRAITS[kind].serves
    return tuple(m for m in MORE_IS_BETTER if m in OF_ALL or (m in OF_CLIENTS) == clients)


Figure = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Published(Record):
    """The published figures in the study's own unit, or what the text gives instead.

    `ratio` alone where it prints no figures; `direction` where it only says which is better; `at_most`
    where it says that `a` is less than so many times as good as `b`.
    """

    a: Figure | None = None
    b: Figure | None = None
    ratio: Figure | None = None
    direction: bool = False
    at_most: Figure | None = None
    unit: str = ""


class Claim(Record):
    """`a` is better than `b` (or their tie), as published. `where` says where in the text it stands.

    `server_cores` is what the server must have here for the claim to be checked at all. `shape` names the
    study's load that it was made under, where that is not the workload's own: it is judged under both.
    """

    id: str
    statement: str
    where: str
    workload: str
    setting: str | None = None
    shape: str | None = None
    metric: ClaimMetric
    a: str
    b: str
    published: Published
    n: int | None = None
    server_cores: int = 1
    note: str | None = None
    unchecked: str | None = None

    @model_validator(mode="after")
    def _has_figures(self) -> Self:
        p = self.published
        says = [p.a is not None and p.b is not None, p.ratio is not None, p.direction, p.at_most is not None]
        if sum(says) != 1:
            raise ValueError("published needs one of: a and b; ratio; direction; at_most")
        return self

    @property
    def ratio(self) -> float | None:
        """How many times as good `a` was as `b`; None where no figure was published."""
        if self.published.ratio is not None:
            return self.published.ratio
        if self.published.a is None or self.published.b is None:
            return None
        a, b = self.published.a, self.published.b
        return a / b if MORE_IS_BETTER[self.metric] else b / a


class Study(Record):
    """`suite/claims/<study>.toml`."""

    study: str
    title: str
    date: str
    versions: str
    machine: str
    method: str
    claim: tuple[Claim, ...]
    load: tuple[PublishedLoad, ...] = ()
    shape: tuple[Shape, ...] = ()
    as_published: tuple[AsPublished, ...] = ()
    beside: tuple[Beside, ...] = ()
    statement: tuple[Statement, ...] = ()

    @field_validator("as_published", mode="before")
    @classmethod
    def _one_or_several(cls, given: object) -> object:
        """`[as_published]` of a study with one such part, and of plans of before there were several."""
        if given is None:
            return ()
        return (given,) if isinstance(given, Mapping | AsPublished) else given

    @property
    def shapes(self) -> dict[str, Shape]:
        """By name."""
        return {shape.name: shape for shape in self.shape}

    @model_validator(mode="after")
    def _claims_name_shapes_of_their_workload(self) -> Self:
        for claim in self.claim:
            shape = self.shapes.get(claim.shape or "")
            if claim.shape is not None and (shape is None or shape.workload != claim.workload):
                raise ValueError(
                    f'claim "{claim.id}": no shape of {claim.workload} is called "{claim.shape}"'
                )
        return self

    @model_validator(mode="after")
    def _statements_name_what_is_there(self) -> Self:
        claims, loads = {c.id for c in self.claim}, {one.name for one in self.load}
        rows = {row.contender for part in self.as_published for row in part.row}
        for one in self.statement:
            for kind, named, known in (
                ("claim", one.claims, claims),
                ("load", (one.load,) if one.load else (), loads),
                ("row", one.rows, rows),
            ):
                if unknown := [name for name in named if name not in known]:
                    raise ValueError(f'"{one.words}": no {kind} is called "{unknown[0]}"')
            if one.column is not None and not rows:
                raise ValueError(f'"{one.words}": a column without [as_published]')
        return self


class ClaimResult(Record):
    """What became of a claim here, by one method. `reasons`: why no more can be said, and remarks.

    `shape`: the study's load that it was judged under, in words; null where that is the workload's own.

    `direction`: whether the same one is better. `size`: how the difference compares with the published one;
    null where none was published. Both by the interval of `here`, which of a race's own metric is that of the
    verdict, and of another figure one of a `family` of so many such questions. By the method's version 1
    `outcome` says both in one word instead.
    """

    study: str
    id: str
    statement: str
    metric: str
    published: dict[str, float | str | None]
    method: str
    shape: str | None = None
    here: dict[str, float | tuple[float, float] | None] | None
    outcome: Outcome | None = None
    direction: Direction | None = None
    size: Size | None = None
    family: int | None = None
    reasons: tuple[Reason, ...] = ()


class PublishedGate(Record):
    """A gate that published figures allow: throughput x mean latency against the connections asked for.

    `connected`: how many connections there were, where that explains it. `note` is the study's.
    """

    study: str
    name: str
    in_flight: float
    asked: int
    ok: bool
    connected: int | None = None
    note: str | None = None
