"""deadheat doctor: is everything here, and is this machine fit to measure on?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from deadheat.cli import terminal
from deadheat.cli.command import command
from deadheat.cli.options import Json, SuiteFolder
from deadheat.errors import UserError

if TYPE_CHECKING:
    from deadheat.hosts import Host
    from deadheat.hosts.fitness import Fitness
    from deadheat.suite.suite import Suite

WINDOW_S = 2.0


@dataclass(frozen=True, kw_only=True)
class DoctorOptions(SuiteFolder, Json):
    pass


@dataclass(frozen=True)
class _Need:
    """A toolchain that contenders ask for, and who does."""

    need: str
    version: str | None
    problem: str | None
    contenders: tuple[str, ...]


def run(options: DoctorOptions) -> None:
    """Say whether this machine is fit to measure on.

    And whether containers can be raced, frozen and metered here, and which toolchains are missing or too old.

    \b
    Examples:
      deadheat doctor
      deadheat doctor --json
    """
    import json

    from rich.text import Text

    from deadheat.hosts import fitness
    from deadheat.hosts.cpus import default_cpus
    from deadheat.hosts.held import this_host
    from deadheat.suite.suite import load

    host = this_host()
    here, cores = host.machine(WINDOW_S), host.cores()
    checks = [*fitness.checks(here, default_cpus(cores), cores), _containers(host)]
    host.close()
    needs = list(_needs(host, load(options.suite)))
    if options.json:
        shown = {
            "machine": here.to_dict(),
            "checks": [asdict(check) for check in checks],
            "toolchains": [asdict(need) for need in needs],
        }
        terminal.line(json.dumps(shown, indent=2))
        return
    console = terminal.stdout()
    for check in checks:
        line = check.show + (f"; {check.advice}" if check.advice else "")
        mark = ("✓", "green") if check.ok else ("!", "yellow")
        console.print(Text.assemble(mark, " ", line), soft_wrap=True, highlight=False)
    for need in needs:
        mark = ("✓", "green") if need.problem is None else ("✗", "red")
        line = f"{need.need}: {need.version}" if need.problem is None else need.problem
        console.print(Text.assemble(mark, f" {line}  ({_who(need)})"), soft_wrap=True, highlight=False)


def _containers(host: Host) -> Fitness:
    """Whether they can be raced, frozen and metered here: one is tried. They are never required."""
    from deadheat.hosts import container_probe
    from deadheat.hosts.container_engine import NoContainerEngineError
    from deadheat.hosts.fitness import Fitness

    try:
        found = container_probe.probe(host)
    except NoContainerEngineError as error:
        return Fitness("containers", error.absent, f"containers cannot be raced: {error.message}", error.hint)
    except UserError as error:
        return Fitness("containers", False, f"containers cannot be raced: {error.message}", error.hint)
    frozen = f"frozen by {found.frozen_by}" if found.frozen_by is not None else "not frozen"
    seen = f"containers of {found.engine}: {frozen}, metered by {found.metered_by}"
    if found.frozen_by is not None and found.metered_by != "processes":
        return Fitness("containers", True, seen)
    return Fitness(
        "containers", False, seen, "run as root, or let the user have cgroups of its own (Delegate=yes)"
    )


def _needs(host: Host, suite: Suite) -> Iterator[_Need]:
    """Every need of the suite held against this machine, with the contenders that have it."""
    from deadheat.build import toolchain

    who: dict[str, list[str]] = {}
    for name, contenders in suite.contenders.items():
        for contender in contenders:
            for need in contender.needs:
                who.setdefault(need, []).append(f"{name}/{contender.id}")
    for need in sorted(who):
        probed = toolchain.probe(host, need)
        yield _Need(need, probed.version, probed.problem, tuple(who[need]))


def _who(need: _Need) -> str:
    workloads = dict.fromkeys(contender.split("/")[0] for contender in need.contenders)
    count = len(need.contenders)
    return f"{', '.join(workloads)}: {count} contender{'s' if count != 1 else ''}"


COMMAND = command("doctor", DoctorOptions, run, linux=True)
