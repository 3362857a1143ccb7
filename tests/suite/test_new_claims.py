"""A drafted claims file can be planned as it stands, and whatever it shows in comments is right too."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from deadheat import plan as planning
from deadheat.cli.app import app
from deadheat.errors import UserError
from deadheat.kinds.registry import KINDS
from deadheat.model.claim import Study
from deadheat.plan import Asked
from deadheat.suite import new_claims
from deadheat.suite.suite import load

SUITE = Path(__file__).parents[2] / "suite"
SHOWN = re.compile(r"^# (?=\[\[|[a-z_]+ = (?!\.\.\.)[\"\d{])", re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy = tmp_path / "suite"
    shutil.copytree(SUITE, copy, ignore=shutil.ignore_patterns("claims", "target", "node_modules"))
    return copy


@pytest.mark.parametrize("workload", ["fib", "http-hello", "grpc-unary", "redis-pipeline"])
def test_a_draft_can_be_planned_and_its_comments_too(folder: Path, workload: str) -> None:
    suite = load(folder)
    text = new_claims.write(suite, "mine-2024", workload).read_text()
    planned = planning.plan(Asked(claims="mine-2024", seed=1), load(folder), tuple(KINDS)).workloads
    assert planned[0].workload == workload
    whole = Study.model_validate(tomllib.loads(SHOWN.sub("", text)))
    assert len(whole.as_published) == 1
    assert len(whole.shape) == len(whole.load) == int(suite.workload(workload).traits.serves)


def test_the_verb_says_where_and_what_next_and_overwrites_nothing(folder: Path) -> None:
    words = ["new", "claims", "mine-2024", "--workload", "fib", "--suite", str(folder)]
    said = CliRunner().invoke(app, words)
    assert said.exit_code == 0
    assert "claims/mine-2024.toml" in said.output
    assert "deadheat race --claims mine-2024 --dry-run" in said.output
    again = CliRunner().invoke(app, words)
    assert isinstance(again.exception, UserError)
    assert again.exception.message.endswith("is there already")


def test_a_name_is_one_of_a_file(folder: Path) -> None:
    with pytest.raises(UserError, match="is no name of a study"):
        new_claims.write(load(folder), "../elsewhere", "fib")
