"""One race that went well, for all tests that only look at what it left."""

from __future__ import annotations

from pathlib import Path

import pytest

from .bench import Deadheat, Ended, twice


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Deadheat, Ended]:
    """Two equal programs, raced: three entries, six blocks of one round."""
    home = tmp_path_factory.mktemp("finished")
    suite = twice(home / "suite", ["none"])
    deadheat = Deadheat(home, suite.path)
    ended = deadheat.run("race", "--budget", "14s", "--seed", "7")
    assert ended.code in (0, 4), ended
    return deadheat, ended


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"
