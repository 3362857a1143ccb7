"""The listing of a suite: remembered, and never older than the manifests."""

from __future__ import annotations

from pathlib import Path

import pytest

from deadheat.errors import UserError
from deadheat.suite import listing
from tests.made import suite as made


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DEADHEAT_CACHE", str(tmp_path / "cache"))
    echo = tmp_path / "suite" / "echo"
    for name in ("slow", "fast"):
        (echo / name).mkdir(parents=True)
        (echo / name / "contender.toml").write_text(made.contender(name, "idiomatic", "{port}"))
    (echo / "workload.toml").write_text(made.ECHO)
    return tmp_path / "suite"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders whose manifests are read, as they are."""
    seen: list[Path] = []
    read = listing._read

    def counted(folder: Path) -> list[dict[str, object]]:
        seen.append(folder)
        return read(folder)

    monkeypatch.setattr(listing, "_read", counted)
    return seen


def _ids(folder: Path) -> list[str]:
    return [contender["id"] for workload in listing.of(folder) for contender in workload["contenders"]]


def test_what_has_not_changed_is_read_once(folder: Path, reads: list[Path]) -> None:
    first = listing.of(folder)
    assert [workload["name"] for workload in first] == ["echo"]
    assert listing.of(folder) == first
    assert len(reads) == 1


def test_what_a_contender_speaks_is_listed(folder: Path) -> None:
    with (folder / "echo" / "slow" / "contender.toml").open("a") as manifest:
        manifest.write("[protocols.h2c]\n")
    ((fast, slow),) = (workload["contenders"] for workload in listing.of(folder))
    assert (fast["protocols"], slow["protocols"]) == ([], ["h2c"])


def test_a_contender_that_comes_or_goes(folder: Path) -> None:
    assert _ids(folder) == ["fast", "slow"]
    (folder / "echo" / "new").mkdir()
    (folder / "echo" / "new" / "contender.toml").write_text(made.contender("new", "tuned", "{port}"))
    assert _ids(folder) == ["fast", "new", "slow"]
    (folder / "echo" / "fast" / "contender.toml").unlink()
    assert _ids(folder) == ["new", "slow"]


def test_a_manifest_that_is_changed(folder: Path) -> None:
    listing.of(folder)
    file = folder / "echo" / "fast" / "contender.toml"
    file.write_text(file.read_text().replace('title = "fast"', 'title = "FAST"'))
    assert listing.of(folder)[0]["contenders"][0]["title"] == "FAST"


def test_a_manifest_that_is_broken_is_said_each_time(folder: Path) -> None:
    listing.of(folder)
    (folder / "echo" / "fast" / "contender.toml").write_text('titel = "fast"\n')
    for _ in range(2):
        with pytest.raises(UserError, match='unknown key "titel"'):
            listing.of(folder)


def test_a_reader_that_changes_reads_again(
    folder: Path, reads: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version of Deadheat may take another view of the same manifest."""
    monkeypatch.setattr(listing, "READERS", (tmp_path / "reader",))
    (tmp_path / "reader").mkdir()
    (tmp_path / "reader" / "toml_file.py").write_text("1")
    listing.of(folder)
    (tmp_path / "reader" / "toml_file.py").write_text("22")
    listing.of(folder)
    assert len(reads) == 2


@pytest.mark.parametrize("content", ["", "{", "[]", '{"stamps": 1}', '{"workloads": []}'])
def test_a_cache_that_is_torn_is_read_over(folder: Path, content: str) -> None:
    expected = listing.of(folder)
    (file,) = (folder.parent / "cache" / "suites").iterdir()
    file.write_text(content)
    assert listing.of(folder) == expected


def test_a_cache_that_cannot_be_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder.parent / "file").write_text("")
    monkeypatch.setenv("DEADHEAT_CACHE", str(folder.parent / "file" / "cache"))
    assert _ids(folder) == ["fast", "slow"]
