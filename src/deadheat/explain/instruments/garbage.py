"""Garbage collections and allocations, where the runtime reports them."""

from __future__ import annotations

import time

from deadheat.explain.collectors import registry
from deadheat.explain.collectors.base import SNAPSHOT_S, Garbage, Runtime
from deadheat.explain.instruments.base import Bench
from deadheat.explain.reading import Missing, Reading
from deadheat.explain.serving import Loaded, Server, serving

# What the server said last is through the launcher's pipe by then, and a snapshot taken.
SETTLE_S = 1.5 * SNAPSHOT_S


class GarbageCollection:
    """The runtime's own log, switched on by its environment."""

    name = "garbage"
    title = "the runtime's own log of its garbage collector"

    def missing(self, bench: Bench, entry: str) -> Missing | None:
        return lacking(bench, entry)

    def observe(self, bench: Bench, entry: str) -> Reading:
        runtime = registry.of(bench.stage.build(entry).contender.language)
        assert runtime is not None
        with serving(bench.stage, entry, self.name, runtime.environment(bench.stage.logs)) as server:
            before = _said(server)
            loaded = server.load(bench.seconds)
            during = [text[len(earlier) :] for earlier, text in zip(before, _said(server), strict=True)]
        garbage = runtime.read("".join(before), "".join(during))
        facts = {} if runtime.note is None else {f"note {runtime.name}": runtime.note}
        return Reading(
            values=_values(garbage, loaded),
            facts={**facts, "heaps": _heaps(runtime)},
            throughput_rps=loaded.throughput_rps,
        )


def lacking(bench: Bench, entry: str) -> Missing | None:
    """Why nothing reports this contender's collections; None where its runtime does."""
    language = bench.stage.build(entry).contender.language
    if language.lower() in registry.WITHOUT:
        return Missing(f"{language} has no garbage collector")
    if registry.of(language) is None:
        return Missing(f"how the runtime of {language} reports its collections is not known here")
    return None


def _heaps(runtime: Runtime) -> str:
    return "one" if runtime.one_heap else "one a process"


def _values(garbage: Garbage, loaded: Loaded) -> dict[str, float]:
    values = {"collections_per_1000": garbage.collections / loaded.requests * 1000}
    if garbage.pause_s is not None:
        values["pause_us"] = garbage.pause_s / loaded.requests * 1e6
    if garbage.allocated_bytes is not None:
        values["allocated_bytes"] = garbage.allocated_bytes / loaded.requests
    if garbage.allocated_objects is not None:
        values["allocations"] = garbage.allocated_objects / loaded.requests
    return values


def _said(server: Server) -> list[str]:
    """Its stdout and stderr so far."""
    time.sleep(SETTLE_S)
    left = server.stage.host.collect(server.handle)
    return [left.stdout.decode(errors="replace"), left.stderr.decode(errors="replace")]
