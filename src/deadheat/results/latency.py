"""Latency percentiles from merged histograms. Percentiles are never averaged; histograms are merged."""

from collections.abc import Mapping, Sequence

import numpy as np
from hdrh.histogram import HdrHistogram

from deadheat import stats
from deadheat.model.gate import GateResult
from deadheat.model.histogram import BEYOND, DIGITS, HIGHEST_NS, LOWEST_NS
from deadheat.model.observation import OpenLoop
from deadheat.model.result import Against, Latency, LatencyAtLoad, Measure
from deadheat.results import waits
from deadheat.results.gates.gate import gate_result
from deadheat.results.tally import Tally
from deadheat.results.waits import NAMES, PERCENTILES, Figures, Waits

# A turn of 300 ms whose last requests wait 3 ms is already 1% late, though nothing is wrong with it.
RATE_LIMIT = 0.05


def closed_loop(encoded: Sequence[str], replies: int, latency_sum_ns: int) -> Latency | None:
    """Of a closed loop over all blocks: percentiles from HdrHistogram V2 texts (ns), the mean exact."""
    mean_ns = latency_sum_ns / replies if replies else 0.0
    return _summary(figures(_merged(encoded), mean_ns), at_rps=None)


def figure(encoded: str, metric: str) -> float | None:
    """`latency_p99_ms` and the like of one histogram (ns), milliseconds; None where too few lie beyond it."""
    histogram = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)
    histogram.decode_and_add(encoded)
    count = histogram.get_total_count()
    name = metric.removeprefix("latency_").removesuffix("_ms")
    if not count:
        return None
    if name == "max":
        return float(histogram.get_max_value()) / 1e6
    if name in ("mean", "stdev"):
        mean_ns, stdev_ns = moments(histogram)
        return (mean_ns if name == "mean" else stdev_ns) / 1e6
    percentile = float(name.removeprefix("p").replace("_", "."))
    enough = count * min(percentile, 100 - percentile) / 100 >= BEYOND
    return histogram.get_value_at_percentile(percentile) / 1e6 if enough else None


def moments(histogram: HdrHistogram) -> tuple[float, float]:
    """Mean and standard deviation (ns) of a histogram that is not empty, each cell taken at its middle.

    The same that the library works out cell by cell, which takes it a second where cells are many.
    """
    counts = np.ctypeslib.as_array(histogram.counts)
    at = np.flatnonzero(counts)
    half, digits = histogram.sub_bucket_half_count, histogram.sub_bucket_half_count_magnitude
    # The first bucket has no lower half to leave out (hdrh's get_value_from_index).
    bucket = np.maximum((at >> digits) - 1, 0)
    within = (at & (half - 1)) + np.where(at >> digits, half, 0)
    width = np.left_shift(1, bucket + histogram.unit_magnitude)
    middles = within * width + (width >> 1)
    mean = float(np.average(middles, weights=counts[at]))
    return mean, float(np.sqrt(np.average((middles - mean) ** 2, weights=counts[at])))


def figures(histogram: HdrHistogram, mean_ns: float) -> Figures:
    """Mean, percentiles and greatest, milliseconds; None where too few observations lie beyond.

    The mean is given because the sum that the engine kept is exact.
    """
    count = histogram.get_total_count()
    if not count:
        return dict.fromkeys(NAMES)
    found = histogram.get_percentile_to_value_dict(list(PERCENTILES.values()))
    return {
        "mean": mean_ns / 1e6,
        **{
            name: found[p] / 1e6 if count * (1 - p / 100) >= BEYOND else None
            for name, p in PERCENTILES.items()
        },
        "max": histogram.get_max_value() / 1e6,
    }


def _summary(found: Figures, at_rps: float | None) -> Latency | None:
    return None if found["max"] is None else Latency.model_validate({"at_rps": at_rps, **found})


def _merged(encoded: Sequence[str]) -> HdrHistogram:
    merged = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)
    for text in encoded:
        merged.decode_and_add(text)
    return merged


def at_loads(tally: Tally, entry: str) -> tuple[LatencyAtLoad, ...]:
    """What an entry's clients waited, at each of the race's fixed rates."""
    return tuple(_at_load(tally, entry, load) for load in tally.race.loads if _turns(tally, entry, load))


def headline(tally: Tally, entry: str) -> Latency | None:
    """The latencies of the lowest load, merged over blocks; None where its rate was not reached."""
    for load in tally.race.loads:
        turns = _turns(tally, entry, load)
        if turns and _rate_reached(turns).ok:
            return _summary(_whole(turns).figures(), at_rps=_rate_rps(turns))
    return None


def _at_load(tally: Tally, entry: str, load: float) -> LatencyAtLoad:
    turns = _turns(tally, entry, load)
    reached = _rate_reached(turns)
    of_blocks = _of_blocks(turns) if reached.ok else {}
    return LatencyAtLoad(
        load=load,
        at_rps=_rate_rps(turns),
        achieved_rps=sum(turn.achieved_rps for turn in turns) / len(turns),
        queue_max=max(turn.queue_max for turn in turns),
        latency_ms=_measures(of_blocks),
        service_ms=_service(turns) if reached.ok else dict.fromkeys(NAMES[1:]),
        against_reference=_against(tally, entry, load, of_blocks),
        gate=reached,
    )


