"""A full disk under what writes pages and pictures: one clear line, and what was there stays as it was.

A limit on a file's size is what an unprivileged test has of a full disk: the kernel ends the write half-way.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deadheat.app import reports
from deadheat.storage.run_folder import RunFolder
from tests.made.cramped import cramped
from tests.made.runs import Made

DEADHEAT = Path(sys.executable).parent / "deadheat"
LIMIT_S = 200


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    made = Made(tmp_path / "suite", contenders=3)
    (tmp_path / "runs").mkdir()
    found = RunFolder(made.save(tmp_path / "runs" / "run"))
    reports.derive_again(found)
    return found


def complaint_of(limit_bytes: int, *args: str | Path) -> str:
    """`deadheat` where no file may grow beyond the limit; what it complained of in its two lines."""
    ran = subprocess.run(
        [*cramped(limit_bytes), DEADHEAT, *args],
        capture_output=True, text=True, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    assert ran.returncode == 3, ran.stderr
    complaint, hint = ran.stderr.splitlines()
    assert hint.strip() == "hint: make room and run it again"
    return complaint


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_page_that_is_there_stays(folder: RunFolder) -> None:
    before = contents(folder.path)
    room = len(before["report.html"]) // 2
    assert room > max(len(content) for name, content in before.items() if "results" in name)
    said = complaint_of(room, "report", "run", "--out", folder.path.parent)
    assert "report.html: cannot be written: File too large" in said
    assert contents(folder.path) == before


def test_results_edited_by_hand_stay_where_they_cannot_be_kept(folder: RunFolder) -> None:
    edited = folder.results_file.read_text().replace('"A title"', '"The very best"')
    folder.results_file.write_text(edited)
    before = contents(folder.path)
    said = complaint_of(len(edited) // 2, "report", "run", "--out", folder.path.parent)
    assert "results.edited.json: cannot be written" in said
    assert contents(folder.path) == before


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_the_picture_that_is_there_stays(folder: RunFolder, tmp_path: Path, kind: str) -> None:
    (tmp_path / "posts").mkdir()
    picture = tmp_path / "posts" / f"race.{kind}"
    picture.write_text("an older picture")
    said = complaint_of(1000, "show", "run", "--out", folder.path.parent, "--image", picture)
    assert f"race.{kind}: cannot be written: File too large" in said
    assert contents(tmp_path / "posts") == {picture.name: b"an older picture"}


def test_a_picture_in_a_folder_that_is_not_there_says_which_option_names_it(folder: RunFolder) -> None:
    nowhere = folder.path / "nowhere" / "race.svg"
    ran = subprocess.run(
        [DEADHEAT, "show", "run", "--out", folder.path.parent, "--image", nowhere],
        capture_output=True, text=True, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    assert ran.returncode == 2
    assert ran.stderr.splitlines()[1].strip() == "hint: --image names another file"
