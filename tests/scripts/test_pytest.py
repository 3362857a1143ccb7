"""Tests that fail are tried once more, alone, and named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "pytest.sh"
ONCE = """\
import pathlib
def test_passes_the_second_time():
    mark = pathlib.Path(__file__).with_suffix(".mark")
    seen = mark.exists()
    mark.touch()
    assert seen
"""


@pytest.mark.parametrize(
    ("tests", "code", "says"),
    [
        ("def test_right(): pass", 0, "1 passed"),
        (ONCE, 0, "passed alone, and not beside others"),
        ("def test_wrong(): assert 0", 1, "alone: test_it.py::test_wrong"),
        ("\n".join(f"def test_{number}(): assert 0" for number in range(6)), 1, "6 failed"),
        ("def test_(:", 2, "SyntaxError"),
    ],
    ids=["all pass", "one passes alone", "one fails twice", "too many", "no tests"],
)
def test_what_fails_is_tried_once_more_alone(tmp_path: Path, tests: str, code: int, says: str) -> None:
    (tmp_path / "test_it.py").write_text(tests)
    pytest_ = Path(sys.executable).with_name("pytest")
    found = subprocess.run([SCRIPT, pytest_, "-q"], check=False, cwd=tmp_path, capture_output=True, text=True)
    assert found.returncode == code, found.stdout + found.stderr
    assert says in found.stdout
    assert ("once more, alone" in found.stdout) == (says.startswith(("passed", "alone")))
