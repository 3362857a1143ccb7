"""Redis servers that cannot be had or go wrong: the reason is told, and nothing is left running."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from .bench import Deadheat, Ended, Kin, all_gone, eventually, kin
from .redis_bench import suite, with_redis


def race(deadheat: Deadheat) -> Ended:
    """A short race; nothing that it started outlives it."""
    with deadheat.start("race", "--set", "server=redis", "--budget", "5s") as running:
        [itself] = [process for process in kin(os.getpid()) if process.pid == running.pid]
        started: set[Kin] = set()

        def ended() -> bool:
            started.update(kin(running.pid))
            return not itself.alive()

        eventually(ended, "the race ends")
        reported = running.end()
    assert any("bad_redis" in process.name for process in started)
    all_gone(started)
    assert "Traceback" not in reported.err
    return reported


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("oom", "-OOM command not allowed when used memory > 'maxmemory'"),
        ("garbage", "what?"),
        ("closes", "the server closed the connection"),
        ("hangs", "it ran into its time limit after 1"),
    ],
)
def test_what_the_server_did_is_the_rows_reason(tmp_path: Path, mode: str, words: str) -> None:
    deadheat = with_redis(tmp_path / "home", mode, timeout_s=1 if mode == "hangs" else 60)
    assert race(deadheat).code == 3
    row = deadheat.row("good")
    assert row["status"] == "failed"
    assert words in row["reason"]


@pytest.mark.parametrize("clients", [0, 5], ids=["in the check", "in a block"])
def test_a_server_that_is_killed_is_not_the_clients_fault(tmp_path: Path, clients: int) -> None:
    deadheat = with_redis(tmp_path / "home", f"killed-{clients}", ["streams"])
    assert race(deadheat).code == 3
    for name in ("good", "streams"):
        row = deadheat.row(name)
        assert row["status"] == "unavailable"
        assert "redis-server died of SIGKILL after" in row["reason"]
        assert row["reason"].partition(", while ")[2] in ("good ran", "good' ran", "streams ran")
    stages = {line["type"] for line in deadheat.journal()}
    assert ("block-started" in stages) is (clients > 0)


def test_blocks_that_were_whole_are_kept_when_a_real_redis_is_killed(tmp_path: Path) -> None:
    """Many blocks are planned, so that it never is the last. A resume starts another Redis and goes on."""
    home = tmp_path / "home"
    deadheat = Deadheat(home, suite(home / "suite", ["streams"]).path)
    with deadheat.start("race", "--set", "server=redis", "--budget", "20s") as running:

        def three_are_whole(journal: list[dict[str, Any]]) -> bool:
            return len([line for line in journal if line["type"] == "block-ended"]) >= 3

        running.until_journal(three_are_whole, "three blocks are whole")

        def killed() -> bool:
            """Between two blocks there is none."""
            redis = [p for p in kin(running.pid) if "redis-server" in p.name.split(" ")[0]]
            for process in redis:
                os.kill(process.pid, signal.SIGKILL)
            return bool(redis)

        eventually(killed, "a Redis is killed")
        reported = running.end()
    assert "Traceback" not in reported.err
    result = deadheat.results()["workloads"][0]
    assert 3 <= result["blocks"] < result["blocks_planned"]
    ended = f"ended after {result['blocks']} of {result['blocks_planned']} blocks"
    assert ended in reported.err
    [cut] = [finding for finding in result["findings"] if finding["finding"] == "cut-short"]
    assert (cut["blocks"], cut["planned"]) == (result["blocks"], result["blocks_planned"])
    assert cut["reason"].startswith("redis-server") and "died of SIGKILL" in cut["reason"]
    for name in ("good", "streams"):
        row = deadheat.row(name)
        assert (row["status"], row["reason"]) == ("measured", None)
        assert len(row["cpu_s"]["blocks"]) == result["blocks"]
    settled = any(verdict["verdict"] in ("faster", "dead heat") for verdict in result["verdicts"])
    assert reported.code == (0 if settled else 4)

    resumed = deadheat.run("race", "--resume", "latest")
    assert resumed.code in (0, 4), resumed.err
    whole = deadheat.results()["workloads"][0]
    # It ends before its last block only where a planned look says so.
    settled_at = [line["blocks"] for line in deadheat.journal() if line["type"] == "settled"]
    assert whole["blocks"] == (settled_at or [whole["blocks_planned"]])[-1] > result["blocks"]
    assert not any(finding["finding"] == "cut-short" for finding in whole["findings"])


def test_check_says_it_too(tmp_path: Path) -> None:
    ended = with_redis(tmp_path / "home", "killed-0").run("check", "good")
    assert "unavailable" in ended.out
    assert "redis-server died of SIGKILL" in ended.out
    assert "Traceback" not in ended.err


def test_a_server_that_does_not_start_makes_the_race_unavailable(tmp_path: Path) -> None:
    deadheat = with_redis(tmp_path / "home", "taken")
    ended = deadheat.run("race", "--set", "server=redis", "--budget", "5s")
    assert ended.code == 3
    row = deadheat.row("good")
    assert row["status"] == "unavailable"
    assert "Address already in use" in row["reason"]


@pytest.mark.parametrize(("server", "package"), [("redis", "redis-server"), ("valkey", "valkey-server")])
def test_a_missing_server_is_named_with_its_install_line(tmp_path: Path, server: str, package: str) -> None:
    home = tmp_path / "home"
    deadheat = Deadheat(home, suite(home / "suite").path)
    empty = tmp_path / "bin"
    empty.mkdir()
    (empty / "sh").symlink_to("/bin/sh")
    deadheat.env["PATH"] = str(empty)
    ended = deadheat.run("race", "--set", f"server={server}", "--budget", "5s")
    assert ended.code == 3
    row = deadheat.row("good")
    assert row["status"] == "unavailable"
    assert f"{server}-server not found" in row["reason"]
    assert f"apt-get install {package}" in row["reason"]


@pytest.mark.skipif(shutil.which("valkey-server") is None, reason="apt-get install valkey-server")
def test_a_race_on_valkey_beside_one_on_redis(tmp_path: Path) -> None:
    home = tmp_path / "home"
    deadheat = Deadheat(home, suite(home / "suite", ["streams"]).path)
    ended = deadheat.run("race", "--sweep", "server=redis,valkey", "--budget", "10s")
    assert ended.code in (0, 4), ended.err
    races = {race["setting"]: race for race in deadheat.results()["workloads"]}
    assert set(races) == {None, "valkey"}
    for race in races.values():
        assert {row["status"] for row in race["contenders"]} == {"measured"}
    assert list((deadheat.runs / "latest" / "logs").glob("valkey-server-*.out"))


def test_ports_of_the_user_are_never_used(tmp_path: Path) -> None:
    """A Redis on the ordinary port is somebody's: no server of ours is started there, nor asked."""
    deadheat = with_redis(tmp_path / "home", "oom")
    deadheat.run("race", "--set", "server=redis", "--budget", "5s")
    logs = list((deadheat.runs / "latest" / "logs").glob("*-server-*.out"))
    assert logs
    assert not any(log.stem.endswith("-6379") for log in logs)
