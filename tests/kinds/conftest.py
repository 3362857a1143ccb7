"""Servers of one habit each, on a port of their own."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress

import pytest

Habit = Callable[[socket.socket], None]
Listen = Callable[[Habit], int]


@pytest.fixture
def listen() -> Iterator[Listen]:
    """Start a server that does this with every connection, and then closes it: its port."""
    with ExitStack() as stack:

        def start(habit: Habit) -> int:
            listener = socket.create_server(("127.0.0.1", 0))
            thread = threading.Thread(target=_serve, args=(listener, habit))
            thread.start()
            stack.callback(thread.join)
            # Wakes who waits in accept, which closing alone does not.
            stack.callback(listener.shutdown, socket.SHUT_RDWR)
            port: int = listener.getsockname()[1]
            return port

        yield start


def _serve(listener: socket.socket, habit: Habit) -> None:
    with listener:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return  # the test is over
            # What a client that leaves does to it is not looked at: the client is what is tested.
            with connection, suppress(OSError):
                habit(connection)
