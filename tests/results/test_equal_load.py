"""Latency at equal load: planned rates, and figures of made-up turns whose truth is known."""

from __future__ import annotations

import math
import random

import pytest
from hdrh.histogram import HdrHistogram

from deadheat.model.histogram import DIGITS, HIGHEST_NS, LOWEST_NS
from deadheat.model.observation import BlockEnded, Failed, Observation, OpenLoop, Slice
from deadheat.model.plan import RacePlan
from deadheat.model.result import LatencyAtLoad
from deadheat.plan import equal_load
from deadheat.report.gates import advice
from deadheat.results import latency
from deadheat.results.tally import tallied
from deadheat.results.waits import of_turn, together
from tests.made.observed import race
from tests.made.slices import made_slice

LOAD, RATE = 0.5, 10_000.0
PLAN = race(loads=(0.5, 0.8), open_loop_ms=300)


def turn(entry: str, block: int, ms: list[float], **more: object) -> OpenLoop:
    """A turn in which requests waited so long, milliseconds."""
    histogram = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)
    for value in ms:
        histogram.record_value(round(value * 1e6))
    reported = {
        "race": PLAN.key, "block": block, "entry": entry, "load": LOAD, "rate_rps": RATE,
        "achieved_rps": RATE, "due": len(ms), "unsent": 0, "queue_max": 1, "replies": len(ms),
        "errors": {"status": 0}, "first_error": None, "hdr": histogram.encode().decode(),
        "latency_sum_ns": round(sum(ms) * 1e6), "latency_max_ns": round(max(ms) * 1e6),
        "engine_cpu_ns": 1, "server_cpu_ns": 1, "loop_delay_max_ns": 1,
    }  # fmt: skip
    return OpenLoop.model_validate({**reported, **more})


def waits(median_ms: float, seed: int, count: int = 2000) -> list[float]:
    rng = random.Random(seed)
    return [median_ms * rng.lognormvariate(0, 0.5) for _ in range(count)]


def found(observations: list[OpenLoop], plan: RacePlan = PLAN) -> LatencyAtLoad:
    blocks: list[Observation] = [BlockEnded(race=plan.key, block=b) for b in range(plan.blocks)]
    (at,) = latency.at_loads(tallied(plan, [*observations, *blocks]), "fast")
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


def test_what_a_block_cannot_tell_is_told_of_all_together_or_not_at_all() -> None:
    at = found([turn("fast", b, waits(1, seed=b, count=400)) for b in range(6)])
    assert at.latency_ms["p90"] is not None
    assert at.latency_ms["p90"].ci is not None
    # 24 of 2,400 lie beyond the 99th percentile, 4 in a block; 2.4 beyond the 99.9th.
    assert at.latency_ms["p99"] is not None
    assert at.latency_ms["p99"].ci is not None and at.latency_ms["p99"].blocks == ()
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
    assert says in str(advice(at.gate))
    assert set(at.latency_ms.values()) == {None}
    assert latency.headline(tallied(PLAN, turns), "fast") is None


def test_the_interval_of_a_percentile_has_the_printed_ratio_as_its_centre() -> None:
    """The merged percentile of unlike blocks is no mean of theirs; the interval is about it all the same."""
    turns = [turn("fast", b, waits(1 + b, seed=b)) for b in range(6)]
    turns += [turn("slow", b, waits(3, seed=b + 50)) for b in range(6)]
    p50 = found(turns).against_reference["p50"]
    assert p50 is not None and p50.ci is not None
    assert math.sqrt(p50.ci[0] * p50.ci[1]) == pytest.approx(p50.ratio)
    whole = found(turns).latency_ms["p50"]
    assert whole is not None and whole.ci is not None
    assert math.sqrt(whole.ci[0] * whole.ci[1]) == pytest.approx(whole.estimate)


