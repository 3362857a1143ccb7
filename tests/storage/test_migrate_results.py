"""Results of schema 1 are still read: what they said in sentences is kept as it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from deadheat.model.claim import PublishedGate
from deadheat.model.gate import GateResult
from deadheat.model.measured import InvocationPlan, OutsidePlan, SlicePlan
from deadheat.model.result import Overlaps
from deadheat.report import claims_table, gates, words
from deadheat.storage import migrate

RACE: dict[str, Any] = {
    "name": "echo",
    "carry_over": [{"contender": "a"}],
    "findings": ["a never got steady"],
    "verdicts": [{"a": "a", "b": "b", "why": "the interval covers 1"}, {"a": "a", "b": "c", "why": None}],
    "gates": [{"name": "steal", "ok": False, "value": 0.2, "limit": "at most 10%", "advice": "another hour"}],
    "contenders": [
        {"name": "a", "overlaps": "reads while writing", "latency_at_load": [{"gate": {"advice": None}}]}
    ],
}
SAID = (
    "248 requests were in flight, not the 5,000 asked for: "
    "3,208 is how many connections there were (as printed)"
)


def migrated(document: Mapping[str, Any]) -> dict[str, Any]:
    (race,) = migrate.results({"schema": 1, "workloads": [document]})["workloads"]
    assert isinstance(race, dict)
    return race


def test_findings_and_reasons_become_notes() -> None:
    race = migrated(RACE)
    assert "carry_over" not in race
    assert race["findings"] == [{"finding": "note", "text": "a never got steady"}]
    note = {"reason": "note", "text": "the interval covers 1"}
    assert race["verdicts"] == [{"a": "a", "b": "b", "reasons": [note]}, {"a": "a", "b": "c", "reasons": []}]


def test_a_gate_still_gives_the_advice_it_gave() -> None:
    (gate,) = migrated(RACE)["gates"]
    assert gates.broken(GateResult.model_validate(gate)) == "steal: another hour"


@pytest.mark.parametrize(
    "said", ["no", "sends early", "sends early, reads while writing", "not known (no strace)"]
)
def test_overlaps_are_told_in_the_same_words(said: str) -> None:
    (row,) = migrated(RACE | {"contenders": [{"overlaps": said}]})["contenders"]
    assert words.overlaps(Overlaps.model_validate(row["overlaps"])) == said


def test_a_published_gate_still_gives_the_advice_it_gave() -> None:
    old = {"study": "s", "name": "n", "in_flight": 248.2, "asked": 5000, "ok": False, "advice": SAID}
    (gate,) = migrate.results({"schema": 1, "workloads": [], "published_gates": [old]})["published_gates"]
    assert claims_table.advice(PublishedGate.model_validate(gate)) == SAID


@pytest.mark.parametrize("workloads", [5, None, [5], "text"])
def test_what_is_no_list_of_races_is_left_for_validation(workloads: object) -> None:
    assert migrate.results({"schema": 1, "workloads": workloads})["workloads"] == workloads


def test_todays_results_are_left_alone() -> None:
    document = {"schema": migrate.SCHEMA, "workloads": [RACE]}
    assert migrate.results(document) == document


@pytest.mark.parametrize(
    ("flat", "measured"),
    [
        (
            {"kind": "http", "n": None, "connections": 64, "streams": None, "server_cores": 2},
            {"by": "slices", "connections": 64, "streams": 1, "server_cores": 2},
        ),
        ({"kind": "program", "n": 38, "connections": None}, {"by": "invocations", "n": 38}),
        ({"kind": "redis-client", "n": None}, {"by": "invocations"}),
        (
            {"kind": "http", "method": "as-published", "connections": 100, "streams": None},
            {"by": "outside", "connections": 100},
        ),
    ],
    ids=["server", "program", "client", "as published"],
)
def test_what_schema_2_had_side_by_side_is_one_part_of_its_kind(
    flat: dict[str, Any], measured: dict[str, Any]
) -> None:
    (race,) = migrate.results({"schema": 2, "workloads": [flat]})["workloads"]
    assert race["measured"] == measured
    assert not {"n", "connections", "streams", "server_cores"} & race.keys()


def test_a_plan_of_schema_2_is_read_with_every_field_in_its_part() -> None:
    flat = {"kind": "http", "connections": 10, "streams": 5, "server_cpus": None, "generator_threads": 2}
    flat |= {"warm_up_ms": 500, "lead_in_ms": 50, "counted_ms": 100, "loads": [0.5], "open_loop_ms": 300}
    flat |= {"n": None, "redis": None, "outside": None, "workload": "echo"}
    (race,) = migrate.plan({"schema": 2, "workloads": [flat]})["workloads"]
    assert race.keys() == {"kind", "workload", "measured"}
    slices = SlicePlan.model_validate(race["measured"])
    assert (slices.connections, slices.streams, slices.generator_threads) == (10, 5, 2)
    assert (slices.warm_up_ms, slices.lead_in_ms, slices.counted_ms) == (500, 50, 100)
    assert (slices.loads, slices.open_loop_ms) == ((0.5,), 300)


def test_a_plan_of_schema_2_by_a_studys_method_keeps_its_connections() -> None:
    outside = {"study": "s", "tool": "wrk", "arguments": {}}
    flat = {"kind": "http", "connections": 10, "redis": None, "outside": outside}
    (race,) = migrate.plan({"schema": 2, "workloads": [flat]})["workloads"]
    assert OutsidePlan.model_validate(race["measured"]).connections == 10


def test_a_race_of_redis_clients_is_one_of_programs() -> None:
    had = {"by": "pipelines", "server": "sink", "iterations": 5000, "rounds": 1, "depth": 1}
    had |= {"commands": 20_003, "about_s": 1.0}
    planned = {"kind": "redis-client", "workload": "redis-pipeline", "measured": had}
    (race,) = migrate.plan({"schema": 3, "workloads": [planned]})["workloads"]
    assert (race["kind"], race["values"]) == ("program", {"server": "sink", "rounds": 1, "depth": 1})
    assert InvocationPlan.model_validate(race["measured"]) == InvocationPlan(
        n=5000, commands=20_003, about_s=1.0
    )
    found = {"kind": "redis-client", "measured": {"by": "pipelines", "commands": 20_003}}
    (result,) = migrate.results({"schema": 3, "workloads": [found]})["workloads"]
    assert result == {"kind": "program", "measured": {"by": "invocations", "commands": 20_003}}
