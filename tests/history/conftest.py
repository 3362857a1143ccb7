"""Real databases: an SQLite file, and a PostgreSQL that the tests start for themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

LIMIT_S = 120


@pytest.fixture(params=["sqlite", "postgresql"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty history's file or URL."""
    if request.param == "sqlite":
        return str(tmp_path / "history.sqlite")
    url: str = request.getfixturevalue("postgresql")
    return url


@pytest.fixture
def postgresql(_server: Path) -> Iterator[str]:
    """The URL of a database of its own on a real server."""
    name = f"deadheat_{os.urandom(4).hex()}"
    _psql(_server, f"CREATE DATABASE {name}")
    yield f"postgresql://postgres@/{name}?host={_server}"
    _psql(_server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="module")
def _server() -> Iterator[Path]:
    """A server on a socket in a folder of its own, no port, gone afterwards."""
    bins = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found = shutil.which("initdb") or (str(bins[-1]) if bins else None)
    if found is None:
        pytest.skip("PostgreSQL not found: Debian: apt-get install postgresql (make test does)")
    bin_ = Path(found).resolve().parent
    folder = Path(tempfile.mkdtemp(prefix="deadheat-pg-"))
    try:
        if os.geteuid() == 0:
            # The server refuses to be root; Debian's package comes with a user for it.
            shutil.chown(folder, "postgres", "postgres")
        _run(bin_ / "initdb", "-D", folder / "data", "-U", "postgres", "-A", "trust", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        pg_ctl = (bin_ / "pg_ctl", "-D", folder / "data", "-l", folder / "log", "-w")
        _run(*pg_ctl, "-o", options, "start")
        try:
            yield folder
        finally:
            _run(*pg_ctl, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _psql(server: Path, sql: str) -> None:
    _run("psql", "-h", server, "-U", "postgres", "-q", "-c", sql)


def _run(*argv: str | Path) -> None:
    as_postgres = (
        ("setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups") if os.geteuid() == 0 else ()
    )
    # Not by pipes: the server would hold them open for as long as it lives.
    with tempfile.TemporaryFile("w+") as said:
        ran = subprocess.run(
            [*as_postgres, *map(str, argv)],
            stdin=subprocess.DEVNULL, stdout=said, stderr=said, timeout=LIMIT_S, check=False, cwd="/",
        )  # fmt: skip
        said.seek(0)
        assert ran.returncode == 0, f"{argv}: {said.read()}"
