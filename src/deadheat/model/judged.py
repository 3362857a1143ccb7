"""What races are judged by: the word of a command line, and the figure that it means."""

from typing import get_args

from deadheat.model.choices import JudgedBy

# Figures that a race may be judged by beside its own, one of each a block; latencies are those at the lowest
# fixed rate of the open loop, the same for all.
PEAK_MEMORY, FIRST_ANSWER = "peak_memory_bytes", "first_response_ms"
AT_EQUAL_LOAD: dict[str, str] = {f"latency_{name}_at_load_ms": name for name in ("p50", "p90", "p99")}
PERCENTILES: tuple[JudgedBy, ...] = ("p50", "p90", "p99")
# What a program that runs to its end can be judged by; a server by all.
OF_PROGRAMS: tuple[JudgedBy, ...] = ("throughput", "cpu", "memory", "size")


def setting_of(by: JudgedBy) -> str:
    """What the setting of a race says that is judged by another figure than its own."""
    return f"by={by}"


_SAID = frozenset(map(setting_of, get_args(JudgedBy)))


def without_judged(setting: str | None) -> str | None:
    """A setting without what a race is judged by: who is loaded, and how."""
    words = [word for word in (setting or "").split() if word not in _SAID]
    return " ".join(words) or None


def metric_of(by: JudgedBy, own: str) -> str:
    """The figure that is judged in a race whose own is `own`."""
    match by:
        case "throughput":
            return own
        case "cpu":
            return "cpu_us_per_request" if own == "throughput_rps" else "cpu_s"
        case "memory":
            return PEAK_MEMORY
        case "startup":
            return FIRST_ANSWER
        case "size":
            return "artifact_bytes"
        case _:
            return f"latency_{by}_at_load_ms"
