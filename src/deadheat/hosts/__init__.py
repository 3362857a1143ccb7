"""Where things run. Nothing above this seam knows which host it is; today there is one, this machine."""

from deadheat.hosts.meter import Usage
from deadheat.hosts.program import Exit, Spec
from deadheat.hosts.protocol import (
    Collected,
    Event,
    ExitedError,
    Handle,
    Host,
    NotReadyError,
    StartError,
)
from deadheat.hosts.waiting import ready, wait

__all__ = [
    "Collected",
    "Event",
    "Exit",
    "ExitedError",
    "Handle",
    "Host",
    "NotReadyError",
    "Spec",
    "StartError",
    "Usage",
    "ready",
    "wait",
]
