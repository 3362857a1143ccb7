"""A condition that a change must not fail: which figure may be how much worse."""

from typing import Literal, get_args

from pydantic import Field

from deadheat.model.base import Record
from deadheat.model.choices import JudgedBy

# What may be worse: the race's own figure (throughput, wall time), then latency at equal load, CPU time (of a
# request), peak memory, the time to the first answer, and the size of what was built.
FigureName = Literal["slower", "p50", "p90", "p99", "cpu", "memory", "startup", "size"]
FIGURES: tuple[FigureName, ...] = get_args(FigureName)


def figure_of(judged_by: JudgedBy) -> FigureName:
    """The figure that a word of a command line means."""
    return "slower" if judged_by == "throughput" else judged_by


def judged_by(figure: FigureName) -> JudgedBy:
    """The word of a command line that means the figure."""
    return "throughput" if figure == "slower" else figure


class Condition(Record):
    """Fails where `figure` is worse by more than `threshold` (0.03 is 3%); `surely`: where the whole interval
    is beyond it."""

    figure: FigureName
    threshold: float = Field(ge=0, lt=1)
    surely: bool = False
