"""A calibration from beginning to end: the pilot, then race after race until the time is up."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from deadheat.calibration import servers, steps, store, summary
from deadheat.calibration.stand import Stand
from deadheat.calibration.steps import Step
from deadheat.errors import ExitCode, UserError
from deadheat.hosts.affinity import on_cpus
from deadheat.hosts.held import this_host, this_machine
from deadheat.model.calibration import Calibration, CalibrationRace
from deadheat.util.interrupt import InterruptedRunError

PILOT = Step("pilot", "pilot", blocks=3, rounds=3)
# What an iteration costs, apart from all races: counted from a fifth of a second on, in turns that are long
# for a server of 40 us and short for a machine whose speed changes from one second to the next.
LONG_RUNS = Step("long-runs", "pilot", blocks=8, rounds=4, lead_in_ms=200, counted_ms=500, to_the_end=True)
Say = Callable[[str], None]


@dataclass(frozen=True)
class CampaignPlan:
    """What a campaign is to do. `races` is where they are kept."""

    budget_s: float | None
    full: bool
    fresh: bool
    races: Path
    server_cpus: tuple[int, ...]
    generator_cpus: tuple[int, ...]
    seed: int | None = None


@dataclass(frozen=True)
class Campaign:
    """What the races so far add up to (None without one of identical servers)."""

    calibration: Calibration | None
    races: list[CalibrationRace]
    interrupted: bool
    complete: bool


def run(plan: CampaignPlan, say: Say) -> Campaign:
    """Race until the budget is spent, all is done, or somebody stops it; whatever was raced is kept.

    Raises UserError.
    """
    here = store.of_host(this_host())
    if plan.fresh:
        plan.races.unlink(missing_ok=True)
    races = store.read_races(plan.races)
    if races and races[-1].machine != here:
        raise UserError(
            f"{plan.races}: holds races of another machine or kernel ({races[-1].machine.kernel})",
            hint="deadheat calibrate --fresh starts over",
        )
    if races:
        say(f"going on after {len(races)} races in {plan.races}")
    interrupted = False
    deadline_s = None if plan.budget_s is None else time.monotonic() + plan.budget_s
    with (
        this_machine("calibration") as (host, stop),
        tempfile.TemporaryDirectory(prefix="deadheat-calibration-") as scratch,
        on_cpus(plan.generator_cpus),
    ):
        stand = Stand(host, stop, Path(scratch), plan.server_cpus, plan.generator_cpus, here)
        rng = random.Random(plan.seed)
        try:
            complete = _race(stand, plan, races, rng, deadline_s, say)
        except (InterruptedRunError, KeyboardInterrupt):
            interrupted, complete = True, False
    calibration = summary.summarise(races)
    if calibration is not None and not plan.full:
        store.write(calibration)
    return Campaign(calibration, races, interrupted, complete)


def _race(
    stand: Stand,
    plan: CampaignPlan,
    races: list[CalibrationRace],
    rng: random.Random,
    deadline_s: float | None,
    say: Say,
) -> bool:
    """Step after step; whether all of them are done."""
    stand.cost = _cost(stand, plan, races, rng, say)
    stand.iterations = servers.planted(stand.cost, {*steps.DIFFERENCES, *steps.FULL_DIFFERENCES})
    for step in _left(plan, races):
        if deadline_s is not None and time.monotonic() + step.estimated_s > deadline_s:
            return False
        race = _keep(stand, step, plan, races, rng)
        say(_line(race, None if deadline_s is None else deadline_s - time.monotonic()))
    return True


def _cost(
    stand: Stand, plan: CampaignPlan, races: list[CalibrationRace], rng: random.Random, say: Say
) -> servers.Cost:
    """What a counted iteration costs: a pilot says how many servers are to do, long runs what each takes."""

    def raced(step: Step, plain: int, twin: int) -> CalibrationRace:
        done = next((race for race in races if race.step == step.name), None)
        if done is None:
            say(f"{step.name}: what an iteration of work costs")
            stand.iterations = {servers.PLAIN: plain, servers.TWIN: twin}
            done = _keep(stand, step, plan, races, rng)
        return done

    try:
        first = raced(PILOT, *servers.PILOT)
        if first.cpu_us is None or first.by_cpu is None:
            raise UserError("the CPU time of the calibration's servers cannot be read here")
        plain = servers.enough(first.cpu_us[0], first.cpu_us[0] * first.by_cpu)
        long = raced(LONG_RUNS, plain, servers.more(plain))
        return servers.cost(long.iterations, long.ratio, long.ci or (0.0, long.ratio))
    except ValueError as error:
        raise UserError(
            str(error), hint="deadheat calibrate --fresh at a quieter hour", code=ExitCode.NOTHING_MEASURED
        ) from error


def _left(plan: CampaignPlan, races: list[CalibrationRace]) -> Iterator[Step]:
    done = {race.step for race in races}
    return (step for step in (steps.full() if plan.full else steps.usual()) if step.name not in done)


def _keep(
    stand: Stand, step: Step, plan: CampaignPlan, races: list[CalibrationRace], rng: random.Random
) -> CalibrationRace:
    race = stand.race(step, rng.randrange(10_000))
    store.append(plan.races, race)
    races.append(race)
    return race


def _line(race: CalibrationRace, left_s: float | None) -> str:
    """`planted-3%-0    1.031 (1.012 to 1.050), truth 1.030: faster, 22 s; 7:10 left`."""
    interval = "no interval" if race.ci is None else f"{race.ci[0]:.3f} to {race.ci[1]:.3f}"
    truth = "" if race.truth is None or not race.planted else f", truth {race.truth:.3f}"
    noisy = " beside a neighbour" if race.neighbour else ""
    left = "" if left_s is None else f"; {max(0, int(left_s)) // 60}:{max(0, int(left_s)) % 60:02d} left"
    found = f"{race.ratio:.3f} ({interval}){truth}: {race.verdict}{noisy}"
    return f"{race.step:<16} {found}, {race.seconds:.0f} s{left}"
