"""Every checkable statement of the studies and what answers it in a run, as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from deadheat.model.claim import ClaimResult, PublishedGate, Study
from deadheat.model.published import AsPublished
from deadheat.model.reason import NeedsServerCores, Note
from deadheat.model.result import RaceResult, Results
from deadheat.model.statement import Statement
from deadheat.report import claims_table, published_columns, reasons
from deadheat.results.claims import published_gate

NOT_RUN, MIXED, BESIDE, HOLDS, CONTRADICTED, EXPLAINED, NEVER = (
    "not run",
    "mixed",
    "beside ours",
    "holds",
    "contradicts itself",
    "explained, not raced",
    "cannot be checked here",
)
# What a run says of a statement, the more the better.
SILENT, OUT_OF_REACH, ANSWERED = range(3)


@dataclass(frozen=True)
class Answered:
    """A statement with its outcome, in a clause each what that rests on, and the run that answers it."""

    study: str
    statement: Statement
    outcome: str
    because: tuple[str, ...]
    run: str | None = None

    def json(self) -> dict[str, Any]:
        """For --json."""
        return {
            "study": self.study,
            "words": self.statement.words,
            "where": self.statement.where,
            "figures": self.statement.figures,
            "outcome": self.outcome,
            "because": list(self.because),
            "run": self.run,
        }


def answered(studies: Iterable[Study], results: Results) -> list[Answered]:
    """Each statement of these studies, held against this run."""
    return [_answer(study, one, results) for study in studies for one in study.statement]


def newest(studies: Sequence[Study], runs: Iterable[Results]) -> list[Answered]:
    """Each statement of these studies by the first of these runs, the newest first, that answers it."""
    found = [_unanswered(study, one) for study in studies for one in study.statement]
    for results in runs:
        if all(_weight(one) == ANSWERED for one in found):
            break
        found = [
            held if _weight(held) >= _weight(here) else replace(here, run=results.run)
            for held, here in zip(found, answered(studies, results), strict=True)
        ]
    return found


def _weight(one: Answered) -> int:
    """An answer is more than that a machine is too small for it, which is more than none."""
    if one.outcome == NOT_RUN:
        return SILENT
    return OUT_OF_REACH if one.outcome == NEVER and one.statement.never is None else ANSWERED


def lines(answers: Sequence[Answered]) -> Iterator[str]:
    """By study: the statement and where it stands, then its outcome and what that rests on."""
    for study in dict.fromkeys(one.study for one in answers):
        of = [one for one in answers if one.study == study]
        yield f"{study} · {totals(of)}"
        for one in of:
            said = one.statement
            figures = f": {said.figures}" if said.figures else ""
            yield f'  "{said.words}" ({said.where}){figures}'
            yield f"    {one.outcome}" + (f" · {one.because[0]}" if one.because else "")
            yield from (f"      {clause}" for clause in one.because[1:])
            if one.run is not None:
                yield f"      run {one.run}"
        yield ""


def table(answers: Sequence[Answered]) -> Iterator[tuple[str, str, str, str]]:
    """The same as rows, the first the header: words and figures, where they stand, the outcome, by what."""
    yield "the study says", "where", "outcome", "by"
    for one in answers:
        said = one.statement
        words = f'"{said.words}"' + (f": {said.figures}" if said.figures else "")
        yield words, said.where, one.outcome, "; ".join(one.because)


def summary(answers: Sequence[Answered]) -> Iterator[str]:
    """A line a study, for no sum over several says anything of one: `go-vs-rust-grpc: 22 statements: ...`."""
    for study in dict.fromkeys(one.study for one in answers):
        yield f"{study}: {totals([one for one in answers if one.study == study])}"


def totals(answers: Sequence[Answered]) -> str:
    """`21 statements: 9 confirmed (as published), 12 not run`."""
    counts: dict[str, int] = {}
    for one in answers:
        counts[one.outcome] = counts.get(one.outcome, 0) + 1
    each = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    return f"{len(answers)} statements: {each}"


def _unanswered(study: Study, one: Statement) -> Answered:
    if (said := _by_itself(one)) is not None:
        return Answered(study.study, one, *said)
    for load in study.load:
        if load.name == one.load:  # figures that were published are all that it needs
            return Answered(study.study, one, *_of_gate(published_gate(study.study, load)))
    return Answered(study.study, one, NOT_RUN, (f"in no run here: {_command(study, one)}",))


def _by_itself(one: Statement) -> tuple[str, tuple[str, ...]] | None:
    """Of one that no race answers."""
    if one.explained is not None:
        return EXPLAINED, (one.explained,)
    return (NEVER, (one.never,)) if one.never is not None else None


def _command(study: Study, one: Statement) -> str:
    """What answers it."""
    if one.column is not None:
        return f"deadheat race {_part(study, one).workload} --method as-published"
    if one.conformance is not None:
        return f"deadheat race {one.conformance}"
    return f"deadheat race --claims {study.study}"


def _answer(study: Study, one: Statement, results: Results) -> Answered:
    if (said := _by_itself(one)) is not None:
        return Answered(study.study, one, *said)
    by = {"claims": _by_claims, "load": _by_load, "column": _by_column, "conformance": _by_conformance}
    outcome, because = by[one.answer](study, one, results)
    return Answered(study.study, one, outcome, tuple(because))


def _by_claims(study: Study, one: Statement, results: Results) -> tuple[str, Sequence[str]]:
    """The outcome that its judged claims share; where they differ it is mixed, and each says its own. Of
    claims that no race on this machine can check, why."""
    rows = [
        row
        for row in results.claims
        if row.study == study.study and row.id in one.claims and row.method == "deadheat"
    ]
    judged = [row for row in rows if claims_table.direction(row) != "not run"]
    because = [_because(row) for row in judged or rows]
    if rows and all(_out_of_reach(row) for row in rows):
        whys = (f"{row.statement}: {reasons.joined(row.reasons)}" for row in rows)
        return NEVER, list(dict.fromkeys(whys))
    if not judged:
        return NOT_RUN, because or [f"not in this run: {_command(study, one)}"]
    if len(outcomes := {claims_table.answer(row) for row in judged}) == 1:
        return outcomes.pop(), because
    return MIXED, [
        f"{claims_table.answer(row)}: {clause}" for row, clause in zip(judged, because, strict=True)
    ]


def _out_of_reach(row: ClaimResult) -> bool:
    """Whether the machine is too small for it, or the study's file says why it is not checked."""
    if claims_table.direction(row) != "not run" or not row.reasons:
        return False
    return all(isinstance(why, NeedsServerCores | Note) for why in row.reasons)


