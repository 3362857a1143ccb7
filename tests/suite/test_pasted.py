"""What browsers hand out, read as they mean it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deadheat.errors import UserError
from deadheat.model.bench import BenchRequest
from deadheat.suite import pasted


def read(folder: Path, text: str) -> tuple[BenchRequest, ...]:
    file = folder / "requests"
    file.write_text(text)
    return pasted.read(file)


def one(folder: Path, text: str) -> BenchRequest:
    return pasted.only(read(folder, text), folder)


CHROME = r"""curl 'https://shop.example/api/items?page=2&q=a%20b' \
  -H 'accept: */*' \
  -H 'Connection: keep-alive' \
  -b 'session=1' \
  -H 'content-type: application/json' \
  --data-raw $'{"name":"it\'s","say":"\u0021\n"}' \
  --compressed
"""


def test_what_chrome_copies(tmp_path: Path) -> None:
    found = one(tmp_path, CHROME)
    assert (found.method, found.path) == ("POST", "/api/items?page=2&q=a%20b")
    assert found.headers == {
        "accept": "*/*",
        "content-type": "application/json",
        "Cookie": "session=1",
        "Accept-Encoding": "deflate, gzip",
    }
    assert found.body == '{"name":"it\'s","say":"!\n"}'


@pytest.mark.parametrize(
    ("line", "method", "path", "body"),
    [
        ("curl localhost:8080", "GET", "/", None),
        ("curl -sSI http://a/b", "HEAD", "/b", None),
        ("curl -XDELETE http://a/b", "DELETE", "/b", None),
        ("curl http://a/b -d x=1 -d y=2", "POST", "/b", "x=1&y=2"),
        ("curl -G http://a/b?c=1 -d x=1 --data y=2", "GET", "/b?c=1&x=1&y=2", None),
        ("curl -o /dev/null -w '%{time_total}' http://a/b", "GET", "/b", None),
        ("curl http://a/b --json '{\"a\": 1}' -X PUT", "PUT", "/b", '{"a": 1}'),
        ("curl http://a/b --data-raw @name", "POST", "/b", "@name"),
        ("curl http://a/b -d @body", "POST", "/b", "twolines"),
        ("curl http://a/b --data-binary @body", "POST", "/b", "two\nlines\n"),
    ],
)
def test_methods_and_bodies(tmp_path: Path, line: str, method: str, path: str, body: str | None) -> None:
    (tmp_path / "body").write_text("two\nlines\n")
    found = one(tmp_path, line)
    assert (found.method, found.path, found.body) == (method, path, body)


def test_headers(tmp_path: Path) -> None:
    found = one(
        tmp_path, "curl http://a -u me:secret -A us -e from -H 'Host: x' -H 'A: 1' -H 'a: 2' -H 'E;' -d x"
    )
    assert found.headers == {
        "A": "1, 2",
        "E": "",
        "User-Agent": "us",
        "Referer": "from",
        "Authorization": "Basic bWU6c2VjcmV0",
        "Content-Type": "application/x-www-form-urlencoded",
    }


def test_several_lines(tmp_path: Path) -> None:
    found = read(tmp_path, "curl http://a/1\n\ncurl http://a/2 \\\n  -X PUT\n")
    assert [(r.method, r.path) for r in found] == [("GET", "/1"), ("PUT", "/2")]
    with pytest.raises(UserError, match="2 requests, and a race has one"):
        pasted.only(found, tmp_path)


def test_an_archive(tmp_path: Path) -> None:
    request = {
        "method": "POST",
        "url": "https://shop.example/a?b=1",
        "headers": [{"name": ":authority", "value": "shop.example"}, {"name": "accept", "value": "*/*"}],
        "postData": {"mimeType": "text/plain", "text": "hello"},
    }
    entries = [
        {"request": request, "response": {"status": 201}},
        {"request": {**request, "url": "http://a/c"}},
    ]
    first, second = read(tmp_path, json.dumps({"log": {"entries": entries}}))
    assert first == BenchRequest(
        method="POST", path="/a?b=1", headers={"accept": "*/*"}, body="hello", status=201
    )
    assert (second.path, second.status) == ("/c", None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no request in it"),
        ("wget http://a", "not a line of curl"),
        ("curl http://a -F x=@y", "request 1: not understood: -F x=@y"),
        ("curl http://a\ncurl -L http://a", "request 2: not understood: -L"),
        ("curl http://a http://b", "not understood: http://b"),
        ("curl -H", "expected one argument"),
        ("curl 'http://a", "no closing quotation"),
        ("curl http://a -H x", '-H "x" is no header'),
        ("curl ftp://a/b", "neither http nor https"),
        ("curl http://a -d @nothing", "nothing: "),
        ("{}", "no HTTP Archive"),
        ('{"log": {"entries": []}}', "no request in it"),
        (
            '{"log": {"entries": [{"request": {"method": "POST", "url": "http://a", "postData": {}}}]}}',
            "not there as",
        ),
    ],
)
def test_what_cannot_be_asked_is_said(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError) as error:
        read(tmp_path, text)
    assert said in error.value.message


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No such file"):
        pasted.read(tmp_path / "nothing")
