"""This machine with another search path."""

from __future__ import annotations

import sys

import pytest

from deadheat.hosts import programs


def found_in(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs of this machine are looked for there alone."""
    monkeypatch.setattr(programs, "here", lambda: programs.Programs(path, sys.executable))
