"""A shared machine's noise, simulated: what the statistics are tried on.

log throughput of a slice = the contender's effect + an offset a process start + the machine's state + slice
noise. The machine's state is a slow drift, a middle one, and steps when a neighbour arrives. The figures are
those measured on a shared virtual machine with two cores: identical servers one after the other differ by
about 20% (sd) whatever the span.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.signal import lfilter

from deadheat.stats.estimate import FloatArray


@dataclass(frozen=True)
class Noise:
    """Standard deviations in log units, times in seconds."""

    start_sd: float = 0.02
    slow_sd: float = 0.15
    slow_s: float = 120.0
    middle_sd: float = 0.10
    middle_s: float = 1.0
    step: float = -0.3
    step_every_s: float = 60.0
    step_lasts_s: float = 4.0
    slice_sd: float = 0.2
    slice_sd_at_s: float = 0.1
    slice_degrees_of_freedom: float = 4.0


@dataclass(frozen=True)
class Design:
    """One run: `blocks` fresh starts, each of `rounds` rounds in which every contender has two slices."""

    blocks: int = 6
    rounds: int = 40
    counted_s: float = 0.1
    lead_in_s: float = 0.05
    between_blocks_s: float = 3.0

    def load_s(self, contenders: int) -> float:
        """Time under load of the whole run, lead-ins included."""
        return self.blocks * self.rounds * 2 * contenders * (self.counted_s + self.lead_in_s)


@dataclass(frozen=True)
class Planted:
    """A contender whose truth is known: `rate` replies a second in the long run, stalls and all.

    `stall_share` of its slices lose `stall_depth` of their replies (1: a slice without a single one).
    `slow_starts` of its starts are `slow_by` slower than the rest. `own_slice_sd`: noise that hits nobody
    else. The long run is the mean over slices of replies, and over starts of the log of the rate; both are
    kept at `rate`, so that the truth of a pair is the ratio of two rates.
    """

    rate: float = 1.0
    stall_share: float = 0.0
    stall_depth: float = 1.0
    slow_starts: float = 0.0
    slow_by: float = 0.1
    own_slice_sd: float = 0.0

    @property
    def log_level(self) -> float:
        """The log rate of a start that is not a slow one, in a slice without a stall."""
        slowed = self.slow_starts * math.log(1 - self.slow_by)
        return math.log(self.rate) - math.log(1 - self.stall_share * self.stall_depth) - slowed


def slices_of(
    planted: Sequence[Planted],
    design: Design,
    runs: int,
    rng: np.random.Generator,
    noise: Noise | None = None,
) -> FloatArray:
    """Simulated runs by Deadheat's design: rates of slices, shape (runs, contenders, blocks, rounds, 2).

    Each round is a random permutation of the contenders followed by its reverse. The machine's heavy-tailed
    slice noise is cut at five standard deviations, or its mean would not exist on the scale of rates.
    """
    noise = noise or Noise()
    contenders = len(planted)
    turns = design.rounds * 2 * contenders
    offsets = rng.normal(0, noise.start_sd, (runs, contenders, design.blocks))
    slow_starts = np.array([one.slow_starts for one in planted])[:, None]
    slowed = np.log([1 - one.slow_by for one in planted])[:, None]
    offsets += slowed * (rng.random(offsets.shape) < slow_starts)
    levels = offsets + np.array([one.log_level for one in planted])[:, None]
    most = 5 * noise.slice_sd * math.sqrt(noise.slice_sd_at_s / design.counted_s)
    result = np.empty((runs, contenders, design.blocks, design.rounds, 2))
    machine = Machine(noise, runs, rng)
    for block in range(design.blocks):
        machine.rest(design.between_blocks_s)
        state = machine.run(turns, design.lead_in_s + design.counted_s)
        state += np.clip(slice_noise(noise, design.counted_s, (runs, turns), rng), -most, most)
        by_round = state.reshape(runs, design.rounds, 2, contenders)
        order = rng.random((runs, design.rounds, contenders)).argsort(axis=-1)
        paired = np.empty_like(by_round)
        # The reversed half is read backwards, so that both halves are in the order of the permutation.
        np.put_along_axis(paired[:, :, 0], order, by_round[:, :, 0], axis=-1)
        np.put_along_axis(paired[:, :, 1], order, by_round[:, :, 1, ::-1], axis=-1)
        result[:, :, block] = paired.transpose(0, 3, 1, 2) + levels[:, :, block, None, None]
    np.exp(result, out=result)
    for i, one in enumerate(planted):
        shape = result[:, i].shape
        if one.own_slice_sd:
            result[:, i] *= np.exp(rng.normal(-(one.own_slice_sd**2) / 2, one.own_slice_sd, shape))
        if one.stall_share:
            result[:, i] *= np.where(rng.random(shape) < one.stall_share, 1 - one.stall_depth, 1.0)
    return result


def block_logs(slices: FloatArray) -> FloatArray:
    """Log of replies over time of each block, shape (runs, contenders, blocks): the method's own scale.

    A block without a reply gets the log of a reply in a million, so that it stays a number.
    """
    return np.asarray(np.log(np.maximum(slices.mean(axis=(-2, -1)), 1e-6)), dtype=float)


def slice_noise(
    noise: Noise, counted_s: float, shape: tuple[int, ...], rng: np.random.Generator
) -> FloatArray:
    """Heavy-tailed noise of single slices, narrowing with the square root of their length."""
    degrees = noise.slice_degrees_of_freedom
    sd = noise.slice_sd * math.sqrt(noise.slice_sd_at_s / counted_s)
    return rng.standard_t(degrees, shape) * (sd / math.sqrt(degrees / (degrees - 2)))


class Machine:
    """The state that all contenders share, carried on from one stretch of a run to the next."""

    def __init__(self, noise: Noise, runs: int, rng: np.random.Generator) -> None:
        self._noise = noise
        self._rng = rng
        self._slow = rng.normal(0, noise.slow_sd, runs)
        self._middle = rng.normal(0, noise.middle_sd, runs)
        self._busy = rng.random(runs) < self._busy_share

    @property
    def _busy_share(self) -> float:
        return self._noise.step_lasts_s / (self._noise.step_lasts_s + self._noise.step_every_s)

    def rest(self, seconds: float) -> None:
        """Let time pass without load."""
        self.run(1, seconds)

    def run(self, steps: int, step_s: float) -> FloatArray:
        """The state over `steps` steps of `step_s` seconds; shape (runs, steps)."""
        noise = self._noise
        slow = self._reverting(self._slow, noise.slow_sd, math.exp(-step_s / noise.slow_s), steps)
        middle = self._reverting(self._middle, noise.middle_sd, math.exp(-step_s / noise.middle_s), steps)
        busy = self._neighbour(steps, step_s)
        self._slow, self._middle, self._busy = slow[:, -1], middle[:, -1], busy[:, -1]
        return slow + middle + noise.step * busy

    def _reverting(self, start: FloatArray, sd: float, keep: float, steps: int) -> FloatArray:
        """A stationary random walk with reversion to 0 (Ornstein-Uhlenbeck, sampled)."""
        shocks = self._rng.normal(0, sd * math.sqrt(1 - keep * keep), (len(start), steps))
        path, _ = lfilter([1.0], [1.0, -keep], shocks, axis=-1, zi=(keep * start)[:, None])
        return np.asarray(path, dtype=float)

    def _neighbour(self, steps: int, step_s: float) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """Whether a neighbour is there, a two-state Markov chain: now and then it is drawn afresh."""
        rate = 1 / self._noise.step_lasts_s + 1 / self._noise.step_every_s
        runs = len(self._busy)
        afresh = self._rng.random((runs, steps)) < 1 - math.exp(-rate * step_s)
        drawn = self._rng.random((runs, steps)) < self._busy_share
        states = np.concatenate([self._busy[:, None], drawn], axis=1)
        last = np.maximum.accumulate(np.where(afresh, np.arange(1, steps + 1), 0), axis=1)
        return np.take_along_axis(states, last, axis=1)
