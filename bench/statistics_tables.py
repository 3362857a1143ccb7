"""The simulation tables of docs/method.md: what the statistics promise, tried on simulated machines.

    python -m bench.statistics_tables                          # prints the tables
    python -m bench.statistics_tables --write docs/method.md   # puts them into the page

Everything is drawn from fixed seeds, so the tables repeat.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deadheat import stats
from deadheat.stats import FloatArray, Looks, trials
from deadheat.stats.estimate import t_quantile
from deadheat.stats.simulation import Design, Noise, Planted, block_logs, slices_of

from .machine_designs import COLUMNS, covered_by_machines
from .naive_designs import DESIGNS, traces

MARGIN = 0.02
FIRST = stats.METHOD.first_look
# Races simulated at once: as many as fit into some 200 MB.
BATCH = 250
# Of a block, where their number is not the question: more would only take longer.
ROUNDS = 10
PLAIN = Planted()
# Little noise from slice to slice, so that starts are most of what differs.
QUIET = Noise(start_sd=0.005, middle_sd=0.05, slice_sd=0.1)
UNLIKE: list[tuple[str, Planted, Noise]] = [
    ("stalls: 1 slice in 20 has no reply", Planted(stall_share=0.05), Noise()),
    ("stalls: 1 slice in 5 loses half", Planted(stall_share=0.2, stall_depth=0.5), Noise()),
    ("its own noise: 30% more from slice to slice", Planted(own_slice_sd=0.3), Noise()),
    ("1 start in 5 is 10% slower", Planted(slow_starts=0.2), QUIET),
    ("hit alone: 1 block in 5 at 80%, which nobody sees", PLAIN, Noise()),
]
# Tables whose truth lies exactly at 5% take this many times the runs: of 2,000, chance alone makes a point.
MORE = 5
BEGIN, END = "<!-- simulation tables: begin -->", "<!-- simulation tables: end -->"
Row = Sequence[object]


def pool(
    blocks: int,
    rounds: int,
    runs: int,
    seed: int,
    noise: Noise | None = None,
    others: int = 1,
    odd: Planted = PLAIN,
    entries: int = 1,
) -> FloatArray:
    """Log rates of blocks: `others` contenders, the first of them `odd`, then `entries` of the reference.

    All of rate 1: a truth is planted by adding its log, which is what a faster one does on this scale.
    Shape (runs, others + entries, blocks).
    """
    rng = np.random.default_rng(seed)
    planted = [odd, *[PLAIN] * (others - 1 + entries)]
    design = Design(blocks=blocks, rounds=rounds)
    batches = []
    for first in range(0, runs, BATCH):
        slices = slices_of(planted, design, min(BATCH, runs - first), rng, noise)
        batches.append(block_logs(slices))
    return np.concatenate(batches)


def pairs(logs: FloatArray, ratios: Sequence[float] = (1.0,)) -> FloatArray:
    """Effects of all but the last, which is the reference, with truths planted; (runs, pairs, blocks)."""
    return np.asarray(logs[:, :-1] - logs[:, -1:] + np.log(ratios)[None, :, None])


def coverage(runs: int) -> str:
    """95% intervals at fixed length."""
    runs *= MORE
    rows = []
    for blocks in (5, 6, 10, 20):
        for start_sd in (0.005, 0.02, 0.05):
            effects = pairs(pool(blocks, ROUNDS, runs, blocks, Noise(start_sd=start_sd)), [1.1])
            found = trials.race(effects, 0.0, Looks((blocks,)))
            rows.append([blocks, f"{start_sd:.1%}", *_share(_covered(found, 1.1), runs), _width(found)])
    return table(["blocks", "sd a start", "covered", "exact interval", "median half-width"], rows)


def unlike(runs: int) -> str:
    """A contender that stalls, starts slowly now and then, or alone is disturbed; the truth is known."""
    rows = []
    for name, odd, noise in UNLIKE:
        for blocks in (5, 10, 20):
            rng = np.random.default_rng(900 + blocks)
            slices = slices_of([odd, PLAIN], Design(blocks=blocks, rounds=20), runs, rng, noise)
            if name.startswith("hit"):
                hit = rng.random((runs, blocks)) < 0.2
                slices[:, 0] *= np.where(hit, 0.8, 1.0)[:, :, None, None]
            logs = block_logs(slices)
            with np.errstate(divide="ignore", invalid="ignore"):
                slice_logs = np.where(slices > 0, np.log(slices), np.nan).mean(axis=-1)
            by_sums = logs[:, 0] - logs[:, 1]
            by_logs = np.nanmean(slice_logs[:, 0] - slice_logs[:, 1], axis=-1)
            covered, before = (
                _covered(trials.race(effects[:, None], 0.0, Looks((blocks,))), 1.0)
                for effects in (by_sums, by_logs)
            )
            kept = "yes" if stats.share(covered, runs)[1] >= 0.95 else "**no**"
            found = [f"{math.exp(float(effects.mean())):.3f}" for effects in (by_sums, by_logs)]
            rows.append(
                [name, blocks, found[0], *_share(covered, runs), kept, found[1], f"{before / runs:.1%}"]
            )
    head = ["the one contender", "blocks", "ratio found (truth 1)", "covered", "exact interval", "95% kept"]
    return table([*head, "by mean of slice logs", "covered so"], rows)


def sequential(runs: int) -> str:
    """One pair with looks: errors and coverage at the stop, whatever stopped it."""
    runs *= MORE
    rows = []
    for blocks in (6, 10, 20):
        looks = stats.plan_looks(blocks, first=FIRST)
        logs = pool(blocks, ROUNDS, runs, 100 + blocks)
        for margin in (0.0, MARGIN):
            for ratio in (1.0, 1.02, 1.05):
                found = trials.race(pairs(logs, [ratio]), margin, looks)
                rows.append(
                    [
                        blocks,
                        f"{margin:.0%}",
                        ratio,
                        *_share(_covered(found, ratio), runs),
                        f"{found.winners.mean():.1%}",
                        f"{_wrong(found, [ratio], margin).mean():.1%}",
                        f"{found.blocks.mean():.1f}",
                    ]
                )
    head = ["blocks", "margin", "truth", "covered", "exact interval", "called faster", "wrong verdicts"]
    return table([*head, "blocks used"], rows)


def stopped_by_hand(runs: int) -> str:
    """Somebody watches, and stops at the first block whose adjusted interval excludes 1."""
    runs *= MORE
    rows = []
    for blocks in (6, 10, 20):
        effects = pairs(pool(blocks, ROUNDS, runs, 200 + blocks))
        found = trials.race(effects, 0.0, stats.plan_looks(blocks, first=FIRST), watched=True)
        rows.append([blocks, *_share(_any(found), runs)])
    return table(["blocks", "false winners", "exact interval"], rows)


def families(runs: int) -> str:
    """Holm and looks together: any false winner among identical contenders."""
    rows = []
    for others, runs_each in ((1, MORE * runs), (4, runs), (16, runs)):
        for blocks in (6, 12):
            effects = pairs(
                pool(blocks, ROUNDS, runs_each, 300 + others + blocks, others=others), [1.0] * others
            )
            looks = stats.plan_looks(blocks, first=FIRST)
            for margin in (0.0, MARGIN):
                cells = [_any(trials.race(effects, margin, looks, leave=leave)) for leave in (False, True)]
                leaving = f"{cells[1] / runs_each:.1%}"
                rows.append([others, blocks, f"{margin:.0%}", *_share(cells[0], runs_each), leaving])
    head = ["contenders against the reference", "blocks", "margin", "any false winner", "exact"]
    return table([*head, "where decided pairs leave"], rows)


def mixed_families(runs: int) -> str:
    """Holm where some truly differ: decided ones must not make the rest bolder than the family's level."""
    rows = []
    logs = pool(10, 20, runs, 400, others=5)
    for margin in (0.0, MARGIN):
        truth = [1.0, 1.0, 1.3, 0.7, 1.02 if margin else 1.0]
        for rule in ("all race on", "decided pairs leave", "and hopeless ones"):
            found = trials.race(
                pairs(logs, truth),
                margin,
                stats.plan_looks(10, first=FIRST),
                leave=rule != "all race on",
                futility=rule == "and hopeless ones",
            )
            wrong = int(_wrong(found, truth, margin).any(axis=1).sum())
            share = f"{found.blocks.mean() / 10:.0%}"
            rows.append([f"{margin:.0%}", ", ".join(map(str, truth)), rule, *_share(wrong, runs), share])
    return table(["margin", "truths", "rule", "any wrong verdict", "exact interval", "blocks raced"], rows)


