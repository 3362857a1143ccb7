"""Builds by npm and Mix that fail or are killed half-way: a row, and the next run starts over, clean.

The build scripts are those of `http-hello`; the tools are stand-ins that leave half of their work behind.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from .bench import SERVE, Deadheat, all_gone, hello

SUITE = Path(__file__).parents[2] / "suite" / "http-hello"
# Each succeeds only where nothing of an earlier try is left. What it does at a try is in the file `does`.
HALF_WAY = """\
[ -e "$left" ] && echo "$left is still there" >&2 && exit 7
mkdir -p "$left/half"
case $(cat {home}/does) in
fails) echo "cannot go on" >&2; exit 1 ;;
hangs) touch {home}/hanging; exec sleep 1000 ;;
esac
touch "$left/whole"
"""
NPM = """\
#!/bin/sh
left=node_modules
[ "$1" = ping ] && exit 0
"""
MIX = """\
#!/bin/sh
left=deps
case $1 in
deps.get) ;;
release) mkdir -p _build/prod/rel/hello; exit ;;
*) exit 0 ;;
esac
"""
TOOLS = {
    "npm-ci.sh": ("npm", NPM, "node_modules/whole"),
    "mix-release.sh": ("mix", MIX, "_build/prod/rel/hello"),
}


def with_tool(home: Path, script: str) -> Deadheat:
    """A good server, and one that is built by this script."""
    name, tool, artifact = TOOLS[script]
    suite = hello(home / "suite")
    shutil.copy2(SUITE / script, suite.path / "hello" / script)
    suite.contender("hello", "built", SERVE, build=f"sh ../{script}", artifact=artifact)
    tools = home / "bin"
    tools.mkdir()
    (tools / name).write_text(tool + HALF_WAY.format(home=home))
    (tools / name).chmod(0o755)
    return Deadheat(home, suite.path, env={"PATH": f"{tools}:{os.environ['PATH']}"})


@pytest.mark.parametrize("script", TOOLS)
def test_it_fails_and_the_next_run_starts_over(script: str, tmp_path: Path) -> None:
    deadheat = with_tool(tmp_path, script)
    (tmp_path / "does").write_text("fails")
    ended = deadheat.run("race", "--budget", "2s")
    row = deadheat.row("built")
    assert row["status"] == "failed"
    assert "its build exited with status 1" in row["reason"]
    assert "; the log: " in row["reason"]
    assert deadheat.row("good")["status"] == "measured", ended
    assert "\n    cannot go on\n" in ended.err
    (tmp_path / "does").write_text("works")
    ended = deadheat.run("race", "--budget", "2s")
    assert deadheat.row("built")["status"] == "measured", ended


@pytest.mark.parametrize("script", TOOLS)
def test_it_is_killed_and_the_next_run_starts_over(script: str, tmp_path: Path) -> None:
    deadheat = with_tool(tmp_path, script)
    (tmp_path / "does").write_text("hangs")
    with deadheat.start("race", "--budget", "2s") as race:
        race.until((tmp_path / "hanging").exists, "the build hangs")
        all_gone(race.kill())
    (tmp_path / "does").write_text("works")
    ended = deadheat.run("race", "--budget", "2s")
    assert deadheat.row("built")["status"] == "measured", ended


@pytest.mark.parametrize("script", TOOLS)
def test_what_was_built_is_not_built_again(script: str, tmp_path: Path) -> None:
    deadheat = with_tool(tmp_path, script)
    (tmp_path / "does").write_text("works")
    assert "building" in deadheat.run("build", "built").err
    (tmp_path / "does").write_text("fails")
    ended = deadheat.run("build", "built")
    assert ended.code == 0, ended
    assert "building" not in ended.err
