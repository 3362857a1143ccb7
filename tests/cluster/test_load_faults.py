"""What may go wrong where load comes from other hosts: a generator stands still, its host is gone."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from pathlib import Path

from deadheat.run.disturbance import LAG_NS
from tests.end_to_end.bench import Running, eventually

from .conftest import OnCluster
from .test_faults import racing
from .test_load_from import results
from .test_race import RACED, left_over

LOAD = ("--load-from", "role=load")
RACE = ("race", "--budget", "16s", "--seed", "3", "--different-machines", *LOAD)


def started(deadheat: OnCluster) -> Running:
    return deadheat.start(*RACE, "--cluster", deadheat.cluster.address)


def test_a_generator_stands_still(deadheat: OnCluster) -> None:
    """It is told within seconds; the block is dropped whole, and the race goes on."""
    cluster = deadheat.cluster
    deadheat.env["DEADHEAT_TEST_DROPS"] = "1"

    def loads() -> bool:
        """By what the servers' machine has written so far, which it sends at the end of a block."""
        every = (cluster.home / "cache-n1" / "cluster" / "runs").glob("*/journal.jsonl")
        journal = max(every, key=lambda file: file.stat().st_mtime)
        lines = [json.loads(line)["type"] for line in journal.read_bytes().split(b"\n")[:-1]]
        return "slice" in lines[len(lines) - lines[::-1].index("block-started") :]

    generators: list[int] = []

    def stopped() -> bool:
        """Known while servers are started, stopped as soon as there is a slice; else in the next block."""
        generators[:] = cluster.pids("n3", "deadheat-load")
        if not generators:
            return False
        while not loads():
            if not Path(f"/proc/{generators[0]}").exists():
                return False
        with contextlib.suppress(ProcessLookupError):
            os.kill(generators[0], signal.SIGSTOP)
            return True
        return False

    with started(deadheat) as race:
        race.until(racing(deadheat, 1), "it has a block")
        race.until(stopped, "a generator is stopped")
        race.until_said(f"the generator on {cluster.ip('n3')} has said nothing for 4 s")
        os.kill(generators[0], signal.SIGCONT)
        ended = race.end()
    assert ended.code in RACED, ended.err
    about, _ = results(deadheat)
    lines = deadheat.journal(about.runs[0].run)
    ends = {line["block"]: line["disturbed"] for line in lines if line["type"] == "block-ended"}
    # Where it was stopped within a turn, that block does not count (between turns it has held up nobody).
    stood = {
        line["block"]
        for line in lines
        if line["type"] == "slice"
        and max(max(one["late_ns"], one["loop_delay_max_ns"]) for one in line["generators"]) > LAG_NS
    }
    assert all(ends[block]["by"] == "a late generator" for block in stood), ends
    # It did not end with that block.
    assert len(ends) > 2
    assert not left_over(deadheat)


def test_a_host_that_loads_is_gone(deadheat: OnCluster) -> None:
    """The race ends with what it has, and goes on once there is such a host again."""
    cluster = deadheat.cluster
    with started(deadheat) as race:
        race.until(racing(deadheat, 1), "it has a block")
        cluster.kill("n3")
        race.until_said("is lost")
        ended = race.end()
    try:
        assert "which loads it, is lost" in ended.err or f"{cluster.ip('n3')} is lost" in ended.err, ended.err
        eventually(lambda: not left_over(deadheat), "nothing of ours runs on any node")
        about, _ = results(deadheat)
        before = deadheat.journal(about.runs[0].run)
        assert any(line["type"] == "block-ended" for line in before)
        resume = ("race", "--cluster", cluster.address, "--resume", about.run)
        gone = deadheat.run(*resume)
        assert gone.code == 2 and "was loaded from 2 machines" in gone.error, gone.err
    finally:
        cluster.start("n3")
        cluster.until_up(4)
    ended = deadheat.run(*resume)
    assert ended.code in RACED, ended.err
    about, _ = results(deadheat)
    lines = deadheat.journal(about.runs[0].run)
    assert lines[: len(before)] == before
    slices = [line for line in lines[len(before) :] if line["type"] == "slice" and not line["warm_up"]]
    assert slices
    for line in slices:
        assert [one["host"] for one in line["generators"]] == [cluster.ip("n2"), cluster.ip("n3")]


def test_nothing_runs_anywhere_once_the_driver_is_gone(deadheat: OnCluster) -> None:
    with started(deadheat) as race:
        race.until(racing(deadheat, 1), "it has a block")
        race.signal(signal.SIGKILL)
    eventually(lambda: not left_over(deadheat), "nothing of ours runs on any node")


def test_clocks_that_were_started_at_other_times(deadheat: OnCluster) -> None:
    """Of hosts no two have been up for as long: here one has a day more than the others."""
    cluster = deadheat.cluster
    day = ("unshare", "--time", "--monotonic", "86400", "--boottime", "86400", "--fork", "--kill-child")
    cluster.again("n3", 4, within=day)
    try:
        ended = deadheat.run(*RACE, "--cluster", cluster.address)
    finally:
        cluster.again("n3", 4)
    assert ended.code in RACED, ended.err
    about, _ = results(deadheat)
    slices = [line for line in deadheat.journal(about.runs[0].run) if line["type"] == "slice"]
    assert slices
    for line in slices:
        near, far = line["generators"]
        assert abs(near["clock_ahead_ns"]) < 1e9
        assert far["clock_ahead_ns"] > 86_000e9
        # Beside a day anything is together.
        assert max(near["late_ns"], far["late_ns"]) < 10e9
        assert line["counted_until_ns"] - line["counted_from_ns"] < 60e9
    # Over all turns: on a busy machine a short one may end before one of two has a reply.
    assert all(sum(line["generators"][host]["replies"] for line in slices) > 0 for host in (0, 1))
