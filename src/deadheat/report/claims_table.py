"""Published claims and what became of them, as lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from deadheat.model.claim import ClaimResult, PublishedGate
from deadheat.model.result import Results
from deadheat.report import reasons, words

# A reason of this length may be said of each claim; a longer one is told once.
SHORT = 40
STYLES = {
    "confirmed": "green",
    "refuted": "bold red",
    "dead heat": "cyan",
    "open": "yellow",
    "not run": "dim",
    # By the method's version 1.
    "replicated": "green",
    "different size": "cyan",
    "contradicted": "bold red",
    "inconclusive": "yellow",
}


@dataclass(frozen=True)
class ClaimRow:
    """A claim as a report shows it: `here` is the ratio found, or why there is none."""

    row: ClaimResult
    direction: str
    size: str
    here: str


def by_study(results: Results) -> Iterator[tuple[str, list[ClaimResult], list[PublishedGate]]]:
    """Studies in order, each with its rows and with the gates that its own figures break."""
    for study in dict.fromkeys(row.study for row in results.claims):
        gates = [gate for gate in results.published_gates if gate.study == study and not gate.ok]
        yield study, [row for row in results.claims if row.study == study], gates


def shown(rows: Sequence[ClaimResult]) -> list[ClaimResult]:
    """Ours always; under the study's load or by its own method only what was run that way."""
    return [row for row in rows if _is_usual(row) or row.here is not None]


def not_run(rows: Sequence[ClaimResult]) -> dict[str, int]:
    """How many of our rows were not run, by reason."""
    counts: dict[str, int] = {}
    for row in rows:
        if direction(row) == "not run" and _is_usual(row):
            why = reasons.joined(row.reasons) or "no reason is known"
            counts[why] = counts.get(why, 0) + 1
    return counts


def reported(rows: Sequence[ClaimResult]) -> tuple[list[ClaimRow], list[str]]:
    """The claims, and what holds of several of them, each once: a claim refers to it by its number."""
    counts = Counter(clause for row in rows if row.here is not None for clause in _clauses(row))
    shared = [clause for clause, count in counts.items() if count > 1 and len(clause) > SHORT]
    lines = [ClaimRow(row, direction(row), row.size or "", here(row, shared)) for row in rows]
    notes = [f"[{number}] {clause}" for number, clause in enumerate(shared, 1)]
    if loads := dict.fromkeys(row.shape for row in rows if row.shape is not None):
        notes.append(f"its own load: {'; '.join(loads)}")
    return lines, notes


def direction(row: ClaimResult) -> str:
    """One word: whether the same one is better; of old runs, what said that and the size."""
    return row.direction or row.outcome or "not run"


def answer(row: ClaimResult) -> str:
    """Direction and size in a clause: `confirmed (bigger)`."""
    said = {"": "", "open": " (size open)"}.get(row.size or "", f" ({row.size})")
    return direction(row) + said


def adjusted(rows: Sequence[ClaimResult]) -> str:
    """How claims about other figures than a race's own were judged; empty where there is none."""
    most = max((row.family or 0 for row in rows), default=0)
    if most < 2:
        return ""
    return (
        "claims about other figures than their race's own (CPU, latency, memory, builds) are a family of "
        f"their own: up to {most} of a race judged together, by intervals that are wider for it"
    )


def here(row: ClaimResult, shared: Sequence[str] = ()) -> str:
    """`1.22 (1.18 to 1.26)`, or why there is none; numbers for clauses that are told elsewhere."""
    if row.here is None:
        return reasons.joined(row.reasons)
    ratio, ci = row.here["ratio"], row.here["ci"]
    assert isinstance(ratio, float)
    text = words.ratio(ratio)
    if isinstance(ci, tuple | list) and ci[0] != ci[1]:
        text += f" ({words.interval((ci[0], ci[1]))})"
    clauses = _clauses(row)
    text += "".join(f" [{shared.index(clause) + 1}]" for clause in clauses if clause in shared)
    return "; ".join([text, *(clause for clause in clauses if clause not in shared)])


def _clauses(row: ClaimResult) -> list[str]:
    return [*map(reasons.clause, row.reasons)]


def published(row: ClaimResult) -> str:
    """The published ratio, or what the text gives instead."""
    ratio, at_most = row.published["ratio"], row.published["at_most"]
    if isinstance(ratio, float):
        return words.ratio(ratio)
    return f"below {at_most:g}" if isinstance(at_most, float) else "better"


def name(row: ClaimResult) -> str:
    """The statement, and how it was judged where that is not by our method under the usual load."""
    if row.shape is not None:
        return f"{row.statement} (its own load)"
    return row.statement + (" (its own method)" if row.method == "as-published" else "")


def _is_usual(row: ClaimResult) -> bool:
    return row.method == "deadheat" and row.shape is None


def gate(found: PublishedGate) -> str:
    """What Little's law says of a published figure."""
    return f"published figures of {found.name}: {advice(found)}"


def advice(found: PublishedGate) -> str:
    """What a published figure contradicts."""
    said = f"{found.in_flight:,.0f} requests were in flight, not the {found.asked:,} asked for"
    if found.connected is not None:
        said += f": {found.connected:,} is how many connections there were"
    return said + (f" ({found.note})" if found.note else "")


def totals(rows: Sequence[ClaimResult]) -> str:
    """`4 confirmed, 2 open, 1 not run; size: 3 as published, 1 bigger`."""
    said = _counted(direction(row) for row in rows)
    sizes = _counted(row.size for row in rows if row.size is not None)
    return f"{said}; size: {sizes}" if sizes else said


def _counted(found: Iterable[str]) -> str:
    return ", ".join(f"{count} {word}" for word, count in Counter(found).items())
