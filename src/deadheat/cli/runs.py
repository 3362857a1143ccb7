"""deadheat runs: what has been raced."""

from __future__ import annotations

import json

from deadheat.cli import options, terminal

NAME = "runs"


def run(out: options.OutOption = options.DEFAULT_OUT, json_: options.JsonOption = False) -> None:
    """List the runs, the newest first.

    \b
    Examples:
      deadheat runs
      deadheat runs --out elsewhere --json
    """
    from deadheat import run_folder  # noqa: PLC0415

    console = terminal.stdout()
    rows = []
    for folder in reversed(run_folder.all_runs(out)):
        plan = folder.plan()
        state = "done" if folder.results_file.exists() else "no results: deadheat report, or race --resume"
        workloads = [race.key for race in plan.workloads]
        rows.append({"run": plan.run, "preset": plan.preset, "workloads": workloads, "state": state})
    if json_:
        console.file.write(json.dumps(rows, indent=2) + "\n")
        return
    for row in rows:
        console.out(f"{row['run']}  {', '.join(row['workloads'])}  {row['state']}", highlight=False)
    if not rows:
        terminal.stderr().print(f"no run in {out} yet: deadheat race makes one", highlight=False)
