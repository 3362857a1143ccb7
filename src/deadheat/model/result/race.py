"""A race's table, and what it says of any two of its rows."""

from typing import Annotated, Literal

from pydantic import Field

from deadheat.model.base import Record
from deadheat.model.choices import JudgedBy
from deadheat.model.finding import Finding
from deadheat.model.gate import GateResult
from deadheat.model.http_protocol import HTTP2, HttpProtocol
from deadheat.model.judged import metric_of
from deadheat.model.kinds.registry import Kind
from deadheat.model.measured import Length
from deadheat.model.reason import BrokenGate, Reason
from deadheat.model.result.measures import Interval
from deadheat.model.result.rows import AnyResult
from deadheat.model.workload import Metric

VerdictWord = Literal["faster", "dead heat", "inconclusive", "invalid"]
# What a race's verdict answers for one of its pair: how it stands against the other.
Answer = Literal["faster", "dead heat", "not settled", "slower"]
ANSWERS: tuple[Answer, ...] = ("faster", "dead heat", "not settled", "slower")


class NullPair(Record):
    """The reference against itself. `ci` is the 95% interval; `ok` is judged by the 99.9% interval.

    `detectable`: the bias, as a ratio, that this race's 99.9% interval would have found four times in five.
    `pooled`: so many null pairs of earlier races of this kind, method and machine were known when it was
    planned, and so many of their 95% intervals, `pooled_excluding`, excluded 1.
    """

    contender: str
    ratio: float
    ci: Interval | None
    ci_99_9: Interval | None
    ok: bool
    detectable: float | None = None
    pooled: int = 0
    pooled_excluding: int = 0


class Verdict(Record):
    """`a` is `ratio` times as fast as `b`. `ci` is null where one block is all there is.

    `blocks`: how many had a value of both. `reasons`: why it is not settled; of `faster` the limit that `a`
    alone was at, so that it is ahead by `ratio` at least. `more_blocks`, in `more_s` seconds, are likely to
    settle it.
    """

    a: str
    b: str
    metric: str
    ratio: float | None
    ci: Interval | None
    verdict: VerdictWord
    blocks: int | None = None
    reasons: tuple[Reason, ...] = ()
    more_blocks: int | None = None
    more_s: float | None = None

    @property
    def limit(self) -> BrokenGate | None:
        """What the faster one was at the limit of, where the ratio is a lower bound."""
        limits = (reason for reason in self.reasons if isinstance(reason, BrokenGate))
        return next(limits, None) if self.verdict == "faster" else None

    def answer(self, contender: str) -> Answer | None:
        """How that one of the pair stands against the other; None where a gate is broken."""
        if self.verdict == "faster":
            return "faster" if self.a == contender else "slower"
        if self.verdict == "invalid":
            return None
        return "dead heat" if self.verdict == "dead heat" else "not settled"


class BySlices(Record):
    """Servers under this load. `server_cores`: how many each had, where that is what the races of a run
    differ in. `protocol`: null for HTTP/1.1 in the clear, and where it is not HTTP."""

    by: Literal["slices"] = "slices"
    connections: int
    streams: int
    protocol: HttpProtocol | None = None
    server_cores: int | None = None


class ByColdStarts(Record):
    """Servers under this load from their start on."""

    by: Literal["cold"] = "cold"
    connections: int
    streams: int
    protocol: HttpProtocol | None = None
    server_cores: int | None = None


class ByInvocations(Record):
    """Programs that ran to their end with this size, or that sent so many `commands` an invocation; null
    where that was not kept (clients in results of before 0.2)."""

    by: Literal["invocations"] = "invocations"
    n: int | None = None
    commands: int | None = None


class ByOutside(Record):
    """Contenders run the way a study's author did; on so many connections, where the study says so. `length`
    of a run here and as `published`; null in older results, which did not keep it."""

    by: Literal["outside"] = "outside"
    connections: int | None = None
    length: Length | None = None
    published: Length | None = None


class RaceResult(Record):
    """A race and its verdicts, and how it was `measured`. `findings`: what else its blocks show.
    `method_version`: the statistics that it was derived by (stats/method.py). `metric`: its own figure;
    `judged_by`: what verdicts are about, that where it is throughput.
    """

    name: str
    kind: Kind
    title: str
    question: str
    setting: str | None = None
    method: str = "deadheat"
    method_version: Literal[1, 2] = 1
    metric: Metric
    judged_by: JudgedBy = "throughput"
    reference: str
    measured: Annotated[
        BySlices | ByColdStarts | ByInvocations | ByOutside,
        Field(discriminator="by"),
    ]
    blocks: int
    blocks_planned: int
    slices: int
    contenders: tuple[AnyResult, ...]
    null_pair: NullPair | None
    gates: tuple[GateResult, ...]
    verdicts: tuple[Verdict, ...]
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def judged(self) -> str:
        """The figure that verdicts are about: the race's own, or what `judged_by` means."""
        return metric_of(self.judged_by, self.metric)

    @property
    def too_disturbed(self) -> GateResult | None:
        """The broken gate that says that blocks were raced, and too few of them count."""
        return next(
            (
                gate
                for gate in self.gates
                if gate.name == "enough-blocks" and not gate.ok and gate.facts.get("disturbed")
            ),
            None,
        )

    @property
    def n(self) -> int | None:
        """The size of programs that have one."""
        if isinstance(self.measured, ByOutside):
            return self.measured.length.n if self.measured.length is not None else None
        return self.measured.n if isinstance(self.measured, ByInvocations) else None

    @property
    def connections(self) -> int | None:
        """Of the load, where there is one that says so."""
        return None if isinstance(self.measured, ByInvocations) else self.measured.connections

    @property
    def streams(self) -> int | None:
        """Requests in flight on each connection of our own load."""
        return self.measured.streams if isinstance(self.measured, BySlices | ByColdStarts) else None

    @property
    def http2(self) -> bool:
        """Whether HTTP servers were asked over HTTP/2."""
        return isinstance(self.measured, BySlices | ByColdStarts) and self.measured.protocol in HTTP2

    @property
    def server_cores(self) -> int | None:
        """Of each server, where the races of a run differ in it."""
        return self.measured.server_cores if isinstance(self.measured, BySlices | ByColdStarts) else None
