"""Published claims and what became of them, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deadheat.model.claim import ClaimResult, PublishedGate
from deadheat.model.result import Results
from deadheat.report import words

OUTCOME_STYLES = {
    "replicated": "green",
    "different size": "cyan",
    "contradicted": "bold red",
    "inconclusive": "yellow",
    "not run": "dim",
}


def by_study(results: Results) -> Iterator[tuple[str, list[ClaimResult], list[PublishedGate]]]:
    """Studies in order, each with its rows and with the gates that its own figures break."""
    for study in dict.fromkeys(row.study for row in results.claims):
        gates = [gate for gate in results.published_gates if gate.study == study and not gate.ok]
        yield study, [row for row in results.claims if row.study == study], gates


def shown(rows: Sequence[ClaimResult]) -> list[ClaimResult]:
    """Ours always; by the study's own method only what was run that way."""
    return [row for row in rows if row.method == "deadheat" or row.here is not None]


def not_run(rows: Sequence[ClaimResult]) -> dict[str, int]:
    """How many of our rows were not run, by reason."""
    counts: dict[str, int] = {}
    for row in rows:
        if row.outcome == "not run" and row.method == "deadheat":
            counts[row.why or "no reason told"] = counts.get(row.why or "no reason told", 0) + 1
    return counts


def here(row: ClaimResult) -> str:
    """`1.22 (1.18 to 1.26)`, or why there is none."""
    if row.here is None:
        return row.why or ""
    ratio, ci = row.here["ratio"], row.here["ci"]
    assert isinstance(ratio, float)
    if isinstance(ci, tuple | list):
        low, high = ci
        text = words.ratio(ratio) if low == high else f"{words.ratio(ratio)} ({words.interval((low, high))})"
    else:
        text = words.ratio(ratio)
    return text + (f"; {row.why}" if row.why else "")


def published(row: ClaimResult) -> str:
    """The published ratio, or what the text gives instead."""
    ratio, at_most = row.published["ratio"], row.published["at_most"]
    if isinstance(ratio, float):
        return words.ratio(ratio)
    return f"below {at_most:g}" if isinstance(at_most, float) else "better"


def name(row: ClaimResult) -> str:
    return row.statement + (" (its own method)" if row.method == "as-published" else "")


def gate(found: PublishedGate) -> str:
    """What Little's law says of a published figure."""
    return f"published figures of {found.name}: {found.advice}"


def totals(rows: Sequence[ClaimResult]) -> str:
    """`4 replicated, 2 different size, 1 not run`."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.outcome] = counts.get(row.outcome, 0) + 1
    return ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
