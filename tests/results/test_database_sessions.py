"""The gate on what a contender's sessions did beside its statements."""

from __future__ import annotations

import pytest

from deadheat.model.observation import StatementsRan
from deadheat.report.gates import advice
from deadheat.results.gates import own
from deadheat.results.tally import Tally, tallied
from tests.made.observed import observations, race

QUIET = StatementsRan(
    race="echo",
    block=0,
    entry="fast",
    replies=9,
    statements=9,
    rows=9,
    sessions_begun=0,
    unsettled=0,
    deadlocks=0,
)


def asked(**found: int) -> Tally:
    """A race in whose second block the database saw that."""
    ran = [QUIET, QUIET.replaced(block=1, **found)]
    return tallied(race(), [*observations(race()), *ran])


def test_sessions_that_were_there_and_ended_what_they_did_hold_it() -> None:
    gate = own.database_sessions(asked(), "fast")
    assert gate is not None
    assert (gate.ok, gate.value) == (True, 0)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("sessions_begun", "3 sessions began in counted slices"),
        ("unsettled", "3 times a session was busy"),
        ("deadlocks", "3 deadlocks"),
    ],
)
def test_each_breaks_it_and_is_named(name: str, said: str) -> None:
    gate = own.database_sessions(asked(**{name: 3}), "fast")
    assert gate is not None
    assert not gate.ok
    advised = advice(gate)
    assert advised is not None
    assert advised.startswith(said)
    assert ";" not in advised


def test_there_is_none_without_a_database_or_where_it_was_not_asked() -> None:
    assert own.database_sessions(tallied(race(), observations(race())), "fast") is None
    old = StatementsRan(race="echo", block=0, entry="fast", replies=9, statements=9, rows=9)
    assert own.database_sessions(tallied(race(), [*observations(race()), old]), "fast") is None
