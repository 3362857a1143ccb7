"""The range and precision of the latency histograms that the engine writes (docs/engine-protocol.md)."""

LOWEST_NS, HIGHEST_NS = 1_000, 3_600_000_000_000
# Significant digits.
DIGITS = 3
# A percentile is known where at least so many observations lie beyond it.
BEYOND = 10
