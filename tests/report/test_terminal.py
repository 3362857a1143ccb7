"""What is printed at the end: about this race, in few lines, and no interval that is none."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

from rich.console import Console

from deadheat.model.claim import ClaimResult
from deadheat.model.reason import NotInThisRun
from deadheat.model.result import RaceResult, Results
from deadheat.report import claims_lines, terminal, words
from deadheat.results import derive
from tests.made.observed import observations, plan, race, suite


def found(tmp_path: Path, blocks: int = 6) -> Results:
    raced = race(blocks)
    return derive.results(plan(raced, suite(tmp_path)), {}, observations(raced))


def printed(result: RaceResult) -> list[str]:
    return [line.plain for line in terminal.workload(result, 0.02, 100)]


def test_the_verdict_comes_first_then_the_picture_then_what_to_know(tmp_path: Path) -> None:
    lines = printed(found(tmp_path).workloads[0])
    table, picture, gates = (
        next(number for number, line in enumerate(lines) if word in line)
        for word in ("times as fast as slow", "├", "gates: ")
    )
    assert table < picture < gates


def test_a_verdict_is_said_once(tmp_path: Path) -> None:
    assert sum("times as fast as slow" in line for line in printed(found(tmp_path).workloads[0])) == 1


def test_many_contenders_leave_room_for_what_is_said_after_them(tmp_path: Path) -> None:
    result = found(tmp_path).workloads[0]
    (fast,) = [row for row in result.contenders if row.id == "fast"]
    more = tuple(fast.model_copy(update={"name": f"fast-{number}"}) for number in range(16))
    notes = tuple({"finding": "note", "text": f"note {number}"} for number in range(30))
    reported = result.model_dump() | {"contenders": (*result.contenders, *more), "findings": notes}
    lines = printed(RaceResult.model_validate(reported))
    assert len(lines) <= 36
    assert "more lines in the report" in lines[-1]


def test_two_blocks_have_no_interval_yet(tmp_path: Path) -> None:
    text = "\n".join(printed(found(tmp_path, blocks=2).workloads[0]))
    assert "no interval yet: 2 blocks" in text
    assert " to " not in next(line for line in text.splitlines() if "null pair" in line)


def test_an_absurd_interval_is_none() -> None:
    assert words.interval((0.01, 80.0)) == "no interval yet"
    assert words.interval((0.9, 1.2), 6) == "0.90 to 1.20"
    assert words.confidence((0.9, 1.2), 6) == "95% CI 0.90 to 1.20"
    assert words.confidence((0.9, 1.2), 4) == "no interval yet: 4 blocks"
    assert words.confidence((0.9, 1.2), 4, method=1) == "95% CI 0.90 to 1.20"
    assert words.confidence((0.01, 80.0), 4) == "no interval yet: 4 blocks"


def claim(id_: str, here: bool) -> ClaimResult:
    return ClaimResult(
        study="s-2020", id=id_, statement=f"statement {id_}", metric="throughput_rps",
        published={"ratio": 1.2}, method="deadheat", here={"ratio": 1.3, "ci": (1.2, 1.4)} if here else None,
        direction="confirmed" if here else "not run", size="as published" if here else None,
        reasons=() if here else (NotInThisRun(workload="other", method="deadheat"),),
    )  # fmt: skip


def test_only_claims_that_were_judged_here_are_printed(tmp_path: Path) -> None:
    judged, other = claim("judged", True), claim("other", False)
    both = found(tmp_path).model_copy(update={"claims": (judged, other)})
    text = "\n".join(line.plain for line in claims_lines.judged(both, 100))
    assert "statement judged" in text and "statement other" not in text
    assert "1 more of this study could not be judged here: deadheat claims" in text
    none = both.model_copy(update={"claims": (other,)})
    assert list(claims_lines.judged(none, 100)) == []
    whole = "\n".join(line.plain for line in claims_lines.everything(both, 100))
    assert "statement other" in whole and "deadheat race other" in whole


def test_claims_that_do_not_fit_are_counted_and_each_study_keeps_its_headline(tmp_path: Path) -> None:
    many = [claim(f"{number}", True) for number in range(20)]
    others = [one.model_copy(update={"study": "t-2021"}) for one in many]
    both = found(tmp_path).model_copy(update={"claims": (*many, *others)})
    lines = [line.plain for line in claims_lines.judged(both, 100, room=9)]
    assert len(lines) == 9
    assert [line.split(" · ")[1] for line in lines if line.startswith("claims")] == ["s-2020", "t-2021"]
    assert "statement 4" in lines[5]
    assert lines[-2].strip().startswith("35 more")
    assert len([*claims_lines.judged(both, 100)]) > 40


def test_one_race_with_many_contenders_and_claims_is_said_in_40_lines(tmp_path: Path) -> None:
    results = found(tmp_path)
    console = Console(file=StringIO(), width=100)
    claims = tuple(claim(f"{number}", True) for number in range(30))
    terminal.show(results.model_copy(update={"claims": claims}), console)
    assert len(console.file.getvalue().splitlines()) + terminal.AFTER == terminal.MOST  # type: ignore[attr-defined]
