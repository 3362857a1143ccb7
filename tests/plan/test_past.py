"""What earlier races on this machine say of one that is planned, on ledgers whose truth is known."""

from __future__ import annotations

import io
import json
from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from deadheat import stats
from deadheat.model.finding import Attempt
from deadheat.model.observation import GoneOn, Observation, Slice, Stopped
from deadheat.model.past import Outcome, Past, PastRace
from deadheat.model.plan import Leaving, RacePlan
from deadheat.plan import going_on, past, skew
from deadheat.plan.looks import looks_of
from deadheat.plan.schedule import Block
from deadheat.report import findings, gates, markdown, terminal, words
from deadheat.report.html import page
from deadheat.results import derive
from deadheat.results import past as results_past
from deadheat.results.tally import tallied
from deadheat.run.kind import Stage
from deadheat.storage import past_races
from tests.made import playing
from tests.made.observed import observations, plan, race, suite

TODAY = "2026-01-02T03:04:05Z"


def line(number: int, **changed: object) -> PastRace:
    of = {
        "run": f"r{number}", "started": "2026-01-01T00:00:00Z", "machine": "m", "workload": "echo",
        "kind": "http", "method_version": 2, "excludes": False, "rests": True,
    }  # fmt: skip
    return PastRace.model_validate(of | changed)


def test_the_last_hundred_null_pairs_of_this_kind_and_method_are_pooled() -> None:
    ledger = [line(n, excludes=n < 50) for n in range(130)]
    ledger += [line(200, kind="program", excludes=True), line(201, method_version=1, excludes=True)]
    ledger += [line(202, excludes=None)]
    found = past.of_race(race(), ledger, TODAY)
    assert (found.null_pairs, found.excluding) == (100, 20)


def test_races_of_the_same_pair_and_day_are_counted_and_how_they_ended() -> None:
    def today(number: int, **changed: object) -> PastRace:
        return line(number, started=TODAY, **changed)

    ledger = [
        today(1), today(2, contenders=("fast", "slow"), outcome="begun"),
        today(3, contenders=("fast", "slow", "x"), outcome="open"),
        today(4, contenders=("slow", "x"), outcome="open"), line(5, contenders=("fast", "slow")),
        today(6, workload="other"), today(7, setting="x"),
    ]  # fmt: skip
    found = past.of_race(race(), ledger, TODAY)
    assert (found.today, found.outcomes) == (3, {"begun": 1, "open": 1})


@pytest.mark.parametrize(
    ("today", "outcomes", "said"),
    [
        (0, {}, "first race of two or more of these contenders on this machine today"),
        (2, {"begun": 1, "settled": 1}, "before it: 1 cut off, 1 settled"),
    ],
)
def test_which_race_it_was_that_day_stands_in_every_report(
    tmp_path: Path, today: int, outcomes: dict[Outcome, int], said: str
) -> None:
    planned = race().replaced(past=Past(today=today, outcomes=outcomes))
    seen = observations(planned)
    found = derive.results(plan(planned, suite(tmp_path)), {}, seen)
    console = Console(file=io.StringIO(), width=200, record=True)
    terminal.show(found, console)
    for report in (console.export_text(), markdown.render(found), page.render(found, seen)):
        text = " ".join(report.replace("· ", "").split())
        assert said in text
        assert f"{['first', 'second', 'third'][today]} race of two or more of these contenders" in text


def test_of_a_pair_it_says_so() -> None:
    assert findings.sentence(Attempt(number=21, pair=True)) == "21st race of this pair on this machine today"
    assert [words.ordinal(n) for n in (1, 10, 11, 12, 22, 103, 112)] == [
        "first", "tenth", "11th", "12th", "22nd", "103rd", "112th",
    ]  # fmt: skip


