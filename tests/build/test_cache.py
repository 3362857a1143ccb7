"""The cache: what it keeps, what goes, and that what is half gone is taken for no build."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from deadheat.build import cache
from deadheat.build.cache import Kept
from deadheat.errors import UserError

DAY_S = 86_400.0
NOW_S = 1e9


def kept(name: str, size_bytes: int, days_ago: float) -> Kept:
    return Kept("build", name, Path(name), size_bytes, NOW_S - days_ago * DAY_S)


EVERYTHING = (kept("big", 500, 1), kept("old", 300, 40), kept("small", 100, 10), kept("new", 50, 0))


def names(chosen: tuple[Kept, ...]) -> set[str]:
    return {one.name for one in chosen}


def choose(older_than_s: float | None = None, at_most_bytes: int | None = None) -> set[str]:
    return names(cache.chosen(EVERYTHING, NOW_S, older_than_s=older_than_s, at_most_bytes=at_most_bytes))


def test_by_age() -> None:
    assert choose(older_than_s=30 * DAY_S) == {"old"}
    assert choose(older_than_s=5 * DAY_S) == {"old", "small"}


def test_by_size_the_longest_unused_go_first() -> None:
    assert choose(at_most_bytes=950) == set()
    assert choose(at_most_bytes=700) == {"old"}
    assert choose(at_most_bytes=549) == {"old", "small", "big"}
    assert choose(at_most_bytes=0) == {"big", "old", "small", "new"}


def test_by_both() -> None:
    assert choose(older_than_s=30 * DAY_S, at_most_bytes=600) == {"old", "small"}


def test_neither_is_everything() -> None:
    assert choose() == {"big", "old", "small", "new"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two builds of one contender, one of them cut off, and a tool."""
    for key, size in (("aa", 100_000), ("bb", 10_000)):
        (tmp_path / "builds" / "go" / key / "go").mkdir(parents=True)
        (tmp_path / "builds" / "go" / key / "go" / "server").write_bytes(b"x" * size)
        (tmp_path / "builds" / "go" / f"{key}.lock").touch()
    marker = tmp_path / "builds" / "go" / "aa" / "built.json"
    marker.write_text(json.dumps({"workload": "fib", "contender": "go:stripped"}))
    os.utime(marker, (NOW_S, NOW_S))
    (tmp_path / "tools" / "ghz-1").mkdir(parents=True)
    (tmp_path / "tools" / "ghz-1" / "ghz").write_bytes(b"x" * 50_000)
    return tmp_path


def test_what_is_kept_by_name_size_and_last_use(folder: Path) -> None:
    rows = cache.kept(folder)
    assert [(row.what, row.name, row.whole) for row in rows] == [
        ("build", "fib/go:stripped", True),
        ("tool", "ghz-1", True),
        ("build", "go", False),
    ]
    assert rows[0].used_s == NOW_S
    assert 100_000 <= rows[0].size_bytes <= 120_000


def test_a_build_that_is_used_is_new_again(folder: Path) -> None:
    marker = folder / "builds" / "go" / "aa" / "built.json"
    cache.note_use(marker)
    assert marker.stat().st_mtime > NOW_S
    cache.note_use(folder / "not there")


def test_what_goes_is_gone_and_the_rest_is_not(folder: Path) -> None:
    build, tool, torn = cache.kept(folder)
    cache.throw_away([build])
    assert names(cache.kept(folder)) == {"ghz-1", "go"}
    assert not (folder / "builds" / "go" / "aa.lock").exists()
    cache.throw_away([tool, torn])
    assert cache.kept(folder) == ()
    assert not (folder / "builds" / "go").exists()


def test_a_build_that_cannot_be_removed_is_no_build_any_more(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(shutil, "rmtree", refuse)
    build = cache.kept(folder)[0]
    with pytest.raises(UserError, match="cannot be removed: Permission denied"):
        cache.throw_away([build])
    assert not (build.path / "built.json").exists()


def test_no_cache_is_an_empty_one(tmp_path: Path) -> None:
    assert cache.kept(tmp_path / "nowhere") == ()
