"""Each gate: a clean race passes it, a planted fault trips it and takes the verdict away."""

from pathlib import Path
from typing import Any

import pytest

from deadheat import derive
from deadheat.model.observation import Checked
from deadheat.model.result import WorkloadResult

from .observed import COUNTED_NS, observations, plan, race, suite

LATE = (*[100] * 20, *[200] * 10, 0)
FAULTS: dict[str, dict[str, Any]] = {
    "errors": {"errors": {"body": 1}, "first_error": "expected a, got b"},
    "littles-law": {"latency_sum_ns": 64 * COUNTED_NS * 11 // 10},
    "generator-cpu": {"engine_cpu_ns": COUNTED_NS * 9 // 10},
    "server-cpu-known": {"server_cpu_ns": None},
    "flat": {"bins": LATE},
}


def derived(tmp_path: Path, **how: Any) -> WorkloadResult:
    return derive.results(plan(race()), suite(tmp_path), {}, observations(race(), **how)).workloads[0]


def broken(result: WorkloadResult, entry: str) -> set[str]:
    (row,) = [row for row in result.contenders if row.id == entry]
    return {gate.name for gate in row.gates if not gate.ok}


def test_a_clean_race_holds_every_gate(tmp_path: Path) -> None:
    result = derived(tmp_path)
    assert all(gate.ok and gate.advice is None for row in result.contenders for gate in row.gates)
    assert all(gate.ok for gate in result.gates)
    names = {gate.name for row in result.contenders for gate in row.gates}
    assert names == {*FAULTS, "right-answers", "below-ceiling"}


def test_wrong_answers_under_load_take_a_contender_out_of_the_table(tmp_path: Path) -> None:
    result = derived(tmp_path, changed={"fast": FAULTS["errors"]})
    (row,) = [row for row in result.contenders if row.id == "fast"]
    assert (row.status, row.place, row.throughput_rps) == ("invalid", None, None)
    assert row.reason is not None and "expected a, got b" in row.reason
    assert result.verdicts == ()


@pytest.mark.parametrize("name", [name for name in FAULTS if name != "errors"])
def test_a_planted_fault_trips_its_gate_and_no_other(tmp_path: Path, name: str) -> None:
    result = derived(tmp_path, changed={"fast": FAULTS[name]})
    assert broken(result, "fast") == {name}
    assert broken(result, "slow") == set()
    assert result.verdicts[0].verdict == "invalid"
    assert str(result.verdicts[0].why).startswith(f"{name}: ")


def test_a_contender_at_the_ceiling_is_a_lower_bound(tmp_path: Path) -> None:
    result = derived(tmp_path, speeds={"fast": 3.8})
    assert broken(result, "fast") == {"below-ceiling"}
    assert next(row for row in result.contenders if row.id == "fast").lower_bound


def test_wrong_answers_are_no_measurement(tmp_path: Path) -> None:
    seen = [o for o in observations(race()) if not (isinstance(o, Checked) and o.contender == "fast")]
    wrong = Checked(workload="echo", contender="fast", ok=False, cases=3, reason="expected a, got b")
    result = derive.results(plan(race()), suite(tmp_path), {}, [*seen, wrong]).workloads[0]
    (row,) = [row for row in result.contenders if row.id == "fast"]
    assert (row.status, row.reason) == ("failed", "expected a, got b")
    assert result.verdicts == ()


def test_few_blocks_are_said_to_be_few(tmp_path: Path) -> None:
    short = race(2)
    result = derive.results(plan(short), suite(tmp_path), {}, observations(short)).workloads[0]
    assert [gate.name for gate in result.gates if not gate.ok] == ["enough-blocks"]