def giving_up(runs: int) -> str:
    """What the futility rule saves where there is nothing to settle, and what power it costs."""
    rows = []
    for blocks in (10, 20, 40):
        looks = stats.plan_looks(blocks, first=FIRST)
        logs = pool(blocks, ROUNDS, runs, 450 + blocks)
        for margin in (0.0, MARGIN):
            for ratio in (1.0, 1.03, 1.06):
                found = [
                    trials.race(pairs(logs, [ratio]), margin, looks, leave=True, futility=futility)
                    for futility in (False, True)
                ]
                settled = [f"{(f.kinds != 0).mean():.1%}" for f in found]
                used = [f"{f.blocks.mean():.1f}" for f in found]
                rows.append([blocks, f"{margin:.0%}", ratio, *settled, *used])
    head = ["blocks", "margin", "truth", "settled without the rule", "with it", "blocks without it"]
    return table([*head, "with it"], rows)


def going_on(runs: int) -> str:
    """A race that may go on to twice its blocks, and somebody who goes on until it is a win."""
    runs *= MORE
    rows = []
    for blocks in (6, 10, 20):
        looks = stats.plan_looks(blocks, most=2 * blocks, first=FIRST)
        plain, longer = (stats.plan_looks(n, first=FIRST) for n in (blocks, 2 * blocks))
        effects = pairs(pool(2 * blocks, ROUNDS, runs, 470 + blocks))
        found = trials.race(effects, 0.0, looks, watched=True, going_on="if undecided")
        once = trials.race(effects[:, :, :blocks], 0.0, plain, watched=True)
        naive = (once.winners | trials.race(effects[:, :, blocks:], 0.0, plain, watched=True).winners).mean()
        costs = [
            _quantile(looks, blocks) / _quantile(plain, blocks),
            _quantile(looks, 2 * blocks) / _quantile(longer, 2 * blocks),
        ]
        rows.append([f"{blocks}, then {2 * blocks}", *_share(_any(found), runs), f"{naive:.1%}"])
        rows[-1] += [f"+{cost - 1:.1%}" for cost in costs]
    head = ["blocks", "false winners", "exact interval", "by racing anew", "wider at the planned end"]
    return table([*head, "wider at the last"], rows)


