"""What may go wrong on a cluster: told within seconds, nothing lost, nothing left running."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

from tests.end_to_end.bench import Running, eventually

from .conftest import OnCluster
from .test_race import RACED, left_over, of

RACE = ("race", "--budget", "16s", "--seed", "3", "--different-machines")


def started(deadheat: OnCluster, *more: str) -> Running:
    return deadheat.start(*RACE, "--cluster", deadheat.cluster.address, *more)


def racing(deadheat: OnCluster, machines: int) -> Callable[[], bool]:
    """Whether so many have a whole block, and are in the next or wait for it."""

    def so() -> bool:
        journals = [deadheat.journal(run.name) for run in deadheat.runs.glob("*-m?")]
        return sum(any(line["type"] == "block-ended" for line in lines) for lines in journals) >= machines

    return so


def test_a_machine_dies_and_the_others_go_on(deadheat: OnCluster) -> None:
    cluster = deadheat.cluster
    with started(deadheat) as race:
        race.until(racing(deadheat, 3), "each has a block")
        cluster.kill("n3")
        killed = time.monotonic()
        race.until_said("is lost")
        told_s = time.monotonic() - killed
        ended = race.end()
    try:
        assert ended.code in RACED, ended.err
        assert "m3 " in ended.err and "whole block" in ended.err
        assert "these " in ended.out
        assert not left_over(deadheat)
        # Nothing is decided by it but that it is seconds, not the minutes of a lease.
        assert told_s < 30
    finally:
        cluster.start("n3")
        cluster.until_up(4)


def test_a_machine_that_is_cut_off_is_told_and_ends_by_itself(deadheat: OnCluster) -> None:
    cluster = deadheat.cluster
    with started(deadheat) as race:
        race.until(racing(deadheat, 3), "each has a block")
        cluster.link("n2", "down")
        race.until_said("is lost")
        eventually(
            lambda: not any("server.py" in c or "deadheat-load" in c for c in cluster.commands("n2")),
            "nothing of ours runs there any more",
        )
        ended = race.end()
    try:
        assert ended.code in RACED, ended.err
        assert "no sign of life for 4 s" in ended.err
    finally:
        cluster.link("n2", "up")
        cluster.kill("n2")
        cluster.start("n2")
        cluster.until_up(4)


def test_nothing_runs_anywhere_once_the_driver_is_gone(deadheat: OnCluster) -> None:
    with started(deadheat) as race:
        race.until(racing(deadheat, 2), "two have a block")
        race.signal(signal.SIGKILL)
    eventually(lambda: not left_over(deadheat), "nothing of ours runs on any node")
    # What was observed is there, and what was begun can be taken up, by the same command with --resume.
    about = of(deadheat)
    before = {one.run: deadheat.journal(one.run) for one in about.runs}
    ended = deadheat.run("race", "--cluster", deadheat.cluster.address, "--resume", about.run)
    assert ended.code in RACED, ended.err
    for run, lines in before.items():
        assert deadheat.journal(run)[: len(lines)] == lines
        assert any(line["type"] == "resumed" for line in deadheat.journal(run))


def test_ctrl_c_ends_all_and_keeps_what_there_is(deadheat: OnCluster) -> None:
    with started(deadheat) as race:
        race.until(racing(deadheat, 1), "one has a block")
        race.signal(signal.SIGINT)
        ended = race.end()
    assert ended.code == 130, ended.err
    assert "resume: deadheat race --cluster" in ended.err
    assert not left_over(deadheat)
    # Whichever of the machines had it.
    kept = [line["type"] for one in of(deadheat).runs for line in deadheat.journal(one.run)]
    assert "block-ended" in kept


def test_blocks_of_a_machine_that_is_gone_are_raced_by_another(deadheat: OnCluster) -> None:
    """A race on two of three, cut off; then one of the two is gone for good."""
    cluster = deadheat.cluster
    with started(deadheat, "--machines", "2") as race:
        race.until(racing(deadheat, 1), "one has a block")
        race.signal(signal.SIGKILL)
    about = of(deadheat)
    eventually(lambda: not left_over(deadheat), "nothing of ours runs on any node")
    cluster.kill("n2")
    try:
        ended = deadheat.run("race", "--cluster", cluster.address, "--resume", about.run)
        assert ended.code in RACED, ended.err
        assert "races the blocks that it has left" in ended.err
    finally:
        cluster.start("n2")
        cluster.until_up(4)
    again = of(deadheat)
    assert [(one.name, one.address, one.instead_of) for one in again.runs] == [
        ("m1", cluster.ip("n1"), None),
        ("m2", cluster.ip("n2"), None),
        ("m3", cluster.ip("n3"), "m2"),
    ]
    lines = deadheat.journal(again.runs[2].run)
    assert {line["entry"] for line in lines if line["type"] == "slice"} == {"good", "good'", "copy"}
    assert sum(line["type"] == "block-ended" for line in lines) >= 3
