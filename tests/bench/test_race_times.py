"""Where the time of races goes, on journals whose times are known."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from bench import race_times, run_folders
from bench.race_times import Timed

from deadheat.model.observation import (
    BlockStarted,
    Disturbance,
    Observation,
    WarmedUp,
)
from deadheat.model.plan import RacePlan
from deadheat.storage.journal import Journal
from tests.made import observed

BLOCK_S = observed.WALL_NS / 1e9
ONE = Timed(
    run="r", started="2026-11-24T00:00:00Z", seed=1, race="echo", workload="echo", preset="quick",
    version="0", commit="0123456789ab", machine="m", contenders=3, blocks=8, wall_s=100.0, counted=0.4,
    warm_ups=0.2, lead_ins=0.2, open_loop=0.1, half_widths=(0.02, 0.03, 0.10), starts_sd=(0.01,),
    rounds_sd=(0.05,), told=1.1,
)  # fmt: skip


def timed(seen: Sequence[Observation], took_s: Sequence[float]) -> list[Observation]:
    """The same with stamps of blocks, of which each took so long."""
    at, blocks, stamped = (
        datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC),
        iter(took_s),
        list[Observation](),
    )
    for one in seen:
        if isinstance(one, BlockStarted):
            stamped.append(one.replaced(at=at.strftime("%Y-%m-%dT%H:%M:%SZ")))
            at += datetime.timedelta(seconds=next(blocks))
        else:
            stamped.append(one)
    return stamped


def run_folder(folder: Path, race: RacePlan, seen: Sequence[Observation]) -> Path:
    folder.mkdir()
    plan = observed.plan(race, observed.suite(folder.parent / "suite"))
    (folder / "plan.json").write_text(plan.model_dump_json(by_alias=True))
    (folder / "machine.json").write_text('{"cpu_model": "A CPU", "cores": 2}')
    with Journal(folder / "journal.jsonl") as journal:
        for one in seen:
            journal.append(one)
    return folder


def test_each_part_is_its_share_of_the_time_of_the_blocks_that_count(tmp_path: Path) -> None:
    """6 blocks of 20 s; 8 rounds of 4 entries twice, each 100 ms counted behind 50 ms."""
    race = observed.race(blocks=6, rounds=8)
    seen = observed.observations(race)
    end = next(i for i, one in enumerate(seen) if one.type == "block-ended")
    seen[end:end] = [WarmedUp(race="echo", block=0, entry="fast", loaded_s=12.0, needed_s=9.0, rising=False)]
    (found,) = race_times.of_run(run_folder(tmp_path / "r", race, seen))
    assert found.wall_s == pytest.approx(6 * BLOCK_S)
    assert found.counted == pytest.approx(8 * 4 * 2 * 0.1 / BLOCK_S)
    assert found.lead_ins == pytest.approx(8 * 4 * 2 * 0.05 / BLOCK_S)
    assert found.warm_ups == pytest.approx(12.0 / (6 * BLOCK_S), abs=1e-4)
    assert (found.open_loop, found.blocks, found.contenders) == (0.0, 6, 3)
    assert len(found.half_widths) == 1 and found.half_width == found.half_widths[0]


def test_a_block_that_does_not_count_takes_time_and_has_no_share(tmp_path: Path) -> None:
    race = observed.race(blocks=6, rounds=8)
    seen = observed.observations(race)
    last = seen[-1]
    assert last.type == "block-ended"
    seen[-1] = last.replaced(disturbed=Disturbance(by="other programs", share=0.3, limit=0.03))
    (found,) = race_times.of_run(run_folder(tmp_path / "r", race, seen))
    assert found.blocks == 5 and found.wall_s == pytest.approx(6 * BLOCK_S)
    assert found.counted == pytest.approx(8 * 4 * 2 * 0.1 / BLOCK_S)


@pytest.mark.parametrize(("rest_s", "told"), [(20.0, 1.0), (25.0, 0.8), (16.0, 1.25)])
def test_what_was_told_of_more_blocks_is_held_against_what_they_took(
    tmp_path: Path, rest_s: float, told: float
) -> None:
    """After 4 blocks of 20 s by their own clocks the race tells 20 s; the rest takes what stamps say."""
    race = observed.race(blocks=8)
    seen = timed(observed.observations(race), [20.0] * 4 + [rest_s] * 4)
    (one,) = run_folders.races(run_folder(tmp_path / "r", race, seen))
    assert race_times.told(one) == pytest.approx(told, abs=1e-3)


def test_of_blocks_without_time_between_nothing_is_told(tmp_path: Path) -> None:
    race = observed.race(blocks=8)
    (one,) = run_folders.races(run_folder(tmp_path / "r", race, observed.observations(race)))
    assert race_times.told(one) is None


def test_a_race_is_one_line_and_read_as_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(race_times, "RACES", tmp_path / "times.jsonl")
    folder = run_folder(tmp_path / "r", race := observed.race(blocks=6), observed.observations(race))
    added = race_times.add([folder, folder])
    assert len(added) == 1 and race_times.read() == added and race_times.add([folder]) == []


def test_the_table_has_medians_by_commit_and_who_told_rightly() -> None:
    older = replace(ONE, run="o", commit="f6a1ed600000-dirty", half_widths=(0.2,), told=1.3)
    lines = race_times.table([ONE, replace(ONE, run="s", wall_s=140.0), older])
    row = (
        "| echo | 0123456 | quick | 2 | 3 | 8 | 120 s | 40.0% | 20.0% | 20.0% | 10.0% | ±3.0% | 1.0% | 5.0% |"
    )
    assert row in lines
    assert any(line.startswith("| echo | f6a1ed6* |") and "| ±20.0% |" in line for line in lines)
    assert "within 25% of what these took in 2 of 3 races" in lines[-1]


def test_a_folder_that_is_no_run_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["race_times", str(tmp_path / "gone")])
    with pytest.raises(SystemExit) as ended:
        race_times.main()
    said = capsys.readouterr().err
    assert ended.value.code == 2 and str(tmp_path / "gone") in said and "Traceback" not in said
