"""What the cache keeps, and what of it goes: what `deadheat cache` does."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from deadheat.build import cache as builds
from deadheat.build.cache import Kept
from deadheat.hosts import lock
from deadheat.util.paths import cache_folder


@dataclass(frozen=True)
class Cache:
    """All that is kept, and what of it would go."""

    folder: Path
    kept: tuple[Kept, ...]
    going: tuple[Kept, ...]

    def prune(self) -> None:
        """Throw it away, while nobody races or builds on this machine. Raises UserError."""
        with lock.machine("deadheat cache --prune"):
            builds.throw_away(self.going)


def cache(*, older_than_s: float | None, at_most_bytes: int | None) -> Cache:
    """As it is now."""
    folder = cache_folder()
    kept = builds.kept(folder)
    going = builds.chosen(kept, time.time(), older_than_s=older_than_s, at_most_bytes=at_most_bytes)
    return Cache(folder, kept, going)
