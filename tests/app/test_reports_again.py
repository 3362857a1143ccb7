"""A finished run's results rest on its folder alone: its suite may change afterwards, or go."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from deadheat.app import reports
from deadheat.errors import UserError
from deadheat.storage.run_folder import RunFolder
from tests.export import made_up

FIGURES = ("results.json", "results.csv", "report.md", "builds.json")


def contents(folder: RunFolder) -> dict[str, bytes]:
    return {name: (folder.path / name).read_bytes() for name in FIGURES}


def derived_again(folder: RunFolder) -> dict[str, bytes]:
    for name in FIGURES:
        (folder.path / name).unlink()
    reports.derive_again(folder)
    return contents(folder)


def test_a_suite_that_is_gone_changes_nothing(tmp_path: Path) -> None:
    folder = made_up.run_folder(tmp_path)
    before = contents(folder)
    shutil.rmtree(tmp_path / "suite")
    assert derived_again(folder) == before


def test_a_suite_that_says_otherwise_now_changes_nothing(tmp_path: Path) -> None:
    folder = made_up.run_folder(tmp_path)
    before = contents(folder)
    for manifest in (tmp_path / "suite").glob("*/*/contender.toml"):
        text = manifest.read_text().replace("idiomatic", "ceiling")
        manifest.write_text(text.replace("title = ", 'title = "X" # '))
    shutil.rmtree(tmp_path / "suite" / "echo" / "fast")
    assert derived_again(folder) == before


def test_a_plan_of_schema_1_takes_it_from_the_suite(tmp_path: Path) -> None:
    """And the statistics of its time: the method's version 1."""
    folder = made_up.run_folder(tmp_path)
    plan = json.loads((folder.path / "plan.json").read_text())
    for race in plan["workloads"]:
        race["method_version"] = 1
    (folder.path / "plan.json").write_text(json.dumps(plan))
    before = derived_again(folder)
    _as_schema_1(folder)
    assert derived_again(folder) == before


def test_a_plan_of_schema_1_whose_suite_is_gone_says_so(tmp_path: Path) -> None:
    folder = made_up.run_folder(tmp_path)
    _as_schema_1(folder)
    shutil.rmtree(tmp_path / "suite")
    with pytest.raises(UserError, match="the plan of this run says nothing of echo/"):
        reports.derive_again(folder)


def _as_schema_1(folder: RunFolder) -> None:
    plan = json.loads((folder.path / "plan.json").read_text())
    del plan["facts"]
    for race in plan["workloads"]:
        del race["method_version"]
        del race["values"]
        # How it is measured stood among its other fields.
        measured = race.pop("measured")
        since = ("by", "commands", "about_s", "shared_cpus", "long_turns", "protocol", "warmed_blocks")
        race |= {key: value for key, value in measured.items() if key not in since}
    (folder.path / "plan.json").write_text(json.dumps(plan | {"schema": 1}))
