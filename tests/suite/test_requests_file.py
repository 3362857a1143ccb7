"""A file of requests that are one load: what a race asks of it, and what it refuses by name."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from deadheat.errors import UserError
from deadheat.model.bench import BenchFile, BenchRequest
from deadheat.suite import requests_file
from tests.site.test_commands import DOCS, blocks


def read(folder: Path, text: str) -> tuple[BenchRequest, ...]:
    file = folder / "mix.jsonl"
    file.write_text(text)
    return requests_file.read(file)


def lines(*requests: dict[str, Any]) -> str:
    return "".join(json.dumps(each) + "\n" for each in requests)


def test_what_deadheat_load_takes(tmp_path: Path) -> None:
    (tmp_path / "body.json").write_text('{"a": 1}\n')
    (tmp_path / "right.txt").write_text("right")
    found = read(
        tmp_path,
        lines(
            {"path": "/a?x=http://b/", "weight": 3, "expect": {"status": 200, "body": "Hello from a!"}},
            {
                "method": "POST",
                "path": "/b",
                "headers": [["X-A", "1"], ["Host", "shop.example"], ["x-a", "2"]],
                "body": "n={seq}",
                "name": "add",
            },
        )
        + "\n"
        + lines(
            {"method": "PUT", "path": "/b", "body_file": "body.json", "expect": {"status": "201"}},
            {"path": "/c", "expect": {"body_file": "right.txt"}},
            {"path": "/d", "expect": {"json": ["$.items[0].id=7", "$.name=ann", '$.of={"a": [1]}']}},
            {"path": "/e", "expect": {"json": "$.a=null"}},
        ),
    )
    a, b, put, c, d, e = found
    assert (a.title, a.weight, a.status, a.answer) == ("GET /a?x=http://b/", 3, 200, "Hello from a!")
    assert (b.title, b.weight, b.method, b.body) == ("add", 1, "POST", "n={seq}")
    assert b.headers == {"X-A": "1, 2", "Host": "shop.example"}
    assert (put.body, put.status) == ('{"a": 1}\n', 201)
    assert c.answer == "right"
    assert d.json_fields == {"$.items[0].id": 7, "$.name": "ann", "$.of": {"a": [1]}}
    assert e.json_fields == {"$.a": None}
    # As it stands in bench/deadheat.toml.
    assert BenchFile(run="./a", request=found).mix


def test_the_file_of_the_how_to(tmp_path: Path) -> None:
    [block] = [block for block in blocks(DOCS / "how-to" / "ab.md") if block.title == "mix.jsonl"]
    found = read(tmp_path, block.text)
    assert [(each.title, each.weight, each.status) for each in found] == [
        ("GET /api/items", 9, None),
        ("write", 1, 201),
    ]


def test_one_request_is_no_mix(tmp_path: Path) -> None:
    [found] = read(tmp_path, lines({"path": "/a", "weight": 3}))
    assert found.weight is None
    assert not BenchFile(run="./a", request=(found,)).mix


def test_requests_that_ask_alike_are_told_apart(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        lines({"path": "/"}, {"path": "/"}, {"path": "/", "name": "GET / (2)"}, {"path": "/", "name": "top"}),
    )
    assert [each.title for each in found] == ["GET /", "GET / (3)", "GET / (2)", "top"]
    assert BenchFile(run="./a", request=found).mix


def test_what_browsers_copy_is_a_load_too(tmp_path: Path) -> None:
    found = read(tmp_path, "curl http://a/x\ncurl http://a/x -d y=1\n")
    assert [(each.method, each.path, each.weight) for each in found] == [("GET", "/x", 1), ("POST", "/x", 1)]
    entries = [{"request": {"method": "GET", "url": f"https://a/{n}"}} for n in (1, 2)]
    found = read(tmp_path, json.dumps({"log": {"entries": entries}}, indent=1))
    assert [each.title for each in found] == ["GET /1", "GET /2"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"path": "/"', "no JSON: "),
        ("[]", "a request is a JSON object"),
        ('{"path": "/", "path": "/a"}', '"path" is given twice'),
        ('{"path": "/", "bdoy": ""}', 'a request has no "bdoy": method, path, '),
        (
            '{"path": "/", "rate": 20}',
            '"rate": a race asks as fast as it is answered: a weight says how often',
        ),
        ('{"method": "GET"}', "path: "),
        ('{"path": "users"}', "path: "),
        ('{"path": "http://b.test/users"}', "http://b.test/users: whoever is raced is asked"),
        ('{"path": "/", "headers": {"A": "b"}}', "headers are pairs of texts"),
        ('{"path": "/", "headers": [["A"]]}', "headers are pairs of texts"),
        ('{"path": "/", "headers": [["Content-Length", "3"]]}', "the header Content-Length is made anew"),
        ('{"path": "/", "body": {"base64": "AP/+"}}', "body: a race sends and compares texts"),
        ('{"path": "/", "body": "a", "body_file": "b"}', "body or body_file, not both"),
        ('{"path": "/", "body_file": "none"}', "none: No such file"),
        ('{"path": "/", "body_file": "bytes"}', "bytes: no text"),
        ('{"path": "/", "weight": 0}', "weight: Input should be greater than 0"),
        ('{"path": "/", "expect": 200}', "expect is a JSON object"),
        ('{"path": "/", "expect": {"status": "2xx"}}', 'status "2xx": a race compares one status'),
        ('{"path": "/", "expect": {"status": 99}}', "status: "),
        ('{"path": "/", "expect": {"contains": "a"}}', '"contains": a race compares whole bodies'),
        ('{"path": "/", "expect": {"match": "a"}}', '"match": a race compares whole bodies'),
        ('{"path": "/", "expect": {"json": "$.a"}}', "json $.a: a race compares values at plain places"),
        (
            '{"path": "/", "expect": {"json": "$.a[?@.b==1]"}}',
            "json $.a[?@.b==1]: a race compares values at plain places",
        ),
        ('{"path": "/", "expect": {"json": 3}}', "json: a text, or a list of texts"),
        ('{"path": "/", "expect": {"body": "a", "json": "$.a=1"}}', "no answer and masks beside them"),
        (
            '{"path": "/", "expect": {"succes": true}}',
            'expect has no "succes": status, body, body_file, json',
        ),
        ("GET /a HTTP/1.1", "raw requests are for deadheat-load"),
        ("### a name", "raw requests are for deadheat-load"),
    ],
)
def test_what_a_race_does_not_take_is_named(tmp_path: Path, line: str, says: str) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff")
    with pytest.raises(UserError, match=re.escape(says)) as error:
        read(tmp_path, lines({"path": "/first"}) + line + "\n")
    assert error.value.message.startswith(f"{tmp_path / 'mix.jsonl'}:2: ")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no request in it"),
        (lines(*({"path": f"/{n}"} for n in range(51))), "51 requests, and one load has 50 at most"),
        (lines({"path": "/", "name": "a"}, {"path": "/b", "name": "a"}), 'two requests are called "a"'),
    ],
)
def test_a_file_that_is_no_load(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        read(tmp_path, text)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No such file"):
        requests_file.read(tmp_path / "none")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="no text"):
        requests_file.read(tmp_path / "bytes")
