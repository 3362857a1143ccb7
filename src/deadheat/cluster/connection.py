"""The way to a cluster that runs already: Ray itself, or one sentence why there is none."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from deadheat.errors import ExitCode, UserError

EXTRA = "pip install 'deadheat[cluster]'"
MODE, TOKENS = "RAY_AUTH_MODE", ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
# Of the cluster that the machine which we run on belongs to.
HERE = "auto"
CONNECT_S = 5.0


@dataclass(frozen=True, slots=True)
class Node:
    """A machine of a cluster: `id` is Ray's, `labels` what it was started with."""

    id: str
    address: str
    hostname: str
    labels: dict[str, str]

    def has(self, labels: Mapping[str, str]) -> bool:
        """All of these."""
        return labels.items() <= self.labels.items()


def imported() -> Any:
    """Ray. Raises UserError where it is not installed."""
    try:
        import ray
    except ImportError as error:
        raise UserError("several machines need Ray, which is not installed", hint=EXTRA) from error
    return ray


def check_address(address: str, *, remote: bool) -> None:
    """Raises UserError for one that is neither on this machine nor in a private network, unless `remote`."""
    host = address.rpartition(":")[0].strip("[]")
    try:
        public = not ipaddress.ip_address(host).is_private
    except ValueError:
        public = False  # a name: whose it is, its owner knows
    if address != HERE and not address.rpartition(":")[2].isdigit():
        raise UserError(
            f"--cluster {address}: not HOST:PORT",
            hint=f"--cluster 10.0.0.1:6379, or {HERE} on one of its hosts",
        )
    if public and not remote:
        raise UserError(
            f"--cluster {address} is a public address: whoever reaches a cluster runs programs on all of it",
            hint="--remote, where a firewall and a token stand before it",
        )


@contextmanager
def connected(address: str, *, remote: bool = False) -> Iterator[Any]:
    """Ray, as a driver of the cluster at this address, until the end of the block. Raises UserError."""
    ray = imported()
    check_address(address, remote=remote)
    if os.environ.get(MODE) != "token":
        raise UserError(
            f"{MODE}=token is not set: a cluster without a token runs whatever anybody sends it",
            hint="set it where each node is started, and here (docs/cluster.md)",
        )
    _refuse_silent(address)
    try:
        ray.init(
            address=address,
            namespace="deadheat",
            log_to_driver=False,
            configure_logging=False,
        )
    except Exception as error:  # Ray raises what comes along: its sentence says what is wrong
        raise UserError(
            f"the cluster at {address} cannot be used: {_sentence(error)}",
            hint="deadheat cluster doctor looks at one; docs/cluster.md says how to bring one up",
            code=ExitCode.NOTHING_MEASURED,
        ) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def nodes(ray: Any) -> list[Node]:
    """Those that are there and run programs: a node without CPUs only connects."""
    return sorted(
        (
            Node(
                id=str(one["NodeID"]),
                address=str(one["NodeManagerAddress"]),
                hostname=str(one["NodeManagerHostname"]),
                labels={str(k): str(v) for k, v in one.get("Labels", {}).items()},
            )
            for one in ray.nodes()
            if one["Alive"] and one["Resources"].get("CPU", 0) > 0
        ),
        key=lambda node: tuple(int(part) if part.isdigit() else part for part in node.address.split(".")),
    )


def _refuse_silent(address: str) -> None:
    """Ray would ask for minutes where nobody answers. Raises UserError."""
    if address == HERE:
        return
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_S).close()
    except OSError as error:
        raise UserError(
            f"nobody answers at {address}: {error.strerror or error}",
            hint="deadheat cluster up hosts.toml brings a cluster up",
            code=ExitCode.NOTHING_MEASURED,
        ) from error


def _sentence(error: Exception) -> str:
    """The first line of what it says."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
