"""Handshakes apart from what is judged, of made-up blocks whose truth is known."""

from __future__ import annotations

from typing import Any

from deadheat.model.observation import BlockEnded, Checked, Observation, Started
from deadheat.model.result import Handshakes
from deadheat.report import details
from deadheat.report import handshakes as reported
from deadheat.results import handshakes
from deadheat.results.tally import Tally, tallied
from tests.made.observed import observations, race
from tests.results.test_reported_beside import race as told
from tests.results.test_reported_beside import row

CONNECTIONS = 10


def tally(protocol: str | None, opening_us: list[int | None], reconnects: int = 0) -> Tally:
    plan = race(blocks=len(opening_us), setting="tls", protocol=protocol, connections=CONNECTIONS)
    # Each block has its starts, before its end.
    seen = observations(plan, changed={"fast": {"reconnects": reconnects}})
    started: dict[int, Started] = {
        block: Started(
            race=plan.key,
            block=block,
            entry="fast",
            first_response_ms=1.0,
            opening_cpu_ns=None if us is None else us * 1000 * CONNECTIONS,
        )
        for block, us in enumerate(opening_us)
    }
    checked = Checked(workload="echo", contender="fast", ok=True, cases=1, agreed="TLSv1.3, X")
    with_starts: list[Observation] = []
    for each in seen:
        with_starts += [started[each.block], each] if isinstance(each, BlockEnded) else [each]
    return tallied(plan, [*with_starts, checked])


def test_the_cost_is_the_median_of_blocks_a_connection() -> None:
    found = handshakes.figures(tally("https", [200, 100, 180]), "fast")
    assert found == Handshakes(
        before=3 * CONNECTIONS, in_slices=0, cpu_us=180.0, cpu_range_us=(100.0, 200.0), agreed="TLSv1.3, X"
    )


def test_those_in_slices_are_counted() -> None:
    of = tally("h2", [200, 100], reconnects=3)
    found = handshakes.figures(of, "fast")
    assert found is not None and found.in_slices == 3 * len(of.slices("fast")) > 0


def test_nobody_could_meter_it() -> None:
    found = handshakes.figures(tally("https", [None, None]), "fast")
    assert found is not None and found.cpu_us is None and found.before == 2 * CONNECTIONS


def test_without_tls_there_are_none() -> None:
    assert handshakes.figures(tally("h2c", [None]), "fast") is None
    assert handshakes.figures(tally(None, [None]), "fast") is None


def shook(cpu_us: float | None, **more: Any) -> Handshakes:
    range_us = None if cpu_us is None else (cpu_us - 10, cpu_us + 10)
    return Handshakes(before=64, in_slices=0, cpu_us=cpu_us, cpu_range_us=range_us, **more)


def test_the_least_is_said_first_and_that_it_is_apart() -> None:
    result = told(
        row("go", handshakes=shook(300.0)),
        row("node", handshakes=shook(200.0)),
        row("else", handshakes=shook(None)),
    )
    (line,) = [" ".join(" ".join(reported.lines(result)).split())]
    assert line == (
        "CPU a handshake, in no figure above: node 200 µs (190 µs to 210 µs), go 300 µs (290 µs to 310 µs)"
    )


def test_a_table_beside_the_race_has_them() -> None:
    result = told(
        row("go", private_memory_bytes=1, shared_memory_bytes=1, handshakes=shook(300.0, agreed="TLSv1.3, X"))
    ).replaced(kind="http")
    head, go = details.table(result)
    shown = dict(zip(head, go, strict=True))
    assert shown["TLS"] == "TLSv1.3, X"
    assert (shown["CPU a handshake"], shown["handshakes before"], shown["and in slices"]) == (
        "300 µs (290 µs to 310 µs)", "64", "0",
    )  # fmt: skip
    plain = told(row("go", private_memory_bytes=1, shared_memory_bytes=1)).replaced(kind="http")
    assert not {"TLS", "CPU a handshake"} & {*details.table(plain)[0]}


def test_other_ciphers_are_named_with_whose_they_are() -> None:
    aes, chacha = {"agreed": "TLSv1.3, AES"}, {"agreed": "TLSv1.3, CHACHA"}
    rows = (
        row("go", handshakes=shook(None, **aes)),
        row("node", handshakes=shook(None, **chacha)),
        row("rust", handshakes=shook(None, **aes)),
    )
    assert list(reported.lines(told(*rows))) == [
        "TLS is not alike: TLSv1.3, AES of go, rust; TLSv1.3, CHACHA of node"
    ]
    assert list(reported.lines(told(rows[0], rows[2]))) == []
