"""Blocks played back through the real scheduling: how long machines take, and where it is written."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from bench import cluster_scale
from bench.cluster_scale import PROGRAM, played
from bench.load import page

from deadheat.model.observation import BlockEnded, Interference, Observation
from tests.made.runs import Made

ROOT = Path(__file__).parents[2]
BLOCK_S = 16.0


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten blocks of two contenders, each of some 16 s."""
    folder = tmp_path_factory.mktemp("played")
    made = Made(folder / "suite", contenders=2, blocks=10)
    seen: list[Observation] = []
    for o in made.observations:
        if isinstance(o, BlockEnded):
            wall_ns = round((BLOCK_S + 0.1 * o.block) * 1e9)
            seen.append(
                Interference(
                    race=o.race,
                    block=o.block,
                    cpus=(0,),
                    wall_ns=wall_ns,
                    busy_ns=0,
                    own_ns=0,
                    others_ns=0,
                    steal_ns=0,
                    iowait_ns=0,
                )
            )
        seen.append(o)
    made.observations = seen
    return made.save(folder / made.plan.run)


def test_four_machines_take_a_third_of_one_s_time(run: Path) -> None:
    alone, four = (played(run, "w0", machines) for machines in (1, 4))
    assert alone.blocks_each == 10 and alone.wall_s > 10 * BLOCK_S
    # Three blocks are the fewest that say anything of a machine.
    assert four.blocks_each == 3
    assert four.wall_s <= 0.35 * alone.wall_s
    assert four.ratio == pytest.approx(alone.ratio, rel=0.02)


def test_more_machines_than_blocks_take_no_longer_and_say_more(run: Path) -> None:
    four, ten = (played(run, "w0", machines) for machines in (4, 10))
    assert ten.wall_s <= 1.1 * four.wall_s and ten.half_width < four.half_width


def test_a_table_is_written_between_its_marks_and_nowhere_else(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "docs" / "scale.md").read_text()
    before, after = around(text)
    kept = tmp_path / "scale.md"
    kept.write_text(f"{before}<!-- begin: {PROGRAM} -->\n<!-- end -->{after}")
    argv = ["cluster_scale", str(run), "--race", "w0", "--machines", "1,2", "--write", str(kept)]
    monkeypatch.setattr(sys, "argv", argv)
    monkeypatch.chdir(ROOT)
    for _ in range(2):
        cluster_scale.main()
        assert around(kept.read_text()) == (before, after)
        assert kept.read_text().count("| machines |") == 1


def test_what_is_written_twice_is_there_once(tmp_path: Path) -> None:
    kept = tmp_path / "page.md"
    kept.write_text(f"one\n\n<!-- begin: {PROGRAM} -->\n<!-- end -->\n\ntwo\n")
    page.put(PROGRAM, ["| a |", "| b |"], kept)
    once = kept.read_text()
    page.put(PROGRAM, ["| a |", "| b |"], kept)
    assert (
        kept.read_text() == once == (f"one\n\n<!-- begin: {PROGRAM} -->\n| a |\n| b |\n<!-- end -->\n\ntwo\n")
    )


def test_the_page_has_one_table_of_all_sizes() -> None:
    text = (ROOT / "docs" / "scale.md").read_text()
    assert text.count("| machines |") == 1
    inside = text.split(f"<!-- begin: {PROGRAM} -->")[1].split("<!-- end -->")[0]
    assert all(f"| {machines:,} | " in inside for machines in cluster_scale.MACHINES)


def around(text: str) -> tuple[str, str]:
    before, _, rest = text.partition(f"<!-- begin: {PROGRAM} -->")
    _, _, after = rest.partition("<!-- end -->")
    return before, after
