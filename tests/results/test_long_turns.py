"""Slices held against long turns: on made-up observations of known truth, and what a run makes of them."""

from __future__ import annotations

import random
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path

import pytest

from deadheat.model.finding import LongTurnsOpen, SlicesUnchecked
from deadheat.model.gate import GateResult
from deadheat.model.measured import LongTurns
from deadheat.model.observation import BlockEnded, Interference, LongTurn, LongTurnsKnown, Observation
from deadheat.model.plan import RacePlan
from deadheat.model.result import RaceResult
from deadheat.plan import long_turns as planned
from deadheat.plan.schedule import Block
from deadheat.report import findings, gates
from deadheat.report.reasons import of_verdict
from deadheat.results import derive, long_turns, pace
from deadheat.results.tally import tallied
from deadheat.run.kind import Stage
from deadheat.run.learnt import load_of
from deadheat.run.long_turns import due
from deadheat.stats import share
from tests.made import playing
from tests.made.observed import SPEEDS, observations, plan, race, suite

ROUNDS = 12
SECONDS = 2.0


def with_plan(blocks: int = 6, rounds: int = ROUNDS) -> RacePlan:
    return race(blocks, long_turns=LongTurns(rounds=rounds))


def with_long_turns(
    seen: Sequence[Observation],
    of: RacePlan,
    times: float = 1.0,
    noise: float = 0.03,
    seed: int = 1,
    entries: Sequence[str] = ("slow", "fast"),
) -> Iterator[Observation]:
    """A race with long turns, in which fast does `times` what it does in its slices."""
    rng = random.Random(seed)
    for o in seen:
        if isinstance(o, BlockEnded):
            for turn in planned.turns(of, entries, rng):
                rate = 30_000 * SPEEDS[turn.entry] * (times if turn.entry == "fast" else 1.0)
                rate *= rng.lognormvariate(0, noise)
                yield long_turn(of, o.block, turn.round, turn.turn, turn.entry, rate)
        yield o


def long_turn(of: RacePlan, block: int, round_: int, turn: int, entry: str, rate: float) -> LongTurn:
    return LongTurn(
        race=of.key,
        block=block,
        round=round_,
        turn=turn,
        entry=entry,
        counted_s=SECONDS,
        replies=round(rate * SECONDS),
        errors={},
        server_cpu_ns=None,
    )


def derived(tmp_path: Path, of: RacePlan, seen: Sequence[Observation]) -> RaceResult:
    return derive.results(plan(of, suite(tmp_path)), {}, seen).workloads[0]


def gate(result: RaceResult) -> GateResult | None:
    (row,) = [row for row in result.contenders if row.id == "fast"]
    return next((gate for gate in row.gates if gate.name == "slices-agree"), None)


def test_slices_that_agree_pass(tmp_path: Path) -> None:
    of = with_plan()
    result = derived(tmp_path, of, [*with_long_turns(observations(of), of)])
    found = gate(result)
    assert found is not None and found.ok and found.value == pytest.approx(1, abs=0.05)
    assert found.facts["pairs"] == 2 * ROUNDS and gates.advice(found) is None
    assert result.verdicts[0].verdict == "faster"
    assert not [one for one in result.findings if isinstance(one, SlicesUnchecked | LongTurnsOpen)]


@pytest.mark.parametrize("times", [0.8, 1.2])
def test_work_put_off_while_slices_are_counted_takes_the_verdict(tmp_path: Path, times: float) -> None:
    of = with_plan()
    result = derived(tmp_path, of, [*with_long_turns(observations(of), of, times)])
    found = gate(result)
    assert found is not None and not found.ok and found.value == pytest.approx(times, rel=0.05)
    assert [verdict.verdict for verdict in result.verdicts] == ["invalid"]
    assert of_verdict(result.verdicts[0]).startswith("slices-agree: in turns of seconds without a break")


def test_what_is_not_told_from_noise_is_no_gate_that_held(tmp_path: Path) -> None:
    of = with_plan()
    result = derived(tmp_path, of, [*with_long_turns(observations(of), of, noise=0.5)])
    assert gate(result) is None
    (open_,) = [one for one in result.findings if isinstance(one, LongTurnsOpen)]
    assert findings.sentence(open_).startswith("slices-agree: not known of fast: 24 pairs of long turns")


@pytest.mark.parametrize(("rounds", "why"), [(0, "longer than this race"), (ROUNDS, "no whole block")])
def test_whoever_was_not_checked_is_said(tmp_path: Path, rounds: int, why: str) -> None:
    of = with_plan(rounds=rounds)
    result = derived(tmp_path, of, observations(of))
    assert gate(result) is None
    (unchecked,) = [one for one in result.findings if isinstance(one, SlicesUnchecked)]
    said = findings.sentence(unchecked)
    assert said.startswith("slices-agree: not checked of fast: ") and why in said


def test_a_plan_of_before_says_nothing_of_it(tmp_path: Path) -> None:
    result = derived(tmp_path, race(), observations(race()))
    assert gate(result) is None
    assert not [one for one in result.findings if isinstance(one, SlicesUnchecked)]


