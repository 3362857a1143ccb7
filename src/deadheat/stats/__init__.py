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

Looks planned in advance (`Looks`), so that a run may stop early:

    looks = stats.plan_looks(blocks=10)                     # looks.blocks, looks.describe() for --dry-run
    if looks.due(blocks_so_far):
        stop = stats.settled(stats.judge_family(estimates, margin, looks=looks).values())
    stats.judge_family(estimates, margin, looks=looks)      # at the end, however it came: adjusted intervals

What else a run tells:

    stats.variance_components({"go": series, ...})          # by contender; .share_of_starts
    stats.allocate(budget_s, stats.Costs(block_s, round_s), start_variance, slice_variance)
                                        # Allocation(blocks, rounds, ...), or raises BudgetTooShortError
    stats.chance_to_find(0.03, spread, looks, margin)            # how often a difference is called faster
    stats.smallest_found(spread, looks, margin)                  # the smallest one that mostly is
    stats.drift(a, b)                   # Estimate: the ratio's second half of a block against its first
    stats.carry_over(blocks_of_turns)   # [CarryOver(contender, predecessor, estimate, found), ...]
    stats.warm_up(series_of_slices)     # WarmUp(kind, steady_from, ...), kind may be "never got steady"
    stats.by_block([p99, None, p99])    # one value a block as a Series, for compare and absolute
    stats.spread(peaks)                 # median and range over blocks: memory
    stats.share(3, 60)                  # exact interval of a proportion

The noise model and designs to try on it are in `deadheat.stats.simulation`.
"""

from deadheat.stats.budget import Allocation, BudgetTooShortError, Costs, allocate, best_rounds
from deadheat.stats.chance import chance_to_find, smallest_found
from deadheat.stats.comparison import absolute, compare
from deadheat.stats.components import Components, variance_components
from deadheat.stats.estimate import Estimate, FloatArray, Series, block_effects, estimate
from deadheat.stats.family import judge_family
from deadheat.stats.levels import Spread, by_block, share, spread
from deadheat.stats.null_pair import NullPair, judge_null_pair
from deadheat.stats.order_effects import CarryOver, Turn, carry_over, drift
from deadheat.stats.places import Place, places
from deadheat.stats.power import blocks_needed
from deadheat.stats.sequential import Looks, plan_looks, settled
from deadheat.stats.twins import bootstrap, disagreements, hodges_lehmann
from deadheat.stats.verdict import DEFAULT_MARGIN, Kind, Verdict, judge
from deadheat.stats.warm_up import WarmUp, change_points, warm_up

__all__ = [
    "DEFAULT_MARGIN",
    "Allocation",
    "BudgetTooShortError",
    "CarryOver",
    "Components",
    "Costs",
    "Estimate",
    "FloatArray",
    "Kind",
    "Looks",
    "NullPair",
    "Place",
    "Series",
    "Spread",
    "Turn",
    "Verdict",
    "WarmUp",
    "absolute",
    "allocate",
    "best_rounds",
    "block_effects",
    "blocks_needed",
    "bootstrap",
    "by_block",
    "carry_over",
    "chance_to_find",
    "change_points",
    "compare",
    "disagreements",
    "drift",
    "estimate",
    "hodges_lehmann",
    "judge",
    "judge_family",
    "judge_null_pair",
    "places",
    "plan_looks",
    "settled",
    "share",
    "smallest_found",
    "spread",
    "variance_components",
    "warm_up",
]
