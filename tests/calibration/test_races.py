"""A calibration end to end, with real servers and races as short as they get. What they find is chance."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deadheat.calibration import races, servers, stand, steps, store
from deadheat.calibration.races import CampaignPlan
from deadheat.calibration.steps import Step
from deadheat.errors import UserError
from deadheat.hosts.cpus import default_cpus
from deadheat.hosts.held import this_host
from deadheat.model.observation import Observation, WarmedUp
from deadheat.model.plan import Plan
from deadheat.stats import steady
from deadheat.suite.suite import Suite
from deadheat.util.interrupt import InterruptedRunError


def tiny(name: str, planted: float = 0.0, *, neighbour: bool = False) -> Step:
    kind = "planted" if planted else "identical"
    return Step(name, kind, 2, 2, planted=planted, neighbour=neighbour)  # type: ignore[arg-type]


TINY = (tiny("identical-0"), tiny("identical-1", neighbour=True), tiny("planted-10%-0", 0.1))


# A thousandth of a request in a hundred iterations.
COST = servers.Cost(8_000, 1e-5, (0.9e-5, 1.1e-5))


def known(*args: Any) -> stand.Stand:
    """As behind some races: nobody's warm-up has to be watched."""
    made = stand.Stand(*args)
    for name in (servers.PLAIN, servers.TWIN, *map(servers.slower, steps.DIFFERENCES)):
        made.needed_s[name] = [0.0] * steady.WATCHED
    return made


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CampaignPlan]:
    monkeypatch.setenv("DEADHEAT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DEADHEAT_LOCK", str(tmp_path / "lock"))
    monkeypatch.setattr(races, "PILOT", Step("pilot", "pilot", 2, 2))
    monkeypatch.setattr(races, "LONG_RUNS", Step("long-runs", "pilot", 2, 2))
    # Two blocks of a busy machine may say anything of how much work makes a difference.
    monkeypatch.setattr(servers, "enough", lambda _few, _many: 8_000)
    monkeypatch.setattr(servers, "cost", lambda _ns, _ratio, _ci: COST)
    monkeypatch.setattr(
        servers,
        "planted",
        lambda of, ds: {"plain": of.plain, "twin": of.plain} | {servers.slower(d): 2 * of.plain for d in ds},
    )
    monkeypatch.setattr(steps, "usual", lambda: iter(TINY))
    monkeypatch.setattr(races, "Stand", known)
    cpus = default_cpus(this_host().cores())
    before = os.sched_getaffinity(0)
    yield CampaignPlan(None, False, False, tmp_path / "races.jsonl", cpus.servers, cpus.generators, seed=1)
    assert os.sched_getaffinity(0) == before


def test_every_step_is_raced_and_kept(plan: CampaignPlan) -> None:
    said: list[str] = []
    outcome = races.run(plan, said.append)
    assert outcome.complete and not outcome.interrupted
    kept = store.read_races(plan.races)
    assert [race.step for race in kept] == ["pilot", "long-runs", *(step.name for step in TINY)]
    assert kept == outcome.races
    for race in kept:
        assert len(race.effects) == 2 and race.ratio > 0 and race.load_s > 0
        assert race.by_cpu is not None and race.cpu_us is not None
        assert (race.truth is None) == (race.kind == "pilot") and race.truth_by == "counting"
        assert race.ci is not None and race.ci[0] < race.ratio < race.ci[1]
    # Twice the work: whatever the machine does, that is seen.
    assert kept[-1].iterations == (8_000, 16_000)
    assert kept[-1].by_cpu is not None and kept[-1].by_cpu > 1
    # The truth is counted, whatever this race measured.
    assert (kept[2].truth, kept[2].truth_ci) == (1.0, (1.0, 1.0))
    assert (kept[-1].truth, kept[-1].truth_ci) == (1.08, (1.072, 1.088))
    assert outcome.calibration is not None and store.current() == outcome.calibration
    assert any(line.startswith("planted-10%-0") for line in said)


def test_a_server_whose_warm_up_is_known_is_not_watched_again(
    plan: CampaignPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched: list[list[str]] = []
    real = stand.Stand._run

    def run(self: stand.Stand, plan: Plan, suite: Suite) -> list[Observation]:
        observed = real(self, plan, suite)
        watched.append([o.entry for o in observed if isinstance(o, WarmedUp) and o.watched])
        return observed

    monkeypatch.setattr(stand.Stand, "_run", run)
    monkeypatch.setattr(races, "Stand", stand.Stand)
    monkeypatch.setattr(steps, "usual", lambda: (tiny(f"identical-{number}") for number in range(3)))
    races.run(plan, lambda _: None)
    # The pilot's two starts, and as many of the long runs: at least three are known of each.
    assert watched[0][:2] in (["plain", "twin"], ["twin", "plain"])
    assert watched[-3:] == [[], [], []]


def test_stopped_it_keeps_what_it_has_and_goes_on_from_there(
    plan: CampaignPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, left = stand.Stand.race, itertools.count()

    def stopped(self: stand.Stand, step: Step, seed: int) -> object:
        if next(left) == 3:
            raise InterruptedRunError
        return real(self, step, seed)

    monkeypatch.setattr(stand.Stand, "race", stopped)
    first = races.run(plan, lambda _: None)
    assert first.interrupted and len(first.races) == 3
    assert first.calibration is not None  # of the one race of identical servers there is
    second = races.run(plan, lambda _: None)
    assert not second.interrupted and second.complete
    assert second.races[:3] == first.races
    assert [race.step for race in second.races[3:]] == [step.name for step in TINY[1:]]


def test_a_budget_that_holds_no_more_races_ends_it(plan: CampaignPlan) -> None:
    outcome = races.run(CampaignPlan(**{**vars(plan), "budget_s": 0.1}), lambda _: None)
    assert not outcome.complete and outcome.calibration is None
    assert [race.kind for race in outcome.races] == ["pilot", "pilot"]


def test_races_of_another_machine_are_not_mixed_in(
    plan: CampaignPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    races.run(CampaignPlan(**{**vars(plan), "budget_s": 0.1}), lambda _: None)
    elsewhere = store.of_host(this_host()).model_copy(update={"kernel": "9.9"})
    monkeypatch.setattr(store, "of_host", lambda _host: elsewhere)
    with pytest.raises(UserError, match="another machine or kernel"):
        races.run(plan, lambda _: None)