def test_a_race_is_an_attempt_from_its_first_block_on_whatever_becomes_of_it(tmp_path: Path) -> None:
    """Written before the block begins, so that one which is killed in it is in the ledger; once a race."""
    ledger = tmp_path / "past.jsonl"
    planned = plan(race(blocks=5), playing.suite_in(tmp_path))

    class CutOff(playing.Playing):
        def block(self, stage: Stage, block: Block) -> Generator[Observation]:
            assert [one.outcome for one in past_races.read(ledger)] == ["begun"]
            if block.index == 2:
                raise KeyboardInterrupt
            yield from super().block(stage, block)

    times: list[str] = []

    def begins(of: RacePlan) -> None:
        times.append(of.key)
        past_races.add([past.begun(of, planned.run, TODAY, "m")], ledger)

    with pytest.raises(KeyboardInterrupt):
        playing.run(tmp_path, planned, CutOff(), begins=begins)
    assert times == ["echo"]
    (one,) = past_races.read(ledger)
    assert (one.outcome, one.contenders, one.excludes) == ("begun", ("ceiling", "fast", "slow"), None)
    assert past.of_race(race(), [one], TODAY).outcomes == {"begun": 1}


def starts(slow: bool) -> tuple[float, ...]:
    """Thirty starts; of the skewed ones every fifth is 10% slower."""
    noise = np.random.default_rng(4).normal(0, 0.01, 30)
    return tuple(float(x) - (0.1 if slow and n % 5 == 0 else 0.0) for n, x in enumerate(noise))


def ledger(slow: bool) -> list[PastRace]:
    of = starts(slow)
    return [line(n, starts={"fast": of[6 * n : 6 * n + 6], "slow": starts(False)[:6]}) for n in range(5)]


def test_a_race_with_skewed_starts_has_ten_blocks_for_about_the_same_time() -> None:
    planned = past.with_past(race(blocks=6, rounds=20), ledger(slow=True), TODAY)
    assert skew.skewed(planned) == ["fast"]
    assert (planned.blocks, planned.rounds) == (10, 12)
    assert any("starts of fast were skewed" in note for note in planned.notes)
    not_left_alone = [one.replaced(rests=False) for one in ledger(slow=True)]
    for before in (ledger(slow=False), not_left_alone):
        even = past.with_past(race(blocks=6, rounds=20), before, TODAY)
        assert (even.blocks, even.rounds, even.notes) == (6, 20, ())


def test_more_blocks_are_for_whoever_is_skewed_and_nobody_else() -> None:
    """Of a dozen contenders, each tested at 5%, one is skewed by chance in every other race."""
    asked = race(blocks=6, rounds=20).replaced(leaving=Leaving())
    planned = going_on.planned(past.with_past(asked, ledger(slow=True), TODAY))
    assert (planned.blocks, planned.unskewed_blocks, planned.rounds) == (10, 6, 13)
    assert skew.in_all(planned) == 6 + 4 * 3 / 4
    usual = going_on.planned(asked)
    assert looks_of(planned, ("ceiling", "slow")) == looks_of(usual)
    assert looks_of(planned, ("fast", "slow")) == looks_of(planned)
    assert looks_of(planned).planned_end == 10
    by_then = [planned, going_on.so_far(planned, [GoneOn(race=planned.key, blocks=20, at=TODAY)])]
    assert [skew.blocks_of(one, ("ceiling",)) for one in by_then] == [6, 12]
    assert [skew.blocks_of(one, ("fast",)) for one in by_then] == [10, 20]
    of_all = past.with_past(
        asked, [one.replaced(starts={"slow": one.starts["fast"]}) for one in ledger(slow=True)], TODAY
    )
    assert skew.skewed(of_all) == ["slow"]
    assert (of_all.blocks, of_all.unskewed_blocks, of_all.rounds) == (10, None, 12)


@pytest.mark.parametrize(("slow", "least", "most"), [(0.0, 0, 6), (0.2, 60, 100)])
def test_quiet_and_noisy_hours_make_no_skew(slow: float, least: int, most: int) -> None:
    """Six races of five starts each, two of them in an hour five times as noisy as the others'."""
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(100):
        lines = []
        for number, hour in enumerate((1, 1, 5, 1, 5, 1)):
            of = {name: rng.normal(0, 0.01 * hour, 5) for name in ("fast", "slow", "other")}
            of["fast"] -= 0.1 * hour * (rng.random(5) < slow)
            lines.append(line(number, starts={name: tuple(values) for name, values in of.items()}))
        found += skew.skewed(past.with_past(race(), lines, TODAY)) == ["fast"]
    assert least <= found <= most


