"""results.json: what a run found, derived from its journal and nothing else."""

from pydantic import Field

from deadheat.model.base import Record
from deadheat.model.calibration import CalibrationCited
from deadheat.model.claim import ClaimResult, PublishedGate
from deadheat.model.result.measures import (
    Against,
    Calls,
    Compiling,
    CpuRatio,
    Handshakes,
    Interval,
    Latency,
    LatencyAtLoad,
    Measure,
    Overlaps,
    RequestFigures,
    Variance,
    WarmUp,
    turned,
)
from deadheat.model.result.race import (
    ANSWERS,
    Answer,
    ByColdStarts,
    ByInvocations,
    ByOutside,
    BySlices,
    NullPair,
    RaceResult,
    Verdict,
    VerdictWord,
)
from deadheat.model.result.rows import (
    AnyResult,
    ClientResult,
    ContenderResult,
    Figures,
    NoFigures,
    ProgramResult,
    PublishedServerResult,
    ServerResult,
    Status,
)
from deadheat.model.workload import Preset

__all__ = [
    "ANSWERS",
    "Against",
    "Answer",
    "AnyResult",
    "ByColdStarts",
    "ByInvocations",
    "ByOutside",
    "BySlices",
    "Calls",
    "ClientResult",
    "Compiling",
    "ContenderResult",
    "CpuRatio",
    "Figures",
    "Handshakes",
    "Interval",
    "Latency",
    "LatencyAtLoad",
    "Measure",
    "NoFigures",
    "NullPair",
    "Overlaps",
    "ProgramResult",
    "PublishedServerResult",
    "RaceResult",
    "RequestFigures",
    "Results",
    "ServerResult",
    "Status",
    "Variance",
    "Verdict",
    "VerdictWord",
    "WarmUp",
    "turned",
]


class Results(Record):
    """`runs/<id>/results.json`. `commit` is that of the suite's repository."""

    schema_: int = Field(default=4, alias="schema")
    run: str
    version: str
    preset: Preset
    command: tuple[str, ...]
    commit: str | None = None
    started: str
    resumed: int = 0
    stopped: str | None = None
    seed: int
    margin: float
    calibration: CalibrationCited | None = None
    machine: dict[str, object]
    workloads: tuple[RaceResult, ...]
    claims: tuple[ClaimResult, ...] = ()
    published_gates: tuple[PublishedGate, ...] = ()
