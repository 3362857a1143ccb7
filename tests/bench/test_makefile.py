"""What `make bench` and its like call is there, and begins."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CALLED = re.findall(r"\$\(BIN\)/python (\S+ \S+)", (ROOT / "Makefile").read_text())


@pytest.mark.parametrize("module", sorted({called for called in CALLED if "bench" in called}))
def test_every_measurement_begins(module: str) -> None:
    option, name = module.split()
    # A file that is called by its path does not find its own package.
    assert option == "-m", module
    subprocess.run([sys.executable, "-m", name, "--help"], check=True, capture_output=True, cwd=ROOT)
