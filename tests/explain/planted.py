"""HTTP servers whose system calls, sleeps and writes are known: `planted.py PORT [HABIT]`.

One connection after another, each served to its end: for a load over a single connection.
"""

from __future__ import annotations

import contextlib
import socket
import sys
import time


def reply(asked: bytes) -> tuple[bytes, bytes]:
    """Head and body."""
    body = f"Hello from {asked.split(b' ', 2)[1].decode().removeprefix('/')}!".encode()
    return f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode(), body


def two_calls(connection: socket.socket) -> None:
    """A recvfrom and a sendto a request, and nothing else."""
    while asked := connection.recv(65536):
        connection.sendall(b"".join(reply(asked)))


def sleeps(connection: socket.socket) -> None:
    """40 ms a request, as a reply takes that waits for a delayed acknowledgement."""
    while asked := connection.recv(65536):
        time.sleep(0.04)
        connection.sendall(b"".join(reply(asked)))


def spins(connection: socket.socket) -> None:
    """Asks again and again whether something has come."""
    connection.setblocking(False)
    while True:
        try:
            asked = connection.recv(65536)
        except BlockingIOError:
            continue
        if not asked:
            return
        connection.sendall(b"".join(reply(asked)))


def three_writes(connection: socket.socket) -> None:
    """A line of the head at a time, sent at once."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while asked := connection.recv(65536):
        head, body = reply(asked)
        status, rest = head.split(b"\r\n", 1)
        for part in (status + b"\r\n", rest, body):
            connection.sendall(part)


def closes(connection: socket.socket) -> None:
    """After ten requests, without a word."""
    for _ in range(10):
        if not (asked := connection.recv(65536)):
            return
        connection.sendall(b"".join(reply(asked)))


def asks_a_service(connection: socket.socket) -> None:
    """A PING and its answer beside each request, over a connection of its own."""
    with socket.create_connection((sys.argv[3], int(sys.argv[4]))) as service:
        while asked := connection.recv(65536):
            service.sendall(b"*1\r\n$4\r\nPING\r\n")
            service.recv(65536)
            connection.sendall(b"".join(reply(asked)))


HABITS = {
    habit.__name__.replace("_", "-"): habit
    for habit in (two_calls, sleeps, spins, three_writes, closes, asks_a_service)
}


def main(port: int, habit: str) -> None:
    listener = socket.create_server(("127.0.0.1", port), backlog=512)
    while True:
        connection = listener.accept()[0]
        with contextlib.suppress(ConnectionError):
            HABITS[habit](connection)
        connection.close()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
