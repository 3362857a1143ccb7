"""Wrong options are no bad commit."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--bisect", "--nope"), 128),
        (("--bisect", "--command", "./a", "--program", "./b"), 128),
        (("--nope",), 2),
    ],
    ids=["unknown", "two at once", "without git bisect"],
)
def test_wrong_options_end_a_bisection(arguments: tuple[str, ...], code: int) -> None:
    program = "from deadheat.cli import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", program, "ab", *arguments], check=False, capture_output=True, text=True
    )
    assert ended.returncode == code, ended.stderr
