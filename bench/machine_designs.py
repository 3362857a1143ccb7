"""Simulated machines of known truth for the table on several machines: who covers what.

A machine has a ratio of its own, blocks of its own number and noise of its own size. What is true of these
machines is the mean of their own logs; what is true of their kind is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle, islice

import numpy as np

from deadheat import stats
from deadheat.stats import FloatArray

#: What a 95% interval must cover at the least (of simulated runs) to count as kept.
ASKED = 0.94
COLUMNS = [
    "machines",
    "blocks on each",
    "noise of a block",
    "ratios of machines",
    "for these: covered",
    "exact interval",
    "kept",
    "for their kind: covered",
    "exact interval",
    "kept",
    "that for these, taken for their kind",
]
Spread = Callable[[np.random.Generator, int], FloatArray]


@dataclass(frozen=True)
class MachineDesign:
    """`blocks` and `noise` (times the model's) go round the machines; `spread` draws their log ratios."""

    blocks: tuple[int, ...]
    noise: tuple[float, ...]
    differ: str
    spread: Spread


def alike(rng: np.random.Generator, machines: int) -> FloatArray:
    return np.zeros(machines)


def two_percent(rng: np.random.Generator, machines: int) -> FloatArray:
    return rng.normal(0, 0.02, machines)


def one_in_five(rng: np.random.Generator, machines: int) -> FloatArray:
    """One machine in five has a ratio 20% (of logs) below the others'; the mean of their kind is 0."""
    return 0.2 * (0.2 - (rng.random(machines) < 0.2))


EQUAL, BLOCKS, FEW_AND_NOISY = ((10,), (1.0,)), ((5, 10, 20), (1.0,)), ((20, 5), (1.0, 4.0))
DESIGNS = [
    MachineDesign(blocks, noise, differ, spread)
    for differ, spread in (("all alike", alike), ("sd 2%", two_percent))
    for blocks, noise in (EQUAL, BLOCKS, FEW_AND_NOISY)
] + [MachineDesign(*EQUAL, "1 in 5 is 20% lower", one_in_five)]


def covered_by_machines(blocks: FloatArray, runs: int) -> Iterator[list[object]]:
    """Rows of the table. `blocks` are effects (log ratios) of simulated blocks whose truth is 0."""
    blocks = blocks - blocks.mean()
    for machines in (2, 4, 10):
        for seed, design in enumerate(DESIGNS):
            rng = np.random.default_rng([1701, machines, seed])
            these, kind, mistaken = _covered(blocks, machines, design, runs, rng)
            yield [
                machines,
                ", ".join(map(str, design.blocks)) + (" in turn" if len(design.blocks) > 1 else ""),
                ", ".join(f"x {size:g}" for size in design.noise),
                design.differ,
                *_cells(these, runs),
                *(_cells(kind, runs) if machines >= stats.FEWEST_MACHINES else ["not given", "-", "-"]),
                f"{mistaken / runs:.1%}",
            ]


def _covered(
    blocks: FloatArray, machines: int, design: MachineDesign, runs: int, rng: np.random.Generator
) -> tuple[int, int, int]:
    """How often the truth of these was covered, that of their kind, and that by the interval for these."""
    numbers = list(islice(cycle(design.blocks), machines))
    sizes = list(islice(cycle(design.noise), machines))
    these = kind = mistaken = 0
    for _ in range(runs):
        truths = design.spread(rng, machines)
        drawn = [
            truth + size * rng.choice(blocks, number)
            for truth, number, size in zip(truths, numbers, sizes, strict=True)
        ]
        found = stats.pool_machines(drawn)
        these += _holds(found.these, float(truths.mean()))
        mistaken += _holds(found.these, 0.0)
        kind += found.of_kind is not None and _holds(found.of_kind, 0.0)
    return these, kind, mistaken


def _holds(estimate: stats.Estimate, truth: float) -> bool:
    return estimate.low <= truth <= estimate.high


def _cells(covered: int, runs: int) -> list[object]:
    low, high = stats.share(covered, runs)
    kept = "yes" if covered / runs >= ASKED else "**no**"
    return [f"{covered / runs:.1%}", f"{low:.1%} to {high:.1%}", kept]