def _service(turns: Sequence[OpenLoop]) -> Figures:
    """The same requests from their sending; without a mean, whose sum the engine does not keep."""
    found = figures(_merged([turn.service_hdr for turn in turns if turn.service_hdr]), mean_ns=0)
    return {name: found[name] for name in NAMES[1:]}


def _whole(turns: Sequence[OpenLoop]) -> Waits:
    return waits.together(waits.of_turn(turn) for turn in turns)


def _rate_rps(turns: Sequence[OpenLoop]) -> float:
    """What was asked, on average: the rate follows the slowest's capacity from block to block."""
    return sum(turn.rate_rps for turn in turns) / len(turns)


def _of_blocks(turns: Sequence[OpenLoop]) -> dict[int, Waits]:
    """Of each block all its turns together."""
    return {
        block: _whole([t for t in turns if t.block == block]) for block in sorted({t.block for t in turns})
    }


def _measures(of_blocks: Mapping[int, Waits]) -> dict[str, Measure | None]:
    """Figures of all blocks together, each with the jackknife's interval about it."""
    if not of_blocks:
        return dict.fromkeys(NAMES)
    whole, without = _with_each_left_out(of_blocks)
    each = [of.figures() for of in of_blocks.values()]
    return {name: _measure(whole[name], _known(name, without), [one[name] for one in each]) for name in NAMES}


def _measure(
    whole: float | None, without: Sequence[float | None], each: Sequence[float | None]
) -> Measure | None:
    """`each` block's own is shown where all have one."""
    if whole is None:
        return None
    found = stats.jackknife(_log(whole), [_log(one) for one in without])
    blocks = tuple(one for one in each if one is not None)
    return Measure(estimate=whole, ci=found.ci, blocks=blocks if len(blocks) == len(each) else ())


def _with_each_left_out(of_blocks: Mapping[int, Waits]) -> tuple[Figures, list[Figures]]:
    """Figures of all blocks together, and of all but each."""
    blocks = list(of_blocks)
    without = [[of_blocks[b] for b in blocks if b != out] for out in blocks] if len(blocks) > 1 else []
    return waits.together(of_blocks.values()).figures(), [waits.together(rest).figures() for rest in without]


def _known(name: str, without: Sequence[Figures]) -> list[float | None]:
    """What an interval rests on: nothing, of the greatest, which is of one block alone."""
    return [] if name == "max" else [one[name] for one in without]


def _log(value: float | None) -> float:
    return float(np.log(value)) if value is not None and value > 0 else float("nan")


def _against(tally: Tally, entry: str, load: float, own: Mapping[int, Waits]) -> dict[str, Against | None]:
    reference = tally.race.reference_entry
    pairs = {} if entry == reference else _compared(tally, reference, load, own)
    return {name: _ratio(pairs[name]) if name in pairs else None for name in NAMES}


def compared(tally: Tally, a: str, b: str, load: float) -> dict[str, stats.Estimate]:
    """How many times as fast a answers as b, by the figure's name, at one fixed rate; empty where there is
    nothing to compare."""
    turns = _turns(tally, a, load)
    return _compared(tally, b, load, _of_blocks(turns)) if turns and _rate_reached(turns).ok else {}


def _compared(tally: Tally, other: str, load: float, own: Mapping[int, Waits]) -> dict[str, stats.Estimate]:
    """Ratios of the figures of all common blocks together, the other's over one's own: more is better.

    The interval is the jackknife's over blocks, so that its centre is the ratio that is printed.
    """
    turns = _turns(tally, other, load)
    if not turns or not _rate_reached(turns).ok:
        return {}
    others = _of_blocks(turns)
    both = [block for block in own if block in others]
    if not both:
        return {}
    mine, mine_without = _with_each_left_out({block: own[block] for block in both})
    theirs, theirs_without = _with_each_left_out({block: others[block] for block in both})
    return {
        name: stats.jackknife(
            _log(theirs[name]) - _log(mine[name]),
            [
                _log(b) - _log(a)
                for a, b in zip(_known(name, mine_without), _known(name, theirs_without), strict=True)
            ],
        )
        for name in NAMES
    }


def _ratio(pair: stats.Estimate) -> Against | None:
    return None if pair.ratio is None else Against(ratio=pair.ratio, ci=pair.ci)


def _turns(tally: Tally, entry: str, load: float) -> list[OpenLoop]:
    turns = tally.open_loop.get(entry, [])
    return [turn for turn in turns if turn.load == load and turn.block in tally.blocks]


def _rate_reached(turns: Sequence[OpenLoop]) -> GateResult:
    """Whether as many requests were sent as were asked for, and all answered right. At a low rate chance may
    let none be due, and nothing is reached."""
    due_rps = sum(_due_rps(turn) for turn in turns)
    share = sum(turn.achieved_rps for turn in turns) / due_rps if due_rps else 0.0
    unsent, wrong = sum(turn.unsent for turn in turns), sum(sum(turn.errors.values()) for turn in turns)
    return gate_result(
        "asked-rate",
        not unsent and not wrong and abs(share - 1) <= RATE_LIMIT,
        share,
        "within 5% of what was asked",
        unsent=unsent,
        wrong=wrong,
        due=sum(turn.due for turn in turns),
        first_error=next((turn.first_error for turn in turns if turn.first_error), None),
    )


def _due_rps(turn: OpenLoop) -> float:
    """How many were due a second: with arrivals at random not just as many as were asked for."""
    if turn.arrivals == "constant" or not turn.counted_ms:
        return turn.rate_rps
    return turn.due / (turn.counted_ms / 1000)
