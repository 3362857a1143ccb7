"""A race from beginning to end, as the command line asks for it: start, or resume; then results."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from deadheat import plan as planning
from deadheat.app import own_database, reports
from deadheat.build.builder import Builder
from deadheat.calibration import store as calibration
from deadheat.errors import ExitCode, UserError
from deadheat.hosts import Host
from deadheat.hosts.affinity import on_cpus
from deadheat.hosts.held import this_host, this_machine
from deadheat.hosts.machine import WINDOW_S
from deadheat.kinds.registry import KINDS
from deadheat.live.watch import Watch
from deadheat.model.observation import Observation
from deadheat.model.past import PastRace
from deadheat.model.plan import Plan, RacePlan, contenders_of
from deadheat.model.result import RaceResult, Results
from deadheat.plan import OURS, Asked
from deadheat.plan import past as planned_past
from deadheat.results import derive, past
from deadheat.run import more as going_further
from deadheat.run import resume as resuming
from deadheat.run.progress import View
from deadheat.run.runner import Runner
from deadheat.storage import past_races, run_folder
from deadheat.storage.run_folder import RunFolder
from deadheat.studies.drivers import DRIVERS
from deadheat.studies.registry import DERIVERS, PLANNERS
from deadheat.suite.facts import facts_of
from deadheat.suite.suite import Suite, load
from deadheat.util.interrupt import Stop


@dataclass(frozen=True)
class Raced:
    """What a run left, the exit code that says so, and up to how many blocks its races may go on, by key."""

    folder: RunFolder
    results: Results
    code: ExitCode
    more: Mapping[str, int]


def start(
    asked: Asked,
    suite: Suite,
    out: Path,
    view: View,
    watch: Watch | None = None,
    db: str | None = None,
    *,
    db_url: str | None = None,
    remote: bool = False,
) -> Raced:
    """Plan, run, derive; `watch` shows it meanwhile, `db` is the history that keeps it. `db_url` is the
    PostgreSQL that contenders are raced against, `remote` whether it may be another machine's. Raises
    UserError."""
    plan = planned(asked, suite, db_url=db_url, remote=remote)
    with this_machine(plan.run) as (host, stop):
        folder = run_folder.create(out, plan, host.machine(WINDOW_S).to_dict())
        run_folder.point_latest(out, plan.run)
        with watch.on(folder, plan, view) if watch else nullcontext():
            return _run(plan, suite, folder, [], view, db, host, stop, db_url=db_url)


def planned(asked: Asked, suite: Suite, *, db_url: str | None = None, remote: bool = False) -> Plan:
    """What is run here and now: sized by this machine's calibration, where one holds; against the PostgreSQL
    of a URL, which is looked at. Raises UserError."""
    cited = calibration.cited()
    holds = cited is not None and cited.stale is None
    here = _in_words(this_host())
    asked = replace(
        asked,
        calibration=calibration.current() if holds else None,
        past=tuple(race for race in past_races.read() if race.machine == here),
    )
    plan = planning.plan(asked, suite, tuple(KINDS), PLANNERS)
    if db_url is not None:
        raced = [suite.workloads[race.workload] for race in plan.workloads]
        own = own_database.looked(raced, db_url, remote=remote)
        plan = planning.plan(replace(asked, own_database=own), suite, tuple(KINDS), PLANNERS)
    return plan.replaced(calibration=cited)


def resume(
    out: Path,
    name: str,
    view: View,
    watch: Watch | None = None,
    db: str | None = None,
    *,
    more: bool = False,
    db_url: str | None = None,
) -> Raced:
    """Take up a run where it was cut off, or with `more` beyond its planned end. Raises UserError."""
    folder = run_folder.find(out, name)
    plan = folder.plan()
    suite = load(Path(plan.suite))
    resuming.same_kernel(folder.machine(), this_host().machine(window_s=0).kernel)
    resuming.same_suite(plan.facts, facts_of(suite, contenders_of(plan.workloads)))
    db_url = own_database.taken_up(plan, db_url)
    with this_machine(plan.run) as (host, stop):
        observations, torn = folder.observations() if folder.journal.exists() else ([], None)
        if torn:
            view.warn(torn)
        found = derive.results(plan, folder.machine(), observations, DERIVERS) if more else None
        added = going_further.of_run(plan, found) if found is not None else {}
        with watch.on(folder, plan, view) if watch else nullcontext():
            return _run(plan, suite, folder, observations, view, db, host, stop, added, db_url=db_url)


def _run(
    plan: Plan,
    suite: Suite,
    folder: RunFolder,
    observations: list[Observation],
    view: View,
    db: str | None,
    host: Host,
    stop: Stop,
    more: Mapping[str, int] | None = None,
    *,
    db_url: str | None = None,
) -> Raced:
    builder, here = Builder(host, stop), _in_words(host)

    def begins(race: RacePlan) -> None:
        if race.method == OURS:
            _remember([planned_past.begun(race, plan.run, plan.started, here)], view)

    runner = Runner(
        plan,
        suite,
        folder,
        DRIVERS,
        host,
        view,
        stop,
        observations,
        builder,
        DERIVERS,
        begins,
        more or {},
        db_url=db_url,
    )
    own_database.known_to(host, plan, folder.logs, view.warn)
    _warn_of_shared_cpus(plan, view)
    try:
        with on_cpus(plan.generator_cpus):
            runner.run()
    except BaseException:
        # That the results cannot be written either (a full disk) is only the echo of what went wrong.
        with suppress(UserError):
            reports.write(folder, suite, runner.observations)
        raise
    results = reports.write(folder, suite, runner.observations)
    _remember(past.of_run(plan, results, runner.observations, here), view)
    if results.stopped is None:
        # Only now: a database's library has no place in the memory of a process that measures.
        from deadheat.history import store

        store.record_finished(results, folder.path, view.warn, db)
    return Raced(folder, results, code_of(results), going_further.open_races(plan, results))


def _remember(races: Sequence[PastRace], view: View) -> None:
    """Write to this machine's ledger; that it cannot be written costs no results."""
    try:
        past_races.add(races)
    except UserError as error:
        view.warn(error.message)


