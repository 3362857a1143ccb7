"""What several tests look at and is dear to make: made once for all workers of pytest-xdist."""

from __future__ import annotations

import fcntl
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


class Once:
    """Makes things in a folder that all workers of this session share."""

    def __init__(self, shared: Path) -> None:
        self._shared = shared

    def __call__(self, name: str, make: Callable[[Path], T]) -> T:
        """What `make` gives for a fresh folder; whoever asks later, in whatever process, gets a copy of it.

        Where it fails, it fails for whoever asked first, and the next one tries again.
        """
        kept = self._shared / f"{name}.pickle"
        with (self._shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                tries = len(list(self._shared.glob(f"{name}-*")))
                folder = self._shared / f"{name}-{tries}"
                folder.mkdir()
                kept.write_bytes(pickle.dumps(make(folder)))
        made: T = pickle.loads(kept.read_bytes())
        return made
