"""What a command line asks of a race."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from deadheat.model.calibration import Calibration
from deadheat.model.choices import JudgedBy, Method, Preset
from deadheat.model.http_protocol import HttpProtocol
from deadheat.model.own_database import OwnDatabase
from deadheat.model.past import PastRace
from deadheat.plan.parameters import Wanted
from deadheat.plan.shapes import InShape

OURS: Method = "deadheat"
# When a race is over before its planned end: where each pair is settled or hardly will be, where each is
# settled, never.
Until = Literal["settled or hopeless", "settled", "the end"]


@dataclass(frozen=True)
class Asked:
    """The choices of a command line; `calibration` is this machine's own, where there is one that holds,
    and so is `past`, its ledger of races.

    `parameters`: of workloads, by name the words that were given, each value a race of its own.
    `invocation_s` and `start_s`: how long a run of a program takes, and a server's start until it answers,
    where that is known. `claimed`: workloads and contenders that the claims of a study compare; `shapes`:
    published loads to race under beside the workloads' own. `usable_cpus`: all
    that servers may have in races at a number of cores, the best first. `protocol`: what HTTP servers are
    asked over, where that is not HTTP/1.1 in the clear. `own_database`: somebody's own, in the place of the
    one that the referee starts. `services_cpus`: without any, services have the generator's. `judged_by`:
    None for what suits each workload on these CPUs (plan/judged.py). `alike`: the contenders are revisions
    of one service.
    """

    workloads: tuple[str, ...] = ()
    contenders: tuple[str, ...] = ()
    reference: str | None = None
    all_: bool = False
    preset: Preset = "quick"
    method: Method = OURS
    budget_s: float | None = None
    margin: float = 0.02
    seed: int | None = None
    connections: tuple[int, ...] = ()
    streams: tuple[int, ...] = ()
    scale: bool = False
    protocol: HttpProtocol | None = None
    judged_by: JudgedBy | None = None
    claims: str | None = None
    claimed: tuple[tuple[str, str], ...] = ()
    shapes: tuple[InShape, ...] = ()
    rank: bool = False
    until: Until = "settled or hopeless"
    alike: bool = False
    invocation_s: float | None = None
    start_s: float = 0.0
    past: tuple[PastRace, ...] = ()
    parameters: Wanted = field(default_factory=dict)
    server_cpus: tuple[int, ...] = (0,)
    generator_cpus: tuple[int, ...] = (1,)
    services_cpus: tuple[int, ...] = ()
    usable_cpus: tuple[int, ...] = ()
    command: tuple[str, ...] = ()
    own_database: OwnDatabase | None = None
    calibration: Calibration | None = None
