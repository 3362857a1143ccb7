"""A real Redis for the tests of this folder: own port, nothing kept on disk."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def redis_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a redis-server that runs for as long as the tests do."""
    program = shutil.which("redis-server")
    assert program, "redis-server is missing: apt-get install redis-server"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    folder: Path = tmp_path_factory.mktemp("redis")
    command = [program, "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        for line in server.stdout:
            if "Ready to accept connections" in line:
                break
        else:
            pytest.fail("redis-server ended at once")
        yield port
        server.terminate()
        server.communicate()
