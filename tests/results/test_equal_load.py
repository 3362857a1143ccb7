"""Latency at equal load: planned rates, and figures of made-up turns whose truth is known."""

from __future__ import annotations

import random

import pytest
from hdrh.histogram import HdrHistogram

from deadheat import latency
from deadheat.kinds import equal_load
from deadheat.model.observation import BlockEnded, Observation, OpenLoop
from deadheat.model.plan import WorkloadPlan
from deadheat.model.result import LatencyAtLoad
from deadheat.tally import tally

from .observed import race

LOAD, RATE = 0.5, 10_000.0
PLAN = race().model_copy(update={"loads": (0.5, 0.8), "open_loop_ms": 300})


def turn(entry: str, block: int, ms: list[float], **more: object) -> OpenLoop:
    """A turn in which requests waited so long, milliseconds."""
    histogram = HdrHistogram(latency.LOWEST_NS, latency.HIGHEST_NS, latency.DIGITS)
    for value in ms:
        histogram.record_value(round(value * 1e6))
    told = {
        "workload": PLAN.key, "block": block, "entry": entry, "load": LOAD, "rate_rps": RATE,
        "achieved_rps": RATE, "due": len(ms), "unsent": 0, "queue_max": 1, "replies": len(ms),
        "errors": {"status": 0}, "first_error": None, "hdr": histogram.encode().decode(),
        "latency_sum_ns": round(sum(ms) * 1e6), "latency_max_ns": round(max(ms) * 1e6),
        "engine_cpu_ns": 1, "server_cpu_ns": 1, "loop_delay_max_ns": 1,
    }  # fmt: skip
    return OpenLoop.model_validate({**told, **more})


def waits(median_ms: float, seed: int, count: int = 2000) -> list[float]:
    rng = random.Random(seed)
    return [median_ms * rng.lognormvariate(0, 0.5) for _ in range(count)]


def found(observations: list[OpenLoop], plan: WorkloadPlan = PLAN) -> LatencyAtLoad:
    blocks: list[Observation] = [BlockEnded(workload=plan.key, block=b) for b in range(plan.blocks)]
    (at,) = latency.at_loads(tally(plan, [*observations, *blocks]), "fast")
    return at


def test_percentiles_are_of_each_block_and_their_interval_is_over_blocks() -> None:
    turns = [turn("fast", b, waits(1 + 0.1 * b, seed=b)) for b in range(6)]
    at = found(turns)
    assert at.gate.ok
    assert at.at_rps == RATE
    p50 = at.latency_ms["p50"]
    assert p50 is not None
    assert len(p50.blocks) == 6
    assert p50.blocks == pytest.approx([1 + 0.1 * b for b in range(6)], rel=0.05)
    assert p50.ci is not None
    assert p50.ci[0] < p50.estimate < p50.ci[1]
    # The mean is the exact one that the engine summed up.
    mean = at.latency_ms["mean"]
    assert mean is not None
    assert mean.blocks[0] == pytest.approx(sum(waits(1, seed=0)) / 2000, rel=1e-5)


def test_the_ratio_of_percentiles_is_by_pairs_of_blocks() -> None:
    """Both wait longer in the same noisy blocks; twice as long is found all the same."""
    noise = [1.0, 3.0, 0.5, 2.0, 1.5, 0.8]
    turns = [turn("fast", b, waits(noise[b], seed=b)) for b in range(6)]
    turns += [turn("slow", b, waits(2 * noise[b], seed=b + 100)) for b in range(6)]
    at = found(turns)
    p50, p99 = at.against_reference["p50"], at.against_reference["p99"]
    assert p50 is not None
    assert p99 is not None
    assert p50.ci is not None
    assert p50.ci[0] < 2 < p50.ci[1]
    assert p50.ci[1] / p50.ci[0] < 1.15
    assert p99.ratio == pytest.approx(2, rel=0.3)


def test_what_too_few_requests_cannot_tell_is_told_of_all_blocks_or_not_at_all() -> None:
    at = found([turn("fast", b, waits(1, seed=b, count=400)) for b in range(6)])
    assert at.latency_ms["p90"] is not None
    assert at.latency_ms["p90"].ci is not None
    # 24 of 2,400 lie beyond the 99th percentile, 4 in a block; 2.4 beyond the 99.9th.
    assert at.latency_ms["p99"] is not None
    assert at.latency_ms["p99"].ci is None
    assert at.latency_ms["p99_9"] is None


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"achieved_rps": 0.8 * RATE}, "80% of the asked rate"),
        ({"unsent": 5}, "5 of 12,000 were not sent"),
        ({"errors": {"body": 1}, "first_error": "another body"}, "another body"),
    ],
)
def test_a_rate_that_was_not_reached_has_no_latency(wrong: dict[str, object], says: str) -> None:
    spoilt = range(6) if "achieved_rps" in wrong else (5,)
    turns = [turn("fast", b, waits(1, seed=b), **(wrong if b in spoilt else {})) for b in range(6)]
    at = found(turns)
    assert not at.gate.ok
    assert says in (at.gate.advice or "")
    assert set(at.latency_ms.values()) == {None}
    assert latency.headline(tally(PLAN, turns), "fast") is None


def test_the_rate_is_of_the_slowest_and_stays_for_all_blocks() -> None:
    first = equal_load.rates(PLAN, [], {"slow": 1000.0, "fast": 3000.0})
    assert first == {0.5: 500.0, 0.8: 800.0}
    seen = [turn("slow", 0, [1.0], load=0.5, rate_rps=500.0)]
    again = equal_load.rates(PLAN, seen, {"slow": 2000.0, "fast": 3000.0})
    assert again == {0.5: 500.0, 0.8: 1600.0}


def test_a_slow_server_is_asked_for_longer() -> None:
    assert equal_load.counted_ms(PLAN, 10_000) == 300
    assert equal_load.counted_ms(PLAN, 2_000) == 550
    assert equal_load.counted_ms(PLAN, 10) == 1200


def test_nobody_is_asked_at_no_rate() -> None:
    rng = random.Random(1)
    assert list(equal_load.turns({0.5: 0.0}, ["a"], rng)) == []
    assert {entry for entry, _, _ in equal_load.turns({0.5: 10.0}, ["a", "b"], rng)} == {"a", "b"}
