"""deadheat cache: what builds and tools take, and throwing them away."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deadheat.cli import terminal, values
from deadheat.cli.command import command, option
from deadheat.cli.options import Json

if TYPE_CHECKING:
    from deadheat.build.cache import Kept


@dataclass(frozen=True, kw_only=True)
class CacheOptions(Json):
    prune: bool = option(is_flag=True, help="Throw away: all, or what the two options below choose.")
    older_than: float | None = option(
        type=values.DURATION_S, help="What was last used longer ago than that: 30d, 12h."
    )
    at_most: int | None = option(
        type=values.SIZE, help="The longest unused, until the rest takes no more: 2GB, 500MB."
    )


def run(options: CacheOptions) -> None:
    """Show what builds and tools take, or throw them away.

    Without --prune nothing is thrown away: the same options show what would be. A build that is gone is
    built again when it is next raced.

    \b
    Examples:
      deadheat cache
      deadheat cache --older-than 30d
      deadheat cache --prune --older-than 30d
      deadheat cache --prune --at-most 2GB
    """
    import json

    from deadheat.app import housekeeping
    from deadheat.report import words

    cache = housekeeping.cache(older_than_s=options.older_than, at_most_bytes=options.at_most)
    if options.prune:
        cache.prune()
    narrowed = options.prune or options.older_than is not None or options.at_most is not None
    shown = cache.going if narrowed else cache.kept
    if options.json:
        terminal.line(json.dumps([_as_json(one, going=narrowed) for one in shown], indent=2))
    else:
        now_s = time.time()
        for one in shown:
            size, age = words.size(one.size_bytes), _age(now_s - one.used_s)
            state = "" if one.whole else "  (failed, or cut off)"
            terminal.line(f"{one.what:<5}  {size:>8}  {age:>8}  {one.name}{state}")
    verb = "thrown away" if options.prune else "would go" if narrowed else "kept"
    total = sum(one.size_bytes for one in shown)
    terminal.say(f"{verb}: {len(shown)}, {words.size(total)} in {cache.folder}")


def _age(seconds: float) -> str:
    """`3 d`, `5 h`, `12 min`: how long ago it was last used."""
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return "just now"


def _as_json(one: Kept, *, going: bool) -> dict[str, object]:
    return {
        "what": one.what,
        "name": one.name,
        "path": str(one.path),
        "bytes": one.size_bytes,
        "last_used": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(one.used_s)),
        "whole": one.whole,
        "goes": going,
    }


COMMAND = command("cache", CacheOptions, run, linux=True)
