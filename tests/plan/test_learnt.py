"""What a ledger says of contenders: how long they warm up, how they vary, and what a plan makes of it."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace
from pathlib import Path

import pytest

from deadheat import plan as planning
from deadheat.model.observation import Interference, Slice, WarmedUp
from deadheat.model.past import PastRace, Variances
from deadheat.model.plan import RacePlan
from deadheat.plan import Asked, learnt
from deadheat.report import planned
from deadheat.results import derive
from deadheat.results import past as results_past
from deadheat.stats.estimate import t_quantile
from deadheat.suite.suite import Suite, load
from tests.made import observed

SUITE = Path(__file__).parents[2] / "suite"
GO, JAVA = "go-net-http", "java-jdk"
ASKED = Asked(workloads=("http-hello",), contenders=(JAVA,), seed=1, preset="standard")


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load(SUITE)


def line(number: int, spread: dict[str, tuple[float, float]], blocks: int = 8, **changed: object) -> PastRace:
    """A race whose contenders have these standard deviations, of starts and of rounds."""
    of = {
        "run": f"r{number}", "started": "2026-01-01T00:00:00Z", "machine": "m", "workload": "http-hello",
        "kind": "http", "method_version": 2, "rests": True, "compilers_apart": True,
        "starts": dict.fromkeys(spread, (0.0,) * blocks),
        "spread": {id_: Variances(starts=a**2, rounds=b**2) for id_, (a, b) in spread.items()},
    }  # fmt: skip
    return PastRace.model_validate(of | changed)


def ledger(start_sd: float, round_sd: float, races: int = 5) -> tuple[PastRace, ...]:
    return tuple(line(n, {GO: (0.01, 0.05), JAVA: (start_sd, round_sd)}) for n in range(races))


def one(asked: Asked, suite: Suite) -> RacePlan:
    (race,) = planning.plan(asked, suite, ("http",)).workloads
    return race


def test_contenders_whose_starts_differ_get_more_blocks_and_those_whose_rounds_do_more_rounds(
    suite: Suite,
) -> None:
    starts = one(replace(ASKED, past=ledger(0.10, 0.05)), suite)
    rounds = one(replace(ASKED, past=ledger(0.001, 0.30)), suite)
    assert starts.blocks > rounds.blocks and starts.rounds < rounds.rounds


def test_by_their_own_spread_the_expected_interval_is_never_wider_than_by_the_calibrations(
    suite: Suite,
) -> None:
    """A JVM's starts, sized by a burner's: the reason why the calibration alone does not do."""
    known = learnt.spread(one(ASKED, suite), {GO: Variances(starts=1e-4, rounds=2.5e-3),
                                              JAVA: Variances(starts=0.01, rounds=2.5e-3)})  # fmt: skip
    assert known is not None

    def half_width(of: RacePlan) -> float:
        error = math.sqrt((known.starts + known.rounds / of.rounds) / of.blocks)
        return t_quantile(0.95, of.blocks - 1) * error

    own = one(replace(ASKED, past=ledger(0.10, 0.05)), suite)
    assert half_width(own) < half_width(one(ASKED, suite))
    assert planning.estimated_s(own, ASKED) <= 1.05 * planning.estimated_s(one(ASKED, suite), ASKED)


def test_a_race_is_sized_by_what_it_is_judged_by(suite: Suite) -> None:
    """Throughput's starts differ, CPU time's do not: who is judged by the latter needs no more blocks."""
    by_rate = ledger(0.10, 0.05)
    by_cpu = tuple(one_.replaced(setting="by=cpu") for one_ in ledger(0.001, 0.30))
    sizes = {
        by: one(replace(ASKED, judged_by=by, past=(*by_rate, *by_cpu)), suite) for by in ("throughput", "cpu")
    }
    assert sizes["throughput"].blocks > sizes["cpu"].blocks
    assert sizes["cpu"].blocks == one(replace(ASKED, judged_by="cpu", past=by_cpu), suite).blocks


def test_a_few_starts_or_those_of_the_reference_alone_size_nothing(suite: Suite) -> None:
    usual = one(ASKED, suite)
    for past in (ledger(0.10, 0.05, races=2), tuple(line(n, {GO: (0.1, 0.05)}) for n in range(5))):
        found = one(replace(ASKED, past=past), suite)
        assert (found.blocks, found.rounds) == (usual.blocks, usual.rounds)


def test_variances_weigh_by_starts_and_only_those_of_the_same_race_count(suite: Suite) -> None:
    race = one(ASKED, suite)
    known = [line(1, {GO: (0.1, 0.2)}, blocks=30), line(2, {GO: (0.2, 0.4)}, blocks=10)]
    others = [line(3, {GO: (9.0, 9.0)}, workload="other"), line(4, {GO: (9.0, 9.0)}, method_version=1),
              line(5, {GO: (9.0, 9.0)}, cold=True), line(6, {GO: (9.0, 9.0)}, setting="x")]  # fmt: skip
    found = learnt.variances(race, [*others, *known])[GO]
    assert found.starts == pytest.approx((30 * 0.01 + 10 * 0.04) / 40)
    assert found.rounds == pytest.approx((30 * 0.04 + 10 * 0.16) / 40)


def test_the_reference_is_entered_twice_and_brings_half(suite: Suite) -> None:
    own = Variances(starts=0.04, rounds=0.02)
    found = learnt.spread(one(ASKED, suite), {GO: own, JAVA: own})
    assert found is not None and (found.starts, found.rounds) == pytest.approx((0.06, 0.03))


def test_what_a_contender_needed_to_warm_up_is_planned_for_and_said(suite: Suite) -> None:
    past = tuple(line(n, {}, needed_s={JAVA: (12.0 + n,), GO: (0.4,)}) for n in range(3))
    past += (line(9, {}, needed_s={JAVA: ()}), line(10, {}, needed_s={JAVA: (29.0,)}, compilers_apart=False))
    usual, warm = (one(asked, suite) for asked in (ASKED, replace(ASKED, past=past)))
    assert planning.estimated_s(replace_size(warm, usual), replace(ASKED, past=past)) == pytest.approx(
        planning.estimated_s(usual, ASKED) + usual.blocks * ((14.0 - 0.5) + 2 * (0.8 - 0.5))
    )
    plan = planning.plan(replace(ASKED, past=past), suite, ("http",))
    said = "\n".join(planned.sentences(plan))
    assert "java-jdk warms up 13 s a start" in said and "go-net-http warms up" not in said
    assert warm.past is not None and warm.past.warm_up_s == {GO: 0.4, JAVA: 13.0}
    assert warm.past.watched == {GO: 3, JAVA: 3}


def test_how_much_longer_than_planned_blocks_took_is_in_the_time_and_in_a_budget(suite: Suite) -> None:
    past = tuple(line(n, {}, overrun=overrun) for n, overrun in enumerate((None, 2.0, 3.0, 9.0)))
    usual, slow = (one(asked, suite) for asked in (ASKED, replace(ASKED, past=past)))
    assert (slow.blocks, slow.rounds) == (usual.blocks, usual.rounds)
    assert slow.estimated_s == pytest.approx(3 * (usual.estimated_s or 0), abs=0.2)
    said = "\n".join(planned.sentences(planning.plan(replace(ASKED, past=past), suite, ("http",))))
    assert "blocks took 3.0 times as long as planned in earlier races" in said
    limited = replace(ASKED, preset="quick", budget_s=120.0)
    assert one(replace(limited, past=past), suite).estimated_s == pytest.approx(120, rel=0.3)


def test_no_race_is_taken_to_be_shorter_than_planned(suite: Suite) -> None:
    quick = replace(ASKED, past=(line(1, {}, overrun=0.5),))
    assert one(quick, suite).estimated_s == one(ASKED, suite).estimated_s


def replace_size(race: RacePlan, of: RacePlan) -> RacePlan:
    return race.replaced(blocks=of.blocks, rounds=of.rounds, measured=of.measured)


def test_who_sized_a_race_is_said(suite: Suite) -> None:
    plan = planning.plan(replace(ASKED, past=ledger(0.10, 0.05)), suite, ("http",))
    said = "\n".join(planned.sentences(plan))
    assert "how its own starts differed in earlier races: go-net-http 1.0%, java-jdk 10.0%" in said
    assert "own starts differed" not in "\n".join(planned.sentences(planning.plan(ASKED, suite, ("http",))))


def test_a_race_leaves_the_spread_that_was_planted_and_its_warm_ups(tmp_path: Path) -> None:
    """Starts differ by 1% and rounds by 5% / sqrt(2), which is what observed.observations draws."""
    race = observed.race(blocks=60, rounds=10).replaced(estimated_s=600.0)
    seen = observed.observations(race, noise=0.05)
    seen[-1:-1] = [
        WarmedUp(race=race.key, block=59, entry=entry, loaded_s=9, needed_s=s, watched=watched, rising=False)
        for entry, s, watched in (
            ("slow", 4, True),
            ("slow'", 6, True),
            ("slow", 1, False),
            ("fast", 0.5, True),
        )
    ]
    plan = observed.plan(race, observed.suite(tmp_path))
    (left,) = results_past.of_run(plan, derive.results(plan, {}, seen), seen, "m")
    assert left.needed_s == {"slow": (4.0, 6.0), "fast": (0.5,)}
    # Of each entry what its warm-ups take beyond the shortest is time that a plan may know of.
    walls = [seen_.wall_ns / 1e9 for seen_ in seen if isinstance(seen_, Interference)]
    shortest_s = race.slices.warm_up_ms / 1000
    known_s = (race.estimated_s or 0) / race.blocks + 2 * (6.0 - shortest_s) + max(0.0, 1.0 - shortest_s)
    assert left.overrun == pytest.approx(statistics.median(walls) / known_s, rel=1e-3)
    for id_ in ("slow", "fast"):
        assert math.sqrt(left.spread[id_].starts) == pytest.approx(0.01, rel=0.5)
        assert math.sqrt(left.spread[id_].rounds) == pytest.approx(0.05 / math.sqrt(2), rel=0.15)


def test_it_leaves_the_spread_of_what_it_is_judged_by(tmp_path: Path) -> None:
    """Rates differ between starts and rounds, CPU time a request does by less than its rounding."""
    left = {}
    for by, setting in (("throughput", None), ("cpu", "by=cpu")):
        race = observed.race(blocks=20, setting=setting).replaced(judged_by=by)
        seen = [
            o.replaced(server_cpu_ns=o.replies * 10_000) if isinstance(o, Slice) else o
            for o in observed.observations(race)
        ]
        plan = observed.plan(race, observed.suite(tmp_path / by))
        (left[by],) = results_past.of_run(plan, derive.results(plan, {}, seen), seen, "m")
    rates, costs = left["throughput"], left["cpu"]
    assert min(map(abs, rates.starts["fast"])) > 0 and max(map(abs, costs.starts["fast"])) < 1e-6
    assert rates.spread["fast"].rounds > 1e-3 and costs.spread["fast"].rounds < 1e-9


def test_how_long_starts_warm_up_is_known_whatever_was_judged(suite: Suite) -> None:
    def race(setting: str | None) -> PastRace:
        return line(1, {}, setting=setting, needed_s={JAVA: (9.0,)}, overrun=2.0)

    throughput = one(ASKED, suite)
    by_cpu = one(replace(ASKED, judged_by="cpu"), suite)
    for of in (throughput, by_cpu):
        for setting in (None, "by=cpu", "by=p99"):
            assert learnt.warm_up_s(of, [race(setting)]) == {JAVA: 9.0}
            assert learnt.overrun(of, [race(setting)]) == 2.0
        assert learnt.warm_up_s(of, [race("connections=400 by=cpu")]) == {}
    assert learnt.same_race(by_cpu, [race(None)]) == learnt.same_race(throughput, [race("by=cpu")]) == []
