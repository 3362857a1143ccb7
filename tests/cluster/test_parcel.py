"""A suite packed here is the same suite unpacked there, by whatever Python is there."""

from __future__ import annotations

import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from deadheat.cluster.parcel import Parcel, packed, unpacked
from deadheat.suite.suite import load
from tests.end_to_end.bench import hello


def parcel(tmp_path: Path) -> tuple[Parcel, Path]:
    suite = hello(tmp_path / "suite").path
    for file in suite.rglob("*"):
        # Where the group may write by default: filters take that away.
        file.chmod(file.stat().st_mode & ~0o022)
    return packed(load(suite), ["hello"]), suite


def without_filters(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Debian 12's Python 3.11.2 has it: no filter, and no argument for one."""
    with_filters = tarfile.TarFile.extractall

    def extractall(self: tarfile.TarFile, path: Path, members: None = None) -> None:
        with_filters(self, path, members, filter="fully_trusted")

    monkeypatch.setattr(tarfile.TarFile, "extractall", extractall)
    monkeypatch.delattr(tarfile, "tar_filter")


@pytest.mark.parametrize("filters", [True, False])
def test_what_is_unpacked_is_what_was_packed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, filters: bool
) -> None:
    sent, suite = parcel(tmp_path)
    if not filters and hasattr(tarfile, "tar_filter"):
        without_filters(monkeypatch)
    there = unpacked(sent, tmp_path / "there")
    files = {file.relative_to(there): file for file in there.rglob("*") if file.is_file()}
    assert files
    for name, file in files.items():
        assert file.read_bytes() == (suite / name).read_bytes()
        assert file.stat().st_mode == (suite / name).stat().st_mode
    assert packed(load(there), ["hello"]) == sent


def test_what_came_damaged_is_refused(tmp_path: Path) -> None:
    sent, _ = parcel(tmp_path)
    with pytest.raises(ValueError, match="damaged"):
        unpacked(replace(sent, data=sent.data[:-1]), tmp_path / "there")
    assert not (tmp_path / "there").exists()
