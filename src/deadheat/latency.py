"""Latency percentiles from merged histograms. Percentiles are never averaged; histograms are merged."""

from collections.abc import Sequence

from hdrh.histogram import HdrHistogram

from deadheat.model.result import Latency

# The engine's own range and precision (docs/engine-protocol.md).
LOWEST_NS, HIGHEST_NS, DIGITS = 1_000, 60_000_000_000, 3
BEYOND = 10


def closed_loop(encoded: Sequence[str]) -> Latency | None:
    """Latencies of a closed loop, merged over blocks, from HdrHistogram V2 texts (ns)."""
    merged = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)
    for text in encoded:
        merged.decode_and_add(text)
    return summary(merged, at_rps=None)


def figure(encoded: str, metric: str) -> float | None:
    """`latency_p99_ms` and the like of one histogram (ns), milliseconds; None where too few lie beyond it."""
    histogram = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)
    histogram.decode_and_add(encoded)
    count = histogram.get_total_count()
    name = metric.removeprefix("latency_").removesuffix("_ms")
    if not count:
        return None
    if name in ("mean", "max", "stdev"):
        taken = {
            "mean": histogram.get_mean_value,
            "max": histogram.get_max_value,
            "stdev": histogram.get_stddev,
        }
        return float(taken[name]()) / 1e6
    percentile = float(name.removeprefix("p").replace("_", "."))
    enough = count * min(percentile, 100 - percentile) / 100 >= BEYOND
    return histogram.get_value_at_percentile(percentile) / 1e6 if enough else None


def summary(histogram: HdrHistogram, at_rps: float | None) -> Latency | None:
    """Milliseconds; a percentile only where at least ten observations lie beyond it."""
    count = histogram.get_total_count()
    if not count:
        return None

    def percentile(p: float) -> float | None:
        return histogram.get_value_at_percentile(p) / 1e6 if count * (1 - p / 100) >= BEYOND else None

    return Latency(
        at_rps=at_rps,
        mean=histogram.get_mean_value() / 1e6,
        p50=percentile(50),
        p90=percentile(90),
        p99=percentile(99),
        p99_9=percentile(99.9),
        max=histogram.get_max_value() / 1e6,
    )
