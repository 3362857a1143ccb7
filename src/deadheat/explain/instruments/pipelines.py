"""Programs that send a pipeline to a service: what of memory a thousand commands cost them."""

from __future__ import annotations

from deadheat.explain import allocators, running
from deadheat.explain.collectors import registry
from deadheat.explain.instruments.base import Bench
from deadheat.explain.instruments.garbage import lacking
from deadheat.explain.instruments.program import counted, instructions_missing
from deadheat.explain.reading import InstrumentError, Missing, Reading


class PipelineGarbage:
    """The runtime's own log of a whole run, its start and its connection with it."""

    name = "garbage"
    title = "the runtime's own log of its garbage collector"

    def missing(self, bench: Bench, entry: str) -> Missing | None:
        return lacking(bench, entry)

    def observe(self, bench: Bench, entry: str) -> Reading:
        runtime = registry.of(bench.stage.build(entry).contender.language)
        assert runtime is not None
        n = running.sizes(bench.stage)[2]
        environment = runtime.environment(bench.stage.logs)
        ran = running.run(bench.stage, entry, n, self.name, env=environment)
        garbage, share = runtime.read("", ran.said), running.share(bench.stage, n)
        values = {"collections": garbage.collections * share}
        if garbage.pause_s is not None:
            values["pause_us"] = garbage.pause_s * 1e6 * share
        if garbage.allocated_bytes is not None:
            values["allocated_bytes"] = garbage.allocated_bytes * share
        facts = {} if runtime.note is None else {f"note {runtime.name}": runtime.note}
        return Reading(values=values, facts=facts, wall_s=ran.exit.wall_ns / 1e9)


class PipelineAllocations:
    """Calls of the allocator, copies and instructions by callgrind at two sizes: exact, and no privilege
    needed."""

    name = "allocations"
    title = "calls of the allocator, copies and instructions (valgrind --tool=callgrind)"

    def missing(self, bench: Bench, entry: str) -> Missing | None:
        return instructions_missing(bench, entry)

    def observe(self, bench: Bench, entry: str) -> Reading:
        least, small, _ = running.sizes(bench.stage)
        start, whole = (counted(bench, entry, n, self.name) for n in (least, small))
        more = {name: count - start.calls.get(name, 0) for name, count in whole.calls.items()}
        allocator, made = allocators.called(more)
        if allocator is None:
            raise InstrumentError("it calls no function that is known to allocate")
        share = running.share(bench.stage, small, least)
        of = f"its calls of {allocator.name} at n = {small} less those at n = {least}"
        return Reading(
            values={
                "allocations": made * share,
                "copies": allocators.copied(more) * share,
                "instructions_run": (whole.instructions - start.instructions) * share,
            },
            facts={f"note {entry} allocations": f"allocations of {entry} are {of}, by callgrind"},
        )
