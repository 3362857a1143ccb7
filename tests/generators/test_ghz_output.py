"""What ghz prints: golden files are real reports of ghz 0.120.0, cut to three of the single calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deadheat.generators import ghz
from deadheat.generators.outside import Figures, GeneratorError

GOLDEN = Path(__file__).parent / "golden"


def golden(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((GOLDEN / f"ghz-0.120.0-{name}.json").read_text())
    return found


def read(report: dict[str, Any]) -> Figures:
    return ghz.read(json.dumps(report).encode())


def test_figures() -> None:
    found = read(golden("plain"))
    assert found.requests == 3000
    assert found.throughput_rps == pytest.approx(6536.819, abs=1e-3)
    assert found.latency_ms["mean"] == pytest.approx(17.845363)
    assert found.latency_ms["p99"] == pytest.approx(173.690488)
    assert found.latency_ms["max"] == pytest.approx(178.123376)
    assert found.errors == {}
    assert "  [OK]   3000 responses" in found.shown


def test_the_leanest_configuration_has_the_same_form() -> None:
    assert read(golden("leanest")).errors == {}


def test_failed_calls_are_errors_by_status() -> None:
    report = golden("plain")
    report["statusCodeDistribution"] = {"OK": 2990, "Unavailable": 7, "DeadlineExceeded": 3}
    assert read(report).errors == {"Unavailable": 7, "DeadlineExceeded": 3}


def test_no_call_answered() -> None:
    with pytest.raises(GeneratorError, match=r"no call answered.*connection refused"):
        read(golden("refused"))


def test_calls_without_a_status() -> None:
    report = golden("plain")
    report["statusCodeDistribution"] = {"OK": 2990}
    with pytest.raises(GeneratorError, match="3000 calls and 2990 statuses"):
        read(report)


def test_ended_early() -> None:
    with pytest.raises(GeneratorError, match="ended early: timeout"):
        read({**golden("plain"), "endReason": "timeout"})


def test_a_key_that_is_not_known_is_named() -> None:
    with pytest.raises(GeneratorError, match="retries"):
        read({**golden("plain"), "retries": 4})


@pytest.mark.parametrize("key", ["count", "rps", "average", "statusCodeDistribution", "errorDistribution"])
def test_a_key_that_is_missing_is_named(key: str) -> None:
    report = golden("plain")
    del report[key]
    with pytest.raises(GeneratorError, match=key):
        read(report)


def test_cut_off_anywhere() -> None:
    whole = (GOLDEN / "ghz-0.120.0-plain.json").read_bytes()
    for length in range(0, len(whole), 7):
        with pytest.raises(GeneratorError):
            ghz.read(whole[:length])
