"""Where things run. Nothing above this seam knows which host it is; today there is one, this machine."""

from deadheat.hosts.protocol import (
    Collected,
    Event,
    ExitedError,
    Handle,
    Host,
    NotReadyError,
    Placement,
    StartError,
)
from deadheat.hosts.waiting import ready, wait
from deadheat.meter import Usage
from deadheat.program import Exit, Spec

__all__ = [
    "Collected",
    "Event",
    "Exit",
    "ExitedError",
    "Handle",
    "Host",
    "NotReadyError",
    "Placement",
    "Spec",
    "StartError",
    "Usage",
    "ready",
    "wait",
]
