"""Files of other tools become context rows: real outputs of wrk, ghz and hyperfine's and oha's own forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deadheat.errors import UserError
from deadheat.history import foreign

GOLDEN = Path(__file__).parents[1] / "generators" / "golden"
OHA: dict[str, Any] = {
    "summary": {
        "successRate": 1.0, "total": 5.0, "slowest": 0.02, "fastest": 0.0001, "average": 0.00123,
        "requestsPerSec": 51234.5, "totalData": 1000, "sizePerRequest": 10, "sizePerSec": 200.0,
    },
    "responseTimeHistogram": {"0.0001": 10},
    "latencyPercentiles": {
        "p10": 0.0005, "p25": 0.0007, "p50": 0.001, "p75": 0.0012, "p90": 0.002, "p95": 0.003,
        "p99": 0.005, "p99.9": 0.01, "p99.99": 0.02,
    },
    "rps": {"mean": 51000.0, "stddev": 10.0, "max": 52000.0, "percentiles": {}},
    "details": {},
    "statusCodeDistribution": {"200": 256000, "503": 172},
    "errorDistribution": {"aborted due to deadline": 64},
}  # fmt: skip


def test_wrk() -> None:
    (row,) = foreign.read(GOLDEN / "wrk-4.1.0-latency.txt")
    assert row.tool == "wrk"
    assert row.name.startswith("1s test @ http://") or "test @ http" in row.name
    assert row.throughput_rps and row.requests and row.latency_ms["p99"] > row.latency_ms["p50"]


def test_wrks_errors_come_with_its_figures() -> None:
    (row,) = foreign.read(GOLDEN / "wrk-4.1.0-non-2xx.txt")
    assert row.errors["status"] > 0


def test_ghz() -> None:
    (row,) = foreign.read(GOLDEN / "ghz-0.120.0-plain.json")
    assert row.tool == "ghz"
    assert row.throughput_rps == pytest.approx(6536.819, abs=1e-3)
    assert row.latency_ms["p99"] == pytest.approx(173.690488)


def test_hyperfine(tmp_path: Path) -> None:
    """The form of `--export-json`, which our own export writes too."""
    result = {"command": "fib 40", "mean": 0.25, "stddev": 0.01, "times": [0.24, 0.26], "exit_codes": [0, 1]}
    (tmp_path / "h.json").write_text(json.dumps({"results": [result, {**result, "command": "fib 41"}]}))
    rows = foreign.read(tmp_path / "h.json")
    assert [(row.tool, row.name, row.wall_s) for row in rows] == [
        ("hyperfine", "fib 40", 0.25), ("hyperfine", "fib 41", 0.25),
    ]  # fmt: skip
    assert rows[0].errors == {"exit code": 1}


def test_oha(tmp_path: Path) -> None:
    (tmp_path / "oha.json").write_text(json.dumps(OHA))
    (row,) = foreign.read(tmp_path / "oha.json")
    assert row.throughput_rps == 51234.5
    assert row.latency_ms["mean"] == pytest.approx(1.23) and row.latency_ms["p99.9"] == pytest.approx(10)
    assert row.errors == {"503": 172, "aborted due to deadline": 64}
    assert row.requests == 256172


def test_oha_that_reached_nobody_has_no_latency(tmp_path: Path) -> None:
    nothing = {
        **OHA,
        "summary": {**OHA["summary"], "average": None, "slowest": None},
        "latencyPercentiles": dict.fromkeys(OHA["latencyPercentiles"]),
        "statusCodeDistribution": {},
    }
    (tmp_path / "oha.json").write_text(json.dumps(nothing))
    (row,) = foreign.read(tmp_path / "oha.json")
    assert row.latency_ms == {} and row.requests == 0


@pytest.mark.parametrize(
    "content",
    [
        "", "hello", "Running 1s test @ http://x\n  1 threads", "{", "[]", "{}", '{"results": [{}]}',
        '{"results": 3}', '{"results": [{"command": "x", "mean": "fast", "times": []}]}',
        '{"endReason": "normal"}', '{"summary": {}, "latencyPercentiles": {}}', "\x00\xff",
    ],
)  # fmt: skip
def test_anything_else_is_one_line_with_the_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "file").write_bytes(content.encode("latin-1"))
    with pytest.raises(UserError) as caught:
        foreign.read(tmp_path / "file")
    assert caught.value.message.startswith(f"{tmp_path / 'file'}: ")
    assert "\n" not in caught.value.message


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read: No such file"):
        foreign.read(tmp_path / "none")
