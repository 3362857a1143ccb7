"""What a pull request gets to read."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deadheat.model.ab import Comparison, Side
from deadheat.model.ci import CiJob
from deadheat.model.reason import Note
from deadheat.report import comment
from deadheat.report.comment import Section

from .test_revisions import change

BASE, HEAD = "a" * 40, "b" * 40


def job(*titles: str, **more: object) -> CiJob:
    changes = tuple(
        change("worse", 1 / 1.06, 1 / 1.08, 1 / 1.04).replaced(workload=f"w{at}", title=title)
        for at, title in enumerate(titles)
    )
    sides = [Side(label=label, commit=commit, tree=commit) for label, commit in (("x", BASE), ("y", HEAD))]
    return CiJob(
        pull_request=12,
        base=BASE,
        head=HEAD,
        code=1,
        repeat="deadheat ab x y",
        comparison=Comparison(base=sides[0], head=sides[1], workloads=changes),
    ).replaced(**more)


def test_the_answer_is_first() -> None:
    text = comment.comment(job("GET /a"), "ab", "https://example.org/run")
    lines = [line for line in text.splitlines() if line and not line.startswith("<!--")]
    assert lines[0] == "### ❌ Deadheat: slower by 6% (4 to 8)"
    assert lines[1] == "`y` against `x` · [the job, with report and data](https://example.org/run)"
    row = next(line for line in lines if line.startswith("| `GET /a`"))
    assert re.fullmatch(
        r"\| `GET /a` \| slower by 6% \(4 to 8\) \| 0\.943 \(0\.926 to 0\.962\) \| `[·░│├─┤●]+` \|", row
    )


def test_the_worst_of_several_is_the_headline() -> None:
    found = job("GET /a", "GET /b")
    assert found.comparison is not None
    better = change("better", 1.06, 1.04, 1.08).replaced(workload="w0", title="GET /a")
    found = found.replaced(
        comparison=found.comparison.replaced(workloads=(better, found.comparison.workloads[1]))
    )
    assert comment.headline(found) == "slower by 6% (4 to 8), the worst of 2 requests"


def test_the_last_five_answers_are_kept() -> None:
    text = None
    for at in range(9):
        text = comment.comment(job("GET /a").replaced(head=f"{at}" * 40), "ab", None, text)
    assert text is not None
    kept = re.findall(r"^- `(\d)\1{6}` ", text, re.MULTILINE)
    assert kept == ["7", "6", "5", "4", "3"]


@pytest.mark.parametrize("before", ["", "<!-- deadheat-earlier [1] -->", "<!-- deadheat-earlier [[}] -->"])
def test_whatever_stands_there_is_written_over(before: str) -> None:
    assert "Earlier commits" not in comment.comment(job("GET /a"), "ab", None, before)


def test_too_long_a_comment_loses_whole_sections() -> None:
    text = comment.comment(job(*(f"GET /{'x' * 200}/{at}" for at in range(100))), "ab", None)
    assert len(text.encode()) <= comment.LIMIT_BYTES
    assert "Left out, for this would be too long: all figures." in text
    assert text.count("<details>") == text.count("</details>") == 1
    assert text.count("| slower by") == 100
    text = comment.comment(job(*(f"GET /{'x' * 200}/{at}" for at in range(1000))), "ab", None)
    assert len(text.encode()) <= comment.LIMIT_BYTES
    assert "all figures, how to repeat, the table of requests" in text
    assert "### ❌ Deadheat: slower by 6% (4 to 8), the worst of 1000 requests" in text


@given(st.lists(st.tuples(st.text(max_size=50), st.integers(0, 5)), max_size=8), st.integers(0, 200))
def test_sections_are_there_whole_or_not_at_all(parts: list[tuple[str, int]], limit: int) -> None:
    sections = [Section(f"<{at}>{text}</{at}>", f"s{at}", drop) for at, (text, drop) in enumerate(parts)]
    text = comment.fitted(sections, limit)
    gone = [one for one in sections if one.text not in text]
    assert all(one.drop for one in gone)
    assert len(text.encode()) <= limit or all(one.drop == 0 for one in sections if one not in gone)


@given(st.text())
def test_code_is_one_line_that_nothing_ends(text: str) -> None:
    shown = comment.code(text)
    assert "\n" not in shown
    ticks = re.match("`+", shown)
    assert ticks is not None
    assert shown.endswith(ticks[0])
    inner = shown[len(ticks[0]) : -len(ticks[0])]
    assert ticks[0] not in re.findall("`+", inner)


@given(st.text())
def test_a_block_ends_where_it_should(text: str) -> None:
    first, *inner, last = comment.fence(text).split("\n")
    assert first == f"{last}text"
    assert all(last not in line for line in inner)


def test_what_others_wrote_is_code() -> None:
    nasty = "@all <img src=x> | [click](http://x) ``` `"
    found = job(nasty)
    assert found.comparison is not None
    void = change("not compared", 1, 1, 1).replaced(title=nasty, workload="w0", reasons=(Note(text=nasty),))
    text = comment.comment(
        found.replaced(comparison=found.comparison.replaced(workloads=(void,))), "ab", None
    )
    outside = re.sub(r"^(`{3,})text\n.*?\n\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    outside = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", outside)
    assert "@all" not in outside and "<img" not in outside and "click" not in outside
