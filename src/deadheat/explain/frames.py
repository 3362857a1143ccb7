"""HTTP/2 frames by type, from what `deadheat-load --json` reports of a run (docs/load.md)."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deadheat.explain.reading import InstrumentError


class Http2(BaseModel):
    """Counts of the whole run, of all connections."""

    model_config = ConfigDict(strict=True)

    requests_sent: int = Field(gt=0)
    frames_sent: dict[str, int]
    frames_received: dict[str, int]

    def by_type(self) -> Mapping[str, float]:
        """For each request: `HEADERS sent` and the like, as the server sees it."""
        sides = {"sent": self.frames_received, "received": self.frames_sent}
        return {
            f"{name} {side}": count / self.requests_sent
            for side, frames in sides.items()
            for name, count in frames.items()
        }

    def sent(self) -> float:
        """Frames that the server sends for each request."""
        return sum(self.frames_received.values()) / self.requests_sent

    def received(self) -> float:
        """Frames that it gets for each."""
        return sum(self.frames_sent.values()) / self.requests_sent


class Run(BaseModel):
    """As far as it is used."""

    requests: int
    throughput_rps: float
    first_error: str | None = None
    http2: Http2 | None = None


def parse(printed: str) -> tuple[Run, Http2]:
    """Raises InstrumentError where it reports no frame."""
    try:
        run = Run.model_validate_json(printed)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise InstrumentError(
            f"what deadheat-load printed cannot be read: {where}: {first['msg']}"
        ) from error
    if run.requests == 0:
        raise InstrumentError(f"it answered no request: {run.first_error}")
    if run.http2 is None:
        raise InstrumentError("this deadheat-load does not count frames: make setup installs the newest")
    return run, run.http2