def dead_heats(runs: int) -> str:
    """Dead heats called at exactly the margin (wrong) and at 1 (right)."""
    rows = []
    for name, noise, blocks in [("as measured", Noise(), 40), ("quiet", QUIET, 10), ("quiet", QUIET, 20)]:
        looks = stats.plan_looks(blocks, first=FIRST)
        logs = pool(blocks, 40, runs, 500 + blocks, noise)
        counts = [
            int((trials.race(pairs(logs, [ratio]), MARGIN, looks).kinds == 2).sum())
            for ratio in (1 + MARGIN, 1 / (1 + MARGIN), 1.0)
        ]
        at_margin = counts[0] + counts[1]
        rows.append([name, blocks, *_share(at_margin, 2 * runs), f"{counts[2] / runs:.0%}"])
    return table(["machine", "blocks", "at exactly 2%", "exact interval", "at 1 (true dead heats)"], rows)


def power(runs: int) -> str:
    """Chance to call a true difference, by wall time on the pair, its blocks and rounds chosen for it."""
    costs = stats.Costs(block_s=4.0, round_s=0.6)
    rows = []
    for noise_name, noise in [("as measured", Noise()), ("half", _halved())]:
        parts = _pair_variances(noise)
        for minutes in (1, 3, 10):
            choice = stats.allocate(60 * minutes, costs, *parts, fewest_blocks=FIRST)
            looks = stats.plan_looks(choice.blocks, first=FIRST)
            logs = pool(choice.blocks, choice.rounds, runs, 600 + minutes, noise)
            cells = []
            for margin in (0.0, MARGIN):
                for ratio in (1.02, 1.03, 1.06, 1.1):
                    found = trials.race(pairs(logs, [ratio]), margin, looks)
                    cells.append(f"{(found.kinds == 1).mean():.0%}")
            plan = f"{choice.blocks} x {choice.rounds}"
            rows.append([noise_name, minutes, plan, f"{choice.smallest_difference:.1%}", *cells])
    head = ["noise", "minutes", "blocks x rounds", "settles (one look)"]
    head += [f"{r} at {m}" for m in ("0", "2%") for r in ("2%", "3%", "6%", "10%")]
    return table(head, rows)