def test_figures_are_those_of_the_histogram_library() -> None:
    turns = [turn("fast", b, waits(1, seed=b)) for b in range(3)]
    merged = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)
    for one in turns:
        merged.decode_and_add(one.hdr)
    mine = together(of_turn(one) for one in turns).figures()
    for name, percentile in (("p50", 50.0), ("p90", 90.0), ("p99", 99.0)):
        assert mine[name] == merged.get_value_at_percentile(percentile) / 1e6
    assert mine["max"] == merged.get_max_value() / 1e6


def test_turns_of_a_block_are_one_block() -> None:
    turns = [turn("fast", b, waits(1, seed=10 * b + t), turn=t) for b in range(6) for t in range(2)]
    at = found(turns)
    assert at.latency_ms["p50"] is not None and len(at.latency_ms["p50"].blocks) == 6


def test_arrivals_at_random_are_held_against_those_that_were_due() -> None:
    """340 came where 300 were asked for: the rate was reached."""
    more = {"arrivals": "poisson", "counted_ms": 200, "due": 2300, "achieved_rps": 11_500.0}
    assert found([turn("fast", b, waits(1, seed=b), **more) for b in range(6)]).gate.ok
    late = more | {"achieved_rps": 10_000.0}
    assert not found([turn("fast", b, waits(1, seed=b), **late) for b in range(6)]).gate.ok


def test_where_chance_let_no_request_be_due_there_is_no_latency() -> None:
    none = {"arrivals": "poisson", "counted_ms": 20, "due": 0, "achieved_rps": 0.0, "replies": 0}
    turns = [turn("fast", b, [1.0], **none) for b in range(6)]
    at = found(turns)
    assert not at.gate.ok
    assert advice(at.gate) == "not one request was due at so low a rate: no latency, race longer"
    assert set(at.latency_ms.values()) == {None}
    assert latency.headline(tallied(PLAN, turns), "fast") is None


def slices(entry: str, block: int, replies: int) -> Slice:
    return made_slice(PLAN.key, block, 0, 0, entry, replies)


def test_the_rate_is_of_the_slowest_over_the_whole_race() -> None:
    """Counted parts of 100 ms: 1,000 and then 2,000 requests a second; who has left still counts."""
    seen: list[Observation] = [slices("slow", 0, 100), slices("fast", 0, 300)]
    assert equal_load.rates(PLAN, seen, (0.5, 0.8)) == {0.5: 500.0, 0.8: 800.0}
    seen += [slices("slow", 1, 200), slices("fast", 1, 300), slices("fast", 2, 300)]
    assert equal_load.rates(PLAN, seen, (0.5,)) == {0.5: 750.0}
    seen.append(Failed(race=PLAN.key, block=2, entry="slow", reason="gone"))
    assert equal_load.rates(PLAN, seen, (0.5,)) == {0.5: 1500.0}


def test_loads_take_turns_where_there_are_blocks_enough() -> None:
    assert [equal_load.loads_of(PLAN, block) for block in range(3)] == [(0.5,), (0.8,), (0.5,)]
    assert equal_load.loads_of(PLAN.replaced(blocks=3), 1) == (0.5, 0.8)
    assert equal_load.loads_of(race(), 1) == ()


def test_a_slow_server_is_asked_for_longer() -> None:
    """1,100 requests in three blocks of two turns each."""
    assert equal_load.counted_ms(PLAN, 10_000) == 150
    assert equal_load.counted_ms(PLAN, 1_000) == 183
    assert equal_load.counted_ms(PLAN, 10) == 600


def test_turns_are_a_random_order_and_its_reverse_and_at_no_rate_there_are_none() -> None:
    rng = random.Random(1)
    assert equal_load.turns({0.5: 0.0}, ["a"], rng) == []
    order = [turn.entry for turn in equal_load.turns({0.5: 10.0}, ["a", "b", "c"], rng)]
    assert order[3:] == order[2::-1] and sorted(order[:3]) == ["a", "b", "c"]
