"""Estimates, intervals and verdicts, from observations, by pure functions: no I/O.

Input. One contender of one workload is a list of `Rounds`, one a block: what it did in each round and in how
much time (replies and counted seconds; seconds and invocations; CPU time and replies), aligned by round over
contenders; NaN where it was not in the round. Pass only the blocks that both contenders have. A block's
effect is the log of the ratio of sums: a round without a reply counts as zero replies, a stall as what it
costs. Values that are logs already (a percentile a block; the method's version 1) are a `Series`: one 1-D
array a block.

Directions. An effect is log(a) - log(b), or its negative with `lower_is_better=True` (wall time, CPU,
latency), so that a ratio always reads "a is RATIO times as fast as b".

    from deadheat import stats

    a = [stats.Rounds(replies, seconds), ...]                    # a block each
    estimate = stats.compare_sums(a, b, lower_is_better=False)   # t interval over blocks; counts lost rounds
    stats.compare(series, other)                                 # the same of logs
    stats.estimate(effects)                                      # the same of block effects
    estimate.ratio, estimate.ci         # 1.22, (1.18, 1.26); ci None where there is no finite interval
                                        # (one block); ratio None where no block could be compared
    estimate.at(0.999)                  # the same estimate at another confidence
    stats.most_influential(estimate)  # the block whose leaving out moves it most, and the ratio without it
    stats.jackknife(whole, without)  # an interval whose centre is a figure of all blocks merged

    verdict = stats.judge(estimate, margin=0.02)                 # one pair alone
    verdicts = stats.judge_family({("crystal", "go"): estimate, ...}, margin=0.02)   # Holm over a family
    verdict.kind        # "faster" | "dead heat" | "inconclusive" | "invalid"
    verdict.winner      # "a" | "b" | None ("faster" with ratio < 1 means that b is faster)
    verdict.estimate    # the interval to print: the adjusted one, and the one that was judged
    verdict.reasons     # why it is not settled: records, which report/reasons.py words
    verdict.more_blocks # what would settle an inconclusive one, or None
    verdict.void("null pair: ...")      # the same figures, no verdict: a gate is broken

    null = stats.judge_null_pair(stats.compare_sums(a, a_again))
    null.ok, null.estimate, null.why    # 99.9% interval judged, 95% shown
    null.detectable                     # the bias that it could have seen
    stats.NullPool(pairs=100, excluding=7).ok   # null pairs of past races together

    stats.places(["crystal", "go"], apart=lambda a, b: ...)     # [Place(1, "crystal", shared=False), ...]
    stats.absolute_sums(a)              # geometric mean over blocks with its interval: context, not verdict

Looks planned in advance (`Looks`), so that a run may stop early:

    looks = stats.plan_looks(blocks=10, most=20)            # looks.describe() for --dry-run; may go on to 20
    if looks.due(blocks_so_far):
        stop = stats.settled(stats.judge_family(estimates, margin, looks=looks).values())
    stats.judge_family(estimates, margin, looks=looks)      # at the end, however it came: adjusted intervals
    stats.hopeless(estimate, last, margin, confidence, fewest_blocks=5)   # planned, not binding

Conditions that a change must not fail:

    family = stats.judge_edges(estimates, edges)                 # Holm: on which side of its edges each lies
    stats.Rule(0.03).state(estimate)                             # "fails" | "holds" | "open"
    stats.chance_to_fail(stats.Rule(0.03), 0.06, spread, looks, margin=0.03)

What else a run tells:

    stats.variance_components({"go": series, ...})          # by contender; .share_of_starts
    stats.allocate(budget_s, stats.Costs(block_s, round_s), start_variance, slice_variance)
                                        # Allocation(blocks, rounds, ...), or raises BudgetTooShortError
    stats.chance_to_find(0.03, spread, looks, margin)            # how often a difference is called faster
    stats.smallest_found(spread, looks, margin)                  # the smallest one that mostly is
    stats.drift(a, b)                   # Estimate: the ratio's second half of a block against its first
    stats.carry_over(blocks_of_turns)   # [CarryOver(contender, predecessor, estimate, found), ...]
    stats.warm_up(series_of_slices)     # WarmUp(kind, steady_from, ...), kind may be "never got steady"
    stats.crossings([Point(at, ratio, low, high), ...])  # where one overtakes the other, with an interval
    stats.by_block([p99, None, p99])    # one value a block as a Series, for compare and absolute
    stats.spread(peaks)                 # median and range over blocks: memory
    stats.pool_machines([effects, ...])  # several machines' blocks: .each, .these, .of_kind (from four on)
    stats.share(3, 60)                  # exact interval of a proportion

The noise model and designs to try on it are in `deadheat.stats.simulation`.
"""

