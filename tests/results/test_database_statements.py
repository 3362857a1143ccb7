"""The gate on a database's own count: one statement and one row a reply."""

from __future__ import annotations

import pytest

from deadheat.model.observation import StatementsRan
from deadheat.report.gates import advice
from deadheat.results.gates import own
from deadheat.results.tally import Tally, tallied
from tests.made.observed import observations, race


def counted(*blocks: tuple[int, int, int]) -> Tally:
    """A race whose databases counted so many replies, statements and rows in its first blocks."""
    ran = [
        StatementsRan(race="echo", block=block, entry="fast", replies=replies, statements=asked, rows=rows)
        for block, (replies, asked, rows) in enumerate(blocks)
    ]
    return tallied(race(), [*observations(race()), *ran])


@pytest.mark.parametrize(
    ("blocks", "ok"),
    [
        (((900, 900, 900), (1000, 1000, 1000)), True),
        (((900, 900, 900), (1000, 40, 40)), False),
        (((900, 901, 901), (1000, 999, 999)), False),
        (((900, 900, 9000),), False),
    ],
    ids=["as many", "kept rows", "one more and one less", "many rows at once"],
)
def test_each_block_must_agree_to_the_last_statement_and_row(
    blocks: tuple[tuple[int, int, int], ...], ok: bool
) -> None:
    gate = own.database_statements(counted(*blocks), "fast")
    assert gate is not None
    assert gate.ok == ok
    assert gate.facts["blocks"] == (0 if ok else 1 if len(blocks) < 2 or blocks[0][1] == 900 else 2)
    assert ok or "for" in (advice(gate) or "")


def test_a_reply_of_several_rows_takes_a_statement_for_each() -> None:
    ran = [
        StatementsRan(
            race="echo", block=block, entry="fast", replies=50, per_reply=20, statements=asked, rows=1000
        )
        for block, asked in enumerate((1000, 50))
    ]
    gate = own.database_statements(tallied(race(), [*observations(race()), *ran]), "fast")
    assert gate is not None
    assert (gate.ok, gate.facts["blocks"], gate.limit) == (False, 1, "20 a reply")
    assert "for 100 replies: 20 and 20 for each" in (advice(gate) or "")


def test_a_page_of_many_rows_takes_one_statement() -> None:
    ran = [
        StatementsRan(
            race="echo", block=block, entry="fast", replies=50, rows_per_reply=200, statements=50, rows=rows
        )
        for block, rows in enumerate((10_000, 50))
    ]
    gate = own.database_statements(tallied(race(), [*observations(race()), *ran]), "fast")
    assert gate is not None
    assert (gate.ok, gate.facts["blocks"], gate.limit) == (False, 1, "1 and 200 a reply")
    assert "100 statements and 10,050 rows for 100 replies: 1 and 200 for each" in (advice(gate) or "")


@pytest.mark.parametrize(
    ("written", "unasked", "ok"),
    [(1000, 0, True), (999, 0, False), (1000, 1, False)],
    ids=["as many", "one not written", "a value of nobody's"],
)
def test_what_is_written_is_counted_and_of_a_request(written: int, unasked: int, ok: bool) -> None:
    ran = StatementsRan(
        race="echo", block=0, entry="fast", replies=50, per_reply=20, rows_per_reply=20, statements=1000,
        rows=1000, written_per_reply=20, written=written, unasked=unasked,
    )  # fmt: skip
    gate = own.database_statements(tallied(race(), [*observations(race()), ran]), "fast")
    assert gate is not None
    assert (gate.ok, gate.limit) == (ok, "20 a reply")
    if not ok:
        assert f"{written:,} written for 50 replies: 20, 20 and 20 for each" in (advice(gate) or "")
        assert f"{unasked} rows had a value at the end" in (advice(gate) or "")


@pytest.mark.parametrize(
    ("rows", "ok", "says"),
    [
        (10_000, True, ""),
        (2_500, True, ""),
        (
            10_001,
            False,
            "gave it 10,101 rows in 2 blocks, for 100 replies of 100: a cache reads each of 10,000",
        ),
        (0, False, "gave it 100 rows in 2 blocks"),
    ],
    ids=["each row once", "some rows once", "one of them twice", "none that was counted"],
)
def test_of_rows_that_may_be_kept_each_is_read_once(rows: int, ok: bool, says: str) -> None:
    ran = [
        StatementsRan(
            race="echo", block=block, entry="fast", replies=50, per_reply=100, rows_per_reply=100,
            at_most=10_000, statements=read, rows=read,
        )
        for block, read in enumerate((rows, 100))
    ]  # fmt: skip
    gate = own.database_statements(tallied(race(), [*observations(race()), *ran]), "fast")
    assert gate is not None
    assert (gate.ok, gate.limit) == (ok, "each of 10,000 rows read once")
    assert says in (advice(gate) or "")


def test_a_database_that_counted_no_read_hides_some() -> None:
    ran = StatementsRan(
        race="echo", block=0, entry="fast", replies=50, per_reply=100, at_most=10_000, statements=0, rows=0
    )
    gate = own.database_statements(tallied(race(), [*observations(race()), ran]), "fast")
    assert gate is not None
    assert not gate.ok
    assert "counted no row that it read" in (advice(gate) or "")


def test_who_counts_nothing_has_no_such_gate_and_blocks_that_were_counted_decide() -> None:
    unknown, known = (
        StatementsRan(race="echo", block=block, entry="fast", replies=9, statements=asked, rows=asked)
        for block, asked in enumerate((None, 9))
    )
    assert own.database_statements(tallied(race(), [*observations(race()), unknown]), "fast") is None
    gate = own.database_statements(tallied(race(), [*observations(race()), unknown, known]), "fast")
    assert gate is not None
    assert (gate.ok, gate.facts["replies"]) == (True, 9)


def test_what_a_broken_one_says() -> None:
    gate = own.database_statements(counted((1000, 40, 40)), "fast")
    assert gate is not None
    assert "counted 40 statements and 40 rows for 1,000 replies" in (advice(gate) or "")


def test_who_has_no_database_has_no_such_gate() -> None:
    assert own.database_statements(counted(), "fast") is None
