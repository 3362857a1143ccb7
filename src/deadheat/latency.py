"""Latency percentiles from merged histograms. Percentiles are never averaged; histograms are merged."""

from collections.abc import Mapping, Sequence

import numpy as np
from hdrh.histogram import HdrHistogram

from deadheat import stats
from deadheat.model.observation import OpenLoop, Slice
from deadheat.model.result import Against, GateResult, Latency, LatencyAtLoad, Measure
from deadheat.tally import Tally

# The engine's own range and precision (docs/engine-protocol.md).
LOWEST_NS, HIGHEST_NS, DIGITS = 1_000, 60_000_000_000, 3
BEYOND = 10
# A turn of 300 ms whose last requests wait 3 ms is already 1% late, though nothing is wrong with it.
RATE_LIMIT = 0.05
PERCENTILES = {"p50": 50.0, "p90": 90.0, "p99": 99.0, "p99_9": 99.9}
NAMES = ("mean", *PERCENTILES, "max")
# Milliseconds by those names.
Figures = dict[str, float | None]


def closed_loop(encoded: Sequence[str], slices: Sequence[Slice]) -> Latency | None:
    """Of a closed loop over all blocks: percentiles from HdrHistogram V2 texts (ns), the mean exact."""
    replies = sum(s.replies for s in slices)
    mean_ns = sum(s.latency_sum_ns for s in slices) / replies if replies else 0.0
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


def _of_turns(turns: Sequence[OpenLoop]) -> Figures:
    replies = sum(turn.replies for turn in turns)
    mean_ns = sum(turn.latency_sum_ns for turn in turns) / replies if replies else 0.0
    return figures(_merged([turn.hdr for turn in turns]), mean_ns)


def _merged(encoded: Sequence[str]) -> HdrHistogram:
    merged = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)
    for text in encoded:
        merged.decode_and_add(text)
    return merged


def at_loads(found: Tally, entry: str) -> tuple[LatencyAtLoad, ...]:
    """What an entry's clients waited, at each of the race's fixed rates."""
    return tuple(_at_load(found, entry, load) for load in found.race.loads if _turns(found, entry, load))


def headline(found: Tally, entry: str) -> Latency | None:
    """The latencies of the lowest load, merged over blocks; None where its rate was not reached."""
    for load in found.race.loads:
        turns = _turns(found, entry, load)
        if turns and _rate_reached(turns).ok:
            return _summary(_of_turns(turns), at_rps=turns[0].rate_rps)
    return None


def _at_load(found: Tally, entry: str, load: float) -> LatencyAtLoad:
    turns = _turns(found, entry, load)
    reached = _rate_reached(turns)
    told = LatencyAtLoad(
        load=load,
        at_rps=turns[0].rate_rps,
        achieved_rps=sum(turn.achieved_rps for turn in turns) / len(turns),
        queue_max=max(turn.queue_max for turn in turns),
        latency_ms=dict.fromkeys(NAMES),
        service_ms=dict.fromkeys(NAMES[1:]),
        against_reference=dict.fromkeys(NAMES),
        gate=reached,
    )
    if not reached.ok:
        return told
    of_blocks = {turn.block: _of_turns([turn]) for turn in turns}
    whole = _of_turns(turns)
    return told.model_copy(
        update={
            "latency_ms": {name: _measure(whole[name], of_blocks, name) for name in NAMES},
            "service_ms": _service(turns),
            "against_reference": _against(found, entry, load, of_blocks),
        }
    )


def _service(turns: Sequence[OpenLoop]) -> Figures:
    """The same requests from their sending; without a mean, whose sum the engine does not keep."""
    found = figures(_merged([turn.service_hdr for turn in turns if turn.service_hdr]), mean_ns=0)
    return {name: found[name] for name in NAMES[1:]}


def _measure(merged: float | None, of_blocks: Mapping[int, Figures], name: str) -> Measure | None:
    """Over blocks where each is long enough for this percentile; else of all blocks merged, no interval."""
    known = [figure for block in sorted(of_blocks) if (figure := of_blocks[block][name]) is not None]
    level = stats.absolute(stats.by_block(known))
    if len(known) == len(of_blocks) and level.ratio is not None:
        return Measure(estimate=level.ratio, ci=level.ci, blocks=tuple(known))
    return None if merged is None else Measure(estimate=merged, ci=None, blocks=())


def _against(found: Tally, entry: str, load: float, own: Mapping[int, Figures]) -> dict[str, Against | None]:
    """Ratios of percentiles by the same pairs of blocks as any other ratio."""
    reference = found.race.reference_entry
    turns = _turns(found, reference, load)
    if entry == reference or not turns or not _rate_reached(turns).ok:
        return dict.fromkeys(NAMES)
    others = {turn.block: _of_turns([turn]) for turn in turns}
    both = sorted(own.keys() & others.keys())
    return {name: _ratio([own[b][name] for b in both], [others[b][name] for b in both]) for name in NAMES}


def _ratio(mine: Sequence[float | None], theirs: Sequence[float | None]) -> Against | None:
    pair = stats.compare(stats.by_block(mine), stats.by_block(theirs), lower_is_better=True)
    return None if pair.ratio is None else Against(ratio=pair.ratio, ci=pair.ci)


def _turns(found: Tally, entry: str, load: float) -> list[OpenLoop]:
    turns = found.open_loop.get(entry, [])
    return [turn for turn in turns if turn.load == load and turn.block in found.blocks]


def _rate_reached(turns: Sequence[OpenLoop]) -> GateResult:
    """Whether as many requests were sent as were asked for, and all answered right."""
    asked = sum(turn.rate_rps for turn in turns)
    share = sum(turn.achieved_rps for turn in turns) / asked
    unsent, wrong = sum(turn.unsent for turn in turns), sum(sum(turn.errors.values()) for turn in turns)
    advice = None
    if unsent or wrong:
        why = next((turn.first_error for turn in turns if turn.first_error), None)
        advice = f"{unsent:,} of {sum(turn.due for turn in turns):,} were not sent and {wrong:,} went wrong"
        advice += f" ({why}): no latency" if why else ": no latency"
    elif abs(share - 1) > RATE_LIMIT:
        advice = (
            f"{share:.0%} of the asked rate was reached: waits that only grow are no latency of this load"
        )
    return GateResult(
        name="asked-rate", ok=advice is None, value=share, limit="within 5% of what was asked", advice=advice
    )
