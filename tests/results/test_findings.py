"""What else the blocks tell: each finding planted is found, and a clean race has none."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from deadheat.model.finding import CarriedOver, CpuOutside
from deadheat.model.observation import Checked, Observation, Slice
from deadheat.model.plan import RacePlan
from deadheat.model.result import ContenderResult, Latency, RaceResult
from deadheat.report import markdown, terminal, verdicts
from deadheat.report.findings import sentence, sentences
from deadheat.results import derive, findings
from tests.made.observed import observations, plan, race, suite


def of(
    tmp_path: Path, change: Callable[[Slice], float], of: RacePlan | None = None, **how: float
) -> RaceResult:
    """A race in which each slice's replies are `change` times what they would be."""
    raced = of or race(8, 10)

    def changed(o: Observation) -> Observation:
        if not isinstance(o, Slice):
            return o
        return o.model_copy(update={"replies": round(o.replies * change(o))})

    noise = how.get("noise", 0.01)
    seen = [changed(o) for o in observations(raced, noise=noise)]
    return derive.results(plan(raced, suite(tmp_path)), {}, seen).workloads[0]


def row(result: RaceResult, id_: str = "fast") -> ContenderResult:
    return next(row for row in result.contenders if row.id == id_)


def test_a_clean_race_has_nothing_to_tell_but_where_its_variance_is(tmp_path: Path) -> None:
    result = of(tmp_path, lambda _: 1.0, noise=0.08)
    assert [finding for finding in sentences(result) if "variance" not in finding] == []
    assert not any(isinstance(finding, CarriedOver) for finding in result.findings)
    assert row(result).warm_up is not None and row(result).warm_up.kind == "flat"  # type: ignore[union-attr]
    assert row(result).drift is not None


@pytest.mark.parametrize(
    ("p50", "p99", "connections", "told"),
    [
        (1.2, 2200.0, 64, True),
        (1.2, 59.0, 64, False),  # a collector's pause
        (80.0, 2200.0, 64, False),  # slow, and all alike
        (1.2, 2200.0, 1, False),
        (None, None, 64, False),
    ],
)
def test_connections_that_wait_for_each_other(
    tmp_path: Path, p50: float | None, p99: float | None, connections: int, told: bool
) -> None:
    seen = Latency(at_rps=None, mean=70.0, p50=p50, p90=None, p99=p99, p99_9=None, max=2300.0)
    waiting = row(of(tmp_path, lambda _: 1.0)).replaced(latency_closed_ms=seen)
    found = [sentence(one) for one in findings.connections_wait([waiting], connections)]
    assert len(found) == told
    if told:
        assert "of 64 half of the replies came within 1.2 ms, one in a hundred after 2.2 s" in found[0]


@pytest.mark.parametrize(("starts_sd", "noise", "reported"), [(0.1, 0.01, True), (0.0, 0.3, False)])
def test_variance_between_starts(tmp_path: Path, starts_sd: float, noise: float, reported: bool) -> None:
    rng = random.Random(5)
    starts = [rng.gauss(0, starts_sd) for _ in range(8)]
    result = of(tmp_path, lambda o: 2.718 ** starts[o.block] if o.entry == "fast" else 1.0, noise=noise)
    found = row(result).variance
    assert found is not None and found.share_of_starts is not None
    assert (found.share_of_starts > 0.5) is reported
    assert (
        any("fast's" in finding and "between starts" in finding for finding in sentences(result)) is reported
    )
    assert found.starts_sd == pytest.approx(starts_sd or 0.01, abs=0.06)


def test_a_contender_that_warms_up(tmp_path: Path) -> None:
    result = of(tmp_path, lambda o: 0.7 if o.entry == "fast" and o.round < 4 else 1.0)
    found = row(result).warm_up
    assert found is not None and (found.kind, found.steady_from) == ("warms up", 8)
    assert found.start == pytest.approx(0.7, abs=0.05)
    assert any(f.startswith("fast warms up: 0.7") for f in sentences(result))
    assert row(result, "slow").warm_up.kind == "flat"  # type: ignore[union-attr]


def test_a_contender_that_never_got_steady(tmp_path: Path) -> None:
    """Its level still moves in the last quarter of the block."""
    result = of(tmp_path, lambda o: 0.8 if o.entry == "fast" and o.round >= 8 else 1.0)
    assert "fast never got steady" in sentences(result)


def test_drift_within_a_block(tmp_path: Path) -> None:
    result = of(tmp_path, lambda o: 1.05 if o.entry == "fast" and o.round >= 5 else 1.0)
    drift = row(result).drift
    assert drift is not None and drift.ratio == pytest.approx(1.05, abs=0.02)
    assert any(f.startswith("fast drifts: against slow") for f in sentences(result))


def test_carry_over_from_a_predecessor(tmp_path: Path) -> None:
    """The order of these is always the same: who comes after itself begins a round's second half."""
    result = of(tmp_path, lambda o: 0.8 if o.entry == "slow'" and o.turn == 4 else 1.0, race(12, 10))
    carried = [finding for finding in result.findings if isinstance(finding, CarriedOver)]
    (found,) = [c for c in carried if (c.contender, c.predecessor) == ("slow'", "slow'")]
    assert found.ratio == pytest.approx(0.8, abs=0.05)
    assert any(f.startswith("carry-over: slow' right after slow'") for f in sentences(result))


