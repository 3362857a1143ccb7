"""An answer that varies in more than masks can say: `json_fields` and `json_schema` of a bench file."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.made.repository import ENVIRONMENT, Made, made
from tests.made.serving import server

from .bench import Deadheat

# Its keys are others each time, which no mask can name.
SERVER = server(
    """\
    def do_GET(self):
        self.answer(200, b'{"kind": "%s", "by": {"%s": 1}}' % (KIND, secrets.token_hex(4).encode()))
    """,
    'KIND = b"book"\n',
)
SCHEMA = {"properties": {"by": {"additionalProperties": {"type": "integer"}}}}
BENCH = f"""\
run = "{sys.executable} -S -E server.py"
connections = 2

[[request]]
path = "/items"
json_fields = {{ "$.kind" = "book" }}
json_schema = "items.schema.json"
"""


@pytest.fixture
def mine(tmp_path: Path) -> Made:
    files = {"bench/deadheat.toml": BENCH, "server.py": SERVER, "items.schema.json": json.dumps(SCHEMA)}
    return made(tmp_path / "mine", files)


@pytest.fixture
def deadheat(home: Path, mine: Made) -> Deadheat:
    return Deadheat(home, Path(), env={**ENVIRONMENT}, cwd=mine.path, names_suite=False)


def test_what_is_not_named_may_vary(deadheat: Deadheat) -> None:
    ended = deadheat.run("check")
    assert ended.code == 0, ended


def test_head_is_held_to_what_is_named(deadheat: Deadheat, mine: Made) -> None:
    mine.write({"server.py": SERVER.replace('b"book"', 'b"shoe"')})
    ended = deadheat.run("ab", "HEAD", "--budget", "14s", "--seed", "7")
    assert ended.code == 3, ended
    assert '$.kind: expected "book"  got "shoe"' in ended.out


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"items.schema.json": "{"}, "items.schema.json: no JSON"),
        ({"items.schema.json": '{"type": 1}'}, "items.schema.json: no JSON Schema: $.type"),
        ({"bench/deadheat.toml": BENCH.replace("items.schema", "none")}, "none.json"),
        ({"bench/deadheat.toml": BENCH + 'answer = "{}"\n'}, "no answer and masks beside them"),
    ],
    ids=["no JSON", "no schema", "no file", "and an answer"],
)
def test_a_schema_that_is_none_is_told(
    deadheat: Deadheat, mine: Made, changed: dict[str, str], says: str
) -> None:
    mine.write(changed)
    ended = deadheat.run("ab", "HEAD", "--budget", "14s", "--seed", "7")
    assert ended.code == 2, ended
    assert says in ended.error
