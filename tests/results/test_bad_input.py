"""What bad input gets: a message that says what is wrong, or a verdict that is defined; never NaN."""

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from deadheat import plan as planning
from deadheat.errors import UserError
from deadheat.model.observation import (
    BlockEnded,
    BlockStarted,
    Built,
    Checked,
    Ended,
    Invocation,
    Observation,
    Slice,
)
from deadheat.model.result import RaceResult, Results
from deadheat.plan import Asked
from deadheat.report import markdown, terminal
from deadheat.report.reasons import of_verdict
from deadheat.results import derive
from deadheat.storage.migrate import SCHEMA
from deadheat.storage.run_folder import RunFolder
from deadheat.suite.suite import load
from tests.made.observed import LEAD_IN_NS, observations, plan, race, suite
from tests.made.suite import STUDY

CLAIM = """\
id = "c"
statement = "fast is faster"
metric = "throughput_rps"
a = "fast"
b = "slow"
published = { ratio = 1.2 }
"""


def finite(value: Any, at: str = "") -> None:
    """No number anywhere in it is NaN or infinite."""
    if isinstance(value, dict):
        for key, of in value.items():
            finite(of, f"{at}.{key}")
    elif isinstance(value, list):
        for place, of in enumerate(value):
            finite(of, f"{at}[{place}]")
    elif isinstance(value, float):
        assert math.isfinite(value), at


def of(seen: Sequence[Observation], tmp_path: Path, blocks: int = 6) -> RaceResult:
    """The race's result, with every report of it made and every number in them a number."""
    results = derive.results(plan(race(blocks), suite(tmp_path)), {}, seen)
    finite(json.loads(results.model_dump_json()))
    text = "\n".join(map(str, terminal.workload(results.workloads[0], 0.02, 120))) + markdown.render(results)
    assert "nan" not in text.lower().replace("tenan", "").split() and "inf" not in text.lower().split()
    return results.workloads[0]


def with_study(tmp_path: Path, old: str, new: str) -> UserError:
    (tmp_path / "claims").mkdir(parents=True)
    suite(tmp_path)
    (tmp_path / "claims" / "s.toml").write_text((STUDY + CLAIM).replace(old, new))
    with pytest.raises(UserError) as raised:
        load(tmp_path)
    return raised.value


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ('a = "fast"', 'a = "fats"', 14, 'no contender is called "fats"; did you mean "fast"?'),
        ('b = "slow"', 'b = "slwo"', 15, 'no contender is called "slwo"; did you mean "slow"?'),
        ('"echo"', '"ecko"', 10, 'no workload is called "ecko"; did you mean "echo"?'),
        ("throughput_rps", "througput_rps", 13, 'no "througput_rps"; did you mean "throughput_rps"?'),
        ("throughput_rps", "wall_s", 13, 'a workload of kind http has no metric "wall_s"'),
        ("throughput_rps", "happiness", 13, 'no "happiness"; there are throughput_rps, wall_s'),
        ("ratio = 1.2", "", 8, "published needs one of: a and b; ratio; direction; at_most"),
        ("ratio = 1.2", "ratio = 0", 16, "greater than 0"),
        ("ratio = 1.2", "a = 0, b = 3", 16, "greater than 0"),
        ("ratio = 1.2", "ratio = nan", 16, "finite"),
        ("ratio = 1.2", "ratio = inf", 16, "finite"),
    ],
)
def test_a_claim_that_cannot_be(tmp_path: Path, old: str, new: str, line: int, said: str) -> None:
    error = with_study(tmp_path, old, new)
    assert error.message.startswith(f"{tmp_path}/claims/s.toml:{line}: ")
    assert said in error.message


def test_the_study_of_these_tests_is_a_good_one(tmp_path: Path) -> None:
    suite(tmp_path)
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims" / "s.toml").write_text(STUDY + CLAIM)
    assert load(tmp_path).study("s").claim[0].ratio == 1.2


