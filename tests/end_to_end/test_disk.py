"""Where results cannot be written: nothing that was observed is lost, and it says what to do."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from .bench import Deadheat, all_gone, hello, kin


@pytest.fixture
def deadheat(home: Path, tmp_path: Path) -> Deadheat:
    return Deadheat(home, hello(tmp_path / "suite", copies=["copy"]).path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 100 kB; root alone can make one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or _mount("-t", "tmpfs", "-o", "size=100k", "none", folder) != 0:
        pytest.skip(
            "a small file system needs root and the right to mount: the size limit test stands for it"
        )
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_full_disk_while_journalling(deadheat: Deadheat, small_disk: Path) -> None:
    deadheat.env["DEADHEAT_RUNS"] = str(small_disk)
    with deadheat.start("race", "--budget", "60s") as race:
        race.until((small_disk / "latest").exists, "it has begun")
        ended = race.end()
    _kept_and_explained(ended.code, ended.error, small_disk)
    before = (small_disk / "latest" / "journal.jsonl").read_bytes()
    assert before.endswith(b"\n")

    assert _mount("-o", "remount,size=20m", small_disk) == 0
    _resumed(deadheat, small_disk, before)


def test_a_journal_that_may_not_grow(deadheat: Deadheat) -> None:
    assert deadheat.run("build").code == 0
    deadheat.limit_bytes = 12_000
    with deadheat.start("race", "--budget", "60s") as race:
        race.until_journal(lambda j: any(o["type"] == "slice" for o in j), "it has begun")
        started = kin(race.pid)
        ended = race.end()
    all_gone(started)
    _kept_and_explained(ended.code, ended.error, deadheat.runs)
    before = (deadheat.runs / "latest" / "journal.jsonl").read_bytes()

    deadheat.limit_bytes = None
    _resumed(deadheat, deadheat.runs, before)


def _kept_and_explained(code: int, error: str, runs: Path) -> None:
    assert code == 3
    assert "journal.jsonl: the journal cannot be written" in error
    assert "hint: all up to here is kept: make room, then deadheat race --resume" in error
    assert "Traceback" not in error
    assert error.count("error: ") == 1
    # Nothing half-written lies about.
    assert not [file for file in (runs / "latest").iterdir() if file.name.startswith(".")]


def _resumed(deadheat: Deadheat, runs: Path, before: bytes) -> None:
    with deadheat.start("race", "--resume", "latest") as race:
        journal = runs / "latest" / "journal.jsonl"
        race.until(lambda: len(journal.read_bytes()) > len(before) + 5_000, "it goes on")
        all_gone(race.kill())
    assert journal.read_bytes().startswith(before)


@pytest.mark.parametrize("verb", [("race",), ("race", "--json")])
def test_an_output_folder_that_cannot_be(deadheat: Deadheat, tmp_path: Path, verb: tuple[str, ...]) -> None:
    """Below a regular file: not even root can write there."""
    (tmp_path / "file").write_text("not a folder")
    ended = deadheat.run(*verb, "--out", str(tmp_path / "file" / "runs"))
    assert ended.code == 2
    assert f"error: {tmp_path}/file/runs: cannot be written: Not a directory" in ended.err
    assert "hint: --out names another folder" in ended.err
    assert ended.out == ""


@pytest.mark.parametrize("verb", ["race", "check", "build"])
def test_a_cache_that_cannot_be(deadheat: Deadheat, tmp_path: Path, verb: str) -> None:
    (tmp_path / "file").write_text("not a folder")
    deadheat.env["DEADHEAT_CACHE"] = str(tmp_path / "file" / "cache")
    ended = deadheat.run(verb)
    assert ended.code == 2
    assert f"{tmp_path}/file/cache" in ended.error
    assert "cannot be written: Not a directory" in ended.error
    assert "DEADHEAT_CACHE" in ended.error


@pytest.mark.parametrize("verb", ["race", "check", "build"])
def test_a_lock_that_cannot_be(deadheat: Deadheat, tmp_path: Path, verb: str) -> None:
    deadheat.env["DEADHEAT_LOCK"] = str(tmp_path / "nowhere" / "lock")
    ended = deadheat.run(verb)
    assert ended.code == 2
    assert f"{tmp_path}/nowhere/lock" in ended.error
    assert "DEADHEAT_LOCK" in ended.error


def _mount(*args: object) -> int:
    return subprocess.run(["mount", *map(str, args)], check=False, capture_output=True).returncode