def test_agreement_is_called_broken_in_five_of_a_hundred_at_the_limit_at_most() -> None:
    """At exactly 5% apart the interval lies wholly beyond it in one case of forty."""
    of = with_plan()
    broken = 0
    for seed in range(200):
        seen = [*with_long_turns(observations(of, noise=0.02, seed=seed), of, 1.05, seed=seed)]
        found = long_turns.agreement(tallied(of, seen), "fast")
        assert found is not None
        broken += not found.holds
    assert share(broken, 200)[0] < 0.025


def test_wrong_answers_in_long_turns_are_no_replies() -> None:
    of = with_plan()
    seen = [
        o.model_copy(update={"errors": {"body": 1}}) if isinstance(o, LongTurn) and o.entry == "fast" else o
        for o in with_long_turns(observations(of), of)
    ]
    assert long_turns.agreement(tallied(of, seen), "fast") is None


def test_rounds_are_spread_over_blocks() -> None:
    of = with_plan(10, 14)
    assert planned.rounds_of_block(of) == 2
    turns = planned.turns(of, ["a", "b"], random.Random(1))
    assert [turn.round for turn in turns] == [8] * 4 + [9] * 4
    for number in (8, 9):
        order = [turn.entry for turn in turns if turn.round == number]
        assert order == order[::-1] and set(order) == {"a", "b"}


class Longer(playing.Playing):
    """A kind whose blocks end with the long turns that are due."""

    def __init__(self) -> None:
        super().__init__(noise=0.02)
        self.due: list[tuple[str, ...]] = []

    def block(self, stage: Stage, block: Block) -> Generator[Observation]:
        yield from super().block(stage, block)
        self.due.append(due(stage))
        for turn in planned.turns(stage.race, self.due[-1], random.Random(block.index)):
            rate = 30_000 * SPEEDS[turn.entry] * random.Random(f"{block.index}{turn}").lognormvariate(0, 0.01)
            yield long_turn(stage.race, block.index, turn.round, turn.turn, turn.entry, rate)


def run(tmp_path: Path, kind: Longer, of: RacePlan) -> list[Observation]:
    return playing.run(tmp_path, plan(of.replaced(to_the_end=True), playing.suite_in(tmp_path)), kind)


def test_they_end_where_it_is_known_and_the_next_race_of_these_builds_has_none(tmp_path: Path) -> None:
    of, first = with_plan(8, 16), Longer()
    seen = run(tmp_path / "1", first, of)
    assert not [o for o in seen if isinstance(o, LongTurnsKnown)]
    # Five blocks tell it: no more are taken, nor of the ceiling or the null entry at any time.
    assert first.due == [("slow", "fast")] * 5 + [()] * 3
    kept = next((tmp_path / "1" / "builds" / "fast").glob("long-turns.json"))
    again = tmp_path / "2" / "builds" / "fast"
    again.mkdir(parents=True)
    (again / kept.name).write_bytes(kept.read_bytes())
    second = Longer()
    seen = run(tmp_path / "2", second, of)
    assert second.due == [()] * 8
    (known,) = [o for o in seen if isinstance(o, LongTurnsKnown)]
    result = derive.results(plan(of, playing.suite_in(tmp_path / "2")), {}, seen).workloads[0]
    found = gate(result)
    assert found is not None and found.ok and found.facts["run"] == "r" and known.pairs == 20


def test_what_one_workload_found_is_nothing_of_another_of_the_same_build() -> None:
    of = with_plan()
    assert load_of(of) == load_of(of.replaced(setting="by=cpu"))
    for other in (
        of.replaced(workload="another"),
        of.replaced(setting="connections=512", values={"connections": 512}),
        of.replaced(measured=of.slices.replaced(streams=2)),
    ):
        assert load_of(other) != load_of(of)


def test_another_load_asks_anew_and_what_cannot_be_read_is_nothing(tmp_path: Path) -> None:
    first = Longer()
    run(tmp_path / "1", first, with_plan(8, 16))
    kept = next((tmp_path / "1" / "builds" / "fast").glob("long-turns.json"))
    for number, text in enumerate((kept.read_text(), "{torn", '{"a": 1}'), 2):
        folder = tmp_path / str(number) / "builds" / "fast"
        folder.mkdir(parents=True)
        (folder / kept.name).write_text(text)
        other = Longer()
        run(tmp_path / str(number), other, race(8, long_turns=LongTurns(rounds=16), streams=2))
        assert other.due[0] == ("slow", "fast")


def test_the_time_of_more_blocks_is_without_long_turns_that_are_over(tmp_path: Path) -> None:
    """Blocks of 20 s, and of 16 s more while there are some: until the fifth, when enough is known."""
    of = with_plan(8, 16)
    long_s = 8 * SECONDS

    def timed(o: Observation) -> Observation:
        if not isinstance(o, Interference):
            return o
        return o.replaced(wall_ns=int((20 + (long_s if o.block < 5 else 0)) * 1e9))

    seen = [timed(o) for o in run(tmp_path, Longer(), of)]
    assert pace.more_s(tallied(of, seen), 4) == 4 * 20.0
    four = [o for o in seen if getattr(o, "block", 0) < 4]
    # Two rounds a block of the 16 that are planned: four more blocks have some at most.
    assert pace.more_s(tallied(of, four), 6) == pytest.approx(6 * 20 + 4 * long_s)
