"""Observations -> estimate -> verdict: pure functions, no I/O, nothing of ours imported.

Input. One contender of one workload is a `Series`: one 1-D float array a block, each holding the
natural log of the measured value a round (a round's forward and reversed slice already averaged in log
space), aligned by round over contenders; NaN where a slice failed. Pass only the blocks that both
contenders have. A value that is not finite (log of zero, say) counts as a failed slice: the round is left
out and counted in `rounds_lost`.

Directions. An effect is log(a) - log(b), or its negative with `lower_is_better=True` (wall time, CPU,
latency), so that a ratio always reads "a is RATIO times as fast as b".

    from deadheat import stats

    effects = stats.block_effects(a, b, lower_is_better=False)  # one mean log ratio a block
    estimate = stats.estimate(effects)                           # t interval over blocks
    estimate.ratio, estimate.ci         # 1.22, (1.18, 1.26); ci None where there is no finite interval
                                        # (one block); ratio None where no block could be compared
    estimate.at(0.999)                  # the same estimate at another confidence
    stats.compare(a, b, lower_is_better=True)                    # both steps at once; counts lost rounds

    verdict = stats.judge(estimate, margin=0.02)                 # one pair alone
    verdicts = stats.judge_family({("crystal", "go"): estimate, ...}, margin=0.02)   # Holm over a family
    verdict.kind        # "faster" | "dead heat" | "inconclusive" | "invalid"
    verdict.winner      # "a" | "b" | None ("faster" with ratio < 1 means that b is faster)
    verdict.estimate    # the interval to print: the adjusted one, and the one that was judged
    verdict.why         # a clause for people, or None
    verdict.more_blocks # what would settle an inconclusive one, or None
    verdict.void("null pair: ...")      # the same figures, no verdict: a gate is broken

    null = stats.judge_null_pair(stats.compare(a, a_again))
    null.ok, null.estimate, null.why    # 99.9% interval judged, 95% shown

    stats.places(["crystal", "go"], apart=lambda a, b: ...)     # [Place(1, "crystal", shared=False), ...]
    stats.absolute(series)              # geometric mean over blocks with its interval: context, not verdict

The noise model and designs to try on it are in `deadheat.stats.simulation`.
"""

from deadheat.stats.estimate import (
    Estimate,
    FloatArray,
    Series,
    absolute,
    block_effects,
    compare,
    estimate,
)
from deadheat.stats.family import judge_family
from deadheat.stats.null_pair import NullPair, judge_null_pair
from deadheat.stats.places import Place, places
from deadheat.stats.power import blocks_needed
from deadheat.stats.twins import bootstrap, hodges_lehmann
from deadheat.stats.verdict import DEFAULT_MARGIN, Kind, Verdict, judge

__all__ = [
    "DEFAULT_MARGIN",
    "Estimate",
    "FloatArray",
    "Kind",
    "NullPair",
    "Place",
    "Series",
    "Verdict",
    "absolute",
    "block_effects",
    "blocks_needed",
    "bootstrap",
    "compare",
    "estimate",
    "hodges_lehmann",
    "judge",
    "judge_family",
    "judge_null_pair",
    "places",
]
