"""The runtimes that report their garbage collections."""

from __future__ import annotations

from deadheat.explain.collectors.base import Runtime
from deadheat.explain.collectors.crystal import CRYSTAL
from deadheat.explain.collectors.go import GO
from deadheat.explain.collectors.java import JAVA
from deadheat.explain.collectors.node import NODE
from deadheat.explain.collectors.reported import BEAM, PYTHON, RUBY

RUNTIMES: tuple[Runtime, ...] = (GO, NODE, JAVA, CRYSTAL, BEAM, RUBY, PYTHON)
# Languages whose programs have no collector.
WITHOUT = frozenset({"c", "c++", "rust", "zig"})


def of(language: str) -> Runtime | None:
    """The runtime of a language, as a contender's manifest names it."""
    return next((runtime for runtime in RUNTIMES if language.lower() in runtime.languages), None)
