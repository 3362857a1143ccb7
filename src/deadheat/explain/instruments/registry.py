"""Which instruments look at which kind, in the order of their runs; the first measures plain speed."""

from __future__ import annotations

from deadheat.explain.instruments.allocations import Allocations
from deadheat.explain.instruments.base import Instrument
from deadheat.explain.instruments.frames import Frames
from deadheat.explain.instruments.garbage import GarbageCollection
from deadheat.explain.instruments.pipelines import PipelineAllocations, PipelineGarbage
from deadheat.explain.instruments.plain import Plain
from deadheat.explain.instruments.profile import Profile
from deadheat.explain.instruments.program import (
    Instructions,
    PlainRuns,
    ProgramProfile,
    ProgramSystemCalls,
    SoftwareEvents,
)
from deadheat.explain.instruments.system_calls import SystemCalls
from deadheat.model.workload import Workload
from deadheat.util.registry import Registry

SERVERS: tuple[Instrument, ...] = (
    Plain(),
    SystemCalls(),
    GarbageCollection(),
    Allocations(),
    Profile(),
)
PROGRAMS: tuple[Instrument, ...] = (
    PlainRuns(),
    ProgramSystemCalls(),
    SoftwareEvents(),
    Instructions(),
    ProgramProfile(),
)

# Of programs that send a pipeline to a service.
PIPELINES: tuple[Instrument, ...] = (
    *PROGRAMS[:3],
    PipelineGarbage(),
    PipelineAllocations(),
    PROGRAMS[-1],
)

INSTRUMENTS: Registry[tuple[Instrument, ...]] = Registry(
    "kind",
    {"http": SERVERS, "grpc": (*SERVERS[:-1], Frames(), SERVERS[-1]), "redis": SERVERS, "program": PROGRAMS},
)


def of(workload: Workload) -> tuple[Instrument, ...]:
    """Those that look at contenders of this workload; raises KeyError for a kind without any."""
    return INSTRUMENTS[workload.kind] if workload.pipeline is None else PIPELINES
