"""deadheat cluster: several machines, brought up, looked at, ended."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import click

from deadheat.cli import terminal
from deadheat.cli.command import argument, command, option
from deadheat.cli.options import Json
from deadheat.errors import UserError


@dataclass(frozen=True, kw_only=True)
class ClusterOptions(Json):
    action: Literal["up", "doctor", "down"] = argument(
        type=click.Choice(["up", "doctor", "down"]), metavar="up|doctor|down"
    )
    where: str = argument(
        default="auto",
        metavar="[HOSTS.toml|HOST:PORT]",
        help="For up and down the file of hosts; for doctor an address: auto is this machine's cluster.",
    )
    remote: bool = option(is_flag=True, help="The address is a public one, and a firewall stands before it.")


def run(options: ClusterOptions) -> None:
    """Bring several machines up as a cluster, look at it, end it.

    up starts a node of Ray on each host of the file, over ssh, and down ends those; doctor says whether the
    machines of a cluster are fit to race on: versions, clocks, what would disturb, the network between them.

    \b
    Examples:
      deadheat cluster up hosts.toml
      deadheat cluster doctor 10.0.0.1:6379
      deadheat cluster down hosts.toml
    """
    if options.action == "doctor":
        _doctor(options)
        return
    from deadheat.cluster import up
    from deadheat.hosts.held import this_host
    from deadheat.model.cluster import ClusterFile
    from deadheat.suite import toml_file

    path = Path(options.where)
    if path.suffix != ".toml":
        raise UserError(f"deadheat cluster {options.action} needs the file of hosts", hint="hosts.toml")
    file = toml_file.read(path, ClusterFile)
    if options.action == "down":
        up.down(file, this_host(), terminal.say)
        return
    address = up.up(file, path.parent, this_host(), terminal.say)
    terminal.line(address)
    terminal.say(
        "on a host of it: "
        f"RAY_AUTH_MODE=token RAY_AUTH_TOKEN_PATH={file.token} deadheat cluster doctor {address}"
    )


def _doctor(options: ClusterOptions) -> None:
    import json

    from deadheat.cluster import doctor
    from deadheat.cluster.connection import connected
    from deadheat.cluster.machines import gathered

    with (
        connected(options.where, remote=options.remote) as ray,
        gathered(ray, None, lambda _text: None) as (machines, _pulse),
    ):
        seen = list(doctor.looked_at(ray, machines))
        network = list(doctor.between(ray, machines))
        unlike = doctor.unlike(machines)
    if options.json:
        found = {
            "machines": [asdict(one) for one in seen],
            "network": [{"from": a, "to": b, **asdict(net)} for a, b, net in network],
            "unlike": unlike,
        }
        terminal.line(json.dumps(found, indent=2))
        return
    for one in seen:
        terminal.line(one.machine)
        for check in one.checks:
            advice = f"; {check.advice}" if check.advice else ""
            terminal.line(f"  {'✓' if check.ok else '!'} {check.show}{advice}")
    for a, b, net in network:
        terminal.line(
            f"{a} to {b}: {net.rtt_s * 1e6:,.0f} us there and back (p99 {net.rtt_p99_s * 1e6:,.0f}), "
            f"{net.bytes_per_s / 1e6:,.0f} MB/s"
        )
    for difference in unlike:
        terminal.line(f"! unlike: {difference}")


COMMAND = command("cluster", ClusterOptions, run, linux=True)
