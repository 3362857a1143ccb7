"""What is told of both contenders, side by side: a name, a unit, and how a sentence puts it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Quantity:
    """One row of the page. `floor` is where differences end to matter: below it a figure counts as it.

    `verb` and `object` make the sentence "A {verb} 2.0 {object}, B 5.1"; without a verb there is none.
    `part_of` names a quantity that holds this one: only the one of the two that differs more is told.
    """

    key: str
    label: str
    unit: str = ""
    floor: float = 0.05
    verb: str | None = None
    object: str = ""
    part_of: str | None = None


_PER = "{per}"

QUANTITIES: tuple[Quantity, ...] = (
    Quantity("throughput_rps", "requests a second", floor=1),
    Quantity("wall_ms", "wall time a run", "ms", 0.1),
    Quantity("latency_ms", "mean latency", "ms", 0.01),
    Quantity("cores", "cores used under load", floor=0.01),
    Quantity("cpu_us", "CPU", "µs", 0.5, "uses", "µs of CPU {per}"),
    Quantity("user_us", "CPU in its own code", "µs", 0.5, "spends", "µs {per} in its own code", "cpu_us"),
    Quantity("kernel_us", "CPU in the kernel", "µs", 0.5, "spends", "µs {per} in the kernel", "cpu_us"),
    Quantity("idle_cores", "cores used with no load", floor=0.02),
    Quantity("low_load_cpu_us", "CPU at 100 requests a second", "µs", 5),
    Quantity("system_calls", "system calls", floor=0.1, verb="makes", object="system calls {per}"),
    Quantity("sleeps", "sleeps (voluntary context switches)", floor=0.05, verb="goes to sleep and is woken",
             object="times {per}"),
    Quantity("preemptions", "preemptions (involuntary switches)", floor=0.05, verb="is preempted",
             object="times {per}"),
    Quantity("minor_faults", "page faults, minor", floor=0.05, verb="takes", object="page faults {per}"),
    Quantity("major_faults", "page faults, major", floor=0.05, verb="takes",
             object="page faults {per} that read from disk"),
    Quantity("bytes_received", "bytes received", "B", 16, "receives", "bytes {per}"),
    Quantity("bytes_sent", "bytes sent", "B", 16, "sends", "bytes {per}"),
    Quantity("segments_received", "segments received", floor=0.1),
    Quantity("segments_sent", "segments sent", floor=0.1, verb="sends", object="TCP segments {per}"),
    Quantity("data_segments_sent", "of them with data", floor=0.1, verb="sends",
             object="TCP segments with data {per}", part_of="segments_sent"),
    Quantity("frames_received", "HTTP/2 frames received", floor=0.1),
    Quantity("frames_sent", "HTTP/2 frames sent", floor=0.1, verb="sends", object="HTTP/2 frames {per}"),
    Quantity("collections_per_1000", "garbage collections in 1,000", floor=0.05, verb="collects garbage",
             object="times in 1,000 requests"),
    Quantity("pause_us", "paused by the collector", "µs", 0.5),
    Quantity("allocated_bytes", "allocated", "B", 64, "allocates", "bytes {per}"),
    Quantity("allocations", "allocations", floor=0.5, verb="makes", object="allocations {per}"),
    Quantity("threads", "threads", floor=1),
    Quantity("instructions", "instructions", floor=1, verb="executes", object="instructions {per}"),
    Quantity("calls", "calls of a function", floor=1, verb="makes", object="calls {per}"),
    Quantity("instructions_per_call", "instructions a call", floor=1, verb="executes",
             object="instructions a call"),
)  # fmt: skip

BY_KEY = {quantity.key: quantity for quantity in QUANTITIES}
