"""Programs run to completion: none, strace, callgrind and perf around a run."""

from __future__ import annotations

import re
import statistics

from deadheat.explain import callgrind, running, strace
from deadheat.explain.instruments import profile
from deadheat.explain.instruments.base import Bench, Tooled, tool
from deadheat.explain.reading import InstrumentError, Missing, Reading

RUNS = 5
COMPILED = frozenset({"c", "c++", "rust", "go", "crystal", "zig"})
# A count of `perf stat -x,`: `59,,page-faults,1728331,100.00,,`.
_COUNT = re.compile(r"^(\d+),,(page-faults|context-switches|instructions)(?::u)?,", re.MULTILINE)
ROWS = {"page-faults": "minor_faults", "context-switches": "switches", "instructions": "instructions_run"}


class PlainRuns:
    """Wall time and CPU of a few runs, the median of each; no tool at all."""

    name = "runs"
    title = "nothing: a few runs as they are"

    def missing(self, bench: Bench, entry: str) -> Missing | None:
        return None

    def observe(self, bench: Bench, entry: str) -> Reading:
        n = running.sizes(bench.stage)[2]
        exits = [running.run(bench.stage, entry, n, self.name).exit for _ in range(RUNS)]
        wall_s = statistics.median(exit_.wall_ns for exit_ in exits) / 1e9
        user_s = statistics.median(exit_.cpu.user_ns for exit_ in exits) / 1e9
        kernel_s = statistics.median(exit_.cpu.system_ns for exit_ in exits) / 1e9
        spent = {"wall": wall_s, "user": user_s, "kernel": kernel_s}
        # A run takes milliseconds, a thousand commands microseconds.
        unit, each = ("ms", 1e3) if bench.stage.workload.pipeline is None else ("us", 1e6)
        share = running.share(bench.stage, n)
        return Reading(
            values={f"{name}_{unit}": seconds * each * share for name, seconds in spent.items()},
            wall_s=wall_s,
        )


class SoftwareEvents(Tooled):
    """`perf stat`: the kernel's own events, and instructions where the machine counts them."""

    name = "perf stat"
    title = "the kernel's events (perf stat)"

    def observe(self, bench: Bench, entry: str) -> Reading:
        output = bench.file(entry, ".stat")
        events = "page-faults,context-switches,instructions:u"
        under = ("perf", "stat", "-x,", "-e", events, "-o", str(output), "--")
        n = running.sizes(bench.stage)[2]
        ran, share = running.run(bench.stage, entry, n, self.name, under), running.share(bench.stage, n)
        counts = {name: int(count) for count, name in _COUNT.findall(output.read_text())}
        values = {row: counts[name] * share for name, row in ROWS.items() if name in counts}
        return Reading(values=values, wall_s=ran.exit.wall_ns / 1e9)


class ProgramSystemCalls(Tooled):
    """`strace -f -c` around a run."""

    name = "strace"
    title = "system calls by name (strace -f -c)"

    def observe(self, bench: Bench, entry: str) -> Reading:
        output = bench.file(entry, "-strace.txt")
        under = ("strace", "-f", "-c", "-o", str(output))
        n = running.sizes(bench.stage)[2]
        ran, share = running.run(bench.stage, entry, n, self.name, under), running.share(bench.stage, n)
        calls = {name: count * share for name, count in strace.parse(output.read_text()).items()}
        return Reading(
            values={"system_calls": sum(calls.values())}, calls=calls, wall_s=ran.exit.wall_ns / 1e9
        )


class Instructions:
    """callgrind at two sizes: what the larger takes more is the work, without start and end."""

    name = "callgrind"
    title = "instructions and calls (valgrind --tool=callgrind)"

    def missing(self, bench: Bench, entry: str) -> Missing | None:
        return instructions_missing(bench, entry)

    def observe(self, bench: Bench, entry: str) -> Reading:
        least, small, _ = running.sizes(bench.stage)
        start, whole = (counted(bench, entry, n, self.name) for n in (least, small))
        instructions, calls, most = callgrind.between(start, whole)
        if calls <= 0:
            raise InstrumentError(f"n = {small} made no more calls than n = {least}")
        return Reading(
            values={
                "instructions": instructions,
                "calls": calls,
                "instructions_per_call": instructions / calls,
            },
            facts={
                f"note {self.name}": f"instructions and calls are of n = {small} less those of n = {least}, "
                "by callgrind, on one thread",
                f"note {entry}": f"what {entry} calls most is {most}",
            },
        )


def instructions_missing(bench: Bench, entry: str) -> Missing | None:
    """Why callgrind cannot count what this contender calls; None where it can."""
    language = bench.stage.build(entry).contender.language
    if language.lower() not in COMPILED:
        return Missing(f"callgrind does not see through code that {language} makes or reads at run time")
    return tool("valgrind")


def counted(bench: Bench, entry: str, n: int, instrument: str) -> callgrind.Counted:
    """Of a run of this size. Raises InstrumentError."""
    output = bench.file(entry, f"-{instrument}-{n}.callgrind")
    under = ("valgrind", "--tool=callgrind", f"--callgrind-out-file={output}")
    # Go's own preemption signals are more than callgrind 3.19 can follow.
    running.run(bench.stage, entry, n, instrument, under, {"GODEBUG": "asyncpreemptoff=1"})
    try:
        return callgrind.parse(output.read_text(errors="replace"))
    finally:
        output.unlink(missing_ok=True)


class ProgramProfile:
    """`perf record` around a run; the stacks stay in the page's folder, in nanoseconds a run."""

    name = "perf"
    title = f"stacks, {profile.SAMPLES_PER_S} times a second (perf record)"

    def missing(self, bench: Bench, entry: str) -> Missing | None:
        if bench.stage.build(entry).contender.language.lower() not in COMPILED:
            return Missing("a short run of code made at run time leaves no symbols to read")
        return profile.Profile().missing(bench, entry)

    def observe(self, bench: Bench, entry: str) -> Reading:
        symbols = profile.of(bench.stage.build(entry).contender.language)
        data = bench.file(entry, ".perf")
        under = (*profile.record(symbols, data), "--")
        try:
            n = running.sizes(bench.stage)[2]
            ran = running.run(bench.stage, entry, n, self.name, under)
            folded = profile.fold(bench, data)
        finally:
            data.unlink(missing_ok=True)
        per_run = folded.scaled(ran.exit.cpu.total_ns * running.share(bench.stage, n))
        profile.folded_file(bench.folder, entry).write_text(per_run.text())
        return Reading(
            functions={name: ns / 1e3 for name, ns in per_run.functions().items()},
            wall_s=ran.exit.wall_ns / 1e9,
        )
