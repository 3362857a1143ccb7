"""A race from beginning to end, as the command line asks for it: start, or resume; then results."""

from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from deadheat import lock, machine, planning, reports, run_folder
from deadheat.affinity import on_cpus
from deadheat.build import Builder
from deadheat.calibration import store as calibration
from deadheat.errors import ExitCode, UserError
from deadheat.hosts.local import LocalHost
from deadheat.interrupt import Stop
from deadheat.kinds.registry import BY_METHOD, KINDS
from deadheat.live.watch import Watch
from deadheat.model.observation import Observation
from deadheat.model.plan import Plan
from deadheat.model.result import Results
from deadheat.planning import Asked
from deadheat.report.live import View
from deadheat.run_folder import RunFolder
from deadheat.runner import Runner
from deadheat.suite import Suite, load


@dataclass(frozen=True)
class Outcome:
    """What a run left, and the exit code that says so."""

    folder: RunFolder
    results: Results
    code: ExitCode


def start(
    asked: Asked, suite: Suite, out: Path, view: View, watch: Watch | None = None, db: str | None = None
) -> Outcome:
    """Plan, run, derive; `watch` shows it meanwhile, `db` is the history that keeps it. Raises UserError."""
    plan = planned(asked, suite)
    with lock.machine(plan.run):
        folder = run_folder.create(out, plan, machine.describe())
        run_folder.point_latest(out, plan.run)
        with watch.on(folder, plan, view) if watch else nullcontext():
            return _run(plan, suite, folder, [], view, db)


def planned(asked: Asked, suite: Suite) -> Plan:
    """What is run here and now: sized by this machine's calibration, where one holds. Raises UserError."""
    cited = calibration.cited()
    holds = cited is not None and cited.stale is None
    asked = replace(asked, calibration=calibration.current() if holds else None)
    return planning.plan(asked, suite, tuple(KINDS)).model_copy(update={"calibration": cited})


def resume(out: Path, name: str, view: View, watch: Watch | None = None, db: str | None = None) -> Outcome:
    """Take up a run where it was cut off. Raises UserError."""
    folder = run_folder.find(out, name)
    plan = folder.plan()
    suite = load(Path(plan.suite))
    with lock.machine(plan.run):
        observations, torn = folder.observations() if folder.journal.exists() else ([], None)
        if torn:
            view.warn(torn)
        with watch.on(folder, plan, view) if watch else nullcontext():
            return _run(plan, suite, folder, observations, view, db)


def _run(
    plan: Plan,
    suite: Suite,
    folder: RunFolder,
    observations: list[Observation],
    view: View,
    db: str | None,
) -> Outcome:
    with Stop() as stop, LocalHost() as host:
        builder = Builder(host, stop)
        runner = Runner(plan, suite, folder, BY_METHOD, host, view, stop, observations, builder)
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
        if results.stopped is None:
            # Only now: a database's library has no place in the memory of a process that measures.
            from deadheat.history import store  # noqa: PLC0415

            store.record_finished(results, folder.path, view.warn, db)
    return Outcome(folder, results, _code(results))


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


def _code(results: Results) -> ExitCode:
    if results.stopped:
        return ExitCode.INTERRUPTED
    rows = [row for workload in results.workloads for row in workload.contenders]
    if not any(row.status == "measured" for row in rows):
        return ExitCode.NOTHING_MEASURED
    # A study's own method gives single figures: nothing there could ever be settled.
    settling = [workload for workload in results.workloads if workload.method == "deadheat"]
    verdicts = [v.verdict for workload in settling for v in workload.verdicts]
    if settling and not verdicts and any(row.status == "failed" for row in rows):
        return ExitCode.NOTHING_MEASURED  # the reference alone is no race
    if verdicts and not any(v in ("faster", "dead heat") for v in verdicts):
        return ExitCode.NOTHING_SETTLED
    return ExitCode.DONE
