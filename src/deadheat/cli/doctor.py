"""deadheat doctor: is everything here, and is this machine fit to measure on?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from deadheat.cli import options, terminal

if TYPE_CHECKING:
    from deadheat.suite import Suite

NAME = "doctor"
WINDOW_S = 2.0


@dataclass(frozen=True)
class _Need:
    """A toolchain that contenders ask for, and who does."""

    need: str
    version: str | None
    problem: str | None
    contenders: tuple[str, ...]


def run(suite: options.SuiteOption = options.DEFAULT_SUITE, json_: options.JsonOption = False) -> None:
    """Say whether this machine is fit to measure on, and which toolchains are missing or too old.

    \b
    Examples:
      deadheat doctor
      deadheat doctor --json
    """
    from rich.text import Text  # noqa: PLC0415

    from deadheat import fitness, machine  # noqa: PLC0415
    from deadheat.suite import load  # noqa: PLC0415

    here = machine.read(window_s=WINDOW_S)
    checks = fitness.checks(here, machine.default_cpus())
    needs = list(_needs(load(suite)))
    console = terminal.stdout()
    if json_:
        found = {
            "machine": here.to_dict(),
            "checks": [asdict(check) for check in checks],
            "toolchains": [asdict(need) for need in needs],
        }
        console.file.write(json.dumps(found, indent=2) + "\n")
        return
    for check in checks:
        line = check.show + (f"; {check.advice}" if check.advice else "")
        mark = ("✓", "green") if check.ok else ("!", "yellow")
        console.print(Text.assemble(mark, " ", line), soft_wrap=True, highlight=False)
    for need in needs:
        mark = ("✓", "green") if need.problem is None else ("✗", "red")
        line = f"{need.need}: {need.version}" if need.problem is None else need.problem
        console.print(Text.assemble(mark, f" {line}  ({_who(need)})"), soft_wrap=True, highlight=False)


def _needs(suite: Suite) -> Iterator[_Need]:
    """Every need of the suite held against this machine, with the contenders that have it."""
    from deadheat import toolchain  # noqa: PLC0415

    who: dict[str, list[str]] = {}
    for name, contenders in suite.contenders.items():
        for contender in contenders:
            for need in contender.needs:
                who.setdefault(need, []).append(f"{name}/{contender.id}")
    for need in sorted(who):
        found = toolchain.probe(need)
        yield _Need(need, found.version, found.problem, tuple(who[need]))


def _who(need: _Need) -> str:
    workloads = dict.fromkeys(contender.split("/")[0] for contender in need.contenders)
    count = len(need.contenders)
    return f"{', '.join(workloads)}: {count} contender{'s' if count != 1 else ''}"
