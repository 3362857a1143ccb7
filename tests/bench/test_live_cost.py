"""The table of bench.live_cost: it says "wider" where it is, and not where it is not."""

from __future__ import annotations

import pytest
from bench import live_cost


def raced(watched_by: str, round_: int, sd: float, rps: float) -> live_cost.Raced:
    return live_cost.Raced(
        round=str(round_), watched_by=watched_by, count=10, machine="2 cores", date="2026-01-02",
        throughput_rps=rps * (1 + 0.01 * (round_ % 3)), blocks=5, null_log=0.0, null_sd=sd,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sd", "rps", "said"),
    [
        (0.04, 1000, "no wider that this could see, nor is the server slower or faster"),
        (0.16, 1000, "the interval is 4.00 times as wide"),
        (0.04, 500, "and the server does 0.50 times the requests"),
    ],
)
def test_it_says_what_the_races_say(sd: float, rps: float, said: str) -> None:
    races = [raced("nobody", n, 0.04, 1000) for n in range(5)]
    races += [raced("browsers", n, sd, rps * (1 + 0.002 * (n - 2))) for n in range(5)]
    reported = live_cost.render(races)
    assert said in reported
    assert reported.count("\n| ") == 3  # under the head, each a line: the rule, nobody, browsers
