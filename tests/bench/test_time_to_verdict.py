"""bench/time_to_verdict.py: whose turn it is, what a file of races adds up to, what counts as right."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from bench.time_to_verdict import PLAIN, SLOWER, Race, following, outcome, read, suite, table, write

from deadheat.suite.suite import load

TREES = ("this tree", "the other")
ONE = Race("this tree", "a" * 40, 0, 40.0, 5, "plain is faster", 1.03, (1.01, 1.05), True, (1000, 1030))


def test_trees_take_turns_and_who_begins_changes() -> None:
    races: list[Race] = []
    while (turn := following(races, TREES, 3)) is not None:
        tree, seed = turn
        races.append(replace(ONE, tree=tree, seed=seed))
    assert [(race.tree == TREES[0], race.seed) for race in races] == [
        (True, 0), (False, 0), (False, 1), (True, 1), (True, 2), (False, 2),
    ]  # fmt: skip


def test_a_file_is_read_up_to_its_torn_end(tmp_path: Path) -> None:
    file = tmp_path / "races.jsonl"
    assert read(file) == []
    open_ = replace(ONE, verdict="inconclusive", ratio=None, ci=None, right=False)
    file.write_text("".join(json.dumps(asdict(race)) + "\n" for race in (ONE, open_)) + '{"tree": "th')
    assert read(file) == [ONE, open_]


def test_medians_and_their_ratio() -> None:
    races = [replace(ONE, seconds=s) for s in (30.0, 50.0, 40.0)]
    assert table(races, TREES)[1:] == ["the other: no race yet"]
    races += [replace(ONE, tree="the other", seconds=s, right=s < 100) for s in (80.0, 120.0)]
    first, other, ratio = table(races, TREES)
    assert "median 40 s (30 to 50)" in first and "3 of 3 right" in first
    assert "median 100 s" in other and "1 of 2 right" in other
    assert ratio == "ratio of the medians: 0.40"


@pytest.mark.parametrize(
    ("a", "verdict", "ratio", "word", "found"),
    [
        (PLAIN, "faster", 1.03, "plain is faster", 1.03),
        (SLOWER, "faster", 1.25, "slower is faster", 0.8),
        (PLAIN, "inconclusive", 1.0, "inconclusive", 1.0),
    ],
)
def test_what_a_run_came_to(a: str, verdict: str, ratio: float, word: str, found: float) -> None:
    b = SLOWER if a == PLAIN else PLAIN
    one = {"a": a, "b": b, "verdict": verdict, "ratio": ratio, "ci": [ratio / 1.1, ratio * 1.1]}
    said = outcome({"workloads": [{"blocks": 6, "verdicts": [one]}]})
    assert (said[0], said[3]) == (word, 6)
    assert said[1] == pytest.approx(found) and said[2] == pytest.approx((found / 1.1, found * 1.1))
    assert outcome({"workloads": [{"blocks": 2, "verdicts": []}]}) == ("none", None, None, 2)


def test_the_suite_is_one_like_any_other(tmp_path: Path) -> None:
    suite(tmp_path, Path("deadheat-load"), (1000, 1030))
    found = load(tmp_path)
    assert found.workloads["planted"].reference == PLAIN
    assert "--burn-iters 1030" in found.contender("planted", SLOWER).run


def test_the_table_is_put_into_its_page(tmp_path: Path) -> None:
    method, races = tmp_path / "method.md", tmp_path / "races.jsonl"
    method.write_text("before\n<!-- begin: python -m bench.time_to_verdict -->\nold\n<!-- end -->\nafter\n")
    write(races, method)
    assert "Nothing was raced yet." in method.read_text()
    races.write_text(json.dumps(asdict(ONE)) + "\n")
    write(races, method)
    text = method.read_text()
    assert "- this tree (aaaaaaa): median 40 s" in text and "- the other: no race yet" in text
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "old" not in text
