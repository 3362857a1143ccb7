"""A page in a run's folder: written by `deadheat report`, also of a folder that is damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deadheat.app import reports
from deadheat.errors import UserError
from deadheat.storage import checksum
from deadheat.storage.run_folder import RunFolder
from tests.made.runs import Made


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    made = Made(tmp_path / "suite", contenders=3)
    found = RunFolder(made.save(tmp_path / "run"))
    reports.derive_again(found)
    return found


def _page(folder: RunFolder) -> str:
    return (folder.path / "report.html").read_text()


def _edit(folder: RunFolder) -> bytes:
    reported = json.loads(folder.results_file.read_text())
    reported["workloads"][0]["contenders"][0]["title"] = "The very best"
    folder.results_file.write_text(json.dumps(reported))
    return folder.results_file.read_bytes()


def test_a_whole_run_says_nothing_of_checksums(folder: RunFolder) -> None:
    assert checksum.fits(folder) is True
    assert "checksum" not in _page(folder)
    _, warnings = reports.derive_again(folder)
    assert warnings == []


def test_results_edited_by_hand_are_told_kept_and_derived_again(folder: RunFolder) -> None:
    edited = _edit(folder)
    assert checksum.fits(folder) is False
    for _ in range(2):
        _, warnings = reports.derive_again(folder)
        assert "edited by hand" in warnings[0]
        assert "checksum failed" in _page(folder)
        assert "The very best" not in _page(folder)
        assert (folder.path / checksum.EDITED).read_bytes() == edited
        assert checksum.fits(folder) is True


def test_without_a_journal_results_are_told_as_they_stand(folder: RunFolder) -> None:
    edited = _edit(folder)
    folder.journal.unlink()
    _, warnings = reports.derive_again(folder)
    assert len(warnings) == 2
    assert "The journal is missing" in _page(folder)
    assert "checksum of results.json fails" in _page(folder)
    assert folder.results_file.read_bytes() == edited


def test_a_torn_journal_is_told(folder: RunFolder) -> None:
    with folder.journal.open("ab") as journal:
        journal.write(b'{"type":"slice","work')
    reports.derive_again(folder)
    assert "torn line" in _page(folder)


def test_a_folder_that_cannot_be_written_keeps_what_it_has(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _page(folder)

    def full(self: Path, text: str, **_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(UserError, match="No space left"):
        reports.derive_again(folder)
    assert _page(folder) == before
    assert not list(folder.path.glob(".*"))


def test_results_of_another_schema_are_one_line(folder: RunFolder) -> None:
    folder.results_file.write_text('{"schema": 0}')
    folder.journal.unlink()
    with pytest.raises(UserError, match="not of this version"):
        reports.derive_again(folder)
