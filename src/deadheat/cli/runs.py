"""deadheat runs: what has been raced."""

from __future__ import annotations

from dataclasses import dataclass

from deadheat.cli import terminal
from deadheat.cli.command import command
from deadheat.cli.options import Json, RunsFolder


@dataclass(frozen=True, kw_only=True)
class RunsOptions(RunsFolder, Json):
    pass


def run(options: RunsOptions) -> None:
    """List the runs, the newest first.

    \b
    Examples:
      deadheat runs
      deadheat runs --out elsewhere --json
    """
    import json

    from deadheat.storage import run_folder

    rows = []
    for folder in reversed(run_folder.all_runs(options.out)):
        plan = folder.plan()
        state = "done" if folder.results_file.exists() else "no results: deadheat report, or race --resume"
        workloads = [race.key for race in plan.workloads]
        rows.append({"run": plan.run, "preset": plan.preset, "workloads": workloads, "state": state})
    if options.json:
        terminal.line(json.dumps(rows, indent=2))
        return
    for row in rows:
        terminal.line(f"{row['run']}  {', '.join(row['workloads'])}  {row['state']}")
    if not rows:
        terminal.say(f"no run in {options.out} yet: deadheat race makes one")


COMMAND = command("runs", RunsOptions, run)
