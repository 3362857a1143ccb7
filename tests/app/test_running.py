"""Two URLs with one server behind them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deadheat.app.running import shared
from deadheat.errors import UserError
from deadheat.hosts.ports import Ports
from deadheat.model.address import Address
from deadheat.suite.ad_hoc import Command

# Listens at two ports until its stdin ends.
SOURCE = """\
import socket, sys
listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(listener.getsockname()[1] for listener in listeners), flush=True)
sys.stdin.read()
"""


def command(name: str, port: int) -> Command:
    return Command(f"http://127.0.0.1:{port}", name, Path(), at=Address(port=port))


def test_one_process_behind_two_urls_is_said() -> None:
    argv = [sys.executable, "-S", "-c", SOURCE]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        one, two = map(int, server.stdout.readline().split())
        (said,) = shared([command("main", one), command("branch", two)])
        assert said.startswith(f"main and branch are one server (process {server.pid})")
        nobody = command("nobody", Ports().take())
        with pytest.raises(UserError, match="nothing listens on port"):
            list(shared([command("main", one), nobody]))
        server.communicate()
