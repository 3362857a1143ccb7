"""Why a pair was not settled or a claim not judged, a clause each."""

from __future__ import annotations

from collections.abc import Iterable

from deadheat.model.reason import (
    AnotherSize,
    BrokenGate,
    GeneratorShare,
    NeedsServerCores,
    NoCommonBlock,
    NoSpread,
    Note,
    NotInThisRun,
    NotKnown,
    NotMeasured,
    NotRaced,
    Reason,
    RoundsLost,
    SingleFigure,
    TooFewBlocks,
    Undecided,
)
from deadheat.model.result import Verdict
from deadheat.report import gates, words


def joined(reasons: Iterable[Reason]) -> str:
    """All of them in one line; empty where there is none."""
    return "; ".join(map(clause, reasons))


def of_verdict(verdict: Verdict) -> str:
    """Why a verdict is open or void, and what would settle it; empty where it is settled."""
    said = joined(verdict.reasons)
    if said and verdict.more_blocks is not None:
        said += f"; {more_blocks(verdict.more_blocks, verdict.more_s or 0.0)} would settle it"
    return said


def more_blocks(blocks: int, seconds: float) -> str:
    """`about 12 more blocks (3 minutes)`."""
    return f"about {blocks:,} more blocks ({words.duration(seconds)})"


def clause(reason: Reason) -> str:
    """One reason for people, without a full stop."""
    match reason:
        case Note():
            return reason.text
        case BrokenGate():
            return gates.broken(reason.gate)
        case NoCommonBlock():
            return "no block has a value of both"
        case RoundsLost():
            return f"{reason.lost} of {reason.rounds} rounds have no value (zero or failed)"
        case TooFewBlocks():
            return _too_few(reason)
        case NoSpread():
            return f"{reason.blocks} blocks gave exactly the same ratio, which no measurement does"
        case Undecided():
            return _undecided(reason)
        case SingleFigure():
            return "one figure of each, so no interval"
        case _:
            return _of_claim(reason)


def _of_claim(
    reason: NeedsServerCores
    | NotInThisRun
    | NotRaced
    | NotMeasured
    | NotKnown
    | AnotherSize
    | GeneratorShare,
) -> str:
    match reason:
        case NeedsServerCores():
            return f"needs {reason.cores} server cores"
        case NotInThisRun():
            if reason.claims is not None:
                return f"not in this run: deadheat race --claims {reason.claims}"
            more = "" if reason.method == "deadheat" else f" --method {reason.method}"
            return f"not in this run: deadheat race{more} {reason.workload}"
        case NotRaced():
            return f"{reason.contender} was not raced: --contender {reason.contender}, or --all"
        case NotMeasured():
            why = reason.because if reason.gate is None else gates.broken(reason.gate)
            return f"{reason.contender} is {reason.status}" + (f": {why}" if why else "")
        case NotKnown():
            return f"{reason.metric} is not known here"
        case AnotherSize():
            return f"at n = {reason.n}, not {reason.published}"
        case GeneratorShare():
            low, high = sorted((1 - reason.a, 1 - reason.b))
            return (
                f"the load took {reason.a:.0%} and {reason.b:.0%} of the servers' CPUs: without it the ratio "
                f"could be another by {words.excess(high / low)} at most"
            )


def _too_few(reason: TooFewBlocks) -> str:
    if reason.needed <= 2:
        return "one block has no interval: at least 2 are needed"
    few = "one block is" if reason.blocks == 1 else f"{reason.blocks} blocks are"
    return f"{few} too few: at least {reason.needed} are needed"


def _undecided(reason: Undecided) -> str:
    edge = f"crosses the margin of {100 * reason.margin:.3g}%" if reason.margin else "covers 1"
    return f"the interval {edge}" + (", and more blocks are unlikely to settle it" if reason.hopeless else "")
