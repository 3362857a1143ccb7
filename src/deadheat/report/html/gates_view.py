"""Gates as a table: a line a contender, a column a gate, each with its value and its limit."""

from collections.abc import Mapping
from dataclasses import dataclass

from deadheat.model.gate import GateResult
from deadheat.model.result import RaceResult
from deadheat.report import gates, words


@dataclass(frozen=True)
class GateLine:
    """`gates` in the order of the columns, None where a gate was not asked of it. `key` None: of the race."""

    key: int | None
    name: str
    gates: tuple[GateResult | None, ...]


@dataclass(frozen=True)
class Gates:
    summary: str
    all_hold: bool
    columns: tuple[tuple[str, str], ...]
    lines: tuple[GateLine, ...]
    race: tuple[GateResult, ...]
    broken: tuple[tuple[str, str], ...]


def gates_of(result: RaceResult, keys: Mapping[str, int]) -> Gates:
    broken = tuple(gates.all_broken(result))
    limits: dict[str, str] = {}
    for row in result.contenders:
        for gate in row.gates:
            limits.setdefault(gate.name, gate.limit)
    lines = tuple(
        GateLine(
            keys[row.id], row.id, tuple(next((g for g in row.gates if g.name == n), None) for n in limits)
        )
        for row in result.contenders
        if row.gates
    )
    # What the terminal says first, without the null pair, which has its own line in the plot.
    summary = gates.summary(result).split(" · ")[0].removeprefix("gates: ")
    return Gates(summary, not broken, tuple(limits.items()), lines, result.gates, broken)


def value(gate: GateResult) -> str:
    """A gate's value in few digits."""
    return "" if gate.value is None else words.figure(gate.value)
