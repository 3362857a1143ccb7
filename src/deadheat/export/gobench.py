"""Go's benchmark text, which benchstat reads: a line a contender and block, since a block is one trial."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deadheat.export.format import Format, Rendered, text
from deadheat.export.source import Race, Source
from deadheat.export.tables import block_values
from deadheat.model.kinds.registry import TRAITS

# Of each metric: its unit there (none: what the kind counts, a second), and what our unit is multiplied by.
UNITS = {
    "throughput_rps": ("", 1.0),
    "cpu_us_per_request": ("cpu-ns/op", 1e3),
    "wall_s": ("ns/op", 1e9),
    "cpu_s": ("cpu-ns/op", 1e9),
    "first_reply_s": ("ns-to-1st", 1e9),
    "reply_100_s": ("ns-to-100th", 1e9),
    "reply_10000_s": ("ns-to-10000th", 1e9),
}
GOARCH = {"x86_64": "amd64", "aarch64": "arm64"}


def render(source: Source) -> Rendered:
    """The run's id is no configuration line: benchstat compares only what has the same."""
    machine = source.results.machine
    architecture = str(machine.get("architecture", "?"))
    lines = [f"# Deadheat {source.results.version}, run {source.results.run}"]
    if source.unfinished:
        lines.append(f"# half-done: {_one_line(source.unfinished)}")
    rates = sorted({_rate(race) for race in source.races})
    lines += [
        *(f"Unit {rate} better=higher" for rate in rates),
        "goos: linux",
        f"goarch: {GOARCH.get(architecture, architecture)}",
    ]
    if model := machine.get("cpu_model"):
        lines.append(f"cpu: {_one_line(str(model))}")
    for race in source.races:
        lines.append(f"pkg: deadheat/{_word(race.plan.workload)}")
        lines += _lines(race, max(1, len(source.plan.server_cpus)))
    return text("gobench.txt", "\n".join(lines) + "\n")


def _lines(race: Race, cpus: int) -> Iterator[str]:
    name = "Benchmark" + "".join(part.capitalize() for part in re.split(r"\W+|_", race.plan.workload))
    for key, value in (("setting", race.plan.setting), ("method", race.plan.method)):
        if value and value != "deadheat":
            name += f"/{key}={_word(value)}"
    # The reference first: benchstat holds the others against the first that it meets.
    entries = sorted(race.plan.entries, key=lambda entry: entry.id != race.plan.reference_entry)
    for entry in entries:
        if entry.null:
            continue
        for block, turns in race.turns(entry.id).items():
            values = block_values(race, entry.id, block)
            shown = [
                f"{value * UNITS[metric][1]:.10g} {_unit(metric, race)}"
                for metric, value in values.items()
                if value is not None and metric in UNITS
            ]
            done = sum(getattr(turn, "replies", getattr(turn, "requests", 1)) for turn in turns)
            if shown and done:
                # The last part is read as the number of CPUs, so a name that ends in -2 keeps its own.
                yield f"{name}/contender={_word(entry.id)}-{cpus} {done} " + " ".join(shown)


def _unit(metric: str, race: Race) -> str:
    return UNITS[metric][0] or _rate(race)


def _rate(race: Race) -> str:
    """How many a second, as short as benchstat's tables want it."""
    return TRAITS[race.plan.kind].rate_unit


def _word(name: str) -> str:
    """A name without what would end it: white space, and the slash that parts it."""
    return re.sub(r"[\s/\x00-\x1f\x7f]+", "_", name) or "_"


def _one_line(words: str) -> str:
    return " ".join(words.split())


FORMAT = Format(
    "gobench",
    "Go benchmark text: benchstat -col /contender FILE, or benchstat OLD NEW",
    "deadheat export latest --to gobench --out new.txt",
    render,
)
