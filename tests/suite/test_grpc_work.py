"""A gRPC race says by its parameters whether requests are compressed."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from deadheat.model.workload import Workload
from deadheat.suite.suite import load

SUITE = Path(__file__).parents[2] / "suite"


def test_requests_are_compressed_where_the_parameter_says_so() -> None:
    work = load(SUITE).workloads["grpc-unary"].grpc
    assert work is not None
    assert work.gzip({"compression": "gzip"})
    assert not work.gzip({"compression": "identity"})


def test_no_parameter_no_compression() -> None:
    work = load(SUITE).workloads["grpc-stream"].grpc
    assert work is not None
    assert not work.gzip({})


@pytest.mark.parametrize(
    ("when", "says"),
    [
        ({"squeezed": "gzip"}, 'grpc.gzip_when names "squeezed", which is no parameter'),
        ({"compression": "br"}, "one of identity, gzip"),
    ],
)
def test_what_is_no_parameter_is_refused(when: dict[str, str], says: str) -> None:
    said = load(SUITE).workloads["grpc-unary"].model_dump(mode="json", by_alias=True)
    said["grpc"]["gzip_when"] = when
    with pytest.raises(ValidationError, match=says):
        Workload.model_validate(said)
