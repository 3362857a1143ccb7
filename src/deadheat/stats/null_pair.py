"""The null pair: what the method reports when there is nothing to find."""

from __future__ import annotations

from dataclasses import dataclass

from deadheat.stats.estimate import Estimate

# At 95% five clean workloads would have one refused in a quarter of runs; at 99.9%, in one of 200.
GATE_CONFIDENCE = 0.999


@dataclass(frozen=True)
class NullPair:
    """`estimate` has the interval to show; `ok` is whether the wider one of the gate covers 1."""

    estimate: Estimate
    ok: bool
    why: str | None = None


def judge_null_pair(
    estimate: Estimate, *, gate_confidence: float = GATE_CONFIDENCE, confidence: float = 0.95
) -> NullPair:
    """Whether a contender against itself is told apart; a null pair that was never measured is not ok."""
    shown = estimate.at(confidence)
    if estimate.blocks == 0:
        return NullPair(shown, False, "the null pair has no block with a value of both")
    gate = estimate.at(gate_confidence)
    if gate.low <= 0 <= gate.high:
        return NullPair(shown, True)
    ratio = shown.ratio
    return NullPair(
        shown, False, f"the same contender entered twice came out at {ratio:.3g} times as fast as itself"
    )
