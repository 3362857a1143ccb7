"""One gate's result, made the same way wherever it is judged."""

from deadheat.model.result import GateResult


def gate_result(name: str, ok: bool, value: float | None, limit: str, advice: str | None) -> GateResult:
    """Advice is for a broken gate: one that holds has none."""
    return GateResult(name=name, ok=ok, value=value, limit=limit, advice=None if ok else advice)
