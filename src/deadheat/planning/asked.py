"""What a command line asks of a race."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from deadheat.model.calibration import Calibration
from deadheat.model.workload import Preset
from deadheat.planning.settings import RedisAsked

Method = Literal["deadheat", "as-published"]


@dataclass(frozen=True)
class Asked:
    """The choices of a command line; `calibration` is this machine's own, where there is one that holds."""

    workloads: tuple[str, ...] = ()
    contenders: tuple[str, ...] = ()
    all_: bool = False
    preset: Preset = "quick"
    method: Method = "deadheat"
    budget_s: float | None = None
    margin: float = 0.02
    seed: int | None = None
    connections: tuple[int, ...] = ()
    streams: tuple[int, ...] = ()
    scale: bool = False
    claims: str | None = None
    redis: RedisAsked = field(default_factory=RedisAsked)
    server_cpus: tuple[int, ...] = (0,)
    generator_cpus: tuple[int, ...] = (1,)
    command: tuple[str, ...] = ()
    calibration: Calibration | None = None
