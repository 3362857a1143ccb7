"""Answers whose JSON is right in parts: by the values at places, and by a JSON Schema."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from deadheat.kinds import conformance, http_asking
from deadheat.model import json_path
from deadheat.model.work.http import HttpCase

from .test_content_coding import answering, packed_by_gzip
from .test_http_asking import Serve, serve

__all__ = ["serve"]

BODY: dict[str, Any] = {"page": 1, "done": False, "items": [{"kind": "book", "id": "81f3"}], "next": None}
SCHEMA = json.dumps(
    {
        "type": "object",
        "required": ["page", "items"],
        "properties": {
            "items": {"type": "array", "items": {"properties": {"kind": {"enum": ["book", "map"]}}}}
        },
    }
)
FIELDS = {"$.page": 1, "$.items[0].kind": "book", "$.next": None}
FIELDS_AS_TEXT: dict[str, Any] = {"json_fields": '{"$.id": "{id}", "$.left": 3}'}
CASE = HttpCase(path="/", json_fields=FIELDS, json_schema=SCHEMA)


@pytest.mark.parametrize("body", [BODY, {**BODY, "more": "of it"}, {**BODY, "items": [BODY["items"][0], {}]}])
def test_what_is_not_named_may_be_anything(body: dict[str, Any], serve: Serve) -> None:
    http_asking.ask_http(CASE, serve(answering(packed_by_gzip(json.dumps(body).encode()))), "t")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"page": 2}, "$.page: expected 1  got 2"),
        ({"page": True}, "$.page: expected 1  got true"),
        ({"items": []}, '$.items[0].kind: expected "book"  got nothing there'),
        ({"items": [BODY["items"][0], {"kind": "shoe"}]}, "$.items[1].kind: 'shoe' is not one of"),
    ],
)
def test_another_value_or_one_that_the_schema_refuses(
    changed: dict[str, Any], reason: str, serve: Serve
) -> None:
    at = serve(answering(packed_by_gzip(json.dumps(BODY | changed).encode())))
    with pytest.raises(conformance.Wrong) as wrong:
        http_asking.ask_http(CASE, at, "t")
    assert reason in wrong.value.reason


def test_what_is_no_json(serve: Serve) -> None:
    with pytest.raises(conformance.Wrong) as wrong:
        http_asking.ask_http(CASE, serve(answering(packed_by_gzip(b"<html>"))), "t")
    assert "expected JSON  got <html>" in wrong.value.reason


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"json_fields": {"items": 1}}, '"items" says no place'),
        ({"json_fields": "{"}, "no JSON"),
        ({"json_schema": '{"type": "strange"}'}, "no JSON Schema: $.type"),
        ({"json_schema": "nothing"}, "no JSON"),
        ({"json_schema": SCHEMA, "body": "{}"}, "one says what is right"),
    ],
)
def test_what_says_nothing_right_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError) as error:
        HttpCase(path="/", **given)
    assert says in str(error.value)


def test_fields_may_be_json_in_a_text_and_name_values_of_a_row() -> None:
    case = HttpCase(path="/{id}", **FIELDS_AS_TEXT)
    assert case.of({"id": "a7"}).json_fields == {"$.id": "a7", "$.left": 3}


def test_nothing_at_a_place_is_not_null() -> None:
    assert json_path.at("$.next", BODY) is None
    assert json_path.at("$.last", BODY) is json_path.MISSING
    assert json_path.at("$.items[1]", BODY) is json_path.MISSING
    assert json_path.at("$.page.of", BODY) is json_path.MISSING
