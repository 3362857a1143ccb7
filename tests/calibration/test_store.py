"""Races on disk, and what a plan cites."""

from __future__ import annotations

from pathlib import Path

import pytest

from deadheat.calibration import steps, store, summary
from deadheat.errors import UserError
from deadheat.report import calibration as words

from .made_up import HERE, race

RACES = [race(steps.identical(n), seed=n) for n in range(3)]


def test_races_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "races.jsonl"
    assert store.read_races(file) == []
    for one in RACES:
        store.append(file, one)
    assert store.read_races(file) == RACES


def test_a_torn_last_line_is_dropped_and_written_over(tmp_path: Path) -> None:
    file = tmp_path / "races.jsonl"
    store.append(file, RACES[0])
    with file.open("a") as torn:
        torn.write('{"step":"iden')
    assert store.read_races(file) == RACES[:1]
    store.append(file, RACES[1])
    assert store.read_races(file) == RACES[:2]


def test_a_line_of_another_version_is_named(tmp_path: Path) -> None:
    file = tmp_path / "races.jsonl"
    store.append(file, RACES[0])
    file.write_text(file.read_text() + '{"step":"identical-1"}\n')
    with pytest.raises(UserError, match=r"races.jsonl:2: no race of this version: kind"):
        store.read_races(file)


def test_a_calibration_of_another_kernel_is_stale(tmp_path: Path) -> None:
    found = summary.summarise(RACES)
    assert found is not None
    file = store.write(found, tmp_path / "calibration.json")
    fresh = store.cited(file, HERE)
    assert fresh is not None and (fresh.id, fresh.stale) == (found.id, None)
    assert "a pair settles" in words.cited(fresh) and "in 3 min" in words.cited(fresh)
    old = store.cited(file, HERE.model_copy(update={"kernel": "6.2", "cores": 4}))
    assert old is not None and "kernel 6.1, now 6.2" in str(old.stale)
    assert "stale" in words.cited(old) and "number of cores 2, now 4" in words.cited(old)


def test_a_machine_that_was_never_calibrated(tmp_path: Path) -> None:
    assert store.cited(tmp_path / "calibration.json", HERE) is None
    (tmp_path / "calibration.json").write_text("{")
    assert store.cited(tmp_path / "calibration.json", HERE) is None
    assert "deadheat calibrate" in words.cited(None)
