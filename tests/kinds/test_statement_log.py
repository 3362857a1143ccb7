"""A database's log of statements, read."""

from __future__ import annotations

from deadheat.kinds.services.statement_log import Ran, Way, statements, way

LOG = """\
2026 is no session
12 3/7 LOG:  execute s1: SELECT id, randomnumber FROM world WHERE id = $1
12 3/7 DETAIL:  parameters: $1 = '7'
13 4/9 LOG:  statement:
      SELECT "id"
      FROM "world" WHERE ("id" = 8)
13 4/10 LOG:  execute <unnamed>: BEGIN
13 4/10 ERROR:  syntax error at or near "SELEC" at character 1
13 4/10 STATEMENT:  SELEC id FROM world
12 3/8 LOG:  checkpoint starting: time
"""


def test_each_statement_has_its_session_and_transaction() -> None:
    assert [*statements(LOG)] == [
        Ran(12, "3/7", "SELECT id, randomnumber FROM world WHERE id = $1"),
        Ran(13, "4/9", 'SELECT "id"\n      FROM "world" WHERE ("id" = 8)'),
        Ran(13, "4/10", "BEGIN"),
    ]


def selects(*where: tuple[int, str]) -> list[Ran]:
    return [Ran(session, transaction, "select id from world") for session, transaction in where]


def test_a_transaction_each() -> None:
    found = way(selects((1, "3/1"), (1, "3/2")), "world")
    assert found == Way(statements=2, sessions=1, together=1, begun=False)
    assert str(found) == "2 SELECTs over one session, a transaction each"


def test_several_sessions() -> None:
    found = way(selects((1, "3/1"), (2, "4/1"), (2, "4/2")), "world")
    assert str(found) == "3 SELECTs over 2 sessions at once, a transaction each"


def test_a_transaction_that_somebody_began_may_have_many() -> None:
    ran = [Ran(1, "3/1", "BEGIN"), *selects((1, "3/1"), (1, "3/1")), Ran(1, "3/1", "COMMIT")]
    found = way(ran, "world")
    assert (found.together, found.begun) == (0, True)
    assert str(found) == "2 SELECTs over one session, in a transaction that it began"


def test_one_sync_for_many_is_a_transaction_that_nobody_began() -> None:
    assert way(selects((1, "3/1"), (1, "3/1"), (1, "3/2")), "world").together == 2


def test_what_reads_another_table_or_nothing_is_left_out() -> None:
    ran = [Ran(1, "3/1", "SELECT 1"), Ran(1, "3/1", "UPDATE world SET id = 1"), *selects((1, "3/1"))]
    assert way(ran, "world").statements == 1
