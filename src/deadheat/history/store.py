"""Runs into the history and out of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import delete, select

from deadheat.errors import UserError
from deadheat.history.database import FILE, History, open_
from deadheat.history.foreign import Foreign
from deadheat.history.tables import ContenderRow, ContextRow, RunRow
from deadheat.model.result import RaceResult, Results
from deadheat.report import verdicts, words
from deadheat.storage import migrate
from deadheat.util import clock


def record(history: History, results: Results, folder: Path, unfinished: str | None = None) -> None:
    """Keep a run; one that is there already is replaced. Raises UserError."""
    run = run_row(results, folder, unfinished)
    run.results = results.model_dump(mode="json", by_alias=True)
    with history.writing() as session:
        session.execute(delete(RunRow).where(RunRow.id == results.run))
        session.add(run)


def run_row(results: Results, folder: Path, unfinished: str | None = None) -> RunRow:
    """A run as lists and trends have it: a row for each contender that was measured, and no results."""
    return RunRow(
        id=results.run,
        started=results.started,
        version=results.version,
        preset=results.preset,
        commit=results.commit,
        machine=machine_words(results.machine),
        folder=str(folder),
        unfinished=unfinished,
        recorded=clock.stamp(),
        rows=[row for workload in results.workloads for row in _rows(workload)],
    )


def record_finished(
    results: Results, folder: Path, warn: Callable[[str], None], db: str | None = None
) -> None:
    """Keep a run that just ended: in `db` (a file or a URL), else in its runs folder's history.

    Nothing that goes wrong here may cost the run: `warn` takes one line that says how to do it later.
    """
    try:
        with open_(db if db is not None else folder.parent / FILE) as history:
            record(history, results, folder)
    except Exception as error:  # the run is whole on the disk, and its owner is waiting for the verdict
        said = error.message if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
        later = f"deadheat history add {folder}" + (" --db ..." if db is not None else "")
        warn(f"not in the history: {' '.join(said.split())[:300]}; {later} does it later")


def runs(history: History) -> Sequence[RunRow]:
    """Every run, the newest first, without its results."""
    from sqlalchemy.orm import defer, selectinload

    with history.reading() as session:
        asked = select(RunRow).options(defer(RunRow.results), selectinload(RunRow.rows))
        found = session.scalars(asked.order_by(RunRow.started.desc(), RunRow.id.desc())).all()
        session.expunge_all()
    return found


def contenders(history: History, workload: str, contender: str | None = None) -> Sequence[ContenderRow]:
    """The rows of a workload (and of one contender of it), the oldest first, each with its run."""
    from sqlalchemy.orm import joinedload

    with history.reading() as session:
        asked = (
            select(ContenderRow)
            .join(ContenderRow.run)
            .options(joinedload(ContenderRow.run).defer(RunRow.results))
            .where(ContenderRow.workload == workload)
            .order_by(RunRow.started, RunRow.id, ContenderRow.id)
        )
        if contender is not None:
            asked = asked.where(ContenderRow.contender == contender)
        found = session.scalars(asked).all()
        session.expunge_all()
    return found


def names(history: History) -> dict[str, set[str]]:
    """Every workload that was ever raced, with its contenders."""
    with history.reading() as session:
        pairs = session.execute(select(ContenderRow.workload, ContenderRow.contender).distinct()).all()
    found: dict[str, set[str]] = {}
    for workload, contender in pairs:
        found.setdefault(workload, set()).add(contender)
    return found


def results(history: History, run: str) -> Results | None:
    """The results of a run, None where it is not there."""
    with history.reading() as session:
        found = session.scalar(select(RunRow.results).where(RunRow.id == run))
    return None if found is None else Results.model_validate(migrate.results(found))


def all_results(history: History, *, machine: str, at_most: int) -> list[Results]:
    """The newest runs of a machine that were not cut off, with their results, the oldest first."""
    with history.reading() as session:
        asked = (
            select(RunRow.results)
            .where(RunRow.machine == machine, RunRow.unfinished.is_(None))
            .order_by(RunRow.started.desc(), RunRow.id.desc())
            .limit(at_most)
        )
        found = session.scalars(asked).all()
    return [Results.model_validate(migrate.results(one)) for one in reversed(found)]


def add_context(
    history: History, rows: Sequence[Foreign], file: Path, workload: str | None, contender: str | None
) -> Sequence[ContextRow]:
    """Keep figures from elsewhere; those of the same file before are replaced."""
    kept = [
        ContextRow(
            imported=clock.stamp(),
            tool=row.tool,
            file=str(file),
            name=row.name,
            workload=workload,
            contender=contender,
            requests=row.requests,
            throughput_rps=row.throughput_rps,
            wall_s=row.wall_s,
            latency_ms=dict(row.latency_ms),
            errors=dict(row.errors),
        )
        for row in rows
    ]
    with history.writing() as session:
        session.execute(delete(ContextRow).where(ContextRow.file == str(file)))
        session.add_all(kept)
        session.flush()
        session.expunge_all()
    return kept


def context(history: History, workload: str | None = None) -> Sequence[ContextRow]:
    """Figures from elsewhere, of one workload or all."""
    with history.reading() as session:
        asked = select(ContextRow).order_by(ContextRow.imported, ContextRow.id)
        if workload is not None:
            asked = asked.where(ContextRow.workload == workload)
        found = session.scalars(asked).all()
        session.expunge_all()
    return found


def machine_words(machine: Mapping[str, Any]) -> str:
    """What of a machine a ratio may depend on: its processor and how many cores."""
    return f"{machine.get('cpu_model', 'unknown processor')}, {machine.get('cores', '?')} cores"


def _rows(workload: RaceResult) -> list[ContenderRow]:
    rows = []
    for row in workload.contenders:
        if row.status != "measured":
            continue
        measure = words.own_measure(workload.judged, row)
        verdict = verdicts.verdict_of(workload, row)
        against = row.against_reference
        rows.append(
            ContenderRow(
                workload=workload.name,
                setting=workload.setting or "",
                method=workload.method,
                metric=workload.judged,
                reference=workload.reference,
                n=workload.n,
                connections=workload.connections,
                contender=row.id,
                class_=row.class_,
                blocks=workload.blocks,
                estimate=measure.estimate if measure else None,
                ratio=against.ratio if against else None,
                ratio_low=against.ci[0] if against and against.ci else None,
                ratio_high=against.ci[1] if against and against.ci else None,
                of_ceiling=row.figures.of_ceiling,
                verdict=verdict.verdict if verdict and row.id != workload.reference else None,
            )
        )
    return rows
