"""How often a compiled server asks its allocator for memory: calls counted by the kernel."""

from __future__ import annotations

from collections.abc import Iterable

from deadheat.explain import allocators, uprobes
from deadheat.explain.instruments.base import Bench, tool
from deadheat.explain.instruments.program import COMPILED
from deadheat.explain.reading import Missing, Reading
from deadheat.explain.serving import serving
from deadheat.hosts.images import Image


class Allocations:
    """Uprobes on the functions of the allocator: it needs no runtime to ask."""

    name = "allocations"
    title = "calls of the allocator (uprobes)"

    def missing(self, bench: Bench, entry: str) -> Missing | None:
        language = bench.stage.build(entry).contender.language
        if language.lower() not in COMPILED:
            return Missing(f"{language} makes its objects without a call that could be counted from outside")
        return tool("readelf") or uprobes.missing()

    def observe(self, bench: Bench, entry: str) -> Reading:
        with serving(bench.stage, entry, self.name) as server:
            images = server.images()
            found = [allocators.of(bench.stage.host, image) for image in images]
            names = " and ".join(sorted({allocator.name for allocator, _ in found}))
            places = {place for _, places in found for place in places}
            threads = _threads(images)
            with uprobes.counting(sorted(places), sorted(threads)) as calls:
                before = calls.total()
                loaded = server.load(bench.seconds, lead_in_ms=0)
                made = calls.total() - before
            late = len(_threads(server.images()) - threads)
        note = f"allocations of {entry} are its calls of {names}"
        if late:
            note += f", but for those of {late} threads that began meanwhile"
        return Reading(
            values={"allocations": made / loaded.requests},
            facts={f"note {entry} allocations": note},
            throughput_rps=loaded.throughput_rps,
        )


def _threads(images: Iterable[Image]) -> set[int]:
    return {thread for image in images for thread in image.threads}