def rounds_against_blocks(runs: int) -> str:
    """The same 18 rounds of ten contenders whose every turn is a fresh start: as few blocks, and as many."""
    rows = []
    rng = np.random.default_rng(650)
    fresh = rng.normal(0, 0.03, (runs, 10, 18))
    effects = fresh - rng.normal(0, 0.03, (runs, 1, 18))
    for blocks in (6, 9, 18):
        means = effects.reshape(runs, 10, blocks, -1).mean(axis=-1)
        found = trials.race(means, 0.0, Looks((blocks,)))
        power_of = trials.race(means + 0.03, 0.0, Looks((blocks,))).winners.mean()
        rows.append(
            [f"{blocks} x {18 // blocks}", *_share(_any(found), runs), _width(found), f"{power_of:.0%}"]
        )
    return table(
        ["blocks x rounds", "any false winner", "exact interval", "median half-width", "finds 3%"], rows
    )


def null_pairs(runs: int) -> str:
    """What the gate on one null pair sees of a bias, and what the pool of 100 does."""
    runs *= MORE
    rows = []
    rng = np.random.default_rng(700)
    for blocks in (5, 6, 10):
        for bias in (0.0, 0.5, 1.0):
            # The half-width expected of a spread of 1, so that a bias is in half-widths.
            unit = _quantile(Looks((blocks,)), blocks) / math.sqrt(blocks)
            drawn = bias * unit + rng.standard_normal((runs, 1, blocks))
            found = trials.race(drawn, 0.0, Looks((blocks,)), confidence=0.999)
            alone = found.winners.mean()
            excluding = trials.race(drawn, 0.0, Looks((blocks,))).winners.mean()
            pooled = np.mean([not stats.NullPool(100, int(n)).ok for n in rng.binomial(100, excluding, runs)])
            rows.append([blocks, f"{bias:g}", f"{excluding:.1%}", f"{alone:.1%}", f"{pooled:.1%}"])
    head = [
        "blocks",
        "bias (95% half-widths)",
        "95% interval excludes 1",
        "own gate breaks",
        "pool of 100 breaks",
    ]
    return table(head, rows)


def both_entries(runs: int) -> str:
    """Against the mean of A and A', and against A alone."""
    rows = []
    for blocks, noise_name, noise in [
        (6, "as measured", Noise()),
        (10, "as measured", Noise()),
        (10, "quiet", QUIET),
    ]:
        logs = pool(blocks, ROUNDS, runs, 750 + blocks, noise, entries=2)
        both = np.log(np.exp(logs[:, 1:]).mean(axis=1))
        found = [
            trials.race((logs[:, 0] - other)[:, None], 0.0, Looks((blocks,))) for other in (logs[:, 1], both)
        ]
        widths = [float(np.median(f.high - f.low)) / 2 for f in found]
        covered = _share(_covered(found[1], 1.0), runs)
        saved = f"{1 - widths[1] / widths[0]:.0%}"
        rows.append([noise_name, blocks, *(f"±{w:.1%}" for w in widths), saved, *covered])
    head = ["machine", "blocks", "against A", "against both", "narrower", "covered", "exact interval"]
    return table(head, rows)


def hanging_on_one(runs: int) -> str:
    """Would a rule on single blocks help? Verdicts that rest on one, and what a stricter rule would cost."""
    rows = []
    for blocks in (5, 6, 10, 20):
        base = np.random.default_rng(800 + blocks).standard_normal((MORE * runs, blocks))
        for name, shift, odd in [
            ("nothing", 0.0, 0.0),
            ("one block off by 2 sd", 0.0, 2.0),
            ("a difference", 3.5, 0.0),
        ]:
            effects = base + shift / math.sqrt(blocks)
            effects[:, 0] += odd
            mean, t = effects.mean(axis=1), _t(effects)
            called = np.abs(t) > _quantile(Looks((blocks,)), blocks)
            without = np.array([np.delete(effects, i, axis=1) for i in range(blocks)])
            rests = called & (without.mean(axis=-1) * np.sign(mean) <= 0).any(axis=0)
            strict = _quantile(Looks((blocks - 1,)), blocks - 1)
            stays = called & np.all([_t(one) * np.sign(mean) > strict for one in without], axis=0)
            rows.append([blocks, name, f"{called.mean():.1%}", f"{rests.mean():.1%}", f"{stays.mean():.1%}"])
    head = [
        "blocks",
        "planted",
        "called faster",
        "of these, on one block's account",
        "called if each 95% must hold",
    ]
    return table(head, rows)


