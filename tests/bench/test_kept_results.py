"""What is kept of races whose figures stand in pages, and the pages that are made of it."""

from __future__ import annotations

import lzma
import re
from pathlib import Path

import pytest
from bench import app_matrix, kept_results

from deadheat.errors import UserError


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
    results = kept_results.results(app_matrix.NAME)
    assert said.split("\n<!-- end -->")[0] == "\n".join(app_matrix.table(results))
    assert app_matrix.settled(results).split(" (")[0] in (kept_results.ROOT / "README.md").read_text()
