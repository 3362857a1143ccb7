"""deadheat list: workloads and contenders."""

from __future__ import annotations

from dataclasses import dataclass

from deadheat.cli import terminal
from deadheat.cli.command import command
from deadheat.cli.options import Json, SuiteFolder


@dataclass(frozen=True, kw_only=True)
class ListOptions(SuiteFolder, Json):
    pass


def run(options: ListOptions) -> None:
    """List the workloads of the suite and their contenders.

    `*` marks what the quick preset races.

    \b
    Examples:
      deadheat list
      deadheat list --suite my-suite --json
    """
    import json

    from deadheat.suite import listing

    workloads = listing.of(options.suite)
    if options.json:
        terminal.line(json.dumps(workloads, indent=2))
        return
    for workload in workloads:
        family = f" (deadheat race {workload['family']})" if workload["family"] else ""
        terminal.line(f"{workload['name']} ({workload['kind']}): {workload['question']}{family}")
        width = max((len(c["id"]) for c in workload["contenders"]), default=0)
        for c in workload["contenders"]:
            mark = "*" if c["default"] else " "
            what = c["title"] if c["language"] in c["title"] else f"{c['title']} ({c['language']})"
            what += f": {c['by']}" if c["by"] else ""
            terminal.line(f"  {mark} {c['id']:<{width}}  {c['class']:<9}  {what}")


COMMAND = command("list", ListOptions, run)