@pytest.mark.parametrize(("blocks", "verdict"), [(6, "inconclusive"), (10, "faster")])
def test_skewed_starts_have_no_verdict_before_ten_blocks(tmp_path: Path, blocks: int, verdict: str) -> None:
    planned = race(blocks).replaced(past=Past(starts={"fast": starts(True)}))
    (result,) = derive.results(plan(planned, suite(tmp_path)), {}, observations(planned)).workloads
    assert result.verdicts[0].verdict == verdict


@pytest.mark.parametrize(
    ("pairs", "excluding", "ok"), [(100, 5, True), (100, 10, True), (100, 11, False), (20, 4, False)]
)
def test_a_pool_that_is_surely_off_leaves_no_verdict(
    tmp_path: Path, pairs: int, excluding: int, ok: bool
) -> None:
    planned = race().replaced(past=Past(null_pairs=pairs, excluding=excluding))
    (result,) = derive.results(plan(planned, suite(tmp_path)), {}, observations(planned)).workloads
    gate = next(gate for gate in result.gates if gate.name == "null-pool")
    assert gate.ok == ok
    assert (result.verdicts[0].verdict == "invalid") != ok
    assert f"of {pairs} earlier ones here {excluding} excluded 1" in gates.summary(result)
    assert "could have seen a bias of" in gates.summary(result)


def test_a_small_pool_says_nothing(tmp_path: Path) -> None:
    planned = race().replaced(past=Past(null_pairs=19, excluding=19))
    (result,) = derive.results(plan(planned, suite(tmp_path)), {}, observations(planned)).workloads
    assert "null-pool" not in [gate.name for gate in result.gates]


def test_what_a_race_leaves_is_its_null_pair_and_its_starts_by_themselves(tmp_path: Path) -> None:
    """Whatever the machine did to a whole block, and whoever is faster, is not in them."""
    planned: RacePlan = race(blocks=6)
    seen: list[Observation] = observations(planned, noise=0.001)
    found = results_past.starts(tallied(planned, seen))
    assert {id_: len(of) for id_, of in found.items()} == {"slow": 12, "fast": 6, "ceiling": 6}
    assert all(abs(sum(of)) < 1e-4 and 0.003 < float(np.std(of)) < 0.03 for of in found.values())
    later = [one for one in seen if getattr(one, "block", 0) < 3 or getattr(one, "entry", "") != "ceiling"]
    gone = results_past.starts(tallied(planned, later))
    assert {id_: len(of) for id_, of in gone.items()} == {"slow": 12, "fast": 6, "ceiling": 3}
    made = plan(planned, suite(tmp_path))
    (left,) = results_past.of_run(made, derive.results(made, {}, seen), seen, "m")
    assert (left.workload, left.kind, left.excludes, left.machine) == ("echo", "http", False, "m")
    assert left.outcome == "settled"
    stopped = [*seen, Stopped(why="interrupted")]
    (left,) = results_past.of_run(made, derive.results(made, {}, stopped), stopped, "m")
    assert left.outcome == "stopped"


def test_one_bad_start_is_nobody_elses() -> None:
    """By the mean of its block, which a start that is half as fast takes with it, all others were skewed."""
    planned = race(blocks=20)
    seen = [
        o.replaced(replies=o.replies // 2)
        if isinstance(o, Slice) and o.entry == "ceiling" and o.block == 3
        else o
        for o in observations(planned, noise=0.001)
    ]
    found = results_past.starts(tallied(planned, seen))
    assert found["ceiling"][3] < -0.5
    assert [id_ for id_, of in sorted(found.items()) if stats.skewed(of)] == ["ceiling"]


def test_the_ledger_outlives_torn_lines_and_holds_a_resumed_run_once(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "past.jsonl"
    past_races.add([line(1), line(2)], path)
    path.write_text(path.read_text() + '{"run": "torn')
    past_races.add([line(2, excludes=True)], path)
    assert [(one.run, one.excludes) for one in past_races.read(path)] == [("r1", False), ("r2", True)]
    assert all(json.loads(one) for one in path.read_text().splitlines())
