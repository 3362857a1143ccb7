"""The pages of a site, each as its text."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from jinja2 import Environment

from deadheat import __version__
from deadheat.history.page import Trend, trend_of
from deadheat.history.tables import ContenderRow
from deadheat.model.result import RaceResult, Results
from deadheat.report import claims_table, verdicts, words
from deadheat.report.html import page, tables_view, text
from deadheat.report.html.hardened import hardened
from deadheat.report.html.tables_view import Table
from deadheat.site import places
from deadheat.site.gathered import Gathered, Raced

# Of a feed.
NEWEST = 50
CSV = (
    "run", "started", "commit", "machine", "workload", "setting", "method", "metric", "reference",
    "contender", "estimate", "ratio", "ratio_low", "ratio_high", "verdict", "blocks",
)  # fmt: skip


@dataclass(frozen=True)
class Race:
    """A race as the site's own pages show it; `sentences`: its verdicts."""

    raced: Raced
    run: str
    headline: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class About:
    """What every page says: the site's title, and when it was made."""

    title: str
    made: str


def index(of: Gathered, about: About) -> str:
    """The newest verdict of each workload, workloads side by side, claims, and every run."""
    return _render(
        "index.html.j2",
        about,
        "",
        workloads=[(name, _race(of.newest(name)[0], "")) for name in of.workloads],
        matrices=_matrices(of),
        studies=_studies(of),
        runs=of.runs,
    )


def workload(of: Gathered, name: str, about: About) -> str:
    """The newest race of a workload on each machine and in each setting, and all of its runs."""
    return _render(
        "workload.html.j2",
        about,
        "../",
        name=name,
        races=[_race(raced, "../") for raced in of.newest(name)],
        runs=list(dict.fromkeys(raced.run.run for raced in of.workloads[name])),
    )


def contender(of: Gathered, name: str, about: About) -> str:
    """A contender's ratio to the reference over runs, in each of its workloads and on each machine."""
    trends: list[Trend] = [trend_of(series) for series in of.trends(name)]
    return _render("contender.html.j2", about, "../", name=name, trends=trends, workloads=of.contenders[name])


def run(results: Results) -> str:
    """The page of a run; what takes its journal (curves of latency, single turns) is in its own report."""
    return page.render(results, assets="../../")


def feed(of: Gathered, about: About, url: str) -> str:
    """The newest runs with their verdicts, as an Atom feed of a site that stands at `url`."""
    entries = [
        (run, [sentence for race in run.workloads for sentence in _sentences(race, run.margin)])
        for run in of.runs[:NEWEST]
    ]
    return (
        _environment()
        .get_template("feed.xml.j2")
        .render(about=about, url=url.rstrip("/") + "/", entries=entries, places=places, version=__version__)
    )


def verdicts_csv(rows: Sequence[ContenderRow]) -> str:
    """A line for each contender measured in a race, the oldest first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV)
    for row in rows:
        of_run = {"run": row.run.id, "started": row.run.started}
        of_run |= {"commit": row.run.commit or "", "machine": row.run.machine}
        writer.writerow([of_run[name] if name in of_run else getattr(row, name) for name in CSV])
    return out.getvalue()


def _race(raced: Raced, top: str) -> Race:
    race = raced.race
    rows = tuple(
        (
            row.id,
            verdicts.group(race, row),
            words.amount(race.judged, words.own_measure(race.judged, row)),
            verdicts.standing(race, row, raced.run.margin),
        )
        for row in race.contenders
    )
    header = ("contender", "answer", words.unit(race.judged, race.kind), f"against {race.reference}")
    return Race(
        raced=raced,
        run=top + places.run(raced.run.run) + places.INDEX,
        headline=verdicts.headline(race),
        header=header,
        rows=rows,
        sentences=_sentences(race, raced.run.margin),
    )


def _sentences(race: RaceResult, margin: float) -> tuple[str, ...]:
    return tuple(verdicts.of_race(race, verdict, margin) for verdict in race.verdicts)


def _matrices(of: Gathered) -> list[tuple[Results, Table]]:
    """Of each family of workloads the newest, with its run."""
    found: dict[str, tuple[Results, Table]] = {}
    for run in of.runs:
        for table in tables_view.of_workloads(run):
            found.setdefault(table.title, (run, table))
    return list(found.values())


def _studies(of: Gathered) -> list[tuple[str, str, Results]]:
    """Each study with what became of its claims in the newest run that judged one, and that run."""
    found: dict[str, tuple[str, str, Results]] = {}
    for run in of.runs:
        for name, rows, _ in claims_table.by_study(run):
            if name not in found and any(row.here is not None for row in rows):
                found[name] = (name, claims_table.totals(claims_table.shown(rows)), run)
    return list(found.values())


def _render(template: str, about: About, top: str, **more: object) -> str:
    return (
        _environment()
        .get_template(template)
        .render(about=about, top=top, places=places, policy=page.BESIDE, version=__version__, **more)
    )


@cache
def _environment() -> Environment:
    environment = hardened("deadheat.site", "deadheat.history", "deadheat.report.html")
    environment.filters["short"] = text.short
    return environment
