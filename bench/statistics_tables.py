"""The simulation tables of docs/method.md: what the statistics promise, tried on simulated machines.

    python bench/statistics_tables.py                          # prints the tables
    python bench/statistics_tables.py --write docs/method.md   # puts them into the page

Everything is drawn from fixed seeds, so the tables repeat. (Not called statistics.py: a script's folder
comes first on Python's path, and numpy imports the standard library's module of that name.)
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from naive_designs import DESIGNS, traces

from deadheat import stats
from deadheat.stats import FloatArray, Looks
from deadheat.stats.simulation import Design, Noise, rounds_of

MARGIN = 0.02
# Tables whose truth lies exactly at 5% take this many times the runs: of 2,000, chance alone makes a point.
MORE = 5
BEGIN, END = "<!-- simulation tables: begin -->", "<!-- simulation tables: end -->"
Row = Sequence[object]


def block_effects(
    ratios: Sequence[float], design: Design, runs: int, seed: int, noise: Noise | None = None
) -> FloatArray:
    """Block effects of contenders against a reference of ratio 1; shape (runs, contenders, blocks)."""
    rng = np.random.default_rng(seed)
    logs = np.log([1.0, *ratios])
    batches = []
    for first in range(0, runs, 500):
        rounds = rounds_of(logs, design, min(500, runs - first), rng, noise)
        batches.append((rounds[:, 1:] - rounds[:, :1]).mean(axis=-1))
    return np.concatenate(batches)


def run_family(effects: FloatArray, margin: float, looks: Looks) -> dict[int, stats.Verdict]:
    """One run as the runner drives it: judged at each look, until all of the family is settled."""
    for blocks in looks.blocks:
        rows = {i: stats.estimate(row[:blocks]) for i, row in enumerate(effects)}
        verdicts = stats.judge_family(rows, margin, looks=looks)
        if looks.may_end(blocks) and stats.settled(verdicts.values()):
            break
    return verdicts


def coverage(runs: int) -> str:
    """95% intervals at fixed length."""
    runs *= MORE
    rows = []
    for blocks in (3, 4, 6, 10, 20):
        for start_sd in (0.005, 0.02, 0.05):
            design = Design(blocks=blocks, rounds=30)
            effects = block_effects([1.1], design, runs, seed=blocks, noise=Noise(start_sd=start_sd))[:, 0]
            found = [stats.estimate(run) for run in effects]
            covered = sum(e.low <= math.log(1.1) <= e.high for e in found)
            width = float(np.median([e.half_width for e in found]))
            rows.append([blocks, f"{start_sd:.1%}", *_share(covered, runs), f"±{width:.1%}"])
    return table(["blocks", "sd a start", "covered", "exact interval", "median half-width"], rows)


def sequential(runs: int) -> str:
    """One pair with looks: errors and coverage at the stop, whatever stopped it."""
    runs *= MORE
    rows = []
    for blocks in (6, 10, 20):
        looks = stats.plan_looks(blocks)
        for margin in (0.0, MARGIN):
            for ratio in (1.0, 1.02, 1.05):
                effects = block_effects([ratio], Design(blocks=blocks, rounds=30), runs, seed=100 + blocks)
                done = [run_family(run, margin, looks)[0] for run in effects]
                truth = math.log(ratio)
                covered = sum(v.estimate.low <= truth <= v.estimate.high for v in done)
                winners = sum(v.kind == "faster" for v in done)
                wrong = _wrong(done, truth, margin)
                used = float(np.mean([v.estimate.blocks for v in done]))
                rows.append(
                    [blocks, f"{margin:.0%}", ratio, *_share(covered, runs), f"{winners / runs:.1%}", wrong]
                )
                rows[-1].append(f"{used:.1f}")
    head = ["blocks", "margin", "truth", "covered", "exact interval", "called faster", "wrong verdicts"]
    return table([*head, "blocks used"], rows)


def stopped_by_hand(runs: int) -> str:
    """Somebody watches, and stops at the first block whose adjusted interval excludes 1."""
    runs *= MORE
    rows = []
    for blocks in (6, 10, 20):
        looks = stats.plan_looks(blocks)
        effects = block_effects([1.0], Design(blocks=blocks, rounds=30), runs, seed=200 + blocks)[:, 0]
        watched = sum(
            any(
                stats.judge_family({0: stats.estimate(run[:n])}, 0.0, looks=looks)[0].kind == "faster"
                for n in range(2, blocks + 1)
            )
            for run in effects
        )
        rows.append([blocks, *_share(watched, runs)])
    return table(["blocks", "false winners", "exact interval"], rows)


def families(runs: int) -> str:
    """Holm and looks together: any false winner among identical contenders."""
    rows = []
    for others, runs_each in ((1, MORE * runs), (4, runs), (16, runs)):
        for blocks in (6, 12):
            ratios = [1.0] * others
            effects = block_effects(
                ratios, Design(blocks=blocks, rounds=20), runs_each, seed=300 + others + blocks
            )
            looks = stats.plan_looks(blocks)
            for margin in (0.0, MARGIN):
                wrong = sum(
                    any(v.kind == "faster" for v in run_family(run, margin, looks).values())
                    for run in effects
                )
                rows.append([others, blocks, f"{margin:.0%}", *_share(wrong, runs_each)])
    return table(["contenders against the reference", "blocks", "margin", "any false winner", "exact"], rows)


def mixed_families(runs: int) -> str:
    """Holm where some truly differ: decided ones must not make the rest bolder than the family's level."""
    rows = []
    for margin in (0.0, MARGIN):
        truth = [1.0, 1.0, 1.3, 0.7, 1.02 if margin else 1.0]
        effects = block_effects(truth, Design(blocks=10, rounds=60), runs, seed=400)
        looks = stats.plan_looks(10)
        wrong = 0
        for run in effects:
            verdicts = run_family(run, margin, looks)
            wrong += any(_is_wrong(verdicts[i], math.log(r), margin) for i, r in enumerate(truth))
        rows.append([f"{margin:.0%}", ", ".join(map(str, truth)), *_share(wrong, runs)])
    return table(["margin", "truths", "any wrong verdict", "exact interval"], rows)


