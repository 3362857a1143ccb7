"""A cluster on this machine: Ray's nodes, each in a network namespace of its own, joined by a bridge.

Everything is made here and taken away again: namespaces, bridge, and processes by their ids.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BIN = Path(sys.executable).parent
PORT = 6379
#: A busy machine takes its time; only a failure waits so long.
PATIENCE_S = 180.0
#: For the path of Python there.
SHIM = Path(__file__).parents[1] / "fixtures" / "shim"
#: Two that load, which can be told apart.
LABELS = {"n2": "role=load,net=near", "n3": "role=load,net=far"}
SMALL = (
    "--object-store-memory=80000000",
    "--include-log-monitor=false",
    "--disable-usage-stats",
)


def unavailable() -> str | None:
    """Why there can be no such cluster here, None where there can."""
    try:
        import ray  # noqa: F401
    except ImportError:
        return "Ray is not installed"
    if shutil.which("ip") is None:
        return "ip is not found: apt-get install iproute2"
    made = subprocess.run(
        ["ip", "netns", "add", name := f"dh-probe-{os.getpid()}"], capture_output=True, text=True, check=False
    )
    if made.returncode:
        return f"network namespaces cannot be made: {made.stderr.strip()}"
    subprocess.run(["ip", "netns", "del", name], check=True)
    return None


@dataclass
class Cluster:
    """`nodes`: the driver's, which races nothing, then those that do; `token` is what it asks for."""

    home: Path
    prefix: str
    subnet: str
    token: str = field(default_factory=lambda: secrets.token_hex(32))
    nodes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return f"{self.ip('n0')}:{PORT}"

    def ip(self, node: str) -> str:
        return f"{self.subnet}.{int(node[1:]) + 1}"

    def inside(self, node: str, *argv: str) -> list[str]:
        """A command in a node's namespace."""
        return ["ip", "netns", "exec", f"{self.prefix}{node}", *argv]

    def environment(self, **more: str) -> dict[str, str]:
        """Of nodes and drivers: ours, the token, and all that deadheat writes below our home."""
        return {
            **os.environ,
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": self.token,
            "PYTHONPATH": str(SHIM),
            "DEADHEAT_LOCK": str(self.home / "lock"),
            "DEADHEAT_CACHE": str(self.home / "cache"),
            **more,
        }

    def start(
        self,
        node: str,
        *,
        cpus: int = 1,
        within: Sequence[str] = (),
        disk_mb: int | None = None,
        **env: str,
    ) -> None:
        """A node of Ray, until it is ended. The first is the head. `within`: what comes before its command;
        `disk_mb`: how much its disk holds, where it is to be a small one; `env` is in its environment too."""
        head = ["--head", f"--port={PORT}", "--include-dashboard=false"]
        where = head if node == "n0" else [f"--address={self.address}"]
        log = (self.home / f"{node}.log").open("wb")
        self.nodes[node] = subprocess.Popen(
            self.inside(
                node,
                *within,
                *self.own_disk(node, disk_mb),
                str(BIN / "ray"),
                "start",
                "--block",
                *where,
                f"--node-ip-address={self.ip(node)}",
                f"--num-cpus={cpus}",
                *((f"--labels={LABELS[node]}",) if node in LABELS else ()),
                *(() if node != "n0" else (f"--temp-dir={self.home / 'ray'}",)),
                *SMALL,
            ),
            env=self.environment(**env),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        log.close()

    def own_disk(self, node: str, disk_mb: int | None = None) -> list[str]:
        """What comes before a command of a node for folders of its own of Ray's and of ours: hosts share no
        disk."""
        if node == "n0":
            return []
        lines = []
        for name in ("ray", "cache"):
            own, there = self.home / f"{name}-{node}", self.home / name
            own.mkdir(exist_ok=True)
            small = disk_mb is not None and name == "cache"
            what = f"-t tmpfs -o size={disk_mb}m none" if small else f"--bind {own}"
            lines.append(f"mount {what} {there}")
        return ["sh", "-c", " && ".join([*lines, 'exec "$@"']), "sh"]

    def again(self, node: str, nodes: int, **how: Any) -> None:
        """End a node, if it is there, and start it as `start` has it."""
        if node in self.nodes:
            self.kill(node)
            # Ray knows a moment later.
            self.until_up(nodes - 1)
        self.start(node, **how)
        self.until_up(nodes)

    def on_disk(self, node: str, *argv: str) -> subprocess.CompletedProcess[str]:
        """A command that sees a node's own folders."""
        command = ["nsenter", "--target", str(self.inhabitants(node)[0]), "--mount", *argv]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def until_up(self, nodes: int) -> None:
        """Until so many are there."""
        ask = (
            "import ray, sys; ray.init(address='auto', log_to_driver=False); "
            "print(sum(n['Alive'] for n in ray.nodes()))"
        )
        deadline = time.monotonic() + PATIENCE_S
        while True:
            asked = subprocess.run(
                self.inside("n0", sys.executable, "-c", ask.replace("auto", self.address)),
                env=self.environment(),
                capture_output=True,
                text=True,
                check=False,
            )
            if asked.stdout.strip().endswith(str(nodes)):
                return
            gone = [node for node, process in self.nodes.items() if process.poll() is not None]
            assert not gone and time.monotonic() < deadline, asked.stderr + "".join(
                (self.home / f"{node}.log").read_text()[-2000:] for node in self.nodes
            )
            time.sleep(0.5)

    def link(self, node: str, state: str) -> None:
        """Its cable: up or down."""
        subprocess.run(["ip", "link", "set", f"{self.prefix}{node}", state], check=True)

    def kill(self, node: str) -> None:
        """All of a node at once, as if its power were cut: whatever runs in its namespace."""
        for pid in self.inhabitants(node):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.nodes.pop(node).wait()

    def inhabitants(self, node: str) -> list[int]:
        """Processes in a node's namespace."""
        found = subprocess.run(
            ["ip", "netns", "pids", f"{self.prefix}{node}"], capture_output=True, text=True, check=False
        )
        return [int(pid) for pid in found.stdout.split()]

    def commands(self, node: str) -> list[str]:
        """What runs there, by command line."""
        return list(self.running(node).values())

    def running(self, node: str) -> dict[int, str]:
        """The same by process."""
        found = {}
        for pid in self.inhabitants(node):
            with contextlib.suppress(OSError):
                line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
                found[pid] = line
        return found

    def pids(self, node: str, word: str) -> list[int]:
        """Of the processes there whose command line has this word."""
        return [pid for pid, line in self.running(node).items() if word in line]


@contextlib.contextmanager
def cluster(machines: int) -> Iterator[Cluster]:
    """A driver's node and so many machines."""
    with network(machines) as made:
        for at in range(machines + 1):
            made.start(f"n{at}", cpus=min(at, 1))
            if at == 0:
                made.until_up(1)
        made.until_up(machines + 1)
        yield made


@contextlib.contextmanager
def network(machines: int) -> Iterator[Cluster]:
    """The namespaces alone, nothing in them."""
    number, bridge = _bridge()
    home = Path(tempfile.mkdtemp(prefix="dhc", dir="/tmp"))
    made = Cluster(home, f"dh{number}", f"10.231.{number}")
    for folder in ("ray", "cache"):
        (home / folder).mkdir()
    names = [f"n{at}" for at in range(machines + 1)]
    try:
        _ip("link", "set", bridge, "up")
        for name in names:
            there = f"{made.prefix}{name}"
            _ip("netns", "add", there)
            _ip("link", "add", there, "type", "veth", "peer", "name", "eth0", "netns", there)
            _ip("link", "set", there, "master", bridge, "up")
            _ip("-n", there, "link", "set", "lo", "up")
            _ip("-n", there, "addr", "add", f"{made.ip(name)}/24", "dev", "eth0")
            _ip("-n", there, "link", "set", "eth0", "up")
        yield made
    finally:
        for name in names:
            for pid in made.inhabitants(name):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if name in made.nodes:
                made.nodes[name].wait()
            subprocess.run(["ip", "netns", "del", f"{made.prefix}{name}"], capture_output=True, check=False)
        subprocess.run(["ip", "link", "del", bridge], capture_output=True, check=False)
        shutil.rmtree(home, ignore_errors=True)


def _bridge() -> tuple[int, str]:
    """A new bridge, and the number that nobody else's has: other clusters are of other tests."""
    for number in range(250):
        made = subprocess.run(
            ["ip", "link", "add", bridge := f"dh{number}br", "type", "bridge"],
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode == 0:
            return number, bridge
        assert "File exists" in made.stderr, made.stderr
    raise AssertionError("250 bridges of ours are there: whose?")


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)
