"""One gate's result, made the same way wherever it is judged."""

from deadheat.model.gate import Fact, GateResult


def gate_result(name: str, ok: bool, value: float | None, limit: str, **facts: Fact) -> GateResult:
    """The facts are what advice is worded from (report/gates.py)."""
    return GateResult(name=name, ok=ok, value=value, limit=limit, facts=facts)