def dead_heats(runs: int) -> str:
    """Dead heats called at exactly the margin (wrong) and at 1 (right)."""
    quiet = Noise(start_sd=0.005, middle_sd=0.05, slice_sd=0.1)
    rows = []
    for name, noise, blocks in [("as measured", Noise(), 40), ("quiet", quiet, 10), ("quiet", quiet, 20)]:
        looks = stats.plan_looks(blocks)
        counts = []
        for ratio in (1 + MARGIN, 1 / (1 + MARGIN), 1.0):
            effects = block_effects([ratio], Design(blocks=blocks, rounds=80), runs, 500 + blocks, noise)
            counts.append(sum(run_family(run, MARGIN, looks)[0].kind == "dead heat" for run in effects))
        at_margin = counts[0] + counts[1]
        rows.append([name, blocks, *_share(at_margin, 2 * runs), f"{counts[2] / runs:.0%}"])
    return table(["machine", "blocks", "at exactly 2%", "exact interval", "at 1 (true dead heats)"], rows)


def power(runs: int) -> str:
    """Chance to call a true difference, by wall time on the pair, its blocks and rounds chosen for it."""
    costs = stats.Costs(block_s=4.0, round_s=0.6)
    parts = _pair_variances()
    rows = []
    for noise_name, noise in [("as measured", Noise()), ("half", _halved())]:
        scale = 1.0 if noise_name == "as measured" else 0.25
        for minutes in (1, 3, 10):
            choice = stats.allocate(60 * minutes, costs, scale * parts[0], scale * parts[1])
            looks = stats.plan_looks(choice.blocks)
            design = Design(blocks=choice.blocks, rounds=choice.rounds)
            cells = []
            for margin in (0.0, MARGIN):
                for ratio in (1.02, 1.03, 1.06, 1.1):
                    effects = block_effects([ratio], design, runs, 600 + minutes, noise)
                    found = sum(run_family(run, margin, looks)[0].winner == "a" for run in effects)
                    cells.append(f"{found / runs:.0%}")
            plan = f"{choice.blocks} x {choice.rounds}"
            rows.append([noise_name, minutes, plan, f"{choice.smallest_difference:.1%}", *cells])
    head = ["noise", "minutes", "blocks x rounds", "settles (one look)"]
    head += [f"{r} at {m}" for m in ("0", "2%") for r in ("2%", "3%", "6%", "10%")]
    return table(head, rows)


def twins(runs: int) -> str:
    """How often the twins hold back a verdict on ordinary noise."""
    rows = []
    for blocks in (3, 6, 12):
        rng = np.random.default_rng(700 + blocks)
        rounds = rounds_of(np.log([1.1, 1.0]), Design(blocks=blocks, rounds=20), runs, rng)
        held = sum(bool(stats.disagreements(stats.compare(list(run[0]), list(run[1])))) for run in rounds)
        rows.append([blocks, *_share(held, runs)])
    return table(["blocks", "held back", "exact interval"], rows)


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


def _is_wrong(verdict: stats.Verdict, truth: float, margin: float) -> bool:
    """A winner that is not beyond the margin or on the other side, or a dead heat that is not within it."""
    edge = math.log1p(margin)
    if verdict.kind == "faster":
        sign = 1 if verdict.winner == "a" else -1
        return sign * truth <= edge + 1e-12
    return verdict.kind == "dead heat" and abs(truth) >= edge - 1e-12


def _wrong(verdicts: Iterable[stats.Verdict], truth: float, margin: float) -> str:
    found = list(verdicts)
    return f"{sum(_is_wrong(v, truth, margin) for v in found) / len(found):.1%}"


def _pair_variances() -> tuple[float, float]:
    """Variance of a pair's log ratio between starts and between rounds, as a pilot run would find it."""
    pilot = rounds_of(np.zeros(3), Design(blocks=100, rounds=40), 1, np.random.default_rng(600))[0]
    found = stats.variance_components({str(i): list(contender) for i, contender in enumerate(pilot)})
    starts = float(np.mean([c.between_starts for c in found.values()]))
    slices = float(np.mean([c.between_slices for c in found.values()]))
    return 2 * starts, 2 * slices


def _halved() -> Noise:
    """Half the spread that pairing leaves: between starts, and between slices."""
    full = Noise()
    return Noise(start_sd=full.start_sd / 2, middle_sd=full.middle_sd / 2, slice_sd=full.slice_sd / 2)


TABLES: dict[str, tuple[str, Callable[[int], str]]] = {
    "coverage": ("Coverage of 95% intervals, fixed length, truth 1.1 (five times the runs)", coverage),
    "sequential": ("One pair with planned looks (five times the runs)", sequential),
    "by-hand": (
        "Stopped by hand once it looks good, truth 1, margin 0 (five times the runs)",
        stopped_by_hand,
    ),
    "families": (
        "Families, all identical: Holm and looks (five times the runs for a pair)",
        families,
    ),
    "mixed": ("Families in which some differ", mixed_families),
    "dead-heats": ("Dead heats at the default margin, with looks", dead_heats),
    "power": ("Power against budget, with looks", power),
    "twins": ("Verdicts that the twins hold back", twins),
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
