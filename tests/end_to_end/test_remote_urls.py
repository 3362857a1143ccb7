"""Servers that run already at addresses other than 127.0.0.1: IPv6, TLS, and out of reach of any meter."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from deadheat.hosts.ports import Ports

from .bench import PATIENCE_S, Deadheat

ALREADY = Path(__file__).parents[1] / "fixtures" / "already"
BUDGET = ("--budget", "8s", "--seed", "7", "--connections", "4")
# Of a range that nobody routes (RFC 2544), on the loopback device of a namespace.
ADDRESS = "198.18.0.1"
NAMESPACE = ("unshare", "--user", "--map-root-user", "--net")

Serve = Callable[..., int]


@pytest.fixture
def deadheat(home: Path) -> Deadheat:
    """With no suite anywhere."""
    return Deadheat(home, home / "no-suite")


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server and gives its port."""
    with ExitStack() as stack:

        def start(*arguments: str | Path) -> int:
            server = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, ALREADY / "server.py", *arguments],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            assert server.stdout is not None and server.stdin is not None
            stack.callback(server.stdin.close)
            return int(server.stdout.readline())

        yield start


@dataclass(frozen=True)
class Certified:
    """PEM files: a certificate for localhost and its key, and the authority that vouches for it."""

    certificate: Path
    key: Path
    authority: Path


@pytest.fixture
def certified(tmp_path: Path) -> Certified:
    if shutil.which("openssl") is None:
        pytest.skip("openssl not found: apt-get install openssl")

    def made(name: str, *more: str | Path) -> tuple[Path, Path]:
        certificate, key = tmp_path / f"{name}.pem", tmp_path / f"{name}.key"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-subj", f"/CN={name}", "-days", "1", "-keyout", key, "-out", certificate, *more],
            check=True, capture_output=True,
        )  # fmt: skip
        return certificate, key

    authority, its_key = made("authority")
    extensions = ("subjectAltName=DNS:localhost", "basicConstraints=critical,CA:FALSE")
    vouched = ("-CA", authority, "-CAkey", its_key)
    certificate, key = made("localhost", *vouched, *(word for one in extensions for word in ("-addext", one)))
    return Certified(certificate, key, authority)


def notes(deadheat: Deadheat) -> str:
    findings = deadheat.results()["workloads"][0]["findings"]
    return "\n".join(one["text"] for one in findings if "text" in one)


def test_ipv6_is_metered_as_all_loopback_is(deadheat: Deadheat, serve: Serve) -> None:
    urls = [f"http://[::1]:{serve('::1')}" for _ in range(2)]
    ended = deadheat.run("race", "--url", urls[0], "--url", urls[1], "-n", "main", "-n", "branch", *BUDGET)
    assert ended.code in (0, 4), ended
    row = deadheat.row("branch")
    assert row["status"] == "measured", ended
    assert row["cpu_us_per_request"]["estimate"] > 0 and row["peak_memory_bytes"] > 0
    assert "elsewhere" not in notes(deadheat)


@pytest.mark.parametrize("trust", ["--insecure", "--cacert"])
def test_tls(deadheat: Deadheat, serve: Serve, certified: Certified, trust: str) -> None:
    urls = [f"https://localhost:{serve('127.0.0.1', certified.certificate, certified.key)}" for _ in range(2)]
    lines = ("--url", urls[0], "--url", urls[1], "-n", "main", "-n", "branch")
    given = (trust,) if trust == "--insecure" else (trust, str(certified.authority))
    ended = deadheat.run("race", *lines, *given, *BUDGET)
    # Where a neighbour keeps one from answering in time it is 3, and the other is measured all the same.
    assert ended.code in (0, 3, 4), ended
    row = deadheat.row("branch")
    assert row["status"] == "measured" and row["cpu_us_per_request"]["estimate"] > 0, ended


def test_a_certificate_that_nobody_vouches_for_is_one_line(
    deadheat: Deadheat, serve: Serve, certified: Certified
) -> None:
    url, other = (
        f"https://localhost:{serve('127.0.0.1', certified.certificate, certified.key)}" for _ in range(2)
    )
    ended = deadheat.run("race", "--url", url, "--url", other)
    assert ended.code == 3, ended
    assert f"{url}: its certificate is not trusted" in ended.error and "--insecure" in ended.error


def test_elsewhere_nothing_is_metered_and_that_is_said(deadheat: Deadheat) -> None:
    if subprocess.run([*NAMESPACE, "ip", "link"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no network namespace can be made here: unshare --user --net, iproute2")
    words = ("--url", "ONE", "--url", "TWO", "-n", "main", "-n", "branch", "--remote", *BUDGET)
    deadheat.home.mkdir(exist_ok=True)
    inside = [sys.executable, str(ALREADY / "in_namespace.py"), ADDRESS, *deadheat.argv("race", *words)]
    ended = subprocess.run(
        [*NAMESPACE, *inside],
        env=deadheat.environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode in (0, 4), ended
    row = deadheat.row("branch")
    assert row["status"] == "measured" and row["throughput_rps"]["estimate"] > 0, ended
    assert row["cpu_us_per_request"] is row["peak_memory_bytes"] is row["threads"] is None
    assert "server-cpu-known" not in {gate["name"] for gate in row["gates"]}
    assert "branch, main run elsewhere (--remote): their CPU time and memory are not known" in notes(deadheat)
    assert "idle but running" not in notes(deadheat)
    page = (deadheat.runs / "latest" / "report.html").read_text()
    assert "run elsewhere (--remote)" in page
    pasted = (deadheat.runs / "latest" / "report.md").read_text()
    (line,) = [line for line in pasted.splitlines() if line.startswith("|") and "branch" in line][:1]
    assert "| - |" in line, pasted


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--url", f"http://{ADDRESS}:1", "--url", "http://127.0.0.1:2"), "--remote races it from here"),
        (
            ("--url", f"http://{ADDRESS}:1", "--url", "http://127.0.0.1:2", "--remote", "--freeze"),
            f"http://{ADDRESS}:1: --freeze stops processes of this machine",
        ),
        (("--url", "http://[::1]:7", "--url", "http://127.0.0.1:7"), "two --url are one server"),
        (("--url", "http://[::1]:7", "--url", "http://127.0.0.1:8", "--insecure"), "are for https"),
        (("--command", "true", "--command", "true", "--remote"), "are for servers of --url"),
    ],
)
def test_what_cannot_be_raced_is_one_line(deadheat: Deadheat, words: tuple[str, ...], said: str) -> None:
    ended = deadheat.run("race", *words)
    assert ended.code == 2, ended
    assert said in ended.error


def test_nobody_answers_there(deadheat: Deadheat) -> None:
    # A name, which may be another machine's for all that is known; this one resolves to this machine.
    one, two = (f"http://localhost.:{Ports().take()}" for _ in range(2))
    ended = deadheat.run("race", "--url", one, "--url", two, "--remote")
    assert ended.code == 3, ended
    assert f"{one}: " in ended.error and "start it first" in ended.error
