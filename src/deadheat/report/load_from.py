"""Load that came from other hosts, and services that ran on another, in words."""

from __future__ import annotations

from deadheat.model.finding import LoadFromHosts, LoadHost, NetworkPart, ServicesOn
from deadheat.report import words


def sentence(finding: LoadFromHosts | ServicesOn | NetworkPart) -> str:
    """`load from 10.0.0.4 (generator 43% of a core, 12.0 MB/s in, 3.1 out, 0.21 ms there and back)`."""
    if isinstance(finding, LoadFromHosts):
        return "load from " + "; ".join(map(_host, finding.hosts))
    if isinstance(finding, ServicesOn):
        cpus = f"{finding.cpus} CPU{'s' * (finding.cpus != 1)}"
        said = [f"{finding.used:.0%} of its {cpus}", *_network(finding)]
        return f"{', '.join(finding.services)} on {finding.host} ({', '.join(said)})"
    waits = finding.p50_ms.items()
    parts = ", ".join(f"{finding.rtt_ms / ms:.0%} of {contender}'s p50" for contender, ms in waits if ms > 0)
    return f"the network takes {words.seconds(finding.rtt_ms / 1e3)} of each answer, there and back: {parts}"


def _host(one: LoadHost) -> str:
    said = [f"generator {one.generator:.0%} of a core", *_network(one)]
    said.append(f"clock {one.clock_ahead_ms:+,.2f} ms of the servers', to {one.clock_error_ms:.2f} ms")
    return f"{one.host} ({', '.join(said)})"


def _network(one: LoadHost | ServicesOn) -> list[str]:
    """What went through it, and how long a byte takes."""
    said = []
    if one.in_bytes_per_s is not None and one.out_bytes_per_s is not None:
        said.append(f"{one.in_bytes_per_s / 1e6:.1f} MB/s in, {one.out_bytes_per_s / 1e6:.1f} out")
    if one.rtt_ms is not None and one.rtt_p99_ms is not None:
        rtt, p99 = (words.seconds(ms / 1e3) for ms in (one.rtt_ms, one.rtt_p99_ms))
        said.append(f"{rtt} there and back, p99 {p99}")
    return said
