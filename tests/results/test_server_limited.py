"""The gate on client programs whose server is the limit; and that no gate is without its two tests."""

import re
from pathlib import Path

import pytest

import deadheat
from deadheat.model.observation import BlockEnded, Invocation, Observation
from deadheat.report.gates import ADVICE, advice
from deadheat.results.gates import own as gates
from deadheat.results.gates import registry
from deadheat.results.tally import Tally, tallied
from tests.made.observed import race

from . import test_gates

SOURCES = Path(deadheat.__file__).parent
# Those whose two tests are not parametrised in test_gates: here, there by themselves, in test_derive (the
# null pair), in test_services_cpu, test_database_statements, test_long_turns, test_equal_load,
# test_load_elsewhere and test_shaped_claims.
BY_THEMSELVES = {
    "right-answers",
    "below-ceiling",
    "frozen",
    "runqueue-wait",
    "enough-blocks",
    "slices-agree",
    "steady",
    "drift",
    "null-pair",
    "null-pool",
    "server-limited",
    "services-cpu",
    "database-statements",
    "database-sessions",
    "generator-share",
    "asked-rate",
    "generators-together",
    "network-limited",
    "services-network",
}


def clients(server_cpu_s: float | None, metric: str) -> Tally:
    """Six blocks of one invocation of `fast`, a second each."""
    seen: list[Observation] = []
    for block in range(6):
        seen.append(
            Invocation(
                race="echo",
                block=block,
                round=0,
                turn=0,
                entry="fast",
                at_ns=0,
                wall_s=1.5,
                own_wall_s=1.0,
                user_s=0.3,
                system_s=0.1,
                peak_memory_bytes=1,
                server_cpu_s=server_cpu_s,
            )
        )
        seen.append(BlockEnded(race="echo", block=block))
    return tallied(race().model_copy(update={"kind": "program", "metric": metric}), seen)


@pytest.mark.parametrize(
    ("server_cpu_s", "metric", "ok"),
    [(0.5, "wall_s", True), (0.9, "wall_s", True), (0.95, "wall_s", False), (0.95, "cpu_s", True)],
)
def test_wall_time_is_the_clients_only_where_the_server_had_time(
    server_cpu_s: float, metric: str, ok: bool
) -> None:
    gate = gates.server_limited(clients(server_cpu_s, metric), "fast", metric)
    assert gate is not None
    assert (gate.name, gate.ok) == ("server-limited", ok)
    assert gate.value == pytest.approx(server_cpu_s)
    assert [found.ok for found in registry.of_contender(clients(server_cpu_s, metric), "fast")][1:] == [ok]


def test_its_advice_fits_the_metric() -> None:
    wall = gates.server_limited(clients(0.95, "wall_s"), "fast", "wall_s")
    assert wall is not None and "race against the sink" in str(advice(wall))
    cpu = gates.server_limited(clients(0.95, "cpu_s"), "fast", "cpu_s")
    assert cpu is not None and "the verdict is on CPU time" in str(advice(cpu))
    free = gates.server_limited(clients(0.5, "wall_s"), "fast", "wall_s")
    assert free is not None and advice(free) is None


def test_a_server_whose_time_is_not_known_has_no_such_gate() -> None:
    assert gates.server_limited(clients(None, "wall_s"), "fast", "wall_s") is None


def test_no_gate_is_without_its_two_tests() -> None:
    """A new gate makes this fail until it has a planted fault and a clean run."""
    text = "".join(
        (SOURCES / "results" / f"{module}.py").read_text()
        for module in ("gates/own", "gates/interference", "gates/elsewhere", "judging", "latency")
    )
    made = set(re.findall(r'(?:gate_result\(|_at_most\(|name=)\s*"([a-z][a-z-]+)"', text))
    assert made == {*test_gates.FAULTS, *test_gates.AROUND, *BY_THEMSELVES}
    assert {*registry.CONTENDER_GATES, *registry.RACE_GATES} <= made


def test_every_gate_has_its_sentence() -> None:
    assert {*registry.CONTENDER_GATES, *registry.RACE_GATES} <= ADVICE.keys()
