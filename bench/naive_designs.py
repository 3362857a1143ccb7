"""What the usual designs make of the same machine traces, for the table in docs/method.md.

A trace is one machine's log speed in steps of 50 ms, noise included. Every design spends the same load on two
contenders, whose starts each draw an offset, and says whether it sees a winner.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from deadheat import stats
from deadheat.stats import FloatArray
from deadheat.stats.simulation import Machine, Noise, slice_noise

STEP_S = 0.05
LOAD_S = 80.0
BETWEEN_STARTS_S = 3.0
NOISE = Noise()


@dataclass(frozen=True)
class Traces:
    """Log speeds of `runs` machines, shape (runs, steps), and the generator that draws starts' offsets."""

    log_speed: FloatArray
    rng: np.random.Generator

    @property
    def runs(self) -> int:
        return len(self.log_speed)

    def starts(self, count: int) -> FloatArray:
        """Offsets of freshly started processes, shape (runs, count)."""
        return self.rng.normal(0, NOISE.start_sd, (self.runs, count))

    def windows(self, from_s: float, count: int, window_s: float) -> FloatArray:
        """Mean log speed of `count` windows one after the other, shape (runs, count)."""
        steps = round(window_s / STEP_S)
        first = round(from_s / STEP_S)
        stretch = self.log_speed[:, first : first + count * steps]
        return np.asarray(stretch.reshape(self.runs, count, steps).mean(axis=-1), dtype=float)


def traces(runs: int, rng: np.random.Generator, seconds: float = 140.0) -> Traces:
    """Machines to try every design on."""
    steps = round(seconds / STEP_S)
    state = Machine(NOISE, runs, rng).run(steps, STEP_S)
    return Traces(state + slice_noise(NOISE, STEP_S, (runs, steps), rng), rng)


Design = Callable[[Traces, float], FloatArray]


def one_after_the_other(machine: Traces, effect: float) -> FloatArray:
    """One start each, half the load each, Welch's test on 1 s windows."""
    starts = machine.starts(2)
    seconds = int(LOAD_S / 2)
    a = machine.windows(0, seconds, 1.0) + starts[:, :1] + effect
    b = machine.windows(LOAD_S / 2 + BETWEEN_STARTS_S, seconds, 1.0) + starts[:, 1:]
    return _welch_wins(a, b)


def best_of_three(machine: Traces, effect: float) -> FloatArray:
    """Three runs of each, the best counts, and more than 2% is a win."""
    a, b = _runs_in_turn(machine, effect, each=3, alternate=False)
    difference = a.max(axis=1) - b.max(axis=1)
    return np.where(np.abs(difference) > math.log1p(0.02), np.sign(difference), 0.0)


def means_over_runs(machine: Traces, effect: float) -> FloatArray:
    """Five runs of one, then five of the other, Welch's test on their means."""
    return _welch_wins(*_runs_in_turn(machine, effect, each=5, alternate=False))


def means_over_alternating_runs(machine: Traces, effect: float) -> FloatArray:
    """Five fresh runs of each in turn, Welch's test on their means: sound, and wide."""
    return _welch_wins(*_runs_in_turn(machine, effect, each=5, alternate=True))


def interleaved_one_start(machine: Traces, effect: float) -> FloatArray:
    """One start each, 100 ms slices in ABBA order, t over rounds as if they were independent trials."""
    rounds = _interleaved(machine, effect, blocks=1)[:, 0, :]
    return _t_wins(rounds)


def peeking(machine: Traces, effect: float) -> FloatArray:
    """Deadheat's blocks and slices, but an unadjusted 5% test after every block until one is a win."""
    effects = _interleaved(machine, effect, blocks=10).mean(axis=-1)
    wins = np.zeros(machine.runs)
    for blocks in range(2, 11):
        wins = np.where(wins == 0, _t_wins(effects[:, :blocks]), wins)
    return wins


def deadheat_fixed(machine: Traces, effect: float) -> FloatArray:
    """Deadheat: 10 blocks, judged once, at margin 0."""
    effects = _interleaved(machine, effect, blocks=10).mean(axis=-1)
    return np.array([_sign(stats.judge(stats.estimate(run), 0.0)) for run in effects])


