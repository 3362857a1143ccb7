"""OpenMetrics text, for Prometheus (its textfile collector, or a push)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from deadheat.export.format import Format, Rendered, text
from deadheat.export.source import Race, Source
from deadheat.model.result import ContenderResult, Interval

Labels = Mapping[str, str]
VERDICTS = ("faster", "dead heat", "inconclusive", "invalid")


@dataclass
class _Family:
    """One metric family: its samples must stand together."""

    name: str
    type: str
    help: str
    unit: str | None = None
    samples: list[tuple[str, Labels, float]] = field(default_factory=list)

    def add(self, labels: Labels, value: float, suffix: str = "") -> None:
        self.samples.append((self.name + suffix, labels, value))

    def lines(self) -> Iterator[str]:
        if not self.samples:
            return
        yield f"# TYPE {self.name} {self.type}"
        if self.unit:
            yield f"# UNIT {self.name} {self.unit}"
        yield f"# HELP {self.name} {_escaped(self.help)}"
        for name, labels, value in self.samples:
            inside = ",".join(f'{key}="{_escaped(text_)}"' for key, text_ in labels.items())
            yield f"{name}{{{inside}}} {value!r}"


def render(source: Source) -> Rendered:
    lines = [line for family in _families(source) for line in family.lines()]
    return text("metrics.txt", "\n".join([*lines, "# EOF"]) + "\n")


def _families(source: Source) -> Iterable[_Family]:
    families = {
        family.name: family
        for family in (
            _Family("deadheat_run", "info", "The run that these figures are of."),
            _Family("deadheat_complete", "gauge", "1 where the race had all its blocks."),
            _Family("deadheat_ratio", "gauge", "Times as fast as the reference contender."),
            _Family("deadheat_throughput_requests_per_second", "gauge", "Replies a second."),
            _Family("deadheat_wall_seconds", "gauge", "Wall time of a program.", "seconds"),
            _Family("deadheat_cpu_seconds", "gauge", "CPU time of a program.", "seconds"),
            _Family("deadheat_cpu_per_request_seconds", "gauge", "Server CPU time a reply.", "seconds"),
            _Family("deadheat_first_reply_seconds", "gauge", "From a start to the first reply.", "seconds"),
            _Family("deadheat_reply_100_seconds", "gauge", "From a start to the 100th reply.", "seconds"),
            _Family("deadheat_reply_10000_seconds", "gauge", "From a start to the 10,000th.", "seconds"),
            _Family("deadheat_cpu_ratio", "gauge", "CPU time over the reference contender's."),
            _Family("deadheat_latency_seconds", "gauge", "Latency by percentile.", "seconds"),
            _Family("deadheat_peak_memory_bytes", "gauge", "Peak memory.", "bytes"),
            _Family("deadheat_artifact_bytes", "gauge", "Size of what was built.", "bytes"),
            _Family("deadheat_gate_ok", "gauge", "1 where a check on the measurement holds."),
            _Family("deadheat_null_pair_ratio", "gauge", "The reference against itself."),
            _Family("deadheat_verdict", "stateset", "What is said of a against b."),
        )
    }
    run = {
        "run": source.results.run,
        "version": source.results.version,
        "preset": source.results.preset,
        "seed": str(source.results.seed),
        "started": source.results.started,
    }
    families["deadheat_run"].add(run, 1, "_info")
    for race in source.races:
        _add_race(families, race, _race_labels(race))
    return families.values()


def _race_labels(race: Race) -> dict[str, str]:
    return {
        "workload": race.plan.workload,
        "setting": race.plan.setting or "",
        "method": race.plan.method,
    }


def _add_race(families: Mapping[str, _Family], race: Race, of: Labels) -> None:
    families["deadheat_complete"].add(of, int(race.unfinished is None))
    if race.result.null_pair is not None:
        null = race.result.null_pair
        _bounds(families["deadheat_null_pair_ratio"], of, null.ratio, null.ci)
    for gate in race.result.gates:
        families["deadheat_gate_ok"].add({**of, "contender": "", "gate": gate.name}, int(gate.ok))
    for row in race.result.contenders:
        if row.status == "measured":
            _add_row(families, row, {**of, "contender": row.id, "class": row.class_})
    for verdict in race.result.verdicts:
        pair = {**of, "a": verdict.a, "b": verdict.b, "metric": verdict.metric}
        for word in VERDICTS:
            labels = {**pair, "deadheat_verdict": word}
            families["deadheat_verdict"].add(labels, int(verdict.verdict == word))


def _add_row(families: Mapping[str, _Family], row: ContenderResult, who: Labels) -> None:
    if row.against_reference is not None:
        _bounds(families["deadheat_ratio"], who, row.against_reference.ratio, row.against_reference.ci)
    if row.figures.cpu_against_reference is not None:
        used = row.figures.cpu_against_reference
        _bounds(families["deadheat_cpu_ratio"], who, used.ratio, used.ci)
    for name, measure, scale in (
        ("deadheat_throughput_requests_per_second", row.figures.throughput_rps, 1.0),
        ("deadheat_wall_seconds", row.figures.wall_s, 1.0),
        ("deadheat_cpu_seconds", row.figures.cpu_s, 1.0),
        ("deadheat_first_reply_seconds", row.figures.first_reply_s, 1.0),
        ("deadheat_reply_100_seconds", row.figures.reply_100_s, 1.0),
        ("deadheat_reply_10000_seconds", row.figures.reply_10000_s, 1.0),
        ("deadheat_cpu_per_request_seconds", row.figures.cpu_us_per_request, 1e-6),
    ):
        if measure is not None:
            ci = (measure.ci[0] * scale, measure.ci[1] * scale) if measure.ci else None
            _bounds(families[name], who, measure.estimate * scale, ci)
    if row.figures.latency_ms is not None:
        for percentile in ("p50", "p90", "p99", "p99_9"):
            value_ms = getattr(row.figures.latency_ms, percentile)
            if value_ms is not None:
                labels = {**who, "percentile": percentile[1:].replace("_", ".")}
                families["deadheat_latency_seconds"].add(labels, value_ms / 1e3)
    for name, size in (
        ("deadheat_peak_memory_bytes", row.peak_memory_bytes),
        ("deadheat_artifact_bytes", row.artifact_bytes),
    ):
        if size is not None:
            families[name].add(who, size)
    for gate in row.gates if row.class_ != "ceiling" else ():
        labels = {key: value for key, value in who.items() if key != "class"}
        families["deadheat_gate_ok"].add({**labels, "gate": gate.name}, int(gate.ok))


def _bounds(family: _Family, labels: Labels, value: float, ci: Interval | None) -> None:
    """The estimate, and the ends of its 95% interval where there is one."""
    family.add({**labels, "bound": "estimate"}, value)
    if ci is not None:
        family.add({**labels, "bound": "low"}, ci[0])
        family.add({**labels, "bound": "high"}, ci[1])


def _escaped(content: str) -> str:
    return content.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


FORMAT = Format(
    "openmetrics",
    "OpenMetrics text, for Prometheus and what reads its format",
    "deadheat export latest --to openmetrics --out metrics.txt",
    render,
)
