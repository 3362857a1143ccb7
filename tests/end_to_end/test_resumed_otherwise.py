"""`--resume` of a run whose contenders are no longer what they were: refused by name, nothing pooled."""

from __future__ import annotations

import json
from pathlib import Path

from .bench import Deadheat, twice


def test_changed_sources_manifests_and_kernels_are_refused(home: Path, tmp_path: Path) -> None:
    suite = twice(tmp_path / "suite")
    deadheat = Deadheat(home, suite.path)
    assert deadheat.run("race", "--budget", "2s", "--seed", "3").code in (0, 4)
    raced, results = deadheat.journal(), deadheat.results()

    def refused(because: str) -> None:
        ended = deadheat.run("race", "--resume", "latest")
        assert ended.code == 2, ended
        assert because in ended.err, ended.err
        assert deadheat.journal() == raced
        assert deadheat.results() == results

    program = suite.path / "twice" / "program.py"
    source = program.read_text()
    program.write_text(source + "\n# changed\n")
    refused("twice/good is not what this run raced: its sources")
    program.write_text(source)

    manifest = suite.path / "twice" / "good" / "contender.toml"
    said = manifest.read_text()
    manifest.write_text(said.replace("run = ", 'env = { A = "1" }\nrun = ', 1))
    refused("twice/good/contender.toml says something else")
    manifest.write_text(said)

    machine = deadheat.runs / "latest" / "machine.json"
    here = json.loads(machine.read_text())
    machine.write_text(json.dumps(here | {"kernel": "0.1"}))
    refused("begun on kernel 0.1")
    machine.write_text(json.dumps(here))

    assert deadheat.run("race", "--resume", "latest").code in (0, 4)
