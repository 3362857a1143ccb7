"""A figure of both contenders, side by side: a name, a unit, and how a sentence puts it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Quantity:
    """One row of the page.

    `verb` and `object` make the sentence "A {verb} 2.0 {object}, B 5.1"; without a verb there is none.
    `typical_us` is about what one of it costs, by which differences are put in order and nothing else:
    a system call 0.3 µs, a switch of contexts with a wake-up 3 µs. Of a `family` only the one that
    matters most is reported.
    """

    key: str
    label: str
    unit: str = ""
    verb: str | None = None
    object: str = ""
    typical_us: float = 0.0
    family: str | None = None


QUANTITIES: tuple[Quantity, ...] = (
    Quantity("throughput_rps", "requests a second"),
    Quantity("wall_ms", "wall time", "ms"),
    Quantity("wall_us", "wall time", "µs"),
    Quantity("latency_ms", "mean latency", "ms"),
    Quantity("cores", "cores used under load"),
    Quantity("cpu_us", "CPU", "µs", "uses", "µs of CPU {per}", 1, "cpu"),
    Quantity("user_us", "CPU in its own code", "µs", "spends", "µs {per} in its own code", 1, "cpu"),
    Quantity("kernel_us", "CPU in the kernel", "µs", "spends", "µs {per} in the kernel", 1, "cpu"),
    Quantity("user_ms", "CPU in its own code", "ms", "spends", "ms {per} in its own code", 1000, "cpu"),
    Quantity("kernel_ms", "CPU in the kernel", "ms", "spends", "ms {per} in the kernel", 1000, "cpu"),
    Quantity("low_load_cpu_us", "CPU at 100 requests a second", "µs"),
    Quantity("idle_cores", "cores used with no load"),
    Quantity("threads", "threads"),
    Quantity("system_calls", "system calls", "", "makes", "system calls {per}", 0.3, "system calls"),
    Quantity("sleeps", "sleeps and wake-ups", "", "goes to sleep and is woken", "times {per}", 3),
    Quantity("preemptions", "preemptions", "", "is preempted", "times {per}", 2),
    Quantity("switches", "context switches", "", "is switched away from", "times {per}", 2),
    Quantity("minor_faults", "page faults, minor", "", "takes", "page faults {per}", 0.5),
    Quantity("major_faults", "page faults, major", "", "takes", "page faults {per} that read a disk", 100),
    Quantity("bytes_received", "bytes received", "B", "receives", "bytes {per}", 0.001),
    Quantity("bytes_sent", "bytes sent", "B", "sends", "bytes {per}", 0.001),
    Quantity("segments_received", "TCP segments received"),
    Quantity("segments_sent", "TCP segments sent", "", "sends", "TCP segments {per}", 1.5, "segments"),
    Quantity("data_segments_sent", "of them with data", "", "sends", "TCP segments with data {per}", 1.5,
             "segments"),
    Quantity("frames_received", "HTTP/2 frames received", "", "gets", "HTTP/2 frames {per}", 0.3, "frames"),
    Quantity("frames_sent", "HTTP/2 frames sent", "", "sends", "HTTP/2 frames {per}", 0.3, "frames"),
    Quantity("collections_per_1000", "garbage collections in 1,000"),
    Quantity("collections", "garbage collections"),
    Quantity("pause_us", "stopped by the collector", "µs", "is stopped by its collector for", "µs {per}", 1),
    Quantity("allocated_bytes", "allocated", "B", "allocates", "bytes {per}", 0.0005, "allocation"),
    Quantity("allocations", "allocations", "", "makes", "allocations {per}", 0.03, "allocation"),
    Quantity("copies", "calls that copy memory", "", "makes", "calls that copy memory {per}", 0.01),
    Quantity("instructions_run", "instructions", "", "executes", "instructions {per}", 0.0003,
             "instructions"),
    Quantity("instructions", "instructions at a small n", "", "executes", "instructions at a small n", 0.0003,
             "instructions"),
    Quantity("calls", "calls of functions at a small n", "", "makes", "calls of functions at a small n",
             0.002),
    Quantity("instructions_per_call", "instructions a call", "", "executes", "instructions a call", 1,
             "instructions"),
)  # fmt: skip

BY_KEY = {quantity.key: quantity for quantity in QUANTITIES}
