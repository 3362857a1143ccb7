"""A load that draws from several requests, as a manifest has it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from deadheat.model.workload import Workload

READ = {"path": "/items", "weight": 3}
WRITE = {"name": "write", "method": "POST", "path": "/items", "body": "{}"}
OTHER = {"name": "other", "method": "POST", "path": "/items", "body": "[]"}
RIGHT = [
    {"path": "/items", "body": "[]"},
    {"method": "POST", "path": "/items", "send": "{}", "status": 201},
    {"method": "POST", "path": "/items", "send": "[]", "status": 400},
]


def workload(**fields: Any) -> Workload:
    told = {"mix": [READ, WRITE, OTHER], "conformance": RIGHT, **fields}
    return Workload.model_validate(
        {"name": "a", "title": "A", "kind": "http", "metric": "throughput_rps", **told}
    )


def test_each_request_has_the_case_of_its_own_body() -> None:
    found = [(request.path, case.status) for request, case in workload().asked]
    assert found == [("/items", 200), ("/items", 201), ("/items", 400)]
    assert [each.title for each in workload().mix] == ["GET /items", "write", "other"]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"request": {"path": "/items"}}, "goes without"),
        ({"mix": [READ]}, "2 to 50"),
        ({"mix": [WRITE, WRITE]}, 'called "write"'),
        ({"mix": [READ, {"path": "/nowhere"}]}, "says what /nowhere answers"),
        ({"mix": []}, r"needs a \[request\]"),
        ({"values": "users.csv"}, "goes without"),
    ],
    ids=["a request too", "one", "one name", "no case", "none", "values"],
)
def test_what_is_no_mix_is_refused(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        workload(**fields)
