"""deadheat claims: published claims and what became of them here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deadheat.cli import terminal
from deadheat.cli.command import argument, command, option
from deadheat.cli.options import Json, RunsFolder, SuiteFolder
from deadheat.errors import UserError

if TYPE_CHECKING:
    from deadheat.report.statements import Answered


@dataclass(frozen=True, kw_only=True)
class ClaimsOptions(SuiteFolder, RunsFolder, Json):
    study: str | None = argument(required=False, help="One study; all where none is named.")
    run: str | None = option(
        metavar="RUN",
        default=None,
        show_default="latest; each statement by the newest run that answers it",
        help="The run to hold them against.",
    )
    statements: bool = option(
        is_flag=True,
        help="Every checkable statement of the texts, in the study's words, with what answers it.",
    )


def run(options: ClaimsOptions) -> None:
    """Print the published claims, and what became of them in a run.

    \b
    Examples:
      deadheat claims
      deadheat claims go-vs-crystal-2020 --run latest
      deadheat claims --statements
      deadheat claims --statements --out target
    """
    import json

    from deadheat.report import claims_lines, statements
    from deadheat.storage import run_folder

    if options.statements:
        _print_statements(options)
        return
    study = options.study
    folder = run_folder.find(options.out, options.run or run_folder.LATEST)
    results = folder.results()
    answers = statements.answered(folder.plan().facts.studies, results)
    known = dict.fromkeys(row.study for row in results.claims)
    if study is not None and study not in known:
        hint = "it has: " + ", ".join(known) if known else "it has none"
        raise UserError(f'no claims of "{study}" in the run {results.run}', hint=hint)
    rows = tuple(row for row in results.claims if study in (None, row.study))
    gates = tuple(gate for gate in results.published_gates if study in (None, gate.study))
    answers = [one for one in answers if study in (None, one.study)]
    if options.json:
        terminal.line(json.dumps([row.model_dump(mode="json") for row in rows], indent=2))
        return
    chosen = results.model_copy(update={"claims": rows, "published_gates": gates})
    console = terminal.stdout()
    for line in claims_lines.everything(chosen, console.width):
        console.print(line, soft_wrap=True, highlight=False)
    if answers:
        for said in statements.summary(answers):
            terminal.line(said)
        terminal.line("each of them: deadheat claims --statements")


def _print_statements(options: ClaimsOptions) -> None:
    import json

    from deadheat.report import statements

    answers = _answers(options)
    if options.json:
        terminal.line(json.dumps([one.json() for one in answers], indent=2))
        return
    for said in statements.lines(answers):
        terminal.line(said)


def _answers(options: ClaimsOptions) -> list[Answered]:
    """By the run that is named; else by the newest one that answers each statement of the suite's studies."""
    from deadheat.report import statements
    from deadheat.storage import run_folder
    from deadheat.suite.suite import load

    if options.run is not None:
        folder = run_folder.find(options.out, options.run)
        studies = {study.study: study for study in folder.plan().facts.studies}
    else:
        studies = dict(load(options.suite).studies)
    if options.study is not None:
        if options.study not in studies:
            raise UserError(f'no study is called "{options.study}"', hint="there are: " + ", ".join(studies))
        studies = {options.study: studies[options.study]}
    if options.run is not None:
        return statements.answered(studies.values(), folder.results())
    runs = reversed(run_folder.runs_below(options.out))
    whole = (run.results() for run in runs if run.results_file.exists())
    return statements.newest(tuple(studies.values()), whole)


COMMAND = command("claims", ClaimsOptions, run)
