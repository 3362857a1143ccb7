"""SIGTERM tells clients with GOAWAY, lets go of the port and ends the server by itself."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from deadheat.kinds.grpc.http2 import GOAWAY, Connection

from .conftest import Start
from .servers import GRACE_S
from .test_answers import CONTENDERS

TIMEOUT_S = 30.0
# A JVM that SIGTERM has ended in good order exits with 128 + 15.
JVM_CODE = 143


@pytest.mark.parametrize("contender", CONTENDERS)
def test_a_stopped_server_says_goaway_and_ends(contender: str, start: Start) -> None:
    server = start(contender)
    connection = Connection("127.0.0.1", server.port, TIMEOUT_S)
    with ThreadPoolExecutor(1) as reader:
        # Read meanwhile: some wait until their client has answered a ping.
        frames = reader.submit(connection.frames_until_end)
        exit_ = server.stop()
        kinds = [frame.type for frame in frames.result()]
    connection.close()

    assert GOAWAY in kinds
    assert exit_.why == "stopped", f"killed after {GRACE_S:.0f} s: {exit_.describe()}"
    assert exit_.code == (JVM_CODE if server.build.contender.language == "Java" else 0)
    assert exit_.stray == 0
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port), timeout=5)
