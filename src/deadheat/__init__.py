"""Deadheat settles which of several implementations of the same service is faster, or shows a dead heat.

    import deadheat

    run = deadheat.race("fib", contenders=["go", "crystal"], budget_s=60)
    run.verdicts.to_polars()

`race`, `planned`, `read`, `ab`, `bisect` and `comment` are the library; docs/how-to/library.md has more.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deadheat.library import (
        Bisected,
        Comparison,
        Run,
        Table,
        ab,
        bisect,
        comment,
        planned,
        race,
        read,
    )

__version__ = "0.2.0"
__all__ = [
    "Bisected",
    "Comparison",
    "Run",
    "Table",
    "__version__",
    "ab",
    "bisect",
    "comment",
    "planned",
    "race",
    "read",
]


def __getattr__(name: str) -> Any:
    """What the library offers, loaded once it is asked for: the command line needs none of it."""
    if name in __all__:
        return getattr(importlib.import_module("deadheat.library"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
