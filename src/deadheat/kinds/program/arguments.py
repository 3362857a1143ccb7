"""What a program is given: its workload's arguments, and those of the parameters that have a value."""

from collections.abc import Mapping

from deadheat.build import command
from deadheat.model.parameter import Setting
from deadheat.model.work.program import ProgramWork
from deadheat.run.kind import Stage


def of(stage: Stage, entry: str, n: int, changed: Mapping[str, Setting | None] | None = None) -> list[str]:
    """For an invocation of this size, at the race's values of the parameters but for those `changed`, None
    where it goes without that parameter."""
    asked = {**stage.race.values, **(changed or {})}
    values = {name: value for name, value in asked.items() if value is not None}
    more = [word for name, one in stage.workload.parameters.items() if name in values for word in one.args]
    contender = stage.build(entry).contender
    return [command.fill(contender, word, {"n": n, **values}) for word in (*work(stage).args, *more)]


def work(stage: Stage) -> ProgramWork:
    """What the workload says of its programs."""
    assert stage.workload.program is not None
    return stage.workload.program
