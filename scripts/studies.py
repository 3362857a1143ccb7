"""Writes docs/studies/<study>.md from results files: prose from a template, every figure from a race.

The results are those of docs/results, where `make studies` keeps them, so that a page can be made again
without a race. The first run that checked a claim tells what came of it.

A template asks for figures by name; one that no run has is an error, not a gap: that page stays as it was,
the others are written, and it ends with 1.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import jinja2
from bench import kept_results
from bench.load import page as pages

from deadheat.model.claim import ClaimResult, PublishedGate, Study
from deadheat.model.reason import NotInThisRun
from deadheat.model.result import ContenderResult, RaceResult, Results
from deadheat.report import (
    claims_table,
    curve,
    published_columns,
    published_table,
    reasons,
    statements,
    verdicts,
    words,
)
from deadheat.suite.suite import load

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "studies"


class Figures:
    """What the runs say of one study."""

    def __init__(self, study: str, runs: Sequence[Results]) -> None:
        self._runs = [run for run in runs if any(row.study == study for row in run.claims)]
        if not self._runs:
            raise SystemExit(f"no run checked a claim of {study}")
        self._study = study
        order = dict.fromkeys(
            (row.id, row.method, row.shape is not None)
            for run in self._runs
            for row in run.claims
            if row.study == study
        )
        self.claims = [self._claim(*key) for key in order]

    def _claim(self, id_: str, method: str, shaped: bool) -> ClaimResult:
        """From the first run that checked it, else the first that says why it could not, else any."""
        rows = [
            row
            for run in self._runs
            for row in run.claims
            if (row.study, row.id, row.method, row.shape is not None) == (self._study, id_, method, shaped)
        ]
        checked = (row for row in rows if row.here is not None)
        tried = (row for row in rows if not any(isinstance(why, NotInThisRun) for why in row.reasons))
        return next(checked, None) or next(tried, rows[0])

    def claim(self, id_: str, method: str = "deadheat", *, shaped: bool = False) -> ClaimResult:
        """`shaped`: under the study's own load."""
        for row in self.claims:
            if (row.id, row.method, row.shape is not None) == (id_, method, shaped):
                return row
        raise SystemExit(f"{self._study} makes no claim {id_} (by the method {method})")

    def here(self, id_: str, method: str = "deadheat", *, shaped: bool = False) -> str:
        """The ratio here with its interval, without remarks; where there is none, that it was not run."""
        row = self.claim(id_, method, shaped=shaped)
        return "not run" if row.here is None else claims_table.here(row.replaced(reasons=()))

    def direction(self, id_: str, *, shaped: bool = False) -> str:
        """Which of the two is better, beside what was published: confirmed, refuted, dead heat, open."""
        return claims_table.direction(self.claim(id_, shaped=shaped))

    def answer(self, id_: str, *, shaped: bool = False) -> str:
        """What became of a claim: direction, and size where one was published."""
        return claims_table.answer(self.claim(id_, shaped=shaped))

    def race(
        self,
        workload: str,
        method: str = "deadheat",
        setting: str | None = None,
        among: Sequence[str] = (),
    ) -> RaceResult:
        """The first race of that setting in which all of these were measured; without names, anybody."""
        if method == "as-published" and setting is None:
            setting = self._study
        for race in (race for run in self._runs for race in run.workloads):
            measured = {row.id for row in race.contenders if row.status == "measured"}
            same = (race.name, race.method, race.setting) == (workload, method, setting)
            if same and measured.issuperset(among) and measured:
                return race
        command = f"deadheat race {workload}" + (" --method as-published" if method == "as-published" else "")
        whom = f" with {' and '.join(among)}" if among else ""
        raise SystemExit(
            f"{self._study}: none of these runs measured {command} ({setting or 'as it is'}){whom}"
        )

    def rows(
        self,
        workload: str,
        contenders: Sequence[str],
        method: str = "deadheat",
        setting: str | None = None,
    ) -> list[ContenderResult]:
        """The rows of these in one race, in this order."""
        race = self.race(workload, method, setting, contenders)
        found = {row.id: row for row in race.contenders if row.status == "measured"}
        return [found[id_] for id_ in contenders]

    def measured(self, workload: str, contender: str) -> ContenderResult | None:
        """Its row where a race by our method has one; a page says nothing of it where none has."""
        try:
            return self.rows(workload, [contender])[0]
        except SystemExit:
            return None

    def less(self, id_: str) -> bool:
        """Whether the ratio here is surely below the published one: not where its size is open, as of one
        that a limit of this machine makes a lower bound."""
        row = self.claim(id_)
        if row.size == "open":
            return False
        ci = row.here["ci"] if row.here is not None else None
        published = row.published["ratio"]
        return isinstance(ci, tuple | list) and isinstance(published, float) and ci[1] < published

    @property
    def gates(self) -> list[PublishedGate]:
        return [gate for gate in self._runs[0].published_gates if gate.study == self._study]

    def table(self) -> str:
        """Every claim: published, by our method under the usual load and under the study's, by its own."""
        shaped = "here, under the study's load"
        rows: list[Sequence[str]] = [
            ("claim", "published", "here, by Deadheat", "direction", "size", shaped, "here, its own method")
        ]
        for row in self.claims:
            if row.method != "deadheat" or row.shape is not None:
                continue
            own = self.claim(row.id, "as-published")
            cells = (
                row.statement,
                claims_table.published(row),
                "" if row.here is None else self.here(row.id),
                claims_table.direction(row) + (f": {reasons.joined(row.reasons)}" if row.reasons else ""),
                row.size or "",
                self._under_its_load(row.id),
                "" if own.here is None else self.here(row.id, "as-published"),
            )
            rows.append(cells)
        return _table(rows)

    def _under_its_load(self, id_: str) -> str:
        """What became of a claim under the study's load, where that is another than ours; else nothing."""
        rows = [row for row in self.claims if row.id == id_ and row.shape is not None]
        return "; ".join(
            claims_table.here(row)
            if row.here is None
            else f"{self.here(id_, shaped=True)}: {claims_table.answer(row)}{self.why(id_, shaped=True)}"
            for row in rows
        )

    def said(self, id_: str, where: str = "here", *, shaped: bool = False) -> str:
        """`13.6 (11.7 to 15.7) here, *confirmed (bigger)*`; of one that has no figure, why."""
        row = self.claim(id_, shaped=shaped)
        if row.here is None:
            return f"no figure {where} ({reasons.joined(row.reasons) or 'not raced'})"
        return f"{self.here(id_, shaped=shaped)} {where}, *{self.answer(id_, shaped=shaped)}*"

    def why(self, id_: str, *, shaped: bool = False) -> str:
        """`; why` of a claim that was not raced, or is open; nothing of others."""
        row = self.claim(id_, shaped=shaped)
        answered = row.here is not None and claims_table.direction(row) != "open"
        return "" if answered or not row.reasons else f"; {reasons.joined(row.reasons)}"

    def sentences(self, study: Study) -> str:
        """Every checkable sentence of the study, with its outcome in the first of these runs that has one."""
        return _table(list(statements.table(self._answered(study))))

    def totals(self, study: Study) -> str:
        """`21 statements: 9 confirmed (as published), 12 not run`."""
        return statements.totals(self._answered(study))

    def _answered(self, study: Study) -> list[statements.Answered]:
        return statements.newest((study,), self._runs)

    def side_by_side(self, workload: str) -> str:
        """The study's own table, published and measured."""
        race = self.race(workload, "as-published")
        return _table([published_table.header(race), *published_table.rows(race)])

    def columns(self) -> str:
        """Every column that the study printed, and the same by its own method here, in one table."""
        races = [
            race
            for run in self._runs
            for race in run.workloads
            if race.method == "as-published" and (race.setting or "").split(", ")[0] == self._study
        ]
        header = ["race", *published_columns.HEADER]
        cells = {
            (race.name, race.setting): [
                (f"{race.name}, {race.setting}".removesuffix(f", {self._study}"), *row)
                for row in published_columns.rows(race)
            ]
            for race in reversed(races)
        }
        return _table([header, *(row for of in reversed(cells.values()) for row in of)])

    def beside(self, study: Study) -> list[str]:
        """What each row that no claim names is worth in the workload's own setting, in a sentence each, held
        against the one that it varies; of one that was not measured, why."""
        return [
            said
            for rows in study.beside
            for run in self._runs
            for race in run.workloads
            if (race.name, race.setting, race.method) == (rows.workload, None, "deadheat")
            if race.reference == rows.reference
            for row in race.contenders
            if row.id in rows.contenders
            for said in _against_reference(race, row, run.margin)
        ]

    def depths(self, workload: str) -> str:
        """The curve over commands at a time, with where the order turns; empty where no run has it."""
        for title, rows, _ in (table for run in self._runs for table in curve.tables(run)):
            if title.startswith(workload) and any("depth=" in label for label in rows[0]):
                return _table(rows)
        return ""

    def ran(self) -> str:
        """Which runs these figures are of."""
        # Where the folder of a run was is of no interest to others.
        commands = [re.sub(r" --(out|suite) \S+", "", " ".join(run.command)) for run in self._runs]
        return "\n".join(
            f"- `{command}`, seed {run.seed}, {run.started}, Deadheat {run.version}"
            for command, run in zip(commands, self._runs, strict=True)
        )

    @property
    def from_copies(self) -> bool:
        """Whether another suite than this repository's was raced: that with packages from copies."""
        asked = (_after("--suite", run.command) for run in self._runs)
        return any(suite is not None and ROOT / suite != ROOT / "suite" for suite in asked)

    def machine(self) -> str:
        about = self._runs[0].machine
        return f"{about['cores']} cores, {about['cpu_model']}, Linux {str(about['kernel']).split('-')[0]}"


