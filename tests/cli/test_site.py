"""`deadheat site` at the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.made.runs import Made

DEADHEAT = Path(sys.executable).parent / "deadheat"
TIMEOUT_S = 120


def site(*args: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [DEADHEAT, "site", *args], cwd=cwd, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A runs folder with a run that ended, and one that has no results."""
    made = Made(tmp_path / "suite", blocks=5)
    folder = tmp_path / "runs"
    folder.mkdir()
    ended = made.save(folder / "20260102-030405-quick")
    (ended / "results.json").write_text(made.results().model_dump_json(by_alias=True))
    made.save(folder / "20260103-030405-quick")
    return folder


def test_all_runs_that_have_results(kept: Path, tmp_path: Path) -> None:
    ran = site("--out", "site", "--runs-folder", kept, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("site/index.html: 1 run, ")
    assert "20260103-030405-quick has no results yet: left out" in ran.stderr
    assert (tmp_path / "site" / "runs" / "20260102-030405-quick" / "index.html").is_file()


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ((), "where to?"),
        (("--out", "site", "--url", "bench.example"), "is no http or https URL"),
        (("nothing", "--out", "site"), 'no run is called "nothing"'),
        (("20260103-030405-quick", "--out", "site"), "has results"),
        (("--out", "suite"), "no site of ours"),
    ],
)
def test_bad_input_is_told_in_a_line(kept: Path, tmp_path: Path, args: tuple[str, ...], says: str) -> None:
    ran = site(*args, "--runs-folder", kept, cwd=tmp_path)
    assert ran.returncode == 2
    assert says in ran.stderr
    assert "Traceback" not in ran.stderr
    assert not (tmp_path / "site").exists()
