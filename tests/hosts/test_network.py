"""Networks of one's own: a port may be used in each, and is reached from within alone."""

from __future__ import annotations

import errno
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deadheat.errors import UserError
from deadheat.hosts import network
from deadheat.hosts.local import LocalHost
from deadheat.hosts.network import Networks, inside
from deadheat.hosts.program import Spec

PORT = 8080
SAYS = f"""
import socket, sys
listening = socket.create_server(("127.0.0.1", {PORT}))
print("up", flush=True)
while True:
    with listening.accept()[0] as connection:
        connection.sendall(sys.argv[1].encode())
"""
root = pytest.mark.skipif(os.geteuid() != 0, reason="a network of its own takes root")


@pytest.fixture
def host() -> Iterator[LocalHost]:
    with LocalHost() as made:
        yield made


def heard(there: Path) -> str:
    with inside(there), socket.create_connection(("127.0.0.1", PORT), timeout=5) as connection:
        return connection.makefile().read()


@root
def test_each_listens_at_one_port(host: LocalHost, tmp_path: Path) -> None:
    for name in ("a", "b"):
        out = tmp_path / name
        argv = (sys.executable, "-c", SAYS, name)
        handle = host.start(Spec(argv=argv, cwd=tmp_path, stdout=out, network=host.network(name)))
        while not out.read_text():
            assert not host.events(handle, 0.05), host.collect(handle).output_tail
        assert host.collect(handle).ports == (PORT,)
    assert (heard(host.network("a")), heard(host.network("b"))) == ("a", "b")
    # This thread is where it was.
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", PORT), timeout=5).close()


@root
def test_it_is_gone_when_its_host_is_closed() -> None:
    networks = Networks()
    there = networks.of("a")
    assert networks.of("a") == there != networks.of("b")
    known = there.stat().st_ino
    networks.close()
    assert not there.exists() or there.stat().st_ino != known  # another's number by now


def test_whoever_may_not_is_told_what_else_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(network, "_call", refuse)
    with pytest.raises(UserError, match="Operation not permitted") as raised:
        Networks().of("a")
    assert "{port}" in (raised.value.hint or "")
