"""`make test` on a disk that is too small says so before anything is built."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "test-space.sh"
DF = "#!/bin/sh\nprintf 'Filesystem 1M-blocks Used Available\\ndisk 100000 1 %s\\n' {free_mb}\n"


@pytest.mark.parametrize(
    ("free_mb", "built", "code"),
    [(1000, False, 1), (1000, True, 1), (2000, False, 1), (2000, True, 0), (50_000, False, 0)],
)
def test_a_fresh_clone_needs_more_room_than_a_built_one(
    tmp_path: Path, free_mb: int, built: bool, code: int
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "df").write_text(DF.format(free_mb=free_mb))
    (programs / "df").chmod(0o755)
    scripts = tmp_path / "clone" / "scripts"
    scripts.mkdir(parents=True)
    shutil.copy(SCRIPT, scripts)
    if built:
        (tmp_path / "clone/target/debug").mkdir(parents=True)
        (tmp_path / "clone/target/debug/deadheat-load").touch()
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    found = subprocess.run(
        [scripts / SCRIPT.name], check=False, env=environment, capture_output=True, text=True
    )
    assert found.returncode == code, found.stderr
    assert (f"{free_mb} MB are free" in found.stderr) == (code == 1)
