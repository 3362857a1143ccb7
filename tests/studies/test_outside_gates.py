"""What a run of somebody else's generator must hold, the published ones among them."""

from __future__ import annotations

from typing import Any

from deadheat.model.gate import GateResult
from deadheat.model.observation import OutsideRun
from deadheat.report.gates import advice
from deadheat.studies import gates as outside_gates


def run(**more: Any) -> OutsideRun:
    figures: dict[str, Any] = {
        "race": "http-hello [study] (as-published)", "block": 0, "entry": "go", "run": 0, "tool": "wrk",
        "version": "4.1.0", "argv": ("wrk",), "in_flight": 400, "requests": 1000, "seconds": 1.0,
        "throughput_rps": 100_000.0, "latency_ms": {"mean": 4.0, "max": 9.0}, "errors": {}, "wall_s": 1.0,
        "generator_cpu_s": 0.5, "server_cpu_s": 1.0, "cpus": 2, "threads": 8, "output": "logs/x",
    }  # fmt: skip
    return OutsideRun(**{**figures, **more})


def gate(name: str, of: OutsideRun) -> GateResult:
    return next(g for g in outside_gates.of_run(of) if g.name == name)


def test_all_hold() -> None:
    assert all(g.ok for g in outside_gates.of_run(run()))


def test_the_published_run_of_go_had_243_connections() -> None:
    errors = {"connect": 157, "read": 100}
    published = run(throughput_rps=69757.81, latency_ms={"mean": 3.56}, errors=errors)
    little = gate("littles-law", published)
    assert not little.ok
    assert "248 requests were in flight" in str(advice(little))
    assert "243 is how many connections" in str(advice(little))
    assert gate("errors", published).value == 257


def test_wrk_opens_as_many_connections_on_each_thread() -> None:
    little = gate(
        "littles-law",
        run(throughput_rps=16184.13, latency_ms={"mean": 0.51542}, in_flight=10, threads=4),
    )
    assert "8 is how many connections" in str(advice(little))


def test_more_in_flight_than_there_can_be() -> None:
    little = gate("littles-law", run(latency_ms={"mean": 6.0}))
    assert not little.ok
    assert "600 requests were in flight" in str(advice(little))
    assert "requests that it never sent" in str(advice(little))


def test_no_latency_breaks_it() -> None:
    assert not gate("littles-law", run(latency_ms={})).ok


def test_a_request_costs_more_in_the_generator() -> None:
    found = gate("generator-cpu", run(generator_cpu_s=1.6, server_cpu_s=0.35))
    assert not found.ok
    assert "used 160% of a CPU and left the server 35%" in str(advice(found))


def test_a_request_costs_more_in_the_server() -> None:
    assert gate("generator-cpu", run(generator_cpu_s=0.7, server_cpu_s=1.2)).ok


def test_a_generator_at_the_end_of_its_one_thread() -> None:
    assert not gate("generator-cpu", run(generator_cpu_s=0.9, server_cpu_s=0.5, threads=1)).ok
