"""The sentence of a comparison, and the line of a condition."""

from __future__ import annotations

import pytest

from deadheat.model.ab import Answer, Answers, Decided, FigureChange, WorkloadChange
from deadheat.model.condition import Condition, FigureName
from deadheat.model.reason import Note
from deadheat.report import revisions


def change(answer: Answer, ratio: float, low: float, high: float, *, wall: bool = False) -> WorkloadChange:
    """Of a server's requests a second, or a program's wall time."""
    own = FigureChange(figure="slower", more_is_better=not wall, ratio=ratio, ci=(low, high), judged=True)
    return WorkloadChange(
        workload="get",
        title="GET /",
        kind="program" if wall else "http",
        metric="wall_s" if wall else "throughput_rps",
        answer=answer,
        margin=0.02,
        blocks=10,
        seconds=300,
        figures=(own,),
        detectable=1.04,
        more_s=420,
        reasons=(Note(text="it does not build"),) if answer == "not compared" else (),
    )


def by(figure: FigureName, answer: Answer, ratio: float, ci: tuple[float, float] | None) -> WorkloadChange:
    """A server's, judged by another figure than its throughput."""
    judged = FigureChange(figure=figure, more_is_better=False, ratio=ratio, ci=ci, judged=ci is not None)
    found = change(answer, 1, 0.9, 1.1)
    return found.replaced(by=figure, figures=(*found.figures, judged))


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (change("no worse", 1.004, 0.991, 1.017), "no slower than 2% (95%)"),
        (change("worse", 1 / 1.06, 1 / 1.08, 1 / 1.04), "slower by 6% (4 to 8)"),
        (change("worse", 1.06, 1.04, 1.08, wall=True), "slower by 6% (4 to 8)"),
        (change("better", 1.06, 1.04, 1.08), "faster by 6% (4 to 8)"),
        (change("better", 1 / 1.06, 1 / 1.08, 1 / 1.04, wall=True), "faster by 6% (4 to 8)"),
        (by("cpu", "worse", 1.06, (1.04, 1.08)), "CPU a request up by 6% (4 to 8)"),
        (by("memory", "better", 0.94, (0.92, 0.96)), "memory down by 6% (4 to 8)"),
        (by("p99", "worse", 3.5, (2.5, 4.5)), "p99 3.5 times as high (2.50 to 4.50)"),
        (by("memory", "no worse", 1.0, (0.99, 1.01)), "memory up by no more than 2% (95%)"),
        (by("size", "worse", 1.5, None), "artifact up by 50%"),
        (by("size", "no worse", 1.01, None), "artifact up by no more than 2%"),
        (
            by("cpu", "cannot tell", 1.01, (0.98, 1.04)),
            "CPU a request: cannot tell in 5 minutes; about 12 minutes would, or 4% in this time",
        ),
        (
            change("cannot tell", 0.98, 0.95, 1.01),
            "cannot tell in 5 minutes; about 12 minutes would, or 4% in this time",
        ),
        (change("not compared", 1, 1, 1), "not compared: it does not build"),
    ],
)
def test_sentences(found: WorkloadChange, said: str) -> None:
    assert revisions.sentence(found) == said


def test_a_condition_says_how_often_it_errs() -> None:
    found = change("worse", 0.94, 0.92, 0.96)
    asked = Condition(figure="slower", threshold=0.03)
    chances = ((0.0, 0.004), (0.03, 0.5), (0.06, 0.99))
    said = revisions.decided(Decided(condition=asked, workload="get", state="fails", chances=chances), found)
    assert said == (
        "fails: slower > 3% (fails under 1% of those with no change, 50% of those with 3%, "
        "99% of those with 6%; races like this one, simulated)"
    )
    unknown = Decided(condition=Condition(figure="p99", threshold=0.1), workload="get", state="open")
    assert revisions.decided(unknown, found) == "cannot tell: p99 > 10% (there is no figure of it)"


def test_what_was_compared_of_the_answers_is_listed() -> None:
    found = Answers(fields=1, masks={"$.id": "uuid", "$.items[*].at": "time"})
    row = "answers: 1 field compared, 2 masked: $.id (uuid), $.items[*].at (time)"
    assert list(revisions.rows(change("worse", 0.94, 0.92, 0.96).replaced(answers=found)))[-1] == row
    assert revisions.answers(Answers(fields=12)) == "answers: 12 fields compared"