def folder_with(tmp_path: Path, change: Callable[[dict[str, Any]], None]) -> RunFolder:
    results = derive.results(plan(race(), suite(tmp_path)), {}, observations(race()))
    reported = json.loads(results.model_dump_json(by_alias=True))
    change(reported)
    folder = RunFolder(tmp_path)
    folder.write("results.json", json.dumps(reported))
    return folder


@pytest.mark.parametrize(
    "more", [{}, {"something": "new"}], ids=["with the same fields", "with a field that nobody knows"]
)
def test_results_of_another_schema_version(tmp_path: Path, more: dict[str, Any]) -> None:
    folder = folder_with(
        tmp_path, lambda reported: reported.update(schema=SCHEMA + 1, version="9.9.9", **more)
    )
    with pytest.raises(UserError) as raised:
        folder.results()
    assert f"schema {SCHEMA + 1}, and {SCHEMA} is read here (Deadheat 9.9.9 wrote it)" in str(raised.value)
    assert raised.value.hint is not None and "deadheat report" in raised.value.hint


def test_results_that_are_no_results(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    for text in ("", "[]", "null", '{"schema": 1}', '{"schema": 1, "workloads": 5}', '{"schema": {}}'):
        folder.write("results.json", text)
        with pytest.raises(UserError, match="not of this version"):
            folder.results()


def test_a_contender_without_any_block_is_a_row_and_no_rival(tmp_path: Path) -> None:
    seen = [o for o in observations(race()) if getattr(o, "entry", None) != "fast"]
    result = of(seen, tmp_path)
    (row,) = [row for row in result.contenders if row.id == "fast"]
    assert (row.status, row.figures.throughput_rps, row.place) == ("not run", None, None)
    assert result.verdicts == ()


def test_a_contender_with_some_blocks_is_judged_by_those(tmp_path: Path) -> None:
    def gone(o: Observation) -> bool:
        return isinstance(o, Slice | Ended) and o.entry == "fast" and o.block >= 5

    result = of([o for o in observations(race()) if not gone(o)], tmp_path)
    (row,) = [row for row in result.contenders if row.id == "fast"]
    measure = row.figures.throughput_rps
    assert measure is not None and len(measure.blocks) == 5
    assert result.verdicts[0].verdict == "faster"


def test_a_reference_without_blocks_leaves_rows_and_no_verdict(tmp_path: Path) -> None:
    seen = [o for o in observations(race()) if not (isinstance(o, Slice | Ended) and o.entry == "slow")]
    result = of(seen, tmp_path)
    assert result.verdicts == () and result.null_pair is None
    (row,) = [row for row in result.contenders if row.id == "fast"]
    assert row.status == "measured" and row.against_reference is None


def test_blocks_that_do_not_overlap_have_no_ratio(tmp_path: Path) -> None:
    """Fast was there in the first three blocks, slow in the others."""

    def gone(o: Observation) -> bool:
        return (
            isinstance(o, Slice | Ended)
            and (o.block >= 3) == (o.entry == "fast")
            and o.entry in ("fast", "slow")
        )

    result = of([o for o in observations(race()) if not gone(o)], tmp_path)
    (verdict,) = result.verdicts
    assert (verdict.ratio, verdict.ci) == (None, None)
    assert verdict.verdict in ("inconclusive", "invalid")
    assert verdict.reasons


def test_one_block_alone(tmp_path: Path) -> None:
    result = of(observations(race(1)), tmp_path, blocks=1)
    (verdict,) = result.verdicts
    assert verdict.ci is None and verdict.verdict in ("inconclusive", "invalid")
    assert "enough-blocks" in of_verdict(verdict)


ZERO = {"replies": 0, "replies_all": 0, "latency_sum_ns": 0, "in_flight_ns": 0, "bins": (0,) * 31}


@pytest.mark.parametrize("who", [("fast",), ("slow", "slow'"), ("fast", "slow", "slow'", "ceiling")])
def test_nothing_but_zeros(tmp_path: Path, who: tuple[str, ...]) -> None:
    result = of(observations(race(), changed=dict.fromkeys(who, ZERO)), tmp_path)
    assert {verdict.verdict for verdict in result.verdicts} <= {"inconclusive", "invalid"}
    assert all(verdict.reasons for verdict in result.verdicts)


def test_slices_of_no_length_have_no_value(tmp_path: Path) -> None:
    """An infinite rate is none."""
    nothing = {"counted_from_ns": LEAD_IN_NS, "counted_until_ns": LEAD_IN_NS}
    result = of(observations(race(), changed={"fast": nothing}), tmp_path)
    assert [verdict.verdict for verdict in result.verdicts] == ["invalid"]
    assert result.verdicts[0].reasons


def test_a_constant_series_is_no_measurement(tmp_path: Path) -> None:
    same = {entry: {"replies": 3000} for entry in ("slow", "slow'")} | {"fast": {"replies": 3900}}
    result = of(observations(race(), changed=same), tmp_path)
    (verdict,) = result.verdicts
    assert (verdict.verdict, verdict.ci) == ("inconclusive", None)
    assert "exactly the same ratio" in of_verdict(verdict)


@pytest.mark.parametrize("replies", [1, 10**18])
def test_figures_beyond_all_measure(tmp_path: Path, replies: int) -> None:
    result = of(observations(race(), changed={"fast": {"replies": replies}}), tmp_path)
    assert result.verdicts[0].verdict in ("faster", "inconclusive", "invalid")


def times(seconds: float, tmp_path: Path) -> Results:
    """Of a program whose invocations all take that long by the clock."""
    timed = race().model_copy(update={"kind": "program", "metric": "wall_s"})
    seen: list[Observation] = []
    for name in ("slow", "fast", "ceiling"):
        seen.append(Built(workload="echo", contender=name, status="ready", artifact_bytes=1, build_s=1))
        seen.append(Checked(workload="echo", contender=name, ok=True, cases=1))
    for block in range(timed.blocks):
        order = tuple(entry.id for entry in timed.entries)
        seen.append(BlockStarted(race="echo", block=block, order=order, at="2026-01-02T03:04:05Z"))
        for round_ in range(2):
            seen += [
                Invocation(
                    race="echo",
                    block=block,
                    round=round_,
                    turn=turn,
                    entry=entry,
                    at_ns=turn,
                    wall_s=seconds,
                    user_s=0,
                    system_s=0,
                    peak_memory_bytes=0,
                )
                for turn, entry in enumerate((*order, *reversed(order)))
            ]
        seen.append(BlockEnded(race="echo", block=block))
    return derive.results(plan(timed, suite(tmp_path)), {}, seen)


@pytest.mark.parametrize("seconds", [0.0, 1e-320, 1e300, math.inf])
def test_times_of_nothing_and_of_for_ever(tmp_path: Path, seconds: float) -> None:
    results = times(seconds, tmp_path)
    finite(json.loads(results.model_dump_json()))
    assert {verdict.verdict for verdict in results.workloads[0].verdicts} <= {"inconclusive", "invalid"}


@pytest.mark.parametrize("budget_s", [0.001, 1.0])
def test_a_budget_too_short_for_a_block_says_the_least(tmp_path: Path, budget_s: float) -> None:
    echo = suite(tmp_path)
    with pytest.raises(UserError) as raised:
        planning.plan(Asked(budget_s=budget_s, seed=1), echo, ("http",))
    assert "too short for one block of echo" in raised.value.message
    least = float(str(raised.value.hint).split("about ")[1].split(" s")[0])
    fitting = planning.plan(Asked(budget_s=least, seed=1), echo, ("http",))
    assert fitting.workloads[0].blocks >= 1
