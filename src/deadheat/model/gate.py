"""A gate: one check on the measurement itself, as figures. report/gates.py says them in words."""

from __future__ import annotations

from deadheat.model.base import Record

Fact = float | int | str | bool | None


class GateResult(Record):
    """Whether `value` keeps to `limit`, and the `facts` that explain it, by name.

    Shares are between 0 and 1; other units are in a fact's name. `note`: the explanation in words, of runs of
    schema 1.
    """

    name: str
    ok: bool
    value: float | None
    limit: str
    facts: dict[str, Fact] = {}
