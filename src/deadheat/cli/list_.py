"""deadheat list: workloads and contenders."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from deadheat.cli import options, terminal

if TYPE_CHECKING:
    from deadheat.suite import Suite

NAME = "list"


def run(suite: options.SuiteOption = options.DEFAULT_SUITE, json_: options.JsonOption = False) -> None:
    """List the workloads of the suite and their contenders. `*` marks what the quick preset races.

    \b
    Examples:
      deadheat list
      deadheat list --suite my-suite --json
    """
    from deadheat.suite import load  # noqa: PLC0415

    loaded = load(suite)
    console = terminal.stdout()
    if json_:
        console.file.write(json.dumps(_as_json(loaded), indent=2) + "\n")
        return
    for name, workload in loaded.workloads.items():
        console.print(f"{name} ({workload.kind}): {workload.question}", highlight=False, markup=False)
        width = max((len(c.id) for c in loaded.contenders[name]), default=0)
        for c in loaded.contenders[name]:
            mark = "*" if c.default else " "
            what = c.title if c.language in c.title else f"{c.title} ({c.language})"
            console.out(f"  {mark} {c.id:<{width}}  {c.class_:<9}  {what}")


def _as_json(suite: Suite) -> list[dict[str, object]]:
    return [
        {
            "name": name,
            "kind": workload.kind,
            "question": workload.question,
            "reference": workload.reference,
            "contenders": [
                {
                    "id": c.id,
                    "title": c.title,
                    "language": c.language,
                    "class": c.class_,
                    "default": c.default,
                }
                for c in suite.contenders[name]
            ],
        }
        for name, workload in suite.workloads.items()
    ]
