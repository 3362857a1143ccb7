"""Load that came from other hosts, services that ran on another: what they used, and what part of a wait was
the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deadheat.model.finding import LoadFromHosts, LoadHost, NetworkPart, ServicesOn
from deadheat.model.observation import Interference
from deadheat.model.result import ContenderResult
from deadheat.results.tally import Tally


def hosts(tally: Tally) -> Iterator[LoadFromHosts]:
    """Each of them, where there is one."""
    slices = [s for entry in tally.turns for s in tally.slices(entry) if s.generators]
    floors = {one.host: one for one in tally.network}
    found = []
    for host in sorted({share.host for s in slices for share in s.generators}):
        own = [(s, share) for s in slices for share in s.generators if share.host == host]
        counted_ns = sum(s.counted_until_ns - s.counted_from_ns for s, _ in own)
        around = [one for one in tally.interference if one.host == host]
        floor = floors.get(host)
        ahead = max((share.clock_ahead_ns for _, share in own), key=abs)
        found.append(
            LoadHost(
                host=host,
                generator=sum(share.engine_cpu_ns for _, share in own) / max(1, counted_ns),
                in_bytes_per_s=_per_second(around, "network_in_bytes"),
                out_bytes_per_s=_per_second(around, "network_out_bytes"),
                rtt_ms=None if floor is None else floor.rtt_s * 1e3,
                rtt_p99_ms=None if floor is None else floor.rtt_p99_s * 1e3,
                clock_ahead_ms=ahead / 1e6,
                clock_error_ms=max(share.clock_error_ns for _, share in own) / 1e6,
            )
        )
    if found:
        yield LoadFromHosts(hosts=tuple(found))


def services(tally: Tally) -> Iterator[ServicesOn]:
    """The machine of their own that they ran on, where there is one."""
    ran = [one for one in tally.services if one.host is not None]
    if not ran:
        return
    host = ran[-1].host
    assert host is not None
    around = [one for one in tally.interference if one.host == host]
    floor = next((one for one in tally.services_network if one.host == host), None)
    cpus = {cpu for one in ran for cpu in one.cpus}
    used_s = sum(one.cpu_s for one in ran if one.block in {of.block for of in around})
    wall_s = sum(one.wall_ns for one in around) / 1e9
    yield ServicesOn(
        host=host,
        services=tuple(sorted({one.service for one in ran})),
        cpus=len(cpus),
        used=used_s / (wall_s * len(cpus)) if wall_s else 0.0,
        in_bytes_per_s=_per_second(around, "network_in_bytes"),
        out_bytes_per_s=_per_second(around, "network_out_bytes"),
        rtt_ms=None if floor is None else floor.rtt_s * 1e3,
        rtt_p99_ms=None if floor is None else floor.rtt_p99_s * 1e3,
    )


def network_part(rows: Sequence[ContenderResult], tally: Tally) -> Iterator[NetworkPart]:
    """Of the latencies at the lowest rate that all had, else of the closed loop's."""
    if not tally.network:
        return
    waits = {row.id: wait for row in rows if (wait := _p50_ms(row)) is not None}
    rtt_ms = sum(one.rtt_s for one in tally.network) / len(tally.network) * 1e3
    if waits:
        yield NetworkPart(rtt_ms=rtt_ms, p50_ms=waits)


def _p50_ms(row: ContenderResult) -> float | None:
    at_load = row.figures.latency_at_load
    if at_load and (measured := at_load[0].latency_ms.get("p50")) is not None:
        return measured.estimate
    closed = row.figures.latency_closed_ms
    return None if closed is None else closed.p50


def _per_second(around: Sequence[Interference], name: str) -> float | None:
    known = [(bytes_, one.wall_ns) for one in around if (bytes_ := getattr(one, name)) is not None]
    return sum(bytes_ for bytes_, _ in known) / (sum(ns for _, ns in known) / 1e9) if known else None
