"""How long a server's slices are, by the last turns of its warm-up."""

from __future__ import annotations

import pytest

from deadheat.hosts import Handle
from deadheat.kinds.server.turns import Running
from deadheat.kinds.server.warm_up import _size
from deadheat.model.observation import Slice
from tests.made.observed import race
from tests.made.slices import made_slice

MS = 10**6
WARM_UP_MS = 500


def turn(mean_ms: float, told: float = 1.0, longest_ms: float = 10) -> Slice:
    """A turn of a warm-up whose replies took so long on average, `told` of what Little's law says."""
    replies = 1000
    latency_ns = round(replies * mean_ms * MS)
    return made_slice("echo", 0, 0, 0, "fast", replies).replaced(
        latency_sum_ns=latency_ns,
        in_flight_ns=round(latency_ns / told),
        latency_max_ns=round(longest_ms * MS),
    )


def sized(*turns: Slice) -> tuple[int, int]:
    """Lead-in and counted part, milliseconds, of a race whose least are 50 and 100."""
    planned = race(lead_in_ms=50, counted_ms=100, warm_up_ms=WARM_UP_MS)
    running = Running("fast", Handle("h", "fast", 0), 1, 50, 100)
    _size(running, turns, planned)
    return running.lead_in_ms, running.counted_ms


def test_they_grow_with_the_mean_of_its_latency() -> None:
    assert sized(turn(1)) == (50, 100)
    assert sized(turn(20)) == (100, 200)


def test_one_noisy_turn_makes_none_longer() -> None:
    assert sized(turn(1), turn(1), turn(1), turn(1), turn(90)) == (50, 100)


def test_a_mean_that_hides_long_waits_makes_them_longer() -> None:
    """Connections are served one after another for a while each: most replies are quick, and who waits has
    not been answered at the turn's end."""
    assert sized(turn(2, told=0.65, longest_ms=120)) == (250, 500)
    assert sized(turn(2, told=0.65, longest_ms=400)) == (500, 1000)


@pytest.mark.parametrize("mean_ms", [1, 50, 200])
def test_the_last_requests_of_a_turn_are_no_such_waits(mean_ms: float) -> None:
    """They are on their way when it ends: up to a whole latency is missing of what Little's law says."""
    longest = turn(mean_ms, told=1 - mean_ms / WARM_UP_MS, longest_ms=450)
    assert sized(longest) == sized(turn(mean_ms))


def test_a_server_that_never_answered_tells_nothing() -> None:
    assert sized(turn(90).replaced(replies=0)) == (50, 100)
