"""A claim is judged under the usual load and under the study's, and both outcomes stand; the gate on cores
that the load shares with the servers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deadheat.model.claim import ClaimResult
from deadheat.model.plan import RacePlan
from deadheat.model.result import Results
from deadheat.report import claims_table, statements
from deadheat.report.gates import advice
from deadheat.results import derive
from deadheat.results.gates import own
from deadheat.results.tally import Tally, tallied
from deadheat.suite.suite import load
from tests.made.observed import COUNTED_NS, observations, plan, race, suite

STUDY = """study = "s"
title = "s"
date = "s"
versions = "s"
machine = "s"
method = "s"

[[shape]]
name = "theirs"
words = "wrk -c8"
workload = "echo"
connections = 8
cores = {cores}

[[claim]]
id = "faster"
statement = "fast is 1.3 times as fast"
where = "w"
workload = "echo"
shape = "theirs"
metric = "throughput_rps"
a = "fast"
b = "slow"
published = {{ ratio = 1.3 }}

[[claim]]
id = "cpu"
statement = "fast needs less CPU"
where = "w"
workload = "echo"
shape = "theirs"
metric = "cpu_us_per_request"
a = "fast"
b = "slow"
published = {{ direction = true }}

[[statement]]
words = "fast"
where = "w"
claims = ["faster"]
"""
USUAL = race()


def theirs(**slices: Any) -> RacePlan:
    of = race(setting="cores=2 connections=8", connections=8, server_cpus=(0, 1), **slices)
    return of.replaced(shape="s/theirs")


def found(
    tmp_path: Path,
    *others: RacePlan,
    cores: int = 2,
    speed: float = 1.3,
    changed: dict[str, dict[str, Any]] | None = None,
) -> Results:
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims" / "s.toml").write_text(STUDY.format(cores=cores))
    of = plan(USUAL, suite(tmp_path)).replaced(workloads=(USUAL, *others))
    seen = [*observations(USUAL, seed=1)]
    for number, other in enumerate(others):
        seen += observations(other, speeds={"fast": speed}, seed=number + 2, changed=changed)
    return derive.results(of, {"cores": 2}, seen)


def rows(results: Results, id_: str) -> dict[str | None, ClaimResult]:
    return {row.shape: row for row in results.claims if row.id == id_ and row.method == "deadheat"}


def test_both_outcomes_stand_and_a_statement_says_both(tmp_path: Path) -> None:
    results = found(tmp_path, theirs(), speed=0.8)
    usual, shaped = rows(results, "faster")[None], rows(results, "faster")["wrk -c8"]
    assert (usual.direction, shaped.direction) == ("confirmed", "refuted")
    assert [claims_table.name(row) for row in (usual, shaped)] == [
        "fast is 1.3 times as fast",
        "fast is 1.3 times as fast (its own load)",
    ]
    assert claims_table.reported([usual, shaped])[1][-1] == "its own load: wrk -c8"
    [answer] = statements.answered(load(tmp_path).studies.values(), results)
    assert answer.outcome == statements.MIXED
    assert answer.because[0].startswith("confirmed") and "(its own load)" in answer.because[1]


def test_its_interval_is_that_of_the_verdict_of_its_own_race(tmp_path: Path) -> None:
    results = found(tmp_path, theirs())
    [verdict] = [v for v in results.workloads[1].verdicts if {v.a, v.b} == {"fast", "slow"}]
    shaped = rows(results, "faster")["wrk -c8"]
    assert shaped.here is not None and verdict.ratio is not None
    assert shaped.here["ratio"] in (verdict.ratio, pytest.approx(1 / verdict.ratio))
    assert rows(results, "cpu")["wrk -c8"].family == 1


def test_without_that_race_it_says_how_to_have_it_or_what_it_needs(tmp_path: Path) -> None:
    row = rows(found(tmp_path), "faster")["wrk -c8"]
    assert claims_table.here(row) == "not in this run: deadheat race --claims s"
    assert row not in claims_table.shown([row])


def test_more_cores_than_the_machine_has_are_named(tmp_path: Path) -> None:
    row = rows(found(tmp_path, cores=3), "faster")["wrk -c8"]
    assert claims_table.here(row) == "needs 3 server cores"


def shared(share: float) -> Tally:
    """A race whose load takes this share of the two CPUs that it has in common with the servers."""
    of = theirs(shared_cpus=(1,))
    took = {"engine_cpu_ns": round(COUNTED_NS * 2 * share)}
    return tallied(of, observations(of, changed={"fast": took}))


@pytest.mark.parametrize(("share", "ok"), [(0.10, True), (0.149, True), (0.16, False), (0.4, False)])
def test_the_load_may_take_little_of_the_servers_cores(share: float, ok: bool) -> None:
    gate = own.generator_share(shared(share), "fast")
    assert gate is not None
    assert gate.ok == ok
    assert gate.value == pytest.approx(share, rel=0.01)
    said = advice(gate)
    assert said is None if ok else "CPUs that it shares with the servers" in str(said)


def test_servers_with_cores_of_their_own_have_no_such_gate() -> None:
    assert own.generator_share(tallied(theirs(), observations(theirs())), "fast") is None


def test_how_much_the_shared_cores_could_move_the_ratio_is_said(tmp_path: Path) -> None:
    row = rows(found(tmp_path, theirs(shared_cpus=(1,))), "faster")["wrk -c8"]
    assert "without it the ratio could be another by" in claims_table.here(row)


def test_a_claim_about_one_that_is_out_of_the_table_says_by_which_gate(tmp_path: Path) -> None:
    late = {"errors": {"timeout": 9}, "first_error": "no reply within 5000 ms"}
    results = found(tmp_path, theirs(), changed={"fast": late})
    usual, shaped = (row for row in results.claims if row.id == "faster" and row.method == "deadheat")
    assert usual.direction == "confirmed"
    assert (shaped.direction, shaped.here) == ("not run", None)
    said = claims_table.here(shaped)
    assert said.startswith("fast is invalid: errors: ") and "no reply within 5000 ms" in said
