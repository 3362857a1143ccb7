"""docs/cluster.md, followed word by word: its file of hosts and its commands, from top to bottom.

The hosts are network namespaces with the addresses that the page has, each with an identity, a disk and a
home of its own; `ssh` is the program of test_up. The commands are the page's, typed into one shell.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.bench import IMPATIENT

from .nodes import BIN, Cluster, network, unavailable
from .test_up import SSH

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "cluster.md"
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: What the page calls the hosts.
THEIRS = "10.0.0."
# Races as short as these settle nothing, which is code 4.
TYPED = """\
type() {{ echo "\\$ $*"; "$@"; code=$?; echo "[$code]"; [ $code -eq 0 ] || [ $code -eq 4 ] || exit 1; }}
{lines}
"""


def commands(title: str) -> list[list[str]]:
    """Of each block that says it is run by this, its commands."""
    found = []
    for language, info, text in FENCE.findall(PAGE.read_text()):
        if language == "console" and title in info:
            found.append([line.removeprefix("$ ") for line in text.splitlines() if line.startswith("$ ")])
    return found


def hosts_file() -> str:
    [text] = [text for _, info, text in FENCE.findall(PAGE.read_text()) if 'title="hosts.toml"' in info]
    return str(text)


@pytest.fixture
def bare() -> Iterator[Cluster]:
    if (why := unavailable()) is not None:
        pytest.skip(why)
    with network(2) as made:
        yield made


def test_word_by_word(bare: Cluster, tmp_path: Path) -> None:
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    # Each host is a machine of its own: bound over what says so, where its node is started.
    identity = SSH.replace(
        'sh -c "mount --bind',
        'sh -c "echo $target | sha256sum | head -c 32 > $XDG_STATE_HOME/id && '
        "mount --bind $XDG_STATE_HOME/id /etc/machine-id && mkdir -p $XDG_STATE_HOME/cache && "
        "mount --bind $XDG_STATE_HOME/cache '$DEADHEAT_CACHE' && mount --bind",
    )
    assert identity != SSH
    (bin_ / "ssh").write_text(identity)
    (bin_ / "ssh").chmod(0o755)
    (bin_ / "ray").symlink_to(BIN / "ray")
    # Three machines are one here: what each of them does beside a race is for no block of it to be dropped.
    (bin_ / "deadheat").write_text(f'#!/bin/sh\nexec {sys.executable} {IMPATIENT} "$@"\n')
    (bin_ / "deadheat").chmod(0o755)
    there = f"{bare.subnet}."
    # The page's n-th host is the n-th here, and where its programs are is ours to say.
    written = hosts_file().replace("/home/me/deadheat/bin", str(bin_)).replace(THEIRS, there)
    hosts = tmp_path / "hosts.toml"
    hosts.write_text(written)
    [install], [up], [doctor], [race], [load] = (
        commands("your own machines"),
        *([block] for block in commands("Run by a test in network namespaces: ")),
    )
    assert install and up == ["deadheat cluster up hosts.toml"]
    env = {
        **bare.environment(),
        "PATH": f"{bin_}:{os.environ['PATH']}",
        "XDG_STATE_HOME": str(bare.home / "state"),
        "RAY_TMPDIR": str(bare.home / "ray"),
        "DEADHEAT_SUITE": str(ROOT / "suite"),
        "DEADHEAT_RUNS": str(tmp_path / "runs"),
        # The page gives no budget: its races would take three minutes each.
        "DEADHEAT_TEST_ENTRY_S": "5",
    }
    del env["RAY_AUTH_TOKEN"], env["RAY_AUTH_MODE"]
    labelled = "sed -i 's/^ssh = .*/labels = { role = \"load\" }/' hosts.toml"
    assert "ssh = " in written
    steps = [
        *up, *doctor, *race,
        "deadheat cluster down hosts.toml", labelled, *up, *load, "deadheat cluster down hosts.toml",
    ]  # fmt: skip
    lines = [step if step.startswith(("export ", "sed ")) else f"type {step}" for step in steps]
    script = TYPED.format(lines="\n".join(lines).replace(THEIRS, there))
    ran = subprocess.run(
        bare.inside("n0", "sh", "-c", script),
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"{bare.address}\n[0]" in ran.stdout
    *_, first, _, _, second, _ = ran.stdout.split("$ deadheat ")
    assert first.startswith("race ") and second.startswith("race "), ran.stdout
    assert "these 2 machines: " in first, first
    assert "load from " in second and "the network takes " in second, second
    assert [c for node in ("n0", "n1", "n2") for c in bare.commands(node)] == []
