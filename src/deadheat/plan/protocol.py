"""Races over TLS and over HTTP/2 (`--tls`, `--http2`)."""

from __future__ import annotations

from collections.abc import Sequence

from deadheat.errors import UserError
from deadheat.model.http_protocol import OVER_TLS, SETTINGS, HttpProtocol
from deadheat.model.measured import SlicePlan
from deadheat.model.plan import RacePlan
from deadheat.model.workload import Workload
from deadheat.plan.parameters import joined

# Only these are asked over HTTP.
KIND = "http"
CERTIFICATE = "a certificate of ECDSA P-256, new in each block, against which each connection is checked"
APART = (
    "connections are opened, with their handshakes, before anything is counted: what a handshake costs "
    "stands apart"
)


def refuse(workload: Workload, protocol: HttpProtocol | None) -> None:
    """Raises UserError where its servers are not asked over HTTP."""
    if protocol is not None and workload.kind != KIND:
        raise UserError(
            f"--tls and --http2 are for HTTP servers, and {workload.name} is of kind {workload.kind}",
            hint="deadheat race http-hello --tls",
        )


def can_be(workloads: Sequence[Workload], protocol: HttpProtocol | None) -> list[Workload]:
    """Those whose servers can be asked over it. Raises UserError where there are none."""
    able = [workload for workload in workloads if protocol is None or workload.kind == KIND]
    if not able and workloads:
        refuse(workloads[0], protocol)
    return able


def over(races: Sequence[RacePlan], protocol: HttpProtocol | None) -> tuple[RacePlan, ...]:
    """The races over it, which their settings say."""
    if protocol is None:
        return tuple(races)
    return tuple(
        race.replaced(
            setting=joined(SETTINGS[protocol], race.setting),
            measured=race.load.replaced(protocol=protocol),
            notes=(*race.notes, *_notes(race, protocol)),
        )
        for race in races
    )


def _notes(race: RacePlan, protocol: HttpProtocol) -> tuple[str, ...]:
    if protocol not in OVER_TLS:
        return ()
    # From a start on, handshakes are a part of it.
    return (CERTIFICATE, APART) if isinstance(race.measured, SlicePlan) else (CERTIFICATE,)
