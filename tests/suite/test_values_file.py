"""Files of values: what is read, and what is refused by file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from deadheat.errors import UserError
from deadheat.model.work.http import filled
from deadheat.suite import values_file


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    rows = [{"id": "7", "answer": 'two\nlines, a comma and a "quote"'}, {"id": "", "answer": " Grüße "}]
    values_file.write(tmp_path / "values.csv", rows)
    assert list(values_file.read(tmp_path / "values.csv")) == rows


def test_empty_lines_are_no_rows(tmp_path: Path) -> None:
    (tmp_path / "values.csv").write_text("id\r\n\r\n1\r\n\n2\n")
    assert values_file.read(tmp_path / "values.csv") == ({"id": "1"}, {"id": "2"})


def test_values_are_not_looked_at_again() -> None:
    row = {"id": "{answer}", "answer": "{id}"}
    assert filled("/{id}/{answer}/{token}/{}", row) == "/{answer}/{id}/{token}/{}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ": no row"),
        ("id\n", ": no row"),
        ("id,name\n1,a\n2\n", ":3: 1 values for 2 columns"),
        ("id,id\n1,2\n", ':1: "id" is no name for a column'),
        ("a b\n1\n", ':1: "a b" is no name for a column'),
        ("token\n1\n", ':1: "token" is no name for a column'),
        ("answer\n1\n", ':1: "answer" is no name for a column'),
        ('id\n"1\n', ": no CSV: unexpected end of data"),
        ("id\n" + "1\n" * 10_001, ": more than 10,000 rows"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "values.csv"
    file.write_text(text)
    with pytest.raises(UserError) as refused:
        values_file.read(file, also_taken=("answer",))
    assert refused.value.message.startswith(f"{file}{said}")


def test_no_such_file_and_no_text(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read: No such file or directory"):
        values_file.read(tmp_path / "values.csv")
    (tmp_path / "values.csv").write_bytes(b"id\n\xff\n")
    with pytest.raises(UserError, match="not UTF-8 text"):
        values_file.read(tmp_path / "values.csv")
