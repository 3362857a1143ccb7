"""Null pairs of real races put together, on runs whose null pairs are known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from bench import null_pairs
from bench.null_pairs import Pair

from deadheat import stats
from deadheat.errors import UserError
from deadheat.storage.journal import Journal
from tests.made import observed
from tests.made.older_runs import unpacked

ONE = Pair(
    run="r", started="2026-11-24T00:00:00Z", seed=1, race="echo", workload="echo", kind="http", version="0",
    commit=None, machine="m", blocks=8, ratio=1.01, low=0.99, high=1.03, method_version=2, raced_by=2,
)  # fmt: skip


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(null_pairs, "PAIRS", tmp_path / "pairs.jsonl")
    return tmp_path / "pairs.jsonl"


def run_folder(
    folder: Path, blocks: int, speeds: Mapping[str, float], name: str = "r", seed: int = 1
) -> Path:
    """A run on disk whose second entry of the reference is as fast as said."""
    race = observed.race(blocks=blocks)
    plan = observed.plan(race).replaced(run=name, seed=seed)
    (folder / name).mkdir(parents=True)
    (folder / name / "plan.json").write_text(plan.model_dump_json(by_alias=True))
    (folder / name / "machine.json").write_text('{"cpu_model": "A CPU", "cores": 2}')
    with Journal(folder / name / "journal.jsonl") as journal:
        for seen in observed.observations(race, speeds=dict(speeds), noise=0.02, seed=seed):
            journal.append(seen)
    return folder / name


def test_a_biased_second_start_is_told_apart_and_an_equal_one_is_not(tmp_path: Path) -> None:
    equal, biased = (run_folder(tmp_path, 8, {"slow'": speed}, name=f"r{speed}") for speed in (1.0, 1.1))
    assert [pair.excludes for pair in null_pairs.add([equal, biased])] == [False, True]
    found = null_pairs.read()[1]
    assert found.low <= 1.1 <= found.high and found.machine == "A CPU, 2 cores" and found.blocks == 8


def test_intervals_of_identical_starts_exclude_one_as_often_as_promised(tmp_path: Path) -> None:
    runs, apart = 150, 0
    for seed in range(runs):
        folder = run_folder(tmp_path, 5, {}, name=f"r{seed}", seed=seed)
        apart += sum(pair.excludes for pair in null_pairs.of_run(folder))
    low, high = stats.share(apart, runs)
    assert low <= 0.05 <= high


def test_a_race_is_one_line_however_often_it_is_given(tmp_path: Path, file: Path) -> None:
    folder = run_folder(tmp_path, 6, {})
    assert len(null_pairs.add([folder, folder])) == 1
    assert null_pairs.add([folder]) == []
    assert len(file.read_text().splitlines()) == 1


def test_too_few_blocks_for_any_verdict_are_no_pair(tmp_path: Path) -> None:
    assert null_pairs.of_run(run_folder(tmp_path, 4, {})) == []


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        null_pairs.add([tmp_path])


def test_a_run_of_an_older_commit_is_derived_anew_by_the_method_of_today(tmp_path: Path) -> None:
    """Of f6a1ed6: fib was printed by means of logs, and its null pair is by sums here."""
    folder = unpacked("deadheat", tmp_path / "older")
    printed = {
        race["name"]: race["null_pair"]
        for race in json.loads((folder / "results.json").read_text())["workloads"]
        if race["null_pair"] and race["blocks"] >= stats.METHOD.fewest_blocks
    }
    found = {pair.race: pair for pair in null_pairs.of_run(folder)}
    assert found and set(found) == set(printed)
    for name, pair in found.items():
        assert (pair.method_version, pair.raced_by) == (stats.METHOD.version, 1)
        assert pair.ratio == pytest.approx(printed[name]["ratio"], rel=0.05)
        assert (pair.ratio, pair.low) != pytest.approx((printed[name]["ratio"], printed[name]["ci"][0]))


@pytest.mark.parametrize(("apart", "pairs", "more"), [(9, 185, 0), (0, 10, 60), (2, 60, 100)])
def test_how_many_more_are_wanted(apart: int, pairs: int, more: int) -> None:
    found = null_pairs.needed(apart, pairs)
    assert (found == 0) == (more == 0)
    if found:
        high = stats.share(apart + round(0.05 * found), pairs + found)[1]
        assert high < 0.10 and abs(found - more) < 100


def test_the_table_counts_by_workload_and_in_all() -> None:
    other = replace(ONE, run="s", workload="fib", low=1.001, raced_by=1)
    lines = null_pairs.table([ONE, other])
    assert "| echo | 1 | 0 | 0.0% to 97.5% | ±2.0% |" in lines
    assert any(line.startswith("| fib | 1 | 1 | 2.5% to 100.0% |") for line in lines)
    assert any(line.startswith("| **all of the suite** | 2 | 1 |") for line in lines)
    assert "Of 2 runs" in lines[-1] and "1 pairs derived anew" in lines[-1] and "wants about" in lines[-1]
    assert null_pairs.table([]) == ["No null pair was kept yet."]