def skewed_starts(runs: int) -> str:
    """How often 30 starts are called skewed, and what 10 blocks in place of 5 then keep."""
    rows = []
    rng = np.random.default_rng(850)
    for slow in (0.0, 0.1, 0.2):
        starts = rng.normal(0, 0.02, (runs, 30)) + math.log(0.9) * (rng.random((runs, 30)) < slow)
        found = sum(stats.skewed(list(run)) for run in starts)
        cells = []
        for blocks in (5, 10, 20):
            effects = pairs(pool(blocks, 20, runs, 860, QUIET, odd=Planted(slow_starts=slow)))
            cells.append(f"{_covered(trials.race(effects, 0.0, Looks((blocks,))), 1.0) / runs:.1%}")
        rows.append([f"{slow:.0%}", *_share(found, runs), *cells])
    head = ["starts 10% slower", "found in 30 starts", "exact interval"]
    return table([*head, *(f"covered by {n} blocks" for n in (5, 10, 20))], rows)


def percentiles(runs: int) -> str:
    """Ratios of percentiles of all blocks merged, by the jackknife over blocks."""
    runs = max(20, runs // 4)
    rows = []
    for blocks in (5, 10, 20):
        for name, share in (("p50", 0.5), ("p99", 0.99)):
            rng = np.random.default_rng(870 + blocks)
            covered, widths = 0, []
            for _ in range(runs):
                found = _percentile_ratio(rng, blocks, share)
                covered += found.low <= 0 <= found.high
                widths.append(found.half_width)
            rows.append([blocks, name, *_share(covered, runs), f"±{np.median(widths):.1%}"])
    return table(["blocks", "percentile", "covered", "exact interval", "median half-width"], rows)


def _percentile_ratio(rng: np.random.Generator, blocks: int, share: float) -> stats.Estimate:
    """Of two alike: 400 exponential waits a block, whose level varies by 5% from start to start."""
    waits = rng.exponential(1, (2, blocks, 400)) * np.exp(rng.normal(0, 0.05, (2, blocks, 1)))

    def figure(kept: FloatArray) -> float:
        a, b = (np.quantile(one, share) for one in kept.reshape(2, -1))
        return float(np.log(a / b))

    return stats.jackknife(figure(waits), [figure(np.delete(waits, i, axis=1)) for i in range(blocks)])


def naive(runs: int) -> str:
    """The usual designs on the same machines."""
    runs *= MORE
    wrong, found, reversed_ = (dict.fromkeys(DESIGNS, 0) for _ in range(3))
    done = 0
    while done < runs:
        batch = min(500, runs - done)
        machine = traces(batch, np.random.default_rng(800 + done))
        for name, design in DESIGNS.items():
            wrong[name] += int(np.count_nonzero(design(machine, 0.0)))
            wins = design(machine, math.log(1.05))
            found[name] += int(np.count_nonzero(wins > 0))
            reversed_[name] += int(np.count_nonzero(wins < 0))
        done += batch
    rows = [
        [name, *_share(wrong[name], runs), f"{found[name] / runs:.0%}", f"{reversed_[name] / runs:.1%}"]
        for name in DESIGNS
    ]
    head = ["design", "winners among identical", "exact interval", "finds 5%", "calls the slower one faster"]
    return table(head, rows)


def table(head: Sequence[str], rows: Iterable[Row]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def _share(count: int, of: int) -> tuple[str, str]:
    low, high = stats.share(count, of)
    return f"{count / of:.1%}", f"{low:.1%} to {high:.1%}"


def _covered(found: trials.Trials, ratio: float) -> int:
    truth = math.log(ratio)
    return int(((found.low <= truth) & (truth <= found.high)).all(axis=1).sum())


def _any(found: trials.Trials) -> int:
    """Races with any winner."""
    return int(found.winners.any(axis=1).sum())


def _width(found: trials.Trials) -> str:
    return f"±{float(np.median(found.high - found.low)) / 2:.1%}"


def _wrong(found: trials.Trials, ratios: Sequence[float], margin: float) -> NDArray[np.bool_]:
    """A winner not beyond the margin or on the other side, a dead heat not within it; (runs, pairs)."""
    edge, truth = math.log1p(margin), np.log(ratios)
    winner = found.winners & (found.kinds * truth <= edge + 1e-12)
    return np.asarray(winner | ((found.kinds == 2) & (np.abs(truth) >= edge - 1e-12)))


def _quantile(looks: Looks, blocks: int) -> float:
    """Of t, at the level of a look at 5%."""
    return t_quantile(1 - looks.nominal(0.05, blocks), blocks - 1)


def _t(effects: FloatArray) -> FloatArray:
    n = effects.shape[-1]
    return np.asarray(effects.mean(axis=-1) / (effects.std(axis=-1, ddof=1) / math.sqrt(n)))


def _pair_variances(noise: Noise) -> tuple[float, float]:
    """Variance of a pair's log ratio between starts and between rounds, as a pilot run would find it."""
    pilot = slices_of([PLAIN] * 3, Design(blocks=100, rounds=40), 1, np.random.default_rng(600), noise)[0]
    series = {
        str(i): stats.linear(
            [stats.Rounds(block.sum(axis=-1), np.full(len(block), 2.0)) for block in contender]
        )
        for i, contender in enumerate(pilot)
    }
    found = stats.variance_components(series)
    starts = float(np.mean([c.between_starts for c in found.values()]))
    slices = float(np.mean([c.between_slices for c in found.values()]))
    return 2 * starts, 2 * slices


def _halved() -> Noise:
    """Half the spread that pairing leaves: between starts, and between slices."""
    full = Noise()
    return Noise(start_sd=full.start_sd / 2, middle_sd=full.middle_sd / 2, slice_sd=full.slice_sd / 2)


def machines(runs: int) -> str:
    """Blocks of several machines put together, drawn from blocks of the noise model."""
    blocks = pairs(pool(10, ROUNDS, runs, 1700)).ravel()
    return table(COLUMNS, list(covered_by_machines(blocks, runs * MORE)))


TABLES: dict[str, tuple[str, Callable[[int], str]]] = {
    "coverage": ("Coverage of 95% intervals, fixed length, truth 1.1 (five times the runs)", coverage),
    "unlike": ("One contender unlike the other, by the ratio of sums and by the mean of slice logs", unlike),
    "sequential": ("One pair with planned looks (five times the runs)", sequential),
    "by-hand": (
        "Stopped by hand once it looks good, truth 1, margin 0 (five times the runs)",
        stopped_by_hand,
    ),
    "families": (
        "Families, all identical: Holm and looks (five times the runs for a pair)",
        families,
    ),
    "mixed": ("Families in which some differ, and pairs that leave", mixed_families),
    "giving-up": ("Hopeless pairs given up", giving_up),
    "going-on": (
        "A race that goes on to twice its blocks, truth 1, margin 0 (five times the runs)",
        going_on,
    ),
    "dead-heats": ("Dead heats at the default margin, with looks", dead_heats),
    "power": ("Power against budget, with looks", power),
    "rounds": ("Where every turn is a fresh start: blocks or rounds, ten contenders", rounds_against_blocks),
    "null-pairs": ("What null pairs see of a bias (five times the runs)", null_pairs),
    "both-entries": ("Against both entries of the reference", both_entries),
    "one-block": ("Verdicts that hang on one block", hanging_on_one),
    "skewed": ("Skewed starts", skewed_starts),
    "percentiles": ("Ratios of merged percentiles (a quarter of the runs)", percentiles),
    "machines": ("Blocks of several machines put together (five times the runs)", machines),
    "naive": (
        "The usual designs on the same machines, 80 s of load on the pair (five times the runs)",
        naive,
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="simulation tables of docs/method.md")
    parser.add_argument("--runs", type=int, default=2_000, help="simulated runs a cell (default 2000)")
    parser.add_argument("--table", action="append", choices=list(TABLES), help="only this one (repeatable)")
    parser.add_argument(
        "--write", type=Path, help="the page whose tables to replace, between its two markers"
    )
    options = parser.parse_args()
    if options.table and options.write:
        parser.error("--write replaces all tables of the page: leave --table out")
    sections = []
    for name in options.table or TABLES:
        title, make = TABLES[name]
        began = time.monotonic()
        sections.append(f"### {title}\n\n{make(options.runs)}\n")
        print(
            sections[-1] + f"\n({options.runs} runs a cell, {time.monotonic() - began:.0f} s)\n", flush=True
        )
    if options.write:
        page = options.write.read_text()
        before, rest = page.split(BEGIN)
        after = rest.split(END)[1]
        text = "\n".join(sections)
        options.write.write_text(f"{before}{BEGIN}\n{options.runs:,} runs a cell.\n\n{text}{END}{after}")


if __name__ == "__main__":
    main()
