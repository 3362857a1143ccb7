"""Races of unlike servers beside neighbours: what comes next, and the table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from bench import unlike_servers
from bench.unlike_servers import HEAVY, LIGHT, PAIRS, QUIET_BLOCKS, Neighbour, Raced

from deadheat.storage import past_races


def raced(pair: tuple[str, str], neighbour: Neighbour | None, ratio: float, *, blocks: int = 10,
          verdict: str = "faster", half: float = 0.05) -> Raced:  # fmt: skip
    return Raced(pair=pair, neighbour=neighbour, blocks=blocks, ratio=ratio, low=ratio * (1 - half),
                 high=ratio * (1 + half), verdict=verdict, broken=(), disturbed=0, seconds=60.0,
                 at="2026-11-22T00:00:00Z")  # fmt: skip


DAY, NEXT = "2026-11-22", "2026-11-23"


def all_of(done: list[Raced], day: str = DAY) -> list[Raced]:
    """What a day races, from what was raced before."""
    while (following := next(unlike_servers.left(done, day), None)) is not None:
        done = [*done, replace(raced(*following, ratio=1.2), at=f"{day}T00:00:00Z")]
    return done


def test_a_pair_is_raced_quiet_before_and_behind_each_light_neighbour_once() -> None:
    """And one pair beside each heavy one."""
    done = all_of([])
    for pair in PAIRS:
        of = [r.neighbour for r in done if r.pair == pair]
        assert (of[0], of[-1], of.count(None)) == (None, None, QUIET_BLOCKS // 10)
    noisy = [(r.pair, r.neighbour) for r in done if r.neighbour is not None]
    assert len(noisy) == len(set(noisy)) == len(PAIRS) * len(LIGHT) + len(HEAVY)
    assert {neighbour for _, neighbour in noisy} == {*LIGHT, *HEAVY}


def test_what_has_no_quiet_blocks_of_its_day_is_raced_again() -> None:
    whole = len(all_of([]))
    begun = all_of([])[: len([*LIGHT]) // 2]
    assert all_of(all_of([]), NEXT) == all_of([])
    again = all_of(begun, NEXT)
    assert len([r for r in again if r.at.startswith(NEXT)]) == whole


def test_quiet_blocks_of_another_start_of_the_machine_count_for_nothing_here() -> None:
    """The same day, the same kind of machine: another one all the same."""
    done = [replace(r, boot="6f0c") for r in all_of([])[:3]]
    here = list(unlike_servers.left(done, f"{DAY} (a1b2)"))
    assert here == list(unlike_servers.left([], f"{DAY} (a1b2)"))
    there = list(unlike_servers.left(done, f"{DAY} (6f0c)"))
    assert len(there) < len(here)


def test_a_race_beside_a_neighbour_leaves_nothing_in_the_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its starts are not of this machine as others find it: they would call contenders skewed."""
    monkeypatch.setenv("DEADHEAT_CACHE", str(tmp_path))
    with unlike_servers.unheard():
        past_races.file().write_text("of this race\n")
    assert not past_races.file().exists()
    past_races.file().write_text("of one before\n")
    with pytest.raises(KeyboardInterrupt), unlike_servers.unheard():
        past_races.file().write_text("of one before\nof this race\n")
        raise KeyboardInterrupt
    assert past_races.file().read_text() == "of one before\n"


def test_the_table_counts_who_printed_a_verdict_and_whose_interval_holds_the_quiet_ratio() -> None:
    pair, beside = PAIRS[0], LIGHT[0]
    done = [raced(pair, None, 1.2, blocks=QUIET_BLOCKS), raced(pair, beside, 1.21),
            raced(pair, beside, 1.5), raced(pair, beside, 9.0, verdict="invalid")]  # fmt: skip
    lines = unlike_servers.table(done)
    assert f"| {pair[1]} over {pair[0]} | {DAY} | {QUIET_BLOCKS} | 1.200 |" in lines
    assert any(line.startswith(f"| {beside} | 3 | 2 | 1 | ") for line in lines)


def test_quiet_races_are_held_against_the_others_of_their_sitting() -> None:
    """What the machine's own noise does is not the neighbour's."""
    pair = PAIRS[0]
    done = [raced(pair, None, 1.2, blocks=5), raced(pair, None, 1.2, blocks=5),
            raced(pair, None, 1.5, blocks=5), replace(raced(pair, None, 9.0), boot="6f0c")]  # fmt: skip
    (row,) = (line for line in unlike_servers.table(done) if line.startswith("| nothing: "))
    # The third is off by more than its 5%, the others by 12% together with it; the last one is alone.
    assert row.split(" | ")[1:] == ["4", "3", "0", "11.2% |"]


@pytest.mark.parametrize("a_first", [True, False])
def test_a_ratio_is_the_second_of_the_pair_over_the_first_whichever_way_it_was_judged(a_first: bool) -> None:
    pair = PAIRS[0]
    if a_first:
        verdict = {"a": pair[1], "b": pair[0], "ratio": 2.0, "ci": [1.6, 2.5]}
    else:
        verdict = {"a": pair[0], "b": pair[1], "ratio": 0.5, "ci": [0.4, 0.625]}
    assert unlike_servers._second_over_first(verdict, pair) == pytest.approx((2.0, 1.6, 2.5))
