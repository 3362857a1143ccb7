"""Blocks of one pair on several machines, put together: for these machines, and for their kind."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deadheat.stats.estimate import Estimate, FloatArray, estimate

#: With fewer machines nothing is said of their kind: t of so little freedom makes any interval useless.
FEWEST_MACHINES = 4


@dataclass(frozen=True)
class Pooled:
    """One pair on several machines, each of which weighs the same however many blocks it has.

    `each`: a machine's own ratio, its interval over its own blocks. `these`: the mean (of logs) of just these
    machines, its error from within machines, so that it says nothing of any other machine. `of_kind`: the
    mean of all machines of their kind, of which these are taken for a random sample; its `blocks` are
    machines. None with fewer than FEWEST_MACHINES.
    """

    each: tuple[Estimate, ...]
    these: Estimate
    of_kind: Estimate | None


def pool_machines(effects: Sequence[FloatArray], *, confidence: float = 0.95) -> Pooled:
    """From the block effects (log ratios) of each machine, arrays of shape (blocks,) of any lengths.

    These machines: degrees of freedom by Welch and Satterthwaite, since machines differ in blocks and noise.
    Their kind: a t interval over the machines' means, whose degrees of freedom by Satterthwaite are machines
    less one where all are alike; where they are not, that t errs to the safe side (Bakirov and Szekely 2005).
    Raises ValueError with fewer than two machines, or where one has fewer than two blocks.
    """
    if len(effects) < 2:
        raise ValueError(f"{len(effects)} machine: at least two are put together")
    if fewest := [index for index, own in enumerate(effects) if len(own) < 2]:
        raise ValueError(f"machine {fewest[0] + 1} has fewer than two blocks, so its error is not known")
    each = tuple(estimate(own, confidence=confidence) for own in effects)
    means = np.array([np.mean(own) for own in effects])
    squared = np.array([own.standard_error**2 for own in each])
    freedoms = np.array([own.blocks - 1 for own in each])
    total = float(squared.sum())
    freedom = total**2 / float((squared**2 / freedoms).sum()) if total > 0 else float(freedoms.sum())
    these = Estimate(
        float(means.mean()),
        -math.inf,
        math.inf,
        confidence,
        sum(own.blocks for own in each),
        math.sqrt(total) / len(each),
        freedom=freedom,
    ).at(confidence)
    of_kind = estimate(means, confidence=confidence) if len(each) >= FEWEST_MACHINES else None
    return Pooled(each, these, of_kind)