def test_unequal_work_on_the_wire(tmp_path: Path) -> None:
    seen = [
        o.model_copy(update={"bytes_in": o.bytes_in * 2}) if isinstance(o, Slice) and o.entry == "fast" else o
        for o in observations(race())
    ]
    result = derive.results(plan(race(), suite(tmp_path)), {}, seen).workloads[0]
    assert "unequal work on the wire: 100 bytes a response (ceiling) to 200 (fast)" in sentences(result)
    [said] = [verdicts.of_race(result, v, 0.02) for v in result.verdicts if {v.a, v.b} == {"fast", "slow"}]
    assert said.endswith("; replies of 200 and 100 bytes, heads included")
    told = {row.id: verdicts.standing(result, row, 0.02) for row in result.contenders}
    assert [id_ for id_, said in told.items() if "replies of 200 and 100 bytes" in said] == ["fast"]
    assert "replies of 200 and 100 bytes" in "\n".join(map(str, terminal.workload(result, 0.02, 100)))
    many = result.replaced(contenders=result.contenders * terminal.ROWS_WITH_REPLIES)
    assert "replies of" not in "\n".join(map(str, terminal.workload(many, 0.02, 100)))
    equal = derive.results(plan(race(), suite(tmp_path / "equal")), {}, observations(race())).workloads[0]
    assert not any("replies of" in verdicts.standing(equal, row, 0.02) for row in equal.contenders)


def test_findings_are_in_the_report(tmp_path: Path) -> None:
    raced = race(8, 10)
    seen = [
        o.model_copy(update={"bytes_in": o.bytes_in * 2}) if isinstance(o, Slice) and o.entry == "fast" else o
        for o in observations(raced)
    ]
    text = markdown.render(derive.results(plan(raced, suite(tmp_path)), {}, seen))
    assert "- unequal work on the wire: 100 bytes a response (ceiling) to 200 (fast)" in text


def test_answers_that_another_run_asked_for_are_told(tmp_path: Path) -> None:
    raced = race(8, 10)
    seen = [
        o.replaced(run="an-earlier-run") if isinstance(o, Checked) and o.contender == "fast" else o
        for o in observations(raced)
    ]
    (said,) = (
        finding
        for finding in sentences(derive.results(plan(raced, suite(tmp_path)), {}, seen).workloads[0])
        if "answers" in finding
    )
    assert said == "answers of fast: checked by an-earlier-run, of the same builds, and not again"


def test_few_blocks_have_no_components_and_no_nan(tmp_path: Path) -> None:
    result = of(tmp_path, lambda _: 1.0, race(1, 2))
    assert row(result).variance is None and row(result).warm_up is None
    assert "NaN" not in result.model_dump_json()


@pytest.mark.parametrize(("extra", "told"), [(1.0, False), (1.05, False), (1.5, True)])
def test_work_put_off_until_nobody_counts_is_told(tmp_path: Path, extra: float, told: bool) -> None:
    """Half as many requests come outside of what is counted, and `fast` uses so much CPU for each there."""

    def changed(o: Observation) -> Observation:
        if not isinstance(o, Slice) or o.server_cpu_ns is None:
            return o
        outside = (o.replies_all - o.replies) / o.replies * (extra if o.entry == "fast" else 1.0)
        return o.model_copy(update={"turn_cpu_ns": round(o.server_cpu_ns * (1 + outside))})

    raced = race(8, 10)
    made = plan(raced, suite(tmp_path))
    seen = [changed(o) for o in observations(raced)]
    result = derive.results(made, {}, seen).workloads[0]
    found = [one for one in result.findings if isinstance(one, CpuOutside)]
    assert [one.ratios for one in found] == ([{"fast": pytest.approx(extra, abs=0.01)}] if told else [])
    if told:
        assert sentence(found[0]).endswith("over that in it: fast 1.50")


def test_where_the_time_of_whole_turns_is_not_known_nothing_is_told_of_it(tmp_path: Path) -> None:
    result = of(tmp_path, lambda _: 1.0)
    assert not any(isinstance(one, CpuOutside) for one in result.findings)


def test_wrong_replies_while_a_server_warms_up_are_told_and_take_nothing_away(tmp_path: Path) -> None:
    raced = race(8, 10)
    seen = observations(raced)
    at, one = next((at, o) for at, o in enumerate(seen) if isinstance(o, Slice) and o.entry == "fast")
    wrong = one.model_copy(
        update={
            "warm_up": True,
            "errors": {**one.errors, "status": 64, "connect": 3},
            "first_error": "status 408, expected 200",
        }
    )
    with_it = [*seen[:at], wrong, *seen[at:]]
    [result] = derive.results(plan(raced, suite(tmp_path)), {}, with_it).workloads
    assert row(result).status == "measured"
    [told] = [said for said in sentences(result) if "wrong" in said]
    assert told == (
        "fast gave 64 wrong replies while it warmed up, where none count; the first: status 408, expected 200"
    )