from deadheat.stats.budget import Allocation, BudgetTooShortError, Costs, allocate, best_rounds
from deadheat.stats.chance import chance_to_find, smallest_found
from deadheat.stats.comparison import absolute, absolute_sums, compare, compare_sums
from deadheat.stats.components import Components, variance_components
from deadheat.stats.crossing import Crossing, Point, crossings
from deadheat.stats.deciding import Rule, State, chance_to_fail, judge_edges
from deadheat.stats.estimate import Estimate, FloatArray, Series, block_effects, estimate
from deadheat.stats.family import judge_family
from deadheat.stats.futility import chance_to_settle, hopeless
from deadheat.stats.jackknife import jackknife
from deadheat.stats.leave_one_out import leave_one_out, most_influential
from deadheat.stats.levels import Spread, by_block, share, spread
from deadheat.stats.machines import FEWEST_MACHINES, Pooled, pool_machines
from deadheat.stats.method import METHOD, METHODS, Method
from deadheat.stats.null_pair import (
    FEWEST_POOLED,
    POOL_SIZE,
    NullPair,
    NullPool,
    detectable_bias,
    judge_null_pair,
)
from deadheat.stats.order_effects import CarryOver, Turn, carry_over, drift
from deadheat.stats.places import Place, places
from deadheat.stats.power import blocks_needed
from deadheat.stats.rounds import Rounds, effects_of, linear, together
from deadheat.stats.sequential import RESERVE, Looks, plan_looks, settled
from deadheat.stats.skew import MOST_STARTS, by_themselves, skewed
from deadheat.stats.verdict import DEFAULT_MARGIN, Kind, Verdict, judge, unfit
from deadheat.stats.warm_up import WarmUp, change_points, warm_up

__all__ = [
    "DEFAULT_MARGIN",
    "FEWEST_MACHINES",
    "FEWEST_POOLED",
    "METHOD",
    "METHODS",
    "MOST_STARTS",
    "POOL_SIZE",
    "RESERVE",
    "Allocation",
    "BudgetTooShortError",
    "CarryOver",
    "Components",
    "Costs",
    "Crossing",
    "Estimate",
    "FloatArray",
    "Kind",
    "Looks",
    "Method",
    "NullPair",
    "NullPool",
    "Place",
    "Point",
    "Pooled",
    "Rounds",
    "Rule",
    "Series",
    "Spread",
    "State",
    "Turn",
    "Verdict",
    "WarmUp",
    "absolute",
    "absolute_sums",
    "allocate",
    "best_rounds",
    "block_effects",
    "blocks_needed",
    "by_block",
    "by_themselves",
    "carry_over",
    "chance_to_fail",
    "chance_to_find",
    "chance_to_settle",
    "change_points",
    "compare",
    "compare_sums",
    "crossings",
    "detectable_bias",
    "drift",
    "effects_of",
    "estimate",
    "hopeless",
    "jackknife",
    "judge",
    "judge_edges",
    "judge_family",
    "judge_null_pair",
    "leave_one_out",
    "linear",
    "most_influential",
    "places",
    "plan_looks",
    "pool_machines",
    "settled",
    "share",
    "skewed",
    "smallest_found",
    "spread",
    "together",
    "unfit",
    "variance_components",
    "warm_up",
]
