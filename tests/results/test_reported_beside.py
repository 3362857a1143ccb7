"""Told beside a rate: messages a second of calls that stream, and what a study printed of a server."""

from __future__ import annotations

from typing import Any

from deadheat.model.gate import GateResult
from deadheat.model.measured import Length
from deadheat.model.observation import OutsideRun
from deadheat.model.published import PublishedRow
from deadheat.model.result import (
    AnyResult,
    ByOutside,
    BySlices,
    Measure,
    NoFigures,
    ProgramResult,
    PublishedServerResult,
    RaceResult,
    ServerResult,
)
from deadheat.report import published_columns, published_table
from deadheat.report.findings import sentence
from deadheat.results import findings


def row(name: str, **more: Any) -> AnyResult:
    reported: dict[str, Any] = {
        "name": name, "variant": None, "title": name, "language": "Go", "class_": "idiomatic",
        "status": "measured",
    }  # fmt: skip
    reported |= more
    figures: dict[str, Any] = {"throughput_rps": Measure(estimate=8000, ci=None, blocks=(8000,))}
    if reported["status"] != "measured":
        return NoFigures(**reported)
    return (
        PublishedServerResult(**reported, **figures)
        if "outside" in reported
        else ServerResult(**reported, **figures)
    )


def race(*rows: AnyResult) -> RaceResult:
    return RaceResult(
        name="greet", kind="grpc", title="", question="", metric="throughput_rps", reference="go", blocks=1,
        blocks_planned=1, slices=1, contenders=rows, null_pair=None, gates=(), verdicts=(),
        measured=BySlices(connections=1, streams=1),
    )  # fmt: skip


def outside(**more: Any) -> OutsideRun:
    reported: dict[str, Any] = {
        "race": "greet [study] (as-published)", "block": 0, "entry": "go", "run": 0, "tool": "ghz",
        "version": "1", "argv": ("ghz", "-c", "2"), "in_flight": 2, "requests": 100, "seconds": 1.0,
        "throughput_rps": 100.0, "latency_ms": {"mean": 1.0, "max": 2.0}, "errors": {}, "wall_s": 2.0,
        "generator_cpu_s": 3.0, "server_cpu_s": 0.5, "cpus": 2, "threads": 1, "output": "logs/x",
    }  # fmt: skip
    return OutsideRun(**(reported | more))


def remarks(of: AnyResult) -> str:
    ((*_, reported),) = published_table.rows(race(of))
    return reported


def test_a_call_that_streams_is_told_in_messages_too() -> None:
    lost = row("lost", status="failed", reason="gone")
    (found,) = findings.message_rates([row("go"), lost], 100)
    assert sentence(found) == "100 messages a call; messages/s: go 800,000"
    assert list(findings.message_rates([row("go")], 1)) == []
    assert list(findings.message_rates([lost], 100)) == []


def test_a_servers_cpu_and_memory_stand_beside_the_published() -> None:
    printed = PublishedRow(contender="go", cpu_percent=200, memory="53, no unit")
    reported = remarks(row("go", outside=outside(), published=printed, peak_memory_bytes=21_000_000))
    assert "ghz used 150% of a CPU, the server 25% (published 200%); " in reported
    assert "peak memory of the server 21 MB (published 53, no unit)" in reported


def test_what_was_not_published_is_not_told() -> None:
    reported = remarks(
        row("go", outside=outside(), published=PublishedRow(contender="go"), peak_memory_bytes=1)
    )
    assert "published" not in reported
    assert "the server 25%; peak memory of the server" in reported


def measured_so_long(published: Length, here: Length, **more: Any) -> str:
    of = row("go", outside=outside(), **more)
    long = race(of).replaced(measured=ByOutside(length=here, published=published))
    ((*_, reported),) = published_table.rows(long)
    return reported


def test_a_row_says_whether_its_run_was_as_long_as_the_published() -> None:
    minute = Length(seconds=60)
    assert measured_so_long(minute, minute).startswith("60 s, as published; ")
    assert measured_so_long(minute, Length(seconds=3)).startswith("3 s, shorter than the 60 s published; ")
    calls = measured_so_long(Length(total=1_000_000), Length(total=30_000))
    assert calls.startswith("30,000 requests, shorter than the 1,000,000 requests published; ")


def test_littles_law_is_said_in_the_row_that_breaks_it_and_nowhere_else() -> None:
    facts: dict[str, Any] = {"tool": "wrk", "in_flight": 2300.0, "asked": 400.0}
    law = GateResult(name="littles-law", ok=False, value=5.75, limit="1 +-5%", facts=facts)
    of = race(row("go", outside=outside(), gates=(law,)))
    ((*_, reported),) = published_table.rows(of)
    assert "littles-law: 2,300 requests were in flight by its own figures, not the 400 asked for" in reported
    assert list(published_table.broken_below(of)) == []


def test_a_program_says_its_share_of_the_cpu_that_of_its_server_and_its_size() -> None:
    printed = PublishedRow(contender="rs", process_cpu_percent=48, service_cpu_percent=100, binary="2.1M")
    limited = GateResult(name="server-limited", ok=True, value=0.97, limit="at most 90%")
    figures: dict[str, Any] = {"wall_s": figure(0.6), "cpu_s": figure(0.3)}
    of = ProgramResult(
        name="rs", variant=None, title="rs", language="Rust", class_="idiomatic", status="measured",
        published=printed, gates=(limited,), artifact_bytes=2_100_000, **figures,
    )  # fmt: skip
    assert [row[1:] for row in published_columns.rows(race(of))] == [
        ("process CPU", "48%", "50%"),
        ("service CPU", "100%", "97%"),
        ("binary size", "2.1M", "2.1 MB"),
    ]


def figure(value: float) -> Measure:
    return Measure(estimate=value, ci=None, blocks=(value,))


def test_a_program_has_no_server() -> None:
    assert "server" not in remarks(row("go", outside=outside(server_cpu_s=None)))
