"""What our own generator prints when it is run by hand: golden files are real outputs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from deadheat.generators import deadheat_load
from deadheat.generators.outside import Figures, GeneratorError

GOLDEN = Path(__file__).parent / "golden"


def read(name: str, **changed: object) -> Figures:
    report = json.loads((GOLDEN / f"deadheat-load-{name}.json").read_text())
    log = (GOLDEN / f"deadheat-load-{name}.hdr").read_text()
    return deadheat_load.read(json.dumps({**report, **changed}).encode(), log)


def test_all_three_in_the_form_of_ghz() -> None:
    found = read("plain")
    assert found.requests == 30_000
    assert found.errors == {}
    assert found.shown[-1] == "  [OK]   30000 responses"
    bins = [int(m[1]) for line in found.shown if (m := re.match(r"  [\d.]+ +\[(\d+)\] +\|", line))]
    assert len(bins) == 11
    assert sum(bins) == 30_000
    assert [name for name in found.latency_ms if name[0] == "p"] == [
        "p10", "p25", "p50", "p75", "p90", "p95", "p99",
    ]  # fmt: skip
    percentiles = [ms for name, ms in found.latency_ms.items() if name[0] == "p"]
    assert percentiles == sorted(percentiles)
    assert percentiles[-1] <= found.latency_ms["max"] * 1.001


def test_percentiles_are_those_that_it_prints_itself() -> None:
    printed = json.loads((GOLDEN / "deadheat-load-plain.json").read_text())["latency_ms"]
    reported = read("plain").latency_ms
    for name in ("p50", "p75", "p90", "p95", "p99"):
        assert reported[name] == pytest.approx(printed[name], rel=1e-3)


def test_failed_calls_are_errors_and_statuses() -> None:
    found = read("failing")
    assert (found.requests, found.errors) == (900, {"status": 100})
    assert found.shown[-2:] == ("  [OK]   900 responses", "  [Internal]   100 responses")


def test_no_call_answered() -> None:
    with pytest.raises(GeneratorError, match="no call answered: grpc-status 13 INTERNAL"):
        read("all-failed")


def test_a_kind_of_error_that_does_not_add_up() -> None:
    with pytest.raises(GeneratorError, match="counts 7 errors and 0 of known kinds"):
        read("plain", errors=7)


def test_a_histogram_of_another_run() -> None:
    with pytest.raises(GeneratorError, match="29999 calls and 30000 latencies"):
        read("plain", requests=29_999)


def test_cut_off() -> None:
    whole = (GOLDEN / "deadheat-load-plain.json").read_bytes()
    for length in range(0, len(whole) - 2, 11):
        with pytest.raises(GeneratorError):
            deadheat_load.read(whole[:length], "")
