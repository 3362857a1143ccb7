"""Servers raced from their start on: each turn a fresh one, timed to three replies."""

from __future__ import annotations

from pathlib import Path

from .bench import HELLO, Deadheat, hello

COLD = HELLO.replace('metric = "throughput_rps"', 'measure = "cold"\nmetric = "reply_10000_s"')


def test_each_turn_is_a_fresh_start_timed_to_three_replies(home: Path) -> None:
    suite = hello(home / "suite", habits=["dies-mid-race"], copies=["twin"])
    (suite.path / "hello" / "workload.toml").write_text(COLD)
    deadheat = Deadheat(home, suite.path)
    ended = deadheat.run("race", "--budget", "20s", "--seed", "1")
    assert "Traceback" not in ended.err, ended
    row = deadheat.row("twin")
    assert row["status"] == "measured" and row["throughput_rps"] is None
    times_s = [row[name]["estimate"] for name in ("first_reply_s", "reply_100_s", "reply_10000_s")]
    assert 0 < times_s[0] < times_s[1] < times_s[2]
    assert set(row["cold_against_reference"]) == {"first_reply_s", "reply_100_s"}
    result = deadheat.results()["workloads"][0]
    assert result["measured"]["by"] == "cold" and result["null_pair"] is not None
    # One that dies in its second start leaves, and the race goes on.
    assert deadheat.row("dies-mid-race")["status"] in ("failed", "measured")
    starts = [turn for turn in deadheat.journal() if turn["type"] == "cold-start"]
    assert {turn["entry"] for turn in starts} >= {"good", "good'", "twin"}
    assert "time to the 10,000th reply" in ended.out
