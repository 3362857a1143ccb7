"""A turn of load that was never run: the one that every made-up race of the tests is built of."""

from __future__ import annotations

from deadheat.model.observation import Slice

COUNTED_NS, LEAD_IN_NS, BIN_MS = 100_000_000, 50_000_000, 5
CONNECTIONS = 64


def made_slice(
    workload: str, block: int, round_: int, turn: int, entry: str, replies: int, *, started_ns: int = 0
) -> Slice:
    """So many replies in the counted part, flat, right, and with every gate content."""
    bins = (LEAD_IN_NS + COUNTED_NS) // 10**6 // BIN_MS
    counted_ns = started_ns + LEAD_IN_NS
    return Slice(
        race=workload,
        block=block,
        round=round_,
        turn=turn,
        entry=entry,
        token="00000a",
        started_ns=started_ns,
        counted_from_ns=counted_ns,
        counted_until_ns=counted_ns + COUNTED_NS,
        drained_ns=counted_ns + COUNTED_NS,
        replies=replies,
        replies_all=replies * 3 // 2,
        bin_ms=BIN_MS,
        bins=(*[replies // 20] * bins, 0),
        latency_sum_ns=CONNECTIONS * COUNTED_NS,
        latency_max_ns=10**7,
        in_flight_ns=CONNECTIONS * COUNTED_NS,
        bytes_in=replies * 100,
        bytes_out=replies * 50,
        reconnects=0,
        errors={"status": 0, "body": 0, "protocol": 0, "timeout": 0, "connect": 0},
        first_error=None,
        engine_cpu_ns=COUNTED_NS // 5,
        server_cpu_ns=COUNTED_NS * 9 // 10,
        loop_delay_max_ns=10**5,
        server_runqueue_wait_ns=COUNTED_NS // 10,
    )
