"""A PostgreSQL as somebody has one: passwords, TLS, users who may make databases and who may not."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from deadheat.build import command
from deadheat.hosts.ports import Ports

LIMIT_S = 120
# One that a URL has to escape.
PASSWORD = "p@ss/word"
QUOTED = "p%40ss%2Fword"
# Whoever connects says who it is; sessions with the database `secret` are encrypted.
RULES = """\
hostssl secret all 127.0.0.1/32 scram-sha-256
hostnossl secret all 127.0.0.1/32 reject
host all all 127.0.0.1/32 scram-sha-256
"""


@dataclass(frozen=True)
class Owned:
    """`maker` may make databases there, `guest` may not, `postgres` anything; all by PASSWORD. Statements are
    counted in the database `postgres`, not in `quiet`. `authority` vouches for its certificate (PEM)."""

    port: int
    authority: Path

    def url(self, user: str = "maker", database: str = "postgres", query: str = "") -> str:
        return f"postgresql://{user}:{QUOTED}@127.0.0.1:{self.port}/{database}{query}"

    def databases(self) -> set[str]:
        """Of a race's."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as session:
            named = session.execute("SELECT datname FROM pg_database WHERE datname LIKE 'deadheat%'")
            return {name for (name,) in named.fetchall()}


@contextmanager
def owned() -> Iterator[Owned]:
    """It runs meanwhile. Skips where there is no PostgreSQL."""
    if shutil.which("initdb", path=command.path()) is None or shutil.which("openssl") is None:
        pytest.skip(
            "initdb or openssl not found: Debian: apt-get install postgresql openssl (make test does)"
        )
    folder = Path(tempfile.mkdtemp(prefix="deadheat-own-pg-"))
    data, port = folder / "data", Ports().take()
    try:
        (folder / "password").write_text(PASSWORD)
        _certificate(folder)
        for each in (folder, *folder.iterdir()):
            _give(each)
        authenticated = ("--auth", "scram-sha-256", "--pwfile", folder / "password")
        _run("initdb", "-D", data, "-U", "postgres", *authenticated, "--no-sync")
        (data / "pg_hba.conf").write_text(RULES)
        options = (
            f"-p {port} -h 127.0.0.1 -c unix_socket_directories='' -c fsync=off -c max_connections=300 "
            f"-c ssl=on -c ssl_cert_file='{folder}/server.pem' -c ssl_key_file='{folder}/server.key' "
            "-c shared_preload_libraries=pg_stat_statements"
        )
        control = ("pg_ctl", "-D", data, "-l", folder / "log", "-w")
        _run(*control, "-o", options, "start")
        try:
            server = Owned(port, folder / "server.pem")
            _fill(server)
            yield server
        finally:
            _run(*control, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _fill(server: Owned) -> None:
    with psycopg.connect(server.url("postgres"), autocommit=True) as session:
        session.execute("CREATE EXTENSION pg_stat_statements")
        for role in ("maker LOGIN CREATEDB", "guest LOGIN"):
            session.execute(f"CREATE ROLE {role} PASSWORD '{PASSWORD}'".encode())
        for name in ("quiet", "secret"):
            session.execute(f"CREATE DATABASE {name}".encode())


def _certificate(folder: Path) -> None:
    made = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    files = ("-keyout", folder / "server.key", "-out", folder / "server.pem")
    names = ("-subj", "/CN=127.0.0.1", "-days", "1", "-addext", "subjectAltName=IP:127.0.0.1")
    subprocess.run([*made, *names, *files], check=True, capture_output=True)
    (folder / "server.key").chmod(0o600)
    folder.chmod(0o755)


def _give(place: Path) -> None:
    """The server refuses to be root; Debian's package comes with a user for it."""
    if os.geteuid() == 0:
        shutil.chown(place, "postgres", "postgres")


def _run(*argv: str | Path) -> None:
    as_postgres = (
        ("setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups") if os.geteuid() == 0 else ()
    )
    environment = {**os.environ, "PATH": command.path()}
    # Not by pipes: the server would hold them open for as long as it lives.
    with tempfile.TemporaryFile("w+") as said:
        ran = subprocess.run(
            [*as_postgres, *map(str, argv)],
            stdin=subprocess.DEVNULL, stdout=said, stderr=said, timeout=LIMIT_S, check=False, cwd="/",
            env=environment,
        )  # fmt: skip
        said.seek(0)
        assert ran.returncode == 0, f"{argv}: {said.read()}"