def _against_reference(race: RaceResult, row: ContenderResult, margin: float) -> Iterator[str]:
    verdict = verdicts.verdict_of(race, row)
    if row.status != "measured":
        yield f"{row.id} is {row.status}: {row.reason}"
    elif verdict is not None:
        yield verdicts.of_race(race, verdict, margin)


def _after(option: str, words: Sequence[str]) -> str | None:
    """What a command line says of an option; None where it does not."""
    return words[words.index(option) + 1] if option in words[:-1] else None


def _table(rows: Sequence[Sequence[str]]) -> str:
    """In Markdown; the first row is the header."""
    return "\n".join(pages.table([_cell(cell) for cell in row] for row in rows))


def _cell(text: str) -> str:
    """On one line, without the folder in which this machine keeps the suite."""
    return re.sub(r"\S*/suite/", "suite/", " ".join(text.split())).replace("|", "\\|")


def render(study: str, runs: Sequence[Results], names: Sequence[str] = ()) -> str:
    """The page of one study, of runs whose results are kept by these names. Raises SystemExit where none of
    them has a figure that it needs."""
    suite = load(ROOT / "suite")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(PAGES / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["advice"] = claims_table.advice
    figures = Figures(study, runs)
    kept = [name + kept_results.SUFFIX for name in names]
    return environment.get_template(f"{study}.md.j2").render(
        figures=figures, study=suite.studies[study], words=words, kept=kept
    )


def main() -> None:
    studies = [path.name.removesuffix(".md.j2") for path in sorted((PAGES / "templates").glob("*.md.j2"))]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--study", action="append", choices=studies, metavar="NAME", help="its page alone")
    asked = parser.parse_args().study
    left = False
    for study in asked or studies:
        page = PAGES / f"{study}.md"
        names = kept_results.names_of(study)
        try:
            if not names:
                where = kept_results.KEPT.relative_to(ROOT)
                raise SystemExit(f"no results of it in {where}: make studies ARGS='--study {study}'")
            text = render(study, [kept_results.results(name) for name in names], names)
        except SystemExit as error:
            # Its figures are all of these runs or none: the page stays as it was.
            print(f"{page.relative_to(ROOT)} not written: {error}", file=sys.stderr)
            left = True
            continue
        page.write_text(text)
        print(page.relative_to(ROOT))
    if left:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
