"""The implementations that must keep the contract."""

from __future__ import annotations

import pickle
from collections.abc import Collection, Iterator
from typing import TypeVar

import pytest

from deadheat.hosts import Collected, Event, Exit, Handle, Host, Spec, Usage, interference
from deadheat.hosts.cpus import Cores
from deadheat.hosts.local import LocalHost
from deadheat.hosts.machine import Machine
from deadheat.util.interrupt import Stop

T = TypeVar("T")


def sent(value: T) -> T:
    """As it arrives elsewhere."""
    copy: T = pickle.loads(pickle.dumps(value))
    return copy


class FarHost:
    """The local host behind a wire: whatever crosses, errors too, is pickled and unpickled."""

    def __init__(self) -> None:
        self._near = LocalHost()

    @property
    def address(self) -> str:
        return self._near.address

    def now_ns(self) -> int:
        return sent(self._near.now_ns())

    def free_port(self) -> int:
        return sent(self._near.free_port())

    def cores(self) -> Cores:
        return sent(self._near.cores())

    def machine(self, window_s: float) -> Machine:
        return sent(self._near.machine(window_s))

    def hold(self, what: str) -> None:
        try:
            self._near.hold(sent(what))
        except Exception as error:
            raise sent(error) from None

    def start(self, spec: Spec) -> Handle:
        try:
            return sent(self._near.start(sent(spec)))
        except Exception as error:
            raise sent(error) from None

    def events(self, handle: Handle, timeout_s: float) -> tuple[Event, ...]:
        return sent(self._near.events(sent(handle), timeout_s))

    def stop(self, handle: Handle, grace_s: float) -> Exit:
        return sent(self._near.stop(sent(handle), grace_s))

    def collect(self, handle: Handle) -> Collected:
        return sent(self._near.collect(sent(handle)))

    def send(self, handle: Handle, line: bytes) -> None:
        try:
            self._near.send(sent(handle), sent(line))
        except Exception as error:
            raise sent(error) from None

    def receive(self, handle: Handle, timeout_s: float) -> bytes:
        try:
            return sent(self._near.receive(sent(handle), timeout_s))
        except Exception as error:
            raise sent(error) from None

    def freeze(self, handle: Handle) -> None:
        try:
            self._near.freeze(sent(handle))
        except Exception as error:
            raise sent(error) from None

    def thaw(self, handle: Handle) -> None:
        try:
            self._near.thaw(sent(handle))
        except Exception as error:
            raise sent(error) from None

    def usage(self, handle: Handle, *, memory: bool) -> Usage:
        try:
            return sent(self._near.usage(sent(handle), memory=memory))
        except Exception as error:
            raise sent(error) from None

    def interference(self, cpus: Collection[int]) -> interference.Reading:
        return sent(self._near.interference(sent(cpus)))

    def close(self) -> None:
        self._near.close()


@pytest.fixture(params=[LocalHost, FarHost])
def host(request: pytest.FixtureRequest) -> Iterator[Host]:
    made: Host = request.param()
    yield made
    made.close()


@pytest.fixture
def stop() -> Stop:
    return Stop()
