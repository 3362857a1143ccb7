"""The requests of a mix, each by itself: how often, how fast, and beside the reference."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from deadheat import stats
from deadheat.model.observation import OfRequest
from deadheat.model.result import Against, RequestFigures
from deadheat.results import latency
from deadheat.results.tally import Tally

# What each block counted, by the request's name.
_Blocks = Mapping[int, Mapping[str, OfRequest]]


def figures(tally: Tally, entry: str, throughput_rps: float | None) -> tuple[RequestFigures, ...]:
    """In the order of the mix; empty where the load was none. `throughput_rps`: of the whole."""
    blocks, reference = _blocks(tally, entry), tally.race.reference_entry
    others = None if entry == reference else _blocks(tally, reference)
    names = [each.name for each in next(iter(blocks.values()), {}).values()]
    replies = sum(each.replies for block in blocks.values() for each in block.values())
    return tuple(
        _figures(
            [block[name] for block in blocks.values()],
            replies,
            throughput_rps,
            None if others is None else _against(blocks, others, name),
        )
        for name in names
    )


def _figures(
    blocks: Sequence[OfRequest], replies: int, throughput_rps: float | None, against: Against | None
) -> RequestFigures:
    share = sum(block.replies for block in blocks) / replies if replies else 0.0
    return RequestFigures(
        name=blocks[0].name,
        share=share,
        throughput_rps=None if throughput_rps is None else share * throughput_rps,
        errors=sum(block.errors for block in blocks),
        latency_ms=latency.closed_loop(
            [block.hdr for block in blocks],
            sum(block.replies for block in blocks),
            sum(block.latency_sum_ns for block in blocks),
        ),
        against_reference=against,
    )


def _against(own: _Blocks, other: _Blocks, name: str) -> Against | None:
    """The reference's mean latency over its own, of all blocks that both were in, by the jackknife."""
    both = [(own[block][name], other[block][name]) for block in own if name in other.get(block, {})]
    without = [_log_ratio([pair for at, pair in enumerate(both) if at != out]) for out in range(len(both))]
    found = stats.jackknife(_log_ratio(both), without)
    return None if found.ratio is None else Against(ratio=found.ratio, ci=found.ci)


def _log_ratio(pairs: Sequence[tuple[OfRequest, OfRequest]]) -> float:
    """Not a number where one of the two was never answered."""
    means = [_mean_ns(side) for side in zip(*pairs, strict=True)]
    return math.log(means[1] / means[0]) if len(means) == 2 and all(means) else math.nan


def _mean_ns(blocks: Sequence[OfRequest]) -> float:
    replies = sum(block.replies for block in blocks)
    return sum(block.latency_sum_ns for block in blocks) / replies if replies else 0.0


def _blocks(tally: Tally, entry: str) -> _Blocks:
    return {
        ended.block: {each.name: each for each in ended.by_request}
        for ended in tally.ended.get(entry, [])
        if ended.by_request and ended.block in tally.blocks
    }
