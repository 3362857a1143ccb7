"""A comparison as a step of `git bisect run`: what `deadheat ab --bisect` does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from deadheat.app import ab
from deadheat.app.ab import Compared, Wanted
from deadheat.errors import BISECT_SKIPS, ExitCode, UserError
from deadheat.model.condition import Condition
from deadheat.run.progress import View
from deadheat.util.interrupt import InterruptedRunError

_SAID_AS_IT_IS = (ExitCode.DONE, ExitCode.GATE_FAILED, ExitCode.INTERRUPTED)


@dataclass(frozen=True)
class Step:
    """`code`: 0 of a good commit, 1 of a bad one, 125 of one that cannot be judged, 130 after Ctrl-C.
    `error`: why nothing could be compared."""

    code: int
    compared: Compared | None = None
    error: UserError | None = None


def step(wanted: Wanted, folder: Path, out: Path, view: View, db: str | None = None) -> Step:
    """The whole way, of the repository that `folder` is in; without a condition a commit is bad where the
    figure that is judged is worse by more than the margin."""
    if not wanted.conditions:
        usual = Condition(figure=wanted.by, threshold=wanted.asked.margin)
        wanted = replace(wanted, conditions=[usual])
    try:
        compared = ab.compare(wanted, folder, out, view, db)
    except UserError as error:
        return Step(BISECT_SKIPS, error=error)
    except InterruptedRunError:
        return Step(ExitCode.INTERRUPTED)
    code = ab.code_of(compared, fail_if_inconclusive=True)
    return Step(code if code in _SAID_AS_IT_IS else BISECT_SKIPS, compared)
