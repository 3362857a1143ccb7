"""Bars and changes of the gRPC servers, out of results, and into the place that their page has for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from bench import grpc_bars, grpc_changes, grpc_race

from deadheat.model.result import BySlices, Measure, RaceResult, Results, ServerResult

RATES = {
    "go-grpc": 100.0,
    "go-grpc:tuned": 140.0,
    "go-grpc:gogc": 120.0,
    "go-grpc:stream-workers": 90.0,
    "rust-tonic": 120.0,
    "rust-tonic:tuned": 200.0,
    "ceiling": 900.0,
}
# Each block is a faster or slower hour for all alike: ratios must not see it.
HOURS = (1.0, 1.3, 0.8)


def measure(rate: float) -> Measure:
    return Measure(estimate=rate, ci=None, blocks=tuple(rate * hour for hour in HOURS))


def row(id_: str, rate: float, **more: Any) -> ServerResult:
    name, _, variant = id_.partition(":")
    reported: dict[str, Any] = {
        "name": name,
        "variant": variant or None,
        "title": id_,
        "language": "Go",
        "class_": "idiomatic",
        "status": "measured",
        "throughput_rps": measure(rate),
        "cpu_us_per_request": measure(1e6 / rate),
        "peak_memory_bytes": 1 << 24,
    }
    return ServerResult(**(reported | more))


def results(rows: list[ServerResult]) -> Results:
    race: dict[str, Any] = {
        "name": "grpc-unary",
        "kind": "grpc",
        "title": "",
        "question": "",
        "metric": "throughput_rps",
        "reference": "go-grpc",
        "measured": BySlices(connections=10, streams=50),
        "blocks": 3,
        "blocks_planned": 3,
        "slices": 90,
        "contenders": tuple(rows),
        "null_pair": None,
        "gates": (),
        "verdicts": (),
    }
    beside = RaceResult(**(race | {"setting": "connections=100"}))
    return Results(
        run="r",
        version="0",
        preset="quick",
        command=("deadheat", "race", "grpc-unary", "--out", "x"),
        started="2026-01-02T03:04:05Z",
        seed=1,
        margin=0.02,
        machine={"cpu_model": "a processor"},
        workloads=(beside, RaceResult(**race)),
    )


def written(tmp_path: Path, rows: list[ServerResult]) -> Path:
    file = tmp_path / "results.json"
    file.write_text(results(rows).model_dump_json(by_alias=True))
    return file


def all_rows() -> list[ServerResult]:
    return [row(id_, rate) for id_, rate in RATES.items()]


def test_bars_are_ratios_within_blocks(tmp_path: Path) -> None:
    found, command = grpc_race.race("grpc-unary", (), "1s", written(tmp_path, all_rows()))
    assert command == "deadheat race grpc-unary"
    bars = list(grpc_bars.of(grpc_race.of(found, "grpc-unary")))
    reported = {(bar.a, bar.b): (round(bar.found.ratio or 0, 3), bar.reached) for bar in bars}
    assert reported == {
        ("rust-tonic:tuned", "go-grpc:tuned"): (1.429, False),
        ("rust-tonic:tuned", "rust-tonic"): (1.667, False),
        ("go-grpc:tuned", "go-grpc"): (1.4, True),
        ("ceiling", "rust-tonic:tuned"): (4.5, True),
    }
    assert any("1.43" in line and "not reached" in line for line in grpc_bars.lines(bars))


def test_changes_are_held_against_the_documented_form(tmp_path: Path) -> None:
    found, _ = grpc_race.race("grpc-unary", (), "1s", written(tmp_path, all_rows()))
    ids = ["go-grpc", "go-grpc:gogc", "go-grpc:stream-workers", "go-grpc:tuned"]
    _, _, base, *changes = grpc_changes.table(grpc_race.of(found, "grpc-unary"), ids)
    assert "| 1 | 1 |" in base
    assert [line.split("|")[3].split()[0] for line in changes] == ["1.20", "0.90", "1.40"]


def test_a_row_that_was_not_measured_ends_it_with_its_reason() -> None:
    found = results([row("go-grpc", 1, status="unavailable", reason="go not found", throughput_rps=None)])
    with pytest.raises(SystemExit, match="go-grpc was not measured: unavailable: go not found"):
        list(grpc_bars.of(grpc_race.of(found, "grpc-unary")))


def test_a_text_goes_between_its_own_markers(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- begin: a -->\nold\n<!-- end -->\nafter\n<!-- begin: b -->\n<!-- end -->\n")
    grpc_race.into(page, "b", "new")
    assert page.read_text() == (
        "before\n<!-- begin: a -->\nold\n<!-- end -->\nafter\n<!-- begin: b -->\nnew\n<!-- end -->\n"
    )
    with pytest.raises(SystemExit, match="no place"):
        grpc_race.into(page, "c", "new")
