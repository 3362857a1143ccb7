"""Servers that write down what they are asked: HTTP/1.1, HTTP/2 in the clear, gRPC and Redis."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from deadheat.generators.engine import find_binary

NODE = Path(__file__).with_name("recording_http2.mjs")
ENDS_WITHIN_S = 60


@dataclass(frozen=True)
class Asked:
    """One request as it came; header names in lower case."""

    method: str
    path: str
    body: str = ""
    headers: tuple[tuple[str, str], ...] = ()


@dataclass
class Record:
    """Whose `address` it is, and, once it has stopped, how often each request came."""

    address: str
    asked: Counter[Asked] = field(default_factory=Counter)


class _Http1(asyncio.Protocol):
    """One connection: requests are answered in order, `/name` with `Hello from name!`."""

    def __init__(self, record: Record, opened: set[asyncio.Transport]) -> None:
        self.record = record
        self.opened = opened
        self.unread = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.opened.add(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.opened.discard(self.transport)

    def data_received(self, data: bytes) -> None:
        self.unread += data
        replies = []
        while (end := self.unread.find(b"\r\n\r\n")) >= 0:
            line, *fields = self.unread[:end].decode().split("\r\n")
            method, path, _ = line.split(" ")
            headers = {name.lower(): value.strip() for name, value in (each.split(":", 1) for each in fields)}
            whole = end + 4 + int(headers.get("content-length", "0"))
            if len(self.unread) < whole:
                break
            body = self.unread[end + 4 : whole].decode()
            self.unread = self.unread[whole:]
            self.record.asked[Asked(method, path, body, tuple(sorted(headers.items())))] += 1
            text = f"Hello from {path[1:]}!"
            replies.append(f"HTTP/1.1 200 OK\r\nContent-Length: {len(text)}\r\n\r\n{text}")
        self.transport.write("".join(replies).encode())


@contextmanager
def http1() -> Iterator[Record]:
    """HTTP/1.1 in a thread of this process."""
    loop = asyncio.new_event_loop()
    record = Record("")
    opened: set[asyncio.Transport] = set()
    listening = loop.create_server(lambda: _Http1(record, opened), "127.0.0.1", 0, backlog=1024)
    server = loop.run_until_complete(listening)
    record.address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield record
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(ENDS_WITHIN_S)
        server.close()
        # Generators that just end leave connections behind.
        for transport in tuple(opened):
            transport.abort()
        loop.run_until_complete(asyncio.sleep(0))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


@contextmanager
def http2() -> Iterator[Record]:
    """HTTP/2 with prior knowledge, by Node; `shutil.which("node")` says whether it can be had."""
    node = shutil.which("node")
    assert node is not None
    with _process([node, str(NODE)]) as (record, printed):
        yield record
    for line in printed:
        reported = json.loads(line)
        headers = tuple(sorted(reported["headers"].items()))
        record.asked[Asked(reported["method"], reported["path"], reported["body"], headers)] += reported[
            "count"
        ]


@contextmanager
def grpc() -> Iterator[Record]:
    """`greeter.Greeter`, by our own server: how many calls came."""
    with _process([find_binary(), "serve", "grpc", "--port", "0", "--hello", "--count"]) as (record, printed):
        yield record
    record.asked[Asked("POST", "/greeter.Greeter/SayHello")] += json.loads(printed[-1])["requests"]


@contextmanager
def redis() -> Iterator[Record]:
    """Our own sink: commands by their names, those before the first of a connection left out."""
    with _process([find_binary(), "serve", "redis", "--port", "0"]) as (record, printed):
        yield record
    for line in printed:
        for name, count in json.loads(line)["by_name"].items():
            record.asked[Asked(name, "")] += count


@contextmanager
def _process(command: Sequence[str | Path]) -> Iterator[tuple[Record, list[str]]]:
    """A server that says on stderr where it listens, and on stdout, once it is stopped, what came."""
    printed: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            said = server.stderr.readline()
            assert said.startswith("listening on "), said
            yield Record(said.removeprefix("listening on ").strip()), printed
            server.send_signal(signal.SIGTERM)
            printed += server.communicate(timeout=ENDS_WITHIN_S)[0].splitlines()
        finally:
            server.kill()
