"""Runs of commit f6a1ed6 (schema 1) are read, and say today what they said then."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deadheat.app import reports
from deadheat.model.observation import Interference
from deadheat.model.result import Results
from deadheat.storage.run_folder import RunFolder
from tests.made.older_runs import unpacked

# A mean's last digits depend on the width of a processor's vectors; nothing else may differ.
LAST_DIGITS = 1e-12
# A claim of then that columns of the study answer today.
ANSWERED_OTHERWISE = "clients-wait"
NULL_PAIR = ("contender", "ratio", "ci", "ci_99_9", "ok")
MEASURES = ("throughput_rps", "wall_s", "cpu_s", "own_wall_s", "cpu_us_per_request")


@pytest.fixture(params=["deadheat", "as-published"])
def older(request: pytest.FixtureRequest, tmp_path: Path) -> RunFolder:
    return RunFolder(unpacked(str(request.param), tmp_path / str(request.param)))


def test_the_report_gives_the_same_verdicts_ratios_and_intervals(older: RunFolder) -> None:
    results, warnings = reports.derive_again(older)
    expected = _expected(older)
    assert _said(results, expected) == expected
    assert warnings == []


def test_results_of_schema_1_are_read_as_they_stand(older: RunFolder) -> None:
    assert json.loads(older.results_file.read_text())["schema"] == 1
    expected = _expected(older)
    assert _said(older.results(), expected) == expected


def test_a_verdict_is_followed_to_the_same_figures(older: RunFolder) -> None:
    if older.path.name == "as-published":
        pytest.skip("no verdict of a study's own method can be followed")
    found = reports.why(older, ("c", "go"), "fib")
    assert found.agrees and found.verdict is not None and found.verdict.verdict == "faster"


def test_its_journal_names_races_and_interference(older: RunFolder) -> None:
    observations, torn = older.observations()
    assert torn is None
    keys = {race.key for race in older.plan().workloads}
    assert {o.race for o in observations if o.type == "block-ended"} == keys
    assert [o.block for o in observations if isinstance(o, Interference)]


def _expected(folder: RunFolder) -> dict[str, Any]:
    expected = json.loads((folder.path / "verdicts.json").read_text())
    assert isinstance(expected, dict)
    expected["claims"] = [claim for claim in expected["claims"] if claim["id"] != ANSWERED_OTHERWISE]
    return {key: _approximate(value) for key, value in expected.items()}


def _approximate(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _approximate(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_approximate(inner) for inner in value]
    return pytest.approx(value, rel=LAST_DIGITS, abs=0) if isinstance(value, float) else value


def _said(results: Results, expected: dict[str, Any]) -> dict[str, Any]:
    """What `verdicts.json` holds, of today's results.

    A run of before plans kept their suite reads today's, which has more claims: those are left out.
    """
    then = {(claim["study"], claim["id"]) for claim in expected["claims"]}
    reported = json.loads(results.model_dump_json(by_alias=True))
    return {
        "races": {_key(race): _race(race) for race in reported["workloads"]},
        "claims": [
            {key: claim[key] for key in ("study", "id", "method", "outcome", "here")}
            for claim in reported["claims"]
            if (claim["study"], claim["id"]) in then
        ],
    }


def _race(race: dict[str, Any]) -> dict[str, Any]:
    return {
        "blocks": race["blocks"],
        "null_pair": race["null_pair"] and {key: race["null_pair"][key] for key in NULL_PAIR},
        "gates": {gate["name"]: gate["ok"] for gate in race["gates"]},
        "verdicts": [
            {key: verdict[key] for key in ("a", "b", "metric", "ratio", "ci", "verdict")}
            for verdict in race["verdicts"]
        ],
        "contenders": {_id(row): _contender(row) for row in race["contenders"]},
    }


def _contender(row: dict[str, Any]) -> dict[str, Any]:
    measures = {
        name: {"estimate": row[name]["estimate"], "ci": row[name]["ci"]} for name in MEASURES if row.get(name)
    }
    return {
        "status": row["status"],
        "place": row.get("place"),
        "against_reference": row.get("against_reference"),
        "broken": [gate["name"] for gate in row["gates"] if not gate["ok"]],
        **measures,
    }


def _key(race: dict[str, Any]) -> str:
    setting = f" [{race['setting']}]" if race["setting"] else ""
    method = "" if race["method"] == "deadheat" else f" ({race['method']})"
    return f"{race['name']}{setting}{method}"


def _id(row: dict[str, Any]) -> str:
    return str(row["name"] + (f":{row['variant']}" if row["variant"] else ""))
