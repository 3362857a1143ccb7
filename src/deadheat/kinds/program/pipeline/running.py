"""One invocation of a program that sends a pipeline: what it is asked, and the line that it prints."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from deadheat.hosts.program import Exit, Spec, Why
from deadheat.kinds.conformance import Wrong
from deadheat.kinds.program import arguments, invocations
from deadheat.model.measured import InvocationPlan
from deadheat.model.parameter import Setting
from deadheat.model.pipeline import DEPTH, ROUNDS, depth_of, rounds_of
from deadheat.run.kind import Stage


class Refused(Wrong):
    """A client that ended with an error: it does not do what it was asked, and says so."""


@dataclass(frozen=True)
class Asked:
    """Rounds of a pipeline of so many n, so many commands handed over at a time (None: a whole round)."""

    n: int
    rounds: int = 1
    depth: int | None = None

    @classmethod
    def of(cls, stage: Stage) -> Self:
        """What the race asks for; by a study's own method the workload's own."""
        values, how = stage.race.values, stage.race.measured
        n = how.n if isinstance(how, InvocationPlan) else arguments.work(stage).n.default
        return cls(n, rounds_of(values), depth_of(values))

    @property
    def values(self) -> dict[str, Setting | None]:
        """Of the workload's parameters that say so."""
        return {ROUNDS: self.rounds, DEPTH: self.depth}

    def __str__(self) -> str:
        depth = "" if self.depth is None else f", {self.depth} commands at a time"
        return f"n = {self.n}, {self.rounds} rounds{depth}"


def spec(
    stage: Stage,
    entry: str,
    asked: Asked,
    more: Sequence[str] = (),
    *,
    addresses: Mapping[str, object] | None = None,
    output: str | None = None,
    traced: bool = False,
) -> Spec:
    """How it is started; `addresses` of a service that is none of the stage's."""
    args = [*arguments.of(stage, entry, asked.n, asked.values), *more]
    limit_s = arguments.work(stage).timeout_s
    return stage.spec(entry, addresses or {}, args, output=output, time_limit_s=limit_s, peak_memory=traced)


def complete(stage: Stage, asked: Spec) -> tuple[Exit, dict[str, Any]]:
    """Run it to its end, and what it says. Raises Wrong; Refused where it ends badly."""
    command = " ".join(asked.argv)
    exit_, left = invocations.complete(stage, asked)
    said = left.stdout[:4096].decode(errors="backslashreplace")
    complaint = left.stderr[-1000:].decode(errors="backslashreplace").strip()
    if not exit_.ok:
        last = f": {complaint.splitlines()[-1]}" if complaint else ""
        kind = Refused if exit_.why is Why.EXIT and exit_.code else Wrong
        raise kind(f"it {exit_.describe()}{last}", f"{command}\nstdout: {said}\nstderr: {complaint}")
    try:
        answer = json.loads(said)
        return exit_, {**answer, "wall_ns": int(answer["wall_ns"])}
    except (ValueError, TypeError, KeyError) as error:
        raise Wrong(f"it printed no line of JSON: {said[:80]!r}", f"{command}\nstdout: {said}") from error
