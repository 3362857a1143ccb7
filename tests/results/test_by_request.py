"""The requests of a mix, of made-up blocks whose truth is known."""

from __future__ import annotations

import random

import pytest
from hdrh.histogram import HdrHistogram

from deadheat.model.histogram import DIGITS, HIGHEST_NS, LOWEST_NS
from deadheat.model.observation import BlockEnded, Ended, Observation, OfRequest
from deadheat.results import by_request
from deadheat.results.tally import Tally, tallied
from tests.made.observed import race

PLAN = race()


def of_request(name: str, ms: list[float], errors: int = 0) -> OfRequest:
    histogram = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)
    for value in ms:
        histogram.record_value(round(value * 1e6))
    return OfRequest(
        name=name,
        replies=len(ms),
        errors=errors,
        latency_sum_ns=round(sum(ms) * 1e6),
        latency_max_ns=round(max(ms, default=0) * 1e6),
        hdr=histogram.encode().decode(),
    )


def ended(block: int, entry: str, *requests: OfRequest) -> Ended:
    nothing = dict.fromkeys(("memory_bytes", "peak_memory_bytes", "threads"))
    return Ended(race=PLAN.key, block=block, entry=entry, by_request=requests, **nothing)  # type: ignore[arg-type]


def tally(*seen: Observation) -> Tally:
    return tallied(PLAN, [*seen, *(BlockEnded(race=PLAN.key, block=b) for b in range(PLAN.blocks))])


def test_each_has_its_share_its_latency_and_its_ratio() -> None:
    """Reads take 1 ms in both, writes 2 ms of the reference and 3 of the other; both by noisy blocks."""
    rng = random.Random(7)
    seen = []
    for block in range(PLAN.blocks):
        noise = rng.lognormvariate(0, 0.3)
        for entry, write_ms in ((PLAN.reference_entry, 2.0), ("fast", 3.0)):
            reads, writes = (
                of_request("read", [noise] * 300),
                of_request("write", [write_ms * noise] * 100, 2),
            )
            seen.append(ended(block, entry, reads, writes))
    found = tally(*seen)
    read, write = by_request.figures(found, "fast", 4_000.0)
    assert [read.name, write.name] == ["read", "write"]
    assert (read.share, write.share) == (0.75, 0.25)
    assert (read.throughput_rps, write.throughput_rps) == (3_000.0, 1_000.0)
    assert (read.errors, write.errors) == (0, 2 * PLAN.blocks)
    assert read.against_reference is not None and write.against_reference is not None
    assert read.against_reference.ratio == pytest.approx(1)
    assert write.against_reference.ratio == pytest.approx(2 / 3)
    assert read.latency_ms is not None and write.latency_ms is not None
    assert write.latency_ms.mean == pytest.approx(3 * read.latency_ms.mean)
    own = by_request.figures(found, PLAN.reference_entry, 4_000.0)
    assert [each.against_reference for each in own] == [None, None]


def test_one_that_was_never_answered_has_no_latency() -> None:
    seen = []
    for block in range(PLAN.blocks):
        for entry in (PLAN.reference_entry, "fast"):
            seen.append(ended(block, entry, of_request("read", [1.0] * 50), of_request("write", [], 9)))
    _, write = by_request.figures(tally(*seen), "fast", 100.0)
    assert (write.share, write.throughput_rps, write.errors) == (0.0, 0.0, 9 * PLAN.blocks)
    assert write.latency_ms is None and write.against_reference is None


def test_a_load_of_one_request_has_none() -> None:
    assert by_request.figures(tally(*(ended(b, "fast") for b in range(PLAN.blocks))), "fast", 1.0) == ()
