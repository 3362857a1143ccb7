"""A source distribution has all that a wheel is built from."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

from .conftest import LIMIT_S, ROOT, SOURCES


def test_every_source_is_in_it(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "build", "--sdist", "--outdir", str(tmp_path), str(ROOT)],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-4000:]
    tracked = subprocess.run(
        ["git", "ls-files", "-z", *SOURCES], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    missing = [
        name
        for name in tracked.split("\0")
        if name and name not in inside and not (ROOT / name).is_dir() and "/fuzz/corpus/" not in name
    ]
    assert missing == []
    # Links to folders are links still, or what they point to: a wheel of it has their files either way.
    for link in (path for path in (ROOT / "suite").rglob("*") if path.is_symlink() and path.is_dir()):
        name = str(link.relative_to(ROOT))
        assert any(each == name or each.startswith(f"{name}/") for each in inside), name
