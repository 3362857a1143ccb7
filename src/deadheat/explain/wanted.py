"""What a command line asks to be explained: two contenders that meet in a workload."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from deadheat.errors import UserError
from deadheat.explain.instruments.registry import INSTRUMENTS
from deadheat.model.contender import Contender
from deadheat.suite.suite import Suite


@dataclass(frozen=True)
class Wanted:
    """What a command line asks for. `seconds`: how long each instrument loads a server."""

    a: str
    b: str
    workload: str | None
    seconds: float
    out: Path
    command: tuple[str, ...]


def pair(suite: Suite, wanted: Wanted) -> tuple[Contender, Contender]:
    """The two, of one workload. Raises UserError that says what there is."""
    if wanted.a == wanted.b:
        raise UserError(f"{wanted.a} is the same twice", hint="name two contenders, NAME or NAME:VARIANT")
    names = [suite.workload(wanted.workload).name] if wanted.workload else list(suite.workloads)
    of_a = {c.workload: c for c in suite.find(wanted.a, names)}
    of_b = {c.workload: c for c in suite.find(wanted.b, names)}
    both = [name for name in names if name in of_a and name in of_b]
    if not both:
        raise UserError(
            f"{wanted.a} is a contender of {', '.join(of_a)}, {wanted.b} of {', '.join(of_b)}: "
            "no workload has both",
            hint="deadheat list shows the contenders of each workload",
        )
    if len(both) > 1:
        raise UserError(
            f"{wanted.a} and {wanted.b} meet in {' and '.join(both)}", hint=f"say which: --workload {both[0]}"
        )
    kind = suite.workloads[both[0]].kind
    if kind not in INSTRUMENTS:
        raise UserError(
            f"{both[0]} is of kind {kind}, which explain cannot look at yet",
            hint=f"kinds {', '.join(INSTRUMENTS)} can be explained",
        )
    found = of_a[both[0]], of_b[both[0]]
    if contained := [contender.id for contender in found if contender.contained]:
        raise UserError(
            f"{contained[0]} is in a container, into which explain does not look",
            hint="give it a run line to have it explained",
        )
    if apart := [contender.id for contender in found if contender.port is not None]:
        raise UserError(
            f"{apart[0]} has a network of its own, into which explain does not look",
            hint="let it take its port, {port} or PORT, to have it explained",
        )
    return found
