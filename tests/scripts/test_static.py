"""`make static` packs only what needs nothing of a system: tried with programs that a C compiler makes."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "static.sh"
# Says all that the script asks for.
SPEAKS = """#include <stdio.h>
int main(void) { fputs("listening on a:1\\n", stderr); puts("deadheat-load 9.8.7"); %s; }
"""
ARCH = os.uname().machine


def clone(folder: Path, cargo: str) -> subprocess.CompletedProcess[str]:
    """The script's run in a clone whose cargo does this; `$program` is where a build is to be."""
    programs = folder / "bin"
    programs.mkdir()
    program = f"target/{ARCH}-unknown-linux-musl/release/deadheat-load"
    lines = {
        "cargo": f'mkdir -p "$(dirname {program})"\nprogram={program}\n{cargo}',
        "musl-gcc": "exit 1",
    }
    for name, does in lines.items():
        (programs / name).write_text(f"#!/bin/sh\n{does}\n")
        (programs / name).chmod(0o755)
    (folder / "scripts").mkdir()
    shutil.copy(SCRIPT, folder / "scripts")
    (folder / "LICENSE").write_text("a license\n")
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    return subprocess.run(
        [folder / "scripts" / SCRIPT.name], check=False, env=environment, capture_output=True, text=True
    )


def builds(folder: Path, ends: str, *options: str) -> str:
    source = folder / "program.c"
    source.write_text(SPEAKS % ends)
    return f"cc {' '.join(options)} -o $program {source}"


def test_a_static_binary_is_packed_with_its_manual_page(tmp_path: Path) -> None:
    ran = clone(tmp_path, builds(tmp_path, "return 0", "-static"))
    assert ran.returncode == 0, ran.stderr
    name = f"deadheat-load-9.8.7-{ARCH}-linux-musl"
    assert ran.stdout.strip() == f"dist/{name}.tar.gz"
    with tarfile.open(tmp_path / ran.stdout.strip()) as archive:
        modes = {member.name: member.mode for member in archive if member.isfile()}
    assert sorted(modes) == [f"{name}/{file}" for file in ("LICENSE", "deadheat-load", "deadheat-load.1")]
    assert modes[f"{name}/deadheat-load"] & 0o111


@pytest.mark.parametrize(
    ("ends", "options", "why"),
    [
        ("return 0", (), "deadheat-load is not static"),
        ("return 0", ("-fno-such-option",), "not built"),
        ("return 1", ("-static",), ""),
    ],
)
def test_any_other_is_refused(tmp_path: Path, ends: str, options: tuple[str, ...], why: str) -> None:
    ran = clone(tmp_path, builds(tmp_path, ends, *options))
    assert ran.returncode != 0
    assert why in ran.stderr
    assert not (tmp_path / "dist").exists()
