"""Pages of studies: what they say of a run, from the results that it left."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from types import ModuleType

import pytest

from deadheat.model.result import Results
from deadheat.storage import migrate

ROOT = Path(__file__).parents[2]
PACKED = ROOT / "tests" / "fixtures" / "runs-f6a1ed6" / "as-published" / "results.json.gz"


@pytest.fixture(scope="module")
def results() -> Results:
    return Results.model_validate(migrate.results(json.loads(gzip.decompress(PACKED.read_bytes()))))


def test_every_column_of_a_study_stands_in_one_table(studies: ModuleType, results: Results) -> None:
    study = results.workloads[0].setting
    header, line, *rows = studies.Figures(study, [results]).columns().splitlines()
    assert header == "| race | contender | column | published | here |"
    assert line.count("---") == 5
    assert any("| throughput |" in row for row in rows)
    assert len(rows) == len(set(rows))


def test_each_claim_has_a_cell_for_the_load_that_it_was_made_under(
    studies: ModuleType, results: Results
) -> None:
    header, _, *rows = studies.Figures(results.workloads[0].setting, [results]).table().splitlines()
    assert "here, under the study's load" in header
    assert all(row.count(" | ") == header.count(" | ") for row in rows)
