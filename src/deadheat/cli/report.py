"""deadheat report: derive everything again from the journal."""

from __future__ import annotations

from dataclasses import dataclass

from deadheat.cli import terminal
from deadheat.cli.command import command
from deadheat.cli.options import Json, OneRun, RunsFolder


@dataclass(frozen=True, kw_only=True)
class ReportOptions(OneRun, RunsFolder, Json):
    pass


def run(options: ReportOptions) -> None:
    """Derive results and reports again from a run's journal.

    \b
    Examples:
      deadheat report
      deadheat report 20260102-030405-quick
    """
    from deadheat.app import reports
    from deadheat.storage import run_folder

    folder = run_folder.find(options.out, options.run)
    _, warnings = reports.derive_again(folder)
    for warning in warnings:
        terminal.warn(warning)
    terminal.results(folder, as_json=options.json)
    terminal.say(f"report: {folder.path / 'report.html'}")


COMMAND = command("report", ReportOptions, run)
