"""Figures and verdicts in words, the same in every report."""

from deadheat.model.observation import SocketTrace
from deadheat.model.result import ContenderResult, Measure, Verdict, WorkloadResult

UNITS = {"wall_s": "wall time", "cpu_s": "CPU time"}
DASH = "-"


def unit(metric: str, kind: str) -> str:
    """What a race's figures are."""
    return rate(kind) if metric == "throughput_rps" else UNITS.get(metric, metric)


def asked(kind: str) -> str:
    """What a server is asked, one of them: of gRPC the field counts calls."""
    return "call" if kind == "grpc" else "request"


def rate(kind: str) -> str:
    return f"{asked(kind)}s/s"


def ratio(value: float) -> str:
    """1.22, 0.0123, 12.3, 1,234: three significant digits, never fewer than two decimals near 1."""
    return figure(value) if value < 0.1 or value >= 10 else f"{value:.2f}"


def interval(ci: tuple[float, float] | None) -> str:
    return f"{ratio(ci[0])} to {ratio(ci[1])}" if ci is not None else "no interval: one block"


def figure(value: float) -> str:
    """Three significant digits with thousands separators."""
    if value == 0:
        return "0"
    digits = f"{value:.3g}"
    number = float(digits)
    if abs(number) >= 100:
        return f"{number:,.0f}"
    return digits if "e" not in digits else f"{number:.3g}"


def brief(value: float) -> str:
    """For an axis, where room is short: 500, 2k, 10M."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return figure(value)


def seconds(value: float) -> str:
    if value >= 1:
        return f"{figure(value)} s"
    return f"{figure(value * 1e3)} ms" if value >= 1e-3 else f"{figure(value * 1e6)} µs"


def duration(value_s: float) -> str:
    """A length of time that nobody needs to the second: 40 s, 6 minutes, 3 hours."""
    for unit_s, limit_s, unit in ((1, 90, "s"), (60, 5400, "minutes"), (3600, float("inf"), "hours")):
        if value_s < limit_s:
            return f"{value_s / unit_s:.0f} {unit}"
    return f"{value_s:.0f} s"


def size(value: int | None) -> str:
    if value is None:
        return DASH
    number = float(value)
    for unit in ("B", "kB", "MB"):
        if number < 1000:
            return f"{figure(number)} {unit}"
        number /= 1000
    return f"{figure(number)} GB"


def amount(metric: str, measure: Measure | None) -> str:
    """A contender's own figure in the workload's metric."""
    if measure is None:
        return DASH
    return figure(measure.estimate) if metric == "throughput_rps" else seconds(measure.estimate)


def overlaps(trace: SocketTrace) -> str:
    """Whether a client sends before all is handed over, and reads before all is written."""
    if trace.unknown is not None:
        return f"not known ({trace.unknown})"
    seen = {"sends early": trace.sends_early, "reads while writing": trace.reads_while_writing}
    return ", ".join(what for what, done in seen.items() if done) or "no"


def calls(row: ContenderResult) -> str:
    """`50% of those asked`, or why it is not known."""
    if row.calls is None:
        return DASH
    if row.calls.executed is None:
        return f"not known ({row.calls.unknown})"
    share = row.calls.executed / row.calls.asked
    return f"{share:.1%} of those asked" if share < 0.1 else f"{share:.0%} of those asked"


def own_measure(metric: str, row: ContenderResult) -> Measure | None:
    measure = getattr(row, metric)
    assert measure is None or isinstance(measure, Measure)
    return measure


def headline(result: WorkloadResult) -> str:
    """`http-hello · requests/s, 64 connections · 6 blocks, 3,840 slices`."""
    name = result.name + (f" [{result.setting}]" if result.setting else "")
    name += f" ({result.method})" if result.method != "deadheat" else ""
    what = unit(result.metric, result.kind)
    if result.connections is not None:
        what += f", {result.connections} connections"
        what += f" of {result.streams} streams" if result.streams not in (None, 1) else ""
    if result.n is not None:
        what += f", n = {result.n}"
    if result.method == "as-published":
        return f"{name} · {what}"
    turns = "invocations" if result.kind in ("program", "redis-client") else "slices"
    blocks = f"{result.blocks} block{'s' if result.blocks != 1 else ''}"
    if result.blocks < result.blocks_planned:
        blocks += f" of {result.blocks_planned}"
    return f"{name} · {what} · {blocks}, {result.slices:,} {turns}"


def sentence(verdict: Verdict, margin: float) -> str:
    """A verdict in one sentence that can be pasted."""
    if verdict.ratio is None:
        return f"{verdict.a} against {verdict.b}: {verdict.verdict}" + _why(verdict)
    figures = f"{ratio(verdict.ratio)} times as fast as {verdict.b} (95% CI {interval(verdict.ci)})"
    match verdict.verdict:
        case "faster":
            return f"{verdict.a} is {figures}"
        case "dead heat":
            shown = f"{ratio(verdict.ratio)} (95% CI {interval(verdict.ci)})"
            return f"{verdict.a} and {verdict.b} are a dead heat, within {margin * 100:.3g}%: {shown}"
        case "inconclusive":
            shown = f"{ratio(verdict.ratio)} (95% CI {interval(verdict.ci)})"
            return f"{verdict.a} against {verdict.b} is not settled: {shown}" + _why(verdict)
        case _:
            return f"no verdict: {verdict.a} against {verdict.b}" + _why(verdict)


def standing(result: WorkloadResult, row: ContenderResult, margin: float) -> str:
    """What the table says of a row, beside its figure."""
    if row.status != "measured":
        return f"{row.status}: {row.reason}" if row.reason else row.status
    if row.id == result.reference:
        return "the reference"
    if row.against_reference is None:
        return "no ratio to the reference"
    against = f"{ratio(row.against_reference.ratio)} ({interval(row.against_reference.ci)})"
    if row.class_ == "ceiling":
        return f"{against}: the ceiling, least possible work"
    verdict = verdict_of(result, row)
    if verdict is None:
        return against
    ci = verdict.ci if verdict.a == row.id else _inverse(verdict.ci)
    value = row.against_reference.ratio
    if verdict.verdict == "faster":
        return f"{ratio(value)} times as fast as {result.reference} (95% CI {interval(ci)})"
    against = f"{ratio(value)} ({interval(ci)})"
    if verdict.verdict == "dead heat":
        return f"{against}: a dead heat with {result.reference}, within {margin * 100:.3g}%"
    if row.lower_bound:
        return f"{against}: a lower bound, generator-limited"
    return f"{against}: {verdict.verdict}"


def verdict_of(result: WorkloadResult, row: ContenderResult) -> Verdict | None:
    """The verdict of a row against the reference."""
    pair = {row.id, result.reference}
    return next((v for v in result.verdicts if {v.a, v.b} == pair), None)


def judged_interval(result: WorkloadResult, row: ContenderResult) -> tuple[float, float] | None:
    """The interval of a row's ratio to the reference: the one its verdict was judged by, where it has one."""
    verdict = verdict_of(result, row)
    if verdict is not None and verdict.ci is not None:
        return verdict.ci if verdict.a == row.id else _inverse(verdict.ci)
    return row.against_reference.ci if row.against_reference else None


def _inverse(ci: tuple[float, float] | None) -> tuple[float, float] | None:
    return (1 / ci[1], 1 / ci[0]) if ci is not None else None


def _why(verdict: Verdict) -> str:
    return f"; {verdict.why}" if verdict.why else ""
