"""`make calibrate-full`: what is left of each measurement, in which order they are run, and their tables."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from bench import calibrate_full, calibration_table, one_a_line
from bench.one_a_line import METHOD, Measurement

from deadheat.calibration import steps
from deadheat.errors import ExitCode


@dataclass(frozen=True)
class Raced:
    number: int
    machine: str | None = None


class Made:
    """A measurement of five races that take no time, and say that they take 10 s each."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "made.jsonl"

    def read(self) -> list[Raced]:
        import json

        lines = self.path.read_text().splitlines() if self.path.exists() else []
        return [Raced(**json.loads(line)) for line in lines]

    def left(self, done: Sequence[Any]) -> Iterator[tuple[int]]:
        raced = {one.number for one in done}
        yield from ((number,) for number in range(5) if number not in raced)

    @property
    def measurement(self) -> Measurement:
        return Measurement(
            "made", self.path, self.read, self.left, Raced, lambda done: [f"{len(done)} raced"],
            about_s=lambda _number: 10.0,
        )  # fmt: skip


def test_a_call_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    made = Made(tmp_path)
    assert made.measurement.to_come() == "5 races left, about 1 min"
    made.path.write_text('{"number": 0}\n{"number": 3}\n')
    assert made.measurement.go_on(float("inf"))
    assert [one.number for one in made.read()] == [0, 3, 1, 2, 4]
    assert made.measurement.to_come() == "all is raced"
    assert {one.machine for one in made.read()} == {None, one_a_line.machine()}


def test_no_race_begins_that_would_not_end_in_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Made(tmp_path)
    assert not made.measurement.go_on(5.0)
    assert made.read() == []
    assert "the next takes about 10 s, longer than there is time" in capsys.readouterr().err


def test_races_of_another_machine_are_not_added_to(tmp_path: Path) -> None:
    made = Made(tmp_path)
    made.path.write_text('{"number": 0, "machine": "Another CPU, 64 cores"}\n')
    with pytest.raises(SystemExit, match="holds races of another machine"):
        made.measurement.go_on(float("inf"))


def test_the_calibrations_races_that_are_left_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration_table, "RACES", tmp_path / "none.jsonl")
    planned = len(list(steps.full()))
    assert calibrate_full.calibration_to_come().startswith(f"{planned} races left, at most ")


def test_one_that_cannot_go_on_does_not_stop_the_others_and_ctrl_c_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran: list[str] = []
    codes = {"foreign_share": 1, "unlike_servers": 0, "warmed_starts": ExitCode.INTERRUPTED}

    def measure(one: Measurement, _for_seconds: float) -> int:
        ran.append(one.name)
        return codes[one.name]

    monkeypatch.setattr(calibrate_full, "measure", measure)

    def calibrate(_for_seconds: float) -> int:
        ran.append("calibration")
        return 0

    monkeypatch.setattr(calibrate_full, "calibrate", calibrate)
    assert calibrate_full.run(calibrate_full.NAMES, 100.0) == ExitCode.INTERRUPTED
    assert ran == ["calibration", "foreign_share", "unlike_servers", "warmed_starts"]
    codes["warmed_starts"] = 0
    assert calibrate_full.run(calibrate_full.NAMES, 100.0) == 1
    ran.clear()
    assert calibrate_full.run(["unlike_servers"], 100.0) == 0 and ran == ["unlike_servers"]
    assert calibrate_full.run(calibrate_full.NAMES, 0.0) == 0 and ran == ["unlike_servers"]


def test_a_dry_run_says_what_is_left_of_each(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["calibrate_full", "--dry-run"])
    assert calibrate_full.main() == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in said] == list(calibrate_full.NAMES)
    assert all("left" in line or "all is raced" in line for line in said)


def test_every_table_has_its_place_in_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "method.md"
    page.write_text(METHOD.read_text())
    monkeypatch.setattr(one_a_line, "METHOD", page)
    monkeypatch.setattr(calibrate_full, "METHOD", page)
    measured = tuple(replace(one, page=page) for one in calibrate_full.MEASUREMENTS)
    monkeypatch.setattr(calibrate_full, "MEASUREMENTS", measured)
    before = METHOD.read_text()
    calibrate_full.write()
    assert METHOD.read_text() == before
    text = page.read_text()
    for name in (*calibrate_full.NAMES[1:], "null_pairs", "race_times", "time_to_verdict"):
        assert text.count(f"<!-- begin: python -m bench.{name} -->") == 1
