"""Figures with their units, the same in every report."""

from deadheat import stats
from deadheat.model.choices import JudgedBy
from deadheat.model.judged import AT_EQUAL_LOAD, FIRST_ANSWER, PEAK_MEMORY
from deadheat.model.kinds.registry import TRAITS
from deadheat.model.result import ContenderResult, Measure, Overlaps, RaceResult

# What a race may be judged by, as sentences have it.
NOUNS: dict[JudgedBy, str] = {
    "throughput": "speed",
    "p50": "p50",
    "p90": "p90",
    "p99": "p99",
    "cpu": "CPU time",
    "memory": "memory",
    "startup": "time to the first answer",
    "size": "artifact",
}
UNITS = {
    "wall_s": "wall time",
    "cpu_s": "CPU time",
    "first_reply_s": "time to the first reply",
    "reply_100_s": "time to the 100th reply",
    "reply_10000_s": "time to the 10,000th reply",
    PEAK_MEMORY: NOUNS["memory"],
    FIRST_ANSWER: NOUNS["startup"],
    **{metric: f"{name} at equal load" for metric, name in AT_EQUAL_LOAD.items()},
}
# Of figures that are times in another unit: how many make a second.
_A_SECOND = {"cpu_us_per_request": 1e6, FIRST_ANSWER: 1e3, **dict.fromkeys(AT_EQUAL_LOAD, 1e3)}
DASH = "-"
ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
# An interval whose ends are so many times apart says nothing.
WILD = 100.0


def unit(metric: str, kind: str) -> str:
    """What a race's figures are."""
    if metric == "cpu_us_per_request":
        return f"CPU a {asked(kind)}"
    return rate(kind) if metric == "throughput_rps" else UNITS.get(metric, metric)


def asked(kind: str) -> str:
    """What a server is asked, one of them: of gRPC the field counts calls."""
    return TRAITS[kind].unit


def rate(kind: str) -> str:
    return f"{asked(kind)}s/s"


def ratio(value: float) -> str:
    """1.22, 0.0123, 12.3, 1,234: three significant digits, never fewer than two decimals near 1."""
    return figure(value) if value < 0.1 or value >= 10 else f"{value:.2f}"


def excess(ratio: float) -> str:
    """How far a ratio lies from 1: 4% of 1.04; three times and more as times."""
    return f"{100 * (ratio - 1):.2g}%" if ratio < 2 else f"{figure(ratio)} times"


def interval(
    ci: tuple[float, float] | None, blocks: int | None = None, method: int = stats.METHOD.version
) -> str:
    """`1.18 to 1.26`. Of fewer blocks than that version of the method needs for a verdict, or as wide as
    WILD, it is none yet, and says so."""
    if ci is None and blocks is None:
        return "no interval: one block"
    if ci is None or not is_interval(ci, blocks, method):
        return "no interval yet" + (f": {blocks} block{'s' * (blocks != 1)}" if blocks is not None else "")
    return f"{ratio(ci[0])} to {ratio(ci[1])}"


def confidence(
    ci: tuple[float, float] | None, blocks: int | None = None, method: int = stats.METHOD.version
) -> str:
    """`95% CI 1.18 to 1.26`, or that there is none yet."""
    shown = interval(ci, blocks, method)
    return shown if shown.startswith("no ") else f"95% CI {shown}"


def of_race(ci: tuple[float, float] | None, result: RaceResult) -> str:
    """An interval over the blocks of a race, by the method that it was judged by."""
    return interval(ci, result.blocks, result.method_version)


def is_interval(
    ci: tuple[float, float], blocks: int | None = None, method: int = stats.METHOD.version
) -> bool:
    """Whether an interval of a ratio says anything."""
    return (
        (blocks is None or blocks >= stats.METHODS[method].fewest_blocks)
        and ci[0] > 0
        and ci[1] <= WILD * ci[0]
    )


def figure(value: float) -> str:
    """Three significant digits with thousands separators."""
    if value == 0:
        return "0"
    digits = f"{value:.3g}"
    number = float(digits)
    if abs(number) >= 100:
        return f"{number:,.0f}"
    return digits if "e" not in digits else f"{number:.3g}"


def ordinal(number: int) -> str:
    """first, second, ... tenth, 11th, 21st, 112th."""
    if number <= len(ORDINALS):
        return ORDINALS[number - 1]
    teens = 10 <= number % 100 <= 20
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


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
    if metric == "throughput_rps":
        return figure(measure.estimate)
    if metric == PEAK_MEMORY:
        return size(round(measure.estimate))
    return seconds(measure.estimate / _A_SECOND.get(metric, 1.0))


def overlaps(seen: Overlaps | None) -> str:
    """Whether a client sends before all is handed over, and reads before all is written."""
    if seen is None:
        return DASH
    if seen.unknown is not None:
        return f"not known ({seen.unknown})"
    done = {"sends early": seen.sends_early, "reads while writing": seen.reads_while_writing}
    return ", ".join(what for what, yes in done.items() if yes) or "no"


def calls(row: ContenderResult) -> str:
    """`50% of those asked`, or why it is not known."""
    if row.figures.calls is None:
        return DASH
    if row.figures.calls.executed is None:
        return f"not known ({row.figures.calls.unknown})"
    share = row.figures.calls.executed / row.figures.calls.asked
    return f"{share:.1%} of those asked" if share < 0.1 else f"{share:.0%} of those asked"


def own_measure(metric: str, row: ContenderResult) -> Measure | None:
    """A contender's figure in what a race judges."""
    figures = row.figures
    if metric in AT_EQUAL_LOAD:
        loads = figures.latency_at_load
        return loads[0].latency_ms.get(AT_EQUAL_LOAD[metric]) if loads else None
    if metric in (PEAK_MEMORY, FIRST_ANSWER):
        median = row.peak_memory_bytes if metric == PEAK_MEMORY else figures.first_response_ms
        return None if median is None else Measure(estimate=median, ci=None, blocks=())
    return figures.measure(metric)


def as_good(by: JudgedBy) -> str:
    """What stands between "1.6 times" and "as go": "as fast", "as good" of another figure than speed."""
    return "as fast" if by == "throughput" else "as good"


def judged_by(by: JudgedBy) -> str:
    """What stands behind "1.6 times as good as go"; nothing where it is speed that is judged."""
    return "" if by == "throughput" else f" by {NOUNS[by]}"


def answer(word: str, by: JudgedBy) -> str:
    """A verdict's word: of another figure than speed "better" and "worse"."""
    return word if by == "throughput" else {"faster": "better", "slower": "worse"}.get(word, word)
