"""What is kept of races whose figures stand in pages, and the pages that are made of it."""

from __future__ import annotations

import lzma
import re
from pathlib import Path

import pytest
from bench import app_matrix, kept_results

from deadheat.errors import UserError
from deadheat.storage.run_folder import RunFolder


def test_kept_results_that_are_damaged_or_missing_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_results, "KEPT", tmp_path)
    (tmp_path / "a.json.xz").write_bytes(b"no such format")
    with pytest.raises(UserError, match=r"a\.json\.xz: cannot be read: "):
        kept_results.results("a")
    with pytest.raises(UserError, match=r"b\.json\.xz: cannot be read: No such file"):
        kept_results.results("b")


def test_what_is_kept_can_be_read_and_names_no_path_of_a_machine() -> None:
    for file in kept_results.KEPT.glob("*"):
        assert kept_results.results(file.name.removesuffix(kept_results.SUFFIX)).workloads
        text = lzma.decompress(file.read_bytes()).decode()
        assert not re.search(r"(?<![\w.])/(home|root|tmp|work|Users)/", text), file


def test_the_matrix_in_the_documentation_is_of_what_is_kept() -> None:
    said = app_matrix.PAGE.read_text().split("<!-- begin: python -m bench.app_matrix -->\n")[1]
    results = app_matrix.kept()
    assert said.split("\n<!-- end -->")[0] == "\n".join(app_matrix.table(results))
    assert app_matrix.settled(results).split(" (")[0] in (kept_results.ROOT / "README.md").read_text()


def test_rows_that_were_raced_again_stand_in_the_place_of_those_before() -> None:
    whole = kept_results.results(app_matrix.NAME)
    json = next(race for race in whole.workloads if race.name == "app-json")
    again, other = [row for row in json.contenders if row.id != json.reference][:2]
    changed = again.replaced(build_s=1.0)
    new = other.replaced(name="new-one", variant=None)
    verdicts = [v for v in json.verdicts if {v.a, v.b} == {again.id, json.reference}]
    later = whole.replaced(workloads=(json.replaced(contenders=(changed, new), verdicts=tuple(verdicts)),))
    found = app_matrix.with_rows(whole, later)
    assert [race for race in found.workloads if race.name != "app-json"] == [
        race for race in whole.workloads if race.name != "app-json"
    ]
    race = next(race for race in found.workloads if race.name == "app-json")
    ids = [row.id for row in json.contenders]
    assert [row.id for row in race.contenders] == [*ids, "new-one"]
    assert race.contenders[ids.index(again.id)] == changed
    assert race.contenders[ids.index(other.id)] == other
    assert sorted(race.verdicts, key=str) == sorted(json.verdicts, key=str)


def test_a_whole_run_is_newer_than_rows_that_were_kept_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    results = lzma.decompress((kept_results.KEPT / "app.json.xz").read_bytes())
    (run / "results.json").write_bytes(results)
    monkeypatch.setattr(kept_results, "KEPT", tmp_path / "kept")
    for rows in (False, True):
        app_matrix.keep(RunFolder(run), rows=rows)
    assert kept_results.is_kept(app_matrix.ROWS)
    app_matrix.keep(RunFolder(run), rows=False)
    assert not kept_results.is_kept(app_matrix.ROWS)
    assert app_matrix.kept() == kept_results.results(app_matrix.NAME)
