"""Answers by structure: what is a difference, and how a field that varies is masked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deadheat.kinds import structure
from deadheat.kinds.structure import Body
from deadheat.model.mask import MaskClass, Masks

ONE = "6f1c0ab2-7c1e-4c52-9b7e-0f3d6a5b1c11"
OTHER = "0d9f5a34-51d2-4a7e-8a36-5b0e6f1d2c33"


def body(text: str) -> Body:
    found = structure.read(text.encode())
    assert found is not None
    return found


def differences(expected: str, got: str, masks: Masks | None = None) -> list[str]:
    return [str(each) for each in structure.compare(body(expected), body(got), masks or {}).differences]


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ('{"a": 1, "b": [1, 2]}', '{"b":[1,2],"a":1}'),
        ("[]", " [ ] "),
        ("plain", "plain"),
        ('{"a": "\\u00e9"}', '{"a": "é"}'),
    ],
)
def test_what_is_the_same_by_structure(expected: str, got: str) -> None:
    assert differences(expected, got) == []


@pytest.mark.parametrize(
    ("expected", "got", "said"),
    [
        ('{"a": 1}', '{"a": 2}', "$.a: expected 1  got 2"),
        ('{"a": "1"}', '{"a": 1}', '$.a: expected "1"  got 1'),
        ('{"a": 1}', '{"a": 1.0}', "$.a: expected 1  got 1.0"),
        ('{"a": 9007199254740993}', '{"a": 9007199254740992}', "$.a: expected 9007199254740993  got "),
        ('{"a": null}', "{}", "$.a: expected null  got nothing"),
        ("{}", '{"a b": true}', '$["a b"]: expected nothing  got true'),
        ("[1, 2]", "[2, 1]", "$[0]: expected 1  got 2"),
        ("[1]", "[1, 2]", "$: expected a list of 1  got a list of 2"),
        ('{"a": {}}', '{"a": []}', "$.a: expected an object of 0  got a list of 0"),
        ('{"a": 1, "a": 1}', '{"a": 1}', "$: expected text that is no JSON  got JSON"),
        ('{"a": NaN}', '{"a": 1}', "$: expected text that is no JSON  got JSON"),
        ('"a"', "a", "$: expected JSON  got text that is no JSON"),
    ],
)
def test_what_is_a_difference(expected: str, got: str, said: str) -> None:
    assert differences(expected, got)[0].startswith(said)


@pytest.mark.parametrize(
    ("one", "other", "class_"),
    [
        (f'"{ONE}"', f'"{OTHER}"', "uuid"),
        ('"2026-11-23T01:02:03Z"', '"2026-11-23T01:02:04.5+01:00"', "time"),
        ('"Mon, 23 Nov 2026 01:02:03 GMT"', '"Mon, 23 Nov 2026 01:02:04 GMT"', "time"),
        ("1795392123", "1795392124", "epoch"),
        ("1795392123.25", "1795392124.5", "epoch"),
        ('"1795392123000"', '"1795392124000"', "epoch"),
        ("3", "4", "number"),
        ("3", "1795392123", "number"),
        ('"ab"', '"cd"', "text"),
        (f'"{ONE}"', '"none"', "text"),
        ('"2026-13-23T01:02:03Z"', '"2026-14-23T01:02:03Z"', "text"),
        ("true", "false", "any"),
        ('"a"', "1", "any"),
        ("null", '"a"', "any"),
        ("[1]", "[1, 2]", "any"),
        ("9" * 5000, "8" * 5000, "number"),
    ],
)
def test_a_field_that_varies_is_of_the_narrowest_class(one: str, other: str, class_: MaskClass) -> None:
    masks = structure.learn([body(f'{{"f": {one}}}'), body(f'{{"f": {other}}}')], {})
    assert masks == {"$.f": class_}
    assert differences(f'{{"f": {one}}}', f'{{"f": {other}}}', masks) == []


def test_a_masked_field_must_be_of_its_class() -> None:
    one, other = f'{{"id": "{ONE}", "n": 1}}', f'{{"id": "{OTHER}", "n": 1}}'
    masks = structure.learn([body(one), body(other)], {})
    assert structure.compare(body(one), body(other), masks).fields == 1
    assert differences(one, '{"id": 7, "n": 1}', masks) == ["$.id: expected a UUID  got 7"]
    assert differences(one, '{"n": 1}', masks) == ["$.id: expected a UUID  got nothing"]


def test_places_in_a_list_share_a_mask() -> None:
    one = f'[{{"id": "{ONE}"}}, {{"id": "a"}}]'
    other = f'[{{"id": "{OTHER}"}}, {{"id": "b"}}]'
    assert structure.learn([body(one), body(other)], {}) == {"$[*].id": "text"}


def test_a_mask_is_so_wide_that_each_answer_agrees_with_it() -> None:
    """The second id never varies, and is no UUID."""
    one, other = f'[{{"id": "{ONE}"}}, {{"id": 5}}]', f'[{{"id": "{OTHER}"}}, {{"id": 5}}]'
    assert structure.learn([body(one), body(other)], {}) == {"$[*].id": "any"}


def test_a_mask_that_is_given_stays_and_is_held_to() -> None:
    given_: Masks = {"$.at": "time"}
    one, other = '{"at": 5, "n": 1}', '{"at": 6, "n": 2}'
    masks = structure.learn([body(one), body(other)], given_)
    assert masks == {"$.at": "time", "$.n": "number"}
    assert differences(one, other, masks) == ["$.at: expected a time  got 6"]


def test_text_that_is_no_json_is_one_field() -> None:
    assert structure.learn([body("now: 1"), body("now: 2")], {}) == {"$": "text"}
    assert structure.learn([body("plain"), body('{"a": 1}')], {}) == {"$": "any"}


def test_an_answer_nested_without_end() -> None:
    deep = "[" * 100_000 + "]" * 100_000
    assert differences(deep, deep) == []
    nested = "[" * 500 + "1" + "]" * 500
    assert differences(nested, nested.replace("1", "2"))


def test_what_is_no_text() -> None:
    assert structure.read(b"\xff\xfe") is None


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, VALUES, VALUES)
def test_whatever_answers_were_learnt_from_agrees(one: Any, other: Any, third: Any) -> None:
    bodies = [body(json.dumps(value)) for value in (one, other, third)]
    masks = structure.learn(bodies, {})
    assert all(not structure.compare(bodies[0], each, masks).differences for each in bodies)
    again = body(json.dumps(one, sort_keys=True))
    assert not structure.compare(bodies[0], again, {}).differences