def _because(row: ClaimResult) -> str:
    shown = claims_table.here(row)
    return f"{claims_table.name(row)}: {shown}" if shown else claims_table.name(row)


def _by_load(study: Study, one: Statement, results: Results) -> tuple[str, Sequence[str]]:
    for gate in results.published_gates:
        if gate.study == study.study and gate.name == one.load:
            return _of_gate(gate)
    return NOT_RUN, ["the published figures were not held against Little's law in this run"]


def _of_gate(gate: PublishedGate) -> tuple[str, tuple[str, ...]]:
    if gate.ok:
        return HOLDS, (f"by Little's law {gate.in_flight:,.1f} requests were in flight",)
    return CONTRADICTED, (f"by Little's law {claims_table.advice(gate)}",)


def _by_column(study: Study, one: Statement, results: Results) -> tuple[str, Sequence[str]]:
    """Not judged: what is printed of one run has no interval, so it stands beside the same of ours."""
    parts = study.as_published if one.each_setting else [_part(study, one)]
    raced = [(part, race) for part in parts if (race := _own_method(study, part, results)) is not None]
    if len(raced) < len(parts):
        return NOT_RUN, [f"not in this run: {_command(study, one)}"]
    because = [clause for part, race in raced for clause in _of_column(one, part, race)]
    return (BESIDE, because) if because else (NOT_RUN, ["nobody whom it is about was measured"])


def _of_column(one: Statement, part: AsPublished, race: RaceResult) -> Iterator[str]:
    """Of each row what the study printed and what its tool prints here."""
    assert one.column is not None
    setting = f" ({part.values})" if one.each_setting and part.values else ""
    for row in race.contenders:
        if one.rows and row.id not in one.rows:
            continue
        found = published_columns.here(one.column, row) if row.status == "measured" else None
        if found is not None:
            printed = published_columns.published(one.column, row.published) if row.published else None
            yield f"{row.id}{setting}: published {printed or 'nothing'}, here {found}"


def _part(study: Study, one: Statement) -> AsPublished:
    """The part of the study by its own method that printed a statement's column."""
    assert one.column is not None
    for part in study.as_published:
        rows = [row for row in part.row if not one.rows or row.contender in one.rows]
        if any(published_columns.published(one.column, row) is not None for row in rows):
            return part
    return study.as_published[0]


def _own_method(study: Study, part: AsPublished, results: Results) -> RaceResult | None:
    """The race by the study's own method and with its own tool."""
    known_by = (part.workload, "as-published", part.setting(study.study))
    return next((r for r in results.workloads if (r.name, r.method, r.setting) == known_by), None)


def _by_conformance(study: Study, one: Statement, results: Results) -> tuple[str, Sequence[str]]:
    raced = [
        row.id
        for race in results.workloads
        if race.name == one.conformance
        for row in race.contenders
        if row.status == "measured"
    ]
    if not raced:
        return NOT_RUN, [f"not in this run: {_command(study, one)}"]
    unique = ", ".join(dict.fromkeys(raced))
    return HOLDS, [f"checked of each before it was raced: {unique}"]
