"""A workload with a pipeline says all that its programs are proved right by."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from deadheat.model.workload import Workload
from deadheat.suite.suite import load

SUITE = Path(__file__).parents[2] / "suite"
Said = dict[str, Any]


@pytest.fixture
def said() -> Said:
    """What the built-in workload says."""
    return load(SUITE).workloads["redis-pipeline"].model_dump(mode="json", by_alias=True)


def test_the_study_is_its_workloads_own_arithmetic(said: Said) -> None:
    pipeline = Workload.model_validate(said).pipeline
    assert pipeline is not None
    assert pipeline.commands(said["program"]["n"]["default"]) == 400_003
    assert [pipeline.size(100_000, depth) for depth in (None, 1, 10, 400_000)] == [
        100_000,
        5_000,
        50_000,
        100_000,
    ]


def without_program(said: Said) -> None:
    said |= {"kind": "http", "program": None, "request": {"path": "/"}, "conformance": [{"path": "/"}]}


def without_a_service_that_tells(said: Said) -> None:
    said["services"] = [service | {"tells": False} for service in said["services"]]


def with_words_for_rounds(said: Said) -> None:
    said["parameters"]["rounds"] |= {"range": None, "one_of": ["few", "many"], "default": "few"}


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (without_program, "is sent by programs"),
        (without_a_service_that_tells, 'called "redis" none tells what it was sent'),
        (with_words_for_rounds, "the parameter rounds of a pipeline is a number"),
    ],
)
def test_what_is_missing_is_said(said: Said, spoil: Callable[[Said], None], says: str) -> None:
    spoil(said)
    with pytest.raises(ValidationError, match=says):
        Workload.model_validate(said)


def test_a_program_without_a_pipeline_needs_sizes_to_check(said: Said) -> None:
    said |= {"pipeline": None, "oracle": "true"}
    with pytest.raises(ValidationError, match=r"program\.n needs a check"):
        Workload.model_validate(said)
