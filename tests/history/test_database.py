"""The history in a real SQLite file and a real PostgreSQL: kept, replaced, migrated, shared by writers."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, make_url, text

from deadheat.errors import UserError
from deadheat.history import store
from deadheat.history.database import FILE, MIGRATIONS, open_
from deadheat.history.foreign import Foreign
from deadheat.history.tables import Base

from .made_up import results

WRITERS, EACH = 4, 8


def test_a_run_is_kept_whole(target: str, tmp_path: Path) -> None:
    kept = results("run-1", commit="abc123")
    with open_(target) as history:
        store.record(history, kept, tmp_path)
    with open_(target) as history:
        assert store.results(history, "run-1") == kept
        (run,) = store.runs(history)
        assert (run.commit, run.machine, run.unfinished) == ("abc123", "Quiet 9000, 2 cores", None)
        (row,) = store.contenders(history, "http-hello", "rust")
        assert (row.run.id, row.verdict, row.reference) == ("run-1", "faster", "go")
        assert store.names(history) == {"http-hello": {"go", "rust", "ceiling"}}
        assert store.results(history, "run-2") is None


def test_a_run_that_is_kept_again_replaces_itself(target: str, tmp_path: Path) -> None:
    with open_(target) as history:
        store.record(history, results("run-1"), tmp_path, "1 of 6 blocks")
        store.record(history, results("run-1", {"rust": 2.0}), tmp_path)
        (run,) = store.runs(history)
        (row,) = store.contenders(history, "http-hello", "rust")
        assert run.unfinished is None
        assert row.ratio == pytest.approx(2.0, rel=0.05)


def test_a_write_that_fails_half_way_leaves_nothing(target: str, tmp_path: Path) -> None:
    broken = results("run-2")
    with open_(target) as history:
        store.record(history, results("run-1"), tmp_path)
        with pytest.raises(ZeroDivisionError), history.writing() as session:
            session.execute(text("DELETE FROM runs"))
            session.flush()
            _ = 1 / 0
        assert [run.id for run in store.runs(history)] == ["run-1"]
        store.record(history, broken, tmp_path)
        assert {run.id for run in store.runs(history)} == {"run-1", "run-2"}


def test_two_writers_at_once_lose_nothing(target: str, tmp_path: Path) -> None:
    """Each is a process of its own, and both find no database, so that both want to make it."""
    writer = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from pathlib import Path
from deadheat.history import store
from deadheat.history.database import open_
from tests.history.made_up import results
for n in range({EACH}):
    with open_({target!r}) as history:
        store.record(history, results(f"run-{{sys.argv[1]}}-{{n}}"), Path("."))
        store.record(history, results("shared"), Path("."))
"""
    writers = [
        subprocess.Popen([sys.executable, "-c", writer, str(n)], stderr=subprocess.PIPE, text=True)
        for n in range(WRITERS)
    ]
    for process in writers:
        _, complained = process.communicate(timeout=120)
        assert process.returncode == 0, complained
    with open_(target) as history:
        found = sorted(run.id for run in store.runs(history))
        rows = store.contenders(history, "http-hello", "rust")
    assert found == sorted([f"run-{w}-{n}" for w in range(WRITERS) for n in range(EACH)] + ["shared"])
    assert len(rows) == len(found)


def test_a_database_of_the_first_version_is_brought_to_this_one(target: str, tmp_path: Path) -> None:
    """Its runs are still there, and what is new can be kept."""
    _at_revision(target, "0001")
    _execute(
        target,
        "INSERT INTO runs (id, started, version, preset, machine, folder, recorded, results) VALUES "
        "('old', '2025', '0.0.9', 'quick', 'm', 'f', '2025', '{}')",
    )
    with open_(target) as history:
        assert [run.id for run in store.runs(history)] == ["old"]
        store.add_context(history, [Foreign("wrk", "10s test")], tmp_path, None, None)
        assert [row.tool for row in store.context(history)] == ["wrk"]


def test_migrations_end_at_the_tables_of_the_code(target: str) -> None:
    with open_(target):
        pass
    engine = create_engine(_url(target))
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
    engine.dispose()


def test_every_step_can_be_taken_back(target: str) -> None:
    with open_(target):
        pass
    engine = create_engine(_url(target))
    with engine.begin() as connection:
        command.downgrade(_config(connection), "base")
    engine.dispose()
    with open_(target) as history:
        assert store.runs(history) == []


def test_a_database_of_a_newer_version_is_left_alone(target: str) -> None:
    with open_(target):
        pass
    _execute(target, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(UserError, match="made by a newer Deadheat"):
        open_(target)


def test_sqlite_is_in_wal_mode(tmp_path: Path) -> None:
    with open_(tmp_path / FILE):
        connection = sqlite3.connect(tmp_path / FILE)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        connection.close()


@pytest.mark.parametrize(
    "what",
    [
        "no folder",
        "no database",
        "a folder",
        "no server",
        "a password elsewhere",
        "no url",
        "no such kind",
    ],
)
def test_what_cannot_be_opened_is_one_line(tmp_path: Path, what: str) -> None:
    (tmp_path / "text").write_text("not a database at all\n" * 100)
    target = {
        "no folder": str(tmp_path / "none" / FILE),
        "no database": str(tmp_path / "text"),
        "a folder": str(tmp_path),
        "no server": f"postgresql://somebody:secret@/name?host={tmp_path}",
        "a password elsewhere": f"postgresql://somebody@/name?host={tmp_path}&password=secret",
        "no url": "postgresql://[",
        "no such kind": "oracle9://x",
    }[what]
    with pytest.raises(UserError) as caught:
        open_(target)
    assert "\n" not in caught.value.message
    assert caught.value.hint
    assert "secret" not in caught.value.message
    assert (tmp_path / "text").read_text().startswith("not a database")


@pytest.mark.parametrize("broken", ["a folder in its place", "not a database", "a bug"])
def test_a_history_that_fails_costs_no_run(
    tmp_path: Path, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if broken == "a folder in its place":
        (tmp_path / FILE).mkdir()
    elif broken == "not a database":
        (tmp_path / FILE).write_text("x" * 2000)
    else:
        monkeypatch.setattr(store, "record", lambda *_: 1 / 0)
    warnings: list[str] = []
    store.record_finished(results("run-1"), tmp_path / "run-1", warnings.append)
    (warning,) = warnings
    assert warning.startswith("not in the history: ")
    assert f"deadheat history add {tmp_path / 'run-1'}" in warning
    assert "\n" not in warning


def _url(target: str) -> str:
    return (
        target.replace("postgresql://", "postgresql+psycopg://") if "://" in target else f"sqlite:///{target}"
    )


def _config(connection: object) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config


def _at_revision(target: str, revision: str) -> None:
    engine = create_engine(make_url(_url(target)))
    with engine.begin() as connection:
        command.upgrade(_config(connection), revision)
    engine.dispose()


def _execute(target: str, sql: str) -> None:
    engine = create_engine(_url(target))
    with engine.begin() as connection:
        connection.execute(text(sql))
    engine.dispose()
