"""deadheat report: derive everything again from the journal."""

from __future__ import annotations

from deadheat.cli import options, terminal
from deadheat.cli.show import RunArgument

NAME = "report"


def run(
    run: RunArgument = "latest",
    out: options.OutOption = options.DEFAULT_OUT,
    json_: options.JsonOption = False,
) -> None:
    """Derive results and reports again from a run's journal, and print the table.

    \b
    Examples:
      deadheat report
      deadheat report 20260102-030405-quick
    """
    from deadheat import reports, run_folder  # noqa: PLC0415
    from deadheat.report import terminal as table  # noqa: PLC0415

    folder = run_folder.find(out, run)
    results, warnings = reports.derive_again(folder)
    for warning in warnings:
        terminal.stderr().print(f"! {warning}", style="yellow", markup=False, highlight=False)
    console = terminal.stdout()
    if json_:
        console.file.write(folder.results_file.read_text())
    else:
        table.show(results, console)
    terminal.stderr().print(f"report: {folder.path / 'report.html'}", markup=False, highlight=False)
