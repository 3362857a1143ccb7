"""A race on several machines, from beginning to end: start, or resume; then each one's results, and all put
together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from deadheat.app import reports
from deadheat.app.cluster_taken_up import of, taken_up
from deadheat.app.race import code_of
from deadheat.cluster import parts
from deadheat.cluster.connection import connected
from deadheat.cluster.driver import Driver
from deadheat.cluster.machines import Machine, gathered
from deadheat.errors import ExitCode, UserError
from deadheat.export import source
from deadheat.model.cluster import ClusterRun
from deadheat.model.merged import Merged
from deadheat.model.observation import BlockEnded
from deadheat.plan import OURS, Asked
from deadheat.results import machines as merging
from deadheat.results.claimed import Race
from deadheat.storage import run_folder
from deadheat.storage.run_folder import RunFolder
from deadheat.suite.suite import Suite, load
from deadheat.util.files import explained, write_whole
from deadheat.util.interrupt import Stop

CLUSTER, MERGED = "cluster.json", "merged.json"


@dataclass(frozen=True)
class On:
    """Where to race: the cluster's address, how many of its machines (all where None), the labels of who does
    what (none: each loads its own), and what the user answers for."""

    address: str
    machines: int | None = None
    labels: parts.Labels = field(default_factory=parts.Labels)
    remote: bool = False
    unlike: bool = False
    known_different: bool = False


@dataclass(frozen=True)
class RacedOn:
    """What is left of it: a folder that names the machines' runs, all put together (None where there is
    nothing to put together), and the exit code that says so. `why`: what there is not; `unfinished`: blocks
    of some machine are missing that --resume would add."""

    folder: Path
    runs: tuple[RunFolder, ...]
    merged: Merged | None
    code: ExitCode
    why: str | None = None
    unfinished: bool = False


Say = Callable[[str], None]


def start(asked: Asked, suite: Suite, out: Path, on: On, say: Say, warn: Say) -> RacedOn:
    """Gather machines, plan for each, race, put together. Raises UserError."""
    if asked.method != OURS:
        raise UserError("--cluster races by our own method: a study's own figures are of one machine")
    with (
        connected(on.address, remote=on.remote) as ray,
        Stop() as stop,
        gathered(ray, on.machines, say) as (machines, pulse),
    ):
        parts.check(machines, unlike=on.unlike, known_different=on.known_different)
        load: tuple[Machine, ...] = ()
        services: Machine | None = None
        if not on.labels.load:
            plans = parts.plans(asked, suite, machines)
        else:
            roles, plan = parts.apart(machines, on.labels, asked, suite)
            name, load, services = roles.servers.name, roles.load, roles.services
            plans = {name: plan.replaced(run=f"{plan.run}-{name}")}
        racing = [machine for machine in machines if machine.name in plans]
        folders = {
            machine.name: run_folder.create(out, plans[machine.name], machine.about.machine)
            for machine in racing
        }
        name = plans[racing[0].name].run.removesuffix(f"-{racing[0].name}")
        about = ClusterRun(
            run=name,
            command=asked.command,
            unlike=on.unlike,
            known_different=on.known_different,
            runs=tuple(of(machine, folders[machine.name]) for machine in racing),
            load=tuple(one.node.address for one in load),
            services=None if services is None else services.node.address,
        )
        with explained(out):
            (out / name).mkdir(parents=True)
        write_whole(out / name / CLUSTER, about.model_dump_json(by_alias=True, indent=2) + "\n")
        race = Driver(ray, suite, racing, pulse, plans, folders, say, warn, stop, load, services)
        return _raced(race, out, about, stop)


def resume(out: Path, name: str, on: On, say: Say, warn: Say) -> RacedOn:
    """Take a race up on those of its machines that are there, and on others instead of those that are not.
    Raises UserError."""
    about = found(out, name)
    with (
        connected(on.address, remote=on.remote) as ray,
        Stop() as stop,
        gathered(ray, None, lambda _text: None) as (there, pulse),
    ):
        again = taken_up(about, out, there, on.labels, say, warn)
        about = again.about
        write_whole(out / about.run / CLUSTER, about.model_dump_json(by_alias=True, indent=2) + "\n")
        plans = {machine.name: again.folders[machine.name].plan() for machine in again.machines}
        suite = load(Path(plans[again.machines[0].name].suite))
        beside = again.load, again.services
        race = Driver(ray, suite, again.machines, pulse, plans, again.folders, say, warn, stop, *beside)
        return _raced(race, out, about, stop)


def found(out: Path, name: str) -> ClusterRun:
    """A race on several machines by its id or folder. Raises UserError."""
    for folder in (out / name, Path(name)):
        if (folder / CLUSTER).exists():
            return ClusterRun.model_validate_json((folder / CLUSTER).read_bytes())
    raise UserError(f'no race on several machines is called "{name}" in {out}')


def _raced(race: Driver, out: Path, about: ClusterRun, stop: Stop) -> RacedOn:
    folders = tuple(RunFolder(out / one.run) for one in about.runs)
    try:
        race.run()
    finally:
        for folder in folders:
            with suppress(UserError):
                reports.write(folder, None, folder.observations()[0] if folder.journal.exists() else [])
    raced = put_together(out, about, race.failed, stopped=stop.requested)
    return replace(raced, unfinished=stop.requested or bool(race.lost))


def put_together(
    out: Path, about: ClusterRun, failed: Mapping[str, UserError], *, stopped: bool = False
) -> RacedOn:
    """What all machines say, of those that say anything. Raises UserError where none does."""
    folders = tuple(RunFolder(out / one.run) for one in about.runs)
    folder = out / about.run
    if failed and len(failed) == len(folders) and not any(_has_a_block(run) for run in folders):
        raise next(iter(failed.values()))
    told, out_of_it = [], []
    for run in folders:
        read = source.read(run)
        races = {race.key: Race(race.tally, race.result) for race in read.races}
        enough = {key: race for key, race in races.items() if race.result.blocks >= merging.FEWEST_EACH}
        if enough:
            told.append(merging.Run(read.plan, run.machine(), enough))
        else:
            out_of_it.append(run.path.name)
    code = ExitCode.INTERRUPTED if stopped else ExitCode.DONE
    if about.load:
        why = f"it ended with the blocks that it has: {next(iter(failed.values()))}" if failed else None
        return RacedOn(folder, folders, None, code_of(folders[0].results()), why)
    if len(told) < 2:
        why = f"{len(told)} of {len(folders)} machines has {merging.FEWEST_EACH} blocks that count"
        return RacedOn(folder, folders, None, code if stopped else ExitCode.NOTHING_JUDGED, why)
    merged = merging.merge(told, unlike=about.unlike, known_different=about.known_different)
    write_whole(folder / MERGED, merged.model_dump_json(by_alias=True, indent=2) + "\n")
    missing = f"{', '.join(out_of_it)}: too few blocks, left out" if out_of_it else None
    pairs = [pair for race in merged.races for pair in race.pairs]
    if not stopped and pairs and all(pair.these.verdict == "invalid" for pair in pairs):
        code = ExitCode.NOTHING_JUDGED
    return RacedOn(folder, folders, merged, code, missing)


def _has_a_block(folder: RunFolder) -> bool:
    observed = folder.observations()[0] if folder.journal.exists() else []
    return any(isinstance(o, BlockEnded) and o.disturbed is None for o in observed)
