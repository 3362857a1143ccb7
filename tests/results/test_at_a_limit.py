"""Who is at a limit is ahead of who is not by what was found at least; everything else has no verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deadheat.model.result import RaceResult, Results
from deadheat.report import claims_table, matrix, verdicts
from deadheat.results import derive
from tests.made.observed import COUNTED_NS, observations, plan, race, suite
from tests.made.suite import STUDY

# More of the generator's thread than its gate lets pass, and what no level has.
AT_LIMIT: dict[str, Any] = {"engine_cpu_ns": COUNTED_NS * 95 // 100}
LATE: dict[str, Any] = {"bins": (*[100] * 20, *[200] * 10, 0)}
AHEAD = """
id = "ahead"
statement = "fast is {ratio} times as fast"
metric = "throughput_rps"
a = "fast"
b = "slow"
published = {{ ratio = {ratio} }}
"""


def derived(tmp_path: Path, changed: dict[str, dict[str, Any]], fast: float, claimed: float = 2.0) -> Results:
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims" / "s.toml").write_text(STUDY + AHEAD.format(ratio=claimed))
    seen = observations(race(), speeds={"fast": fast}, noise=0.02, changed=changed)
    return derive.results(plan(race(), suite(tmp_path)), {}, seen)


def only(results: Results) -> RaceResult:
    (result,) = results.workloads
    return result


def test_who_alone_is_at_the_limit_is_ahead_by_so_much_at_least(tmp_path: Path) -> None:
    result = only(derived(tmp_path, {"fast": AT_LIMIT}, fast=2.0))
    (verdict,) = result.verdicts
    assert (verdict.verdict, verdict.a) == ("faster", "fast")
    assert verdict.limit is not None and verdict.limit.gate.name == "generator-cpu"
    said = verdicts.of_race(result, verdict, 0.02)
    assert said.startswith("fast is at least ") and "; fast at a limit: generator-cpu)" in said
    row = next(row for row in result.contenders if row.id == "fast")
    assert verdicts.standing(result, row, 0.02).startswith("at least ")
    # The gate is broken all the same.
    assert not all(gate.ok for gate in row.gates)


def test_who_is_behind_a_reference_at_its_limit_is_so_by_so_much_at_least(tmp_path: Path) -> None:
    result = only(derived(tmp_path, {"slow": AT_LIMIT, "slow'": AT_LIMIT}, fast=0.5))
    (verdict,) = result.verdicts
    assert (verdict.verdict, verdict.a) == ("faster", "slow") and verdict.limit is not None
    row = next(row for row in result.contenders if row.id == "fast")
    assert verdicts.standing(result, row, 0.02).startswith("at most 0.")


@pytest.mark.parametrize(
    ("changed", "fast"),
    [
        ({"fast": AT_LIMIT}, 1.15),  # the other may have been close to it
        ({"slow": AT_LIMIT, "slow'": AT_LIMIT}, 2.0),  # the other might be faster than it seems
        ({"fast": AT_LIMIT, "slow": AT_LIMIT, "slow'": AT_LIMIT}, 2.0),
        ({"fast": AT_LIMIT | LATE}, 2.0),  # something else is wrong
        ({"fast": AT_LIMIT, "slow": LATE}, 2.0),
    ],
)
def test_all_else_has_no_verdict(tmp_path: Path, changed: dict[str, dict[str, Any]], fast: float) -> None:
    result = only(derived(tmp_path, changed, fast))
    (verdict,) = result.verdicts
    assert verdict.verdict == "invalid" and verdict.limit is None
    row = next(row for row in result.contenders if row.id == "fast")
    if row.lower_bound:
        said = verdicts.standing(result, row, 0.02)
        assert ": a lower bound (" in said and "generator-cpu" in said


@pytest.mark.parametrize(
    ("claimed", "direction", "size"),
    [(1.3, "confirmed", "bigger"), (2.0, "confirmed", "open"), (4.0, "confirmed", "open"),
     (0.5, "refuted", "smaller")],
)  # fmt: skip
def test_a_claim_has_the_direction_and_a_size_where_more_would_not_change_it(
    tmp_path: Path, claimed: float, direction: str, size: str
) -> None:
    results = derived(tmp_path, {"fast": AT_LIMIT}, 2.0, claimed)
    (row,) = [row for row in results.claims if row.method == "deadheat"]
    assert (row.direction, row.size) == (direction, size)
    assert "generator-cpu" in claims_table.here(row)


def test_workloads_side_by_side_mark_a_bound(tmp_path: Path) -> None:
    results = derived(tmp_path, {"fast": AT_LIMIT}, 2.0)
    other = only(results).replaced(name="echo-two")
    (table,) = matrix.tables(results.replaced(workloads=(only(results), other)))
    (line,) = [line for line in table.brief if line[0] == "fast"]
    assert line[2].startswith(matrix.AT_LEAST) and matrix.BOUNDS in table.marks
