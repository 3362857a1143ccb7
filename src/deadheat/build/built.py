"""What became of a build, for whoever runs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deadheat.model.contender import Contender
from deadheat.model.observation import Built


@dataclass(frozen=True)
class Build:
    """A contender, the folder it is run in (None where it is not ready), and what became of it."""

    contender: Contender
    folder: Path | None
    record: Built


def not_ready(
    contender: Contender, status: str, reason: str, log: Path | None = None, tail: Sequence[str] = ()
) -> Build:
    """A contender that cannot race: `status` is `unavailable` or `failed`."""
    record = Built.model_validate(
        {
            "workload": contender.workload,
            "contender": contender.id,
            "status": status,
            "reason": reason,
            "log": str(log) if log else None,
            "tail": tail,
        }
    )
    return Build(contender, None, record)
