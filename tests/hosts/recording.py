"""A host behind a wire: whatever crosses, errors too, is pickled and unpickled, and every call is counted."""

from __future__ import annotations

import pickle
from collections import Counter
from typing import Any, TypeVar, cast

from deadheat.hosts import Host, Spec
from deadheat.hosts.local import LocalHost

T = TypeVar("T")


def sent(value: T) -> T:
    """As it arrives elsewhere."""
    copy: T = pickle.loads(pickle.dumps(value))
    return copy


class RecordingHost:
    """The local host, of which nothing but plain values can be had. `started`: what was asked for."""

    def __init__(self) -> None:
        self.near = LocalHost()
        self.calls = Counter[str]()
        self.started: list[Spec] = []

    def __getattr__(self, name: str) -> Any:
        what = getattr(self.near, name)
        if not callable(what):
            return sent(what)

        def call(*given: Any, **named: Any) -> Any:
            self.calls[name] += 1
            given, named = sent(given), sent(named)
            if name == "start":
                self.started += given
            try:
                return sent(what(*given, **named))
            except Exception as error:
                raise sent(error) from None

        return call


def recording() -> Host:
    """As all rooms take it: it has what a local host has."""
    return cast(Host, RecordingHost())
