"""Mean and deviation of a histogram: those of the library that wrote it, without its loop over cells."""

import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st

from deadheat.model.histogram import DIGITS, HIGHEST_NS, LOWEST_NS
from deadheat.results import latency

LATENCIES = st.lists(st.tuples(st.integers(0, 50_000_000_000), st.integers(1, 1000)), min_size=1)


@settings(deadline=None)
@given(LATENCIES)
def test_they_are_those_of_the_library(recorded: list[tuple[int, int]]) -> None:
    histogram = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)
    for value_ns, count in recorded:
        histogram.record_value(value_ns, count)
    mean_ns, stdev_ns = latency.moments(histogram)
    assert mean_ns == pytest.approx(histogram.get_mean_value(), rel=1e-9)
    assert stdev_ns == pytest.approx(histogram.get_stddev(), rel=1e-6, abs=1e-3)


def test_a_decoded_one_has_the_same() -> None:
    histogram = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)
    for value_ns in (1_500_000, 2_000_000, 90_000_000):
        histogram.record_value(value_ns)
    encoded = histogram.encode().decode()
    assert latency.figure(encoded, "latency_mean_ms") == pytest.approx(31.1666, rel=1e-3)
    assert latency.figure(encoded, "latency_stdev_ms") == pytest.approx(41.603, rel=1e-3)
    assert latency.figure(encoded, "latency_max_ms") == pytest.approx(90, rel=1e-3)