def deadheat_looks(machine: Traces, effect: float) -> FloatArray:
    """Deadheat: up to 10 blocks with its planned looks, at margin 0."""
    looks = stats.plan_looks(10)
    effects = _interleaved(machine, effect, blocks=10).mean(axis=-1)
    wins = []
    for run in effects:
        for blocks in looks.blocks:
            verdict = stats.judge_family({0: stats.estimate(run[:blocks])}, 0.0, looks=looks)[0]
            if looks.may_end(blocks) and stats.settled([verdict]):
                break
        wins.append(_sign(verdict))
    return np.array(wins)


DESIGNS: dict[str, Design] = {
    "one start each, one after the other, Welch over 1 s windows": one_after_the_other,
    "best of 3 runs each, 2% or more wins": best_of_three,
    "5 runs of one, then 5 of the other, Welch over means": means_over_runs,
    "5 fresh runs of each in turn, Welch over means": means_over_alternating_runs,
    "one start each, 100 ms slices, t over rounds": interleaved_one_start,
    "10 blocks of 100 ms slices, 5% test after each (peeking)": peeking,
    "**Deadheat**, 10 blocks, one look": deadheat_fixed,
    "**Deadheat**, up to 10 blocks, planned looks": deadheat_looks,
}


def _runs_in_turn(
    machine: Traces, effect: float, each: int, alternate: bool
) -> tuple[FloatArray, FloatArray]:
    """Mean log throughput of `each` freshly started runs of a and of b, in order AAABBB or ABABAB."""
    run_s = LOAD_S / (2 * each)
    starts = machine.starts(2 * each)
    means = np.concatenate(
        [machine.windows(i * (run_s + BETWEEN_STARTS_S), 1, run_s) for i in range(2 * each)], axis=1
    )
    means += starts
    a = np.arange(2 * each) % 2 == 0 if alternate else np.arange(2 * each) < each
    return means[:, a] + effect, means[:, ~a]


def _interleaved(machine: Traces, effect: float, blocks: int) -> FloatArray:
    """Log ratios a round, shape (runs, blocks, rounds): 50 ms lead-in, 100 ms counted, ABBA or BAAB."""
    slices = round(LOAD_S / blocks / 0.15) // 4 * 4
    starts = machine.starts(2 * blocks)
    result = np.empty((machine.runs, blocks, slices // 4))
    for block in range(blocks):
        begin = round(block * (LOAD_S / blocks + BETWEEN_STARTS_S) / STEP_S)
        steps = machine.log_speed[:, begin : begin + 3 * slices].reshape(machine.runs, slices // 4, 4, 3)
        counted = steps[..., 1:].mean(axis=-1)
        outer_less_inner = (counted[..., 0] + counted[..., 3] - counted[..., 1] - counted[..., 2]) / 2
        a_outside = machine.rng.random(outer_less_inner.shape) < 0.5
        offset = effect + starts[:, 2 * block] - starts[:, 2 * block + 1]
        result[:, block] = np.where(a_outside, outer_less_inner, -outer_less_inner) + offset[:, None]
    return result


def _welch_wins(a: FloatArray, b: FloatArray) -> FloatArray:
    """+1 where a wins at 5%, -1 where b does, else 0; Welch 1947, rows are runs."""
    va, vb = a.var(axis=1, ddof=1) / a.shape[1], b.var(axis=1, ddof=1) / b.shape[1]
    degrees = (va + vb) ** 2 / (va**2 / (a.shape[1] - 1) + vb**2 / (b.shape[1] - 1))
    t = (a.mean(axis=1) - b.mean(axis=1)) / np.sqrt(va + vb)
    return np.where(2 * stdtr(degrees, -np.abs(t)) < 0.05, np.sign(t), 0.0)


def _t_wins(differences: FloatArray) -> FloatArray:
    """The same for one sample a row against 0."""
    n = differences.shape[1]
    t = differences.mean(axis=1) / (differences.std(axis=1, ddof=1) / math.sqrt(n))
    return np.where(2 * stdtr(n - 1, -np.abs(t)) < 0.05, np.sign(t), 0.0)


def _sign(verdict: stats.Verdict) -> float:
    return {"a": 1.0, "b": -1.0, None: 0.0}[verdict.winner]