def _in_words(host: Host) -> str:
    """What ratios depend on."""
    here = calibration.of_host(host)
    return f"{here.cpu_model}, {here.cores} cores"


def _warn_of_shared_cpus(plan: Plan, view: View) -> None:
    if all(race.outside is not None for race in plan.workloads):
        return  # a study's own method pins nothing, and its results say so
    shared = sorted(set(plan.server_cpus) & set(plan.generator_cpus))
    if shared:
        view.warn(
            f"servers, load generator and referee share CPU {', '.join(map(str, shared))}: programs can be "
            "compared, but a server's throughput is that of it and the generator together, and their ratios "
            "lie nearer to 1 than they are; race on two CPUs or more"
        )


def code_of(results: Results) -> ExitCode:
    """What a run ends with. A pair that was not settled is an answer like others; 4 is for a run without any
    verdict that holds: too few blocks that count, or a broken gate of the race."""
    if results.stopped:
        return ExitCode.INTERRUPTED
    rows = [row for workload in results.workloads for row in workload.contenders]
    if not any(row.status == "measured" for row in rows):
        disturbed = any(race.too_disturbed for race in results.workloads)
        return ExitCode.NOTHING_JUDGED if disturbed else ExitCode.NOTHING_MEASURED
    # A study's own method gives single figures: nothing there could ever be settled.
    settling = [workload for workload in results.workloads if workload.method == "deadheat"]
    judged = [workload for workload in settling if workload.verdicts]
    if settling and not judged and any(row.status == "failed" for row in rows):
        return ExitCode.NOTHING_MEASURED  # the reference alone is no race
    if judged and not any(map(_holds, judged)):
        return ExitCode.NOTHING_JUDGED
    return ExitCode.DONE


def _holds(race: RaceResult) -> bool:
    enough = all(gate.ok for gate in race.gates if gate.name == "enough-blocks")
    return enough and any(verdict.verdict != "invalid" for verdict in race.verdicts)
