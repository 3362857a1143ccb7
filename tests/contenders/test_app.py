"""Every stack of the application: right answers on all its routes, pipelined too, quiet, a clean stop."""

from __future__ import annotations

import http.client
import socket
from contextlib import closing
from io import BufferedReader
from itertools import count
from pathlib import Path

import pytest

from deadheat.app import checking
from deadheat.kinds import conformance, http_asking
from deadheat.kinds.server import started
from deadheat.model.address import Address
from deadheat.suite import suite

from .conftest import SUITE, Ready, Start
from .http_server import GRACE_S

LOADED = suite.load(SUITE)
STACKS = {name: sorted(contender.id for contender in LOADED.contenders[name]) for name in LOADED.named("app")}
PIPELINED = 16
REQUESTS = 200
SAID_AT_MOST_BYTES = 2048
CONCURRENT = 40


@pytest.mark.parametrize(
    ("workload", "stack"),
    [(workload, stack) for workload in ("app-plaintext", "app-json") for stack in STACKS[workload]],
)
def test_every_answer_is_right(stack: str, workload: str, start: Start) -> None:
    server = start(workload, stack)
    numbers = count()
    at, asked = Address(port=server.port), LOADED.workloads[workload].conformance

    def tokens() -> str:
        return f"t{next(numbers)}"

    names = LOADED.workloads[workload].headers
    assert names == ("Server", "Date")
    cases = http_asking.http_cases(asked, at, tokens, CONCURRENT)
    found = conformance.run(http_asking.headed(asked[0], at, tokens, names, cases))
    assert found.ok, f"{found.reason}\n{found.exchange}"


@pytest.mark.parametrize("stack", STACKS["app-db"])
def test_every_row_is_read_from_the_database_and_kept_where_it_may_be(
    stack: str, ready: Ready, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEADHEAT_LOCK", str(tmp_path / "lock"))
    # A JVM's start beside other tests.
    monkeypatch.setattr(started, "READY_TIMEOUT_S", 300.0)
    ready("app-db", stack)
    checked = {found.workload: found for found in checking.check(LOADED, [stack], lambda _: None)}
    kept = ("app-cached",) if "app-cached" in checked else ()
    for workload in ("app-db", "app-queries", "app-updates", "app-fortunes", *kept):
        found = checked[workload]
        if found.state == "unavailable":
            pytest.skip(f"{stack} is unavailable: {found.detail}")
        assert found.state == "right", f"{workload}: {found.detail}\n{found.exchange}"


@pytest.mark.parametrize("stack", STACKS["app-plaintext"])
def test_pipelined_requests_are_answered_in_their_order(stack: str, start: Start) -> None:
    server = start("app-plaintext", stack)
    asked = b"".join(b"GET /plaintext/n%d HTTP/1.1\r\nHost: x\r\n\r\n" % n for n in range(PIPELINED))
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(asked)
        with connection.makefile("rb") as replies:
            for n in range(PIPELINED):
                status = replies.readline()
                # The reason may be empty: Tomcat's is.
                assert status.startswith(b"HTTP/1.1 200 ")
                assert body(replies, http.client.parse_headers(replies)) == b"Hello, n%d!" % n


def body(replies: BufferedReader, headers: http.client.HTTPMessage) -> bytes:
    """Of one reply of several: as long as it says, or in chunks, which end with an empty one."""
    if (length := headers["Content-Length"]) is not None:
        return replies.read(int(length))
    assert headers["Transfer-Encoding"] == "chunked"
    whole = b""
    while size := int(replies.readline(), 16):
        whole += replies.read(size)
        assert replies.readline() == b"\r\n"
    assert replies.readline() == b"\r\n"
    return whole


@pytest.mark.parametrize("stack", STACKS["app-json"])
def test_it_is_quiet_and_stops_cleanly_with_connections_open(stack: str, start: Start) -> None:
    server = start("app-json", stack)
    with closing(server.connect()) as idle, closing(server.connect()) as busy:
        for connection, requests in ((idle, 1), (busy, REQUESTS)):
            for n in range(requests):
                connection.request("GET", f"/json/n{n}")
                assert connection.getresponse().read() == b'{"message":"Hello, n%d!"}' % n
        # A line a request, to either, would be several times this.
        assert sum(output.stat().st_size for output in server.outputs) < SAID_AT_MOST_BYTES
        exit_ = server.stop()

    assert exit_.why == "stopped", f"killed after {GRACE_S:.0f} s: {exit_.describe()}"
    assert exit_.code == 0, exit_.describe()
    assert exit_.stray == 0


def test_stacks_of_several_languages_have_a_cache() -> None:
    having = LOADED.contenders["app-cached"]
    assert {contender.id for contender in having} < set(STACKS["app-db"])
    assert len({contender.language for contender in having}) >= 4
    assert LOADED.workloads["app-cached"].reference in {contender.id for contender in having}
