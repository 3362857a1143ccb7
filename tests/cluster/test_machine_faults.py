"""What may go wrong with one machine of several: told, its blocks dropped whole, the race goes on."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.end_to_end.bench import eventually

from .conftest import OnCluster
from .test_faults import racing, started
from .test_race import RACED, left_over, of

# Beyond what a race of three servers leaves there.
DISK_MB = 40


def test_an_agent_dies(deadheat: OnCluster) -> None:
    """Its node is well: what it had started ends all the same."""
    cluster = deadheat.cluster
    with started(deadheat) as race:
        race.until(racing(deadheat, 3), "each has a block")
        [agent] = cluster.pids("n3", "ray::Agent")
        os.kill(agent, signal.SIGKILL)
        race.until_said("is lost")
        eventually(
            lambda: not any("server.py" in c or "deadheat-load" in c for c in cluster.commands("n3")),
            "nothing of ours runs there any more",
        )
        ended = race.end()
    assert ended.code in RACED, ended.err
    assert "m3 (" in ended.err and "whole block" in ended.err
    assert not left_over(deadheat)


def test_the_disk_of_a_machine_is_full(deadheat: OnCluster) -> None:
    """The others go on, and what it had observed before counts."""
    cluster = deadheat.cluster
    cluster.again("n3", 4, disk_mb=DISK_MB)
    try:
        with started(deadheat) as race:
            race.until(racing(deadheat, 3), "each has a block")
            filled = cluster.on_disk("n3", "dd", "if=/dev/zero", f"of={cluster.home}/cache/full", "bs=64k")
            assert "No space left on device" in filled.stderr
            race.until_said("No space left on device")
            ended = race.end()
    finally:
        cluster.again("n3", 4)
    assert ended.code in RACED, ended.err
    [line] = [line for line in ended.err.splitlines() if "No space left" in line]
    assert "m3 (" in line
    about = of(deadheat)
    assert any(line["type"] == "block-ended" for line in deadheat.journal(about.runs[2].run))
    assert not left_over(deadheat)


def test_the_disk_of_the_driver_is_full(deadheat: OnCluster) -> None:
    """It cannot keep what is observed: it says so in a line, and nobody races for nothing."""
    deadheat.limit_bytes = 60_000
    with started(deadheat) as race:
        ended = race.end()
    assert ended.code != 0
    assert "journal.jsonl: the journal cannot be written: " in ended.error
    assert "make room, then the same command with --resume" in ended.error
    assert "Traceback" not in ended.err
    eventually(lambda: not left_over(deadheat), "nothing of ours runs on any node")


def test_a_clock_steps(deadheat: OnCluster, tmp_path: Path) -> None:
    """The block in which it did is dropped and told; others count."""
    cluster, step = deadheat.cluster, tmp_path / "step"
    deadheat.env["DEADHEAT_TEST_DROPS"] = "1"
    step.touch()
    cluster.again("n3", 4, DEADHEAT_TEST_STEP=str(step))

    def ends(number: int) -> list[str | None]:
        [journal] = deadheat.runs.glob(f"*-m{number}")
        lines = [line for line in deadheat.journal(journal.name) if line["type"] == "block-ended"]
        return [line["disturbed"] and line["disturbed"]["by"] for line in lines]

    def stepped() -> bool:
        """Once more in each block, by what the machine has written of it so far."""
        every = (cluster.home / "cache-n3" / "cluster" / "runs").glob("*/journal.jsonl")
        journal = max(every, key=lambda file: file.stat().st_mtime)
        marks = [line for line in journal.read_text().splitlines() if '"block-' in line]
        if marks and '"block-started"' in marks[-1] and len(marks) > step.stat().st_size:
            with step.open("a") as more:
                more.write("+")
        return "a clock step" in ends(3)

    try:
        with started(deadheat) as race:
            race.until(racing(deadheat, 3), "each has a block")
            race.until(stepped, "a block is dropped for it")
            ended = race.end()
    finally:
        cluster.again("n3", 4)
    assert ended.code in RACED, ended.err
    assert None in ends(3) and "a clock step" not in ends(1) + ends(2)
    assert "hello: block does not count, a clock step got into it" in ended.err


def test_a_machine_has_another_version(deadheat: OnCluster) -> None:
    cluster = deadheat.cluster
    cluster.again("n3", 4, DEADHEAT_TEST_VERSION="0.0.1")
    try:
        ended = deadheat.run("race", "--budget", "8s", "--cluster", cluster.address, "--different-machines")
        assert ended.code == 2 and "m3 (" in ended.error
        assert "has Deadheat 0.0.1, and this is " in ended.error
        assert not list(deadheat.runs.glob("*/plan.json"))
        looked = deadheat.run("cluster", "doctor", cluster.address)
        assert "! Deadheat 0.0.1; this is " in looked.out
    finally:
        cluster.again("n3", 4)
