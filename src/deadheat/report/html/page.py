"""The page: views put into templates, style and script put into the page."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup
from scipy.special import stdtrit

from deadheat.model.contender import Contender
from deadheat.model.observation import Observation
from deadheat.model.result import RaceResult, Results
from deadheat.report import gates, words
from deadheat.report.html import gates_view, tables_view, text
from deadheat.report.html.claims_view import studies
from deadheat.report.html.evidence import Evidence, evidence
from deadheat.report.html.hardened import hardened, static
from deadheat.report.html.race_view import RaceView, race_view
from deadheat.report.html.sources import Sources
from deadheat.suite.suite import Suite

# Of pages whose style and script are files beside them.
BESIDE = (
    "default-src 'none'; img-src data:; style-src 'self'; script-src 'self'; base-uri 'none'; "
    "form-action 'none'"
)
# Degrees of freedom for which the page can give intervals against another reference: blocks less one.
MOST_DF = 40


@dataclass(frozen=True)
class Live:
    """What a page that is still growing shows beside its figures."""

    state: str
    log: tuple[str, ...]


def render(
    results: Results,
    observations: Sequence[Observation] = (),
    suite: Suite | None = None,
    warnings: Sequence[str] = (),
    live: Live | None = None,
    assets: str | None = None,
) -> str:
    """The whole page. `warnings` are shown first: what was cut off, missing or changed by hand. `assets`:
    where style.css and view.js lie, beside a page of many; else they are in the page.

    Without observations there are no latency curves and no turns over time; without a suite no sources.
    """
    return (
        _environment()
        .get_template("page.html.j2")
        .render(**_context(results, observations, suite, warnings, live, assets))
    )


def _context(
    results: Results,
    observations: Sequence[Observation],
    suite: Suite | None,
    warnings: Sequence[str],
    live: Live | None,
    assets: str | None,
) -> dict[str, Any]:
    races = _races(results, evidence(observations), suite, live is not None)
    style, script = static(__package__, "style.css"), static(__package__, "view.js")
    scripts = [script] if live is None else [script, static(__package__, "follow.js")]
    rows = [row.row for race in races for row in race.rows]
    return {
        "results": results,
        "races": races,
        "warnings": tuple(_warnings(results, bool(observations) or assets is not None, warnings)),
        "live": live,
        "settings": tuple(tables_view.of_settings(results)),
        "workloads": tuple(tables_view.of_workloads(results)),
        "studies": tuple(studies(results)),
        "languages": sorted({row.language for row in rows}, key=str.casefold),
        "classes": sorted({row.class_ for row in rows}),
        "has_variants": any(row.variant for row in rows),
        "style": Markup(style),
        "scripts": [Markup(s) for s in scripts],
        "policy": _policy(style, scripts, live) if assets is None else BESIDE,
        "assets": assets,
        "quantiles": " ".join(f"{stdtrit(df, 0.975):.4f}" for df in range(1, MOST_DF + 1)),
        "machine": _machine(results),
        "again": _again(results),
    }


def _races(
    results: Results, seen: Mapping[str, Evidence], suite: Suite | None, live: bool
) -> tuple[RaceView, ...]:
    sources = Sources()
    return tuple(
        race_view(
            number,
            result,
            results.margin,
            seen.get(_key(result), Evidence()),
            _by_id(suite, result),
            sources,
            live,
        )
        for number, result in enumerate(results.workloads)
    )


def _key(result: RaceResult) -> str:
    """What the journal calls this race by (see RacePlan.key)."""
    setting = f" [{result.setting}]" if result.setting else ""
    return f"{result.name}{setting}" + ("" if result.method == "deadheat" else f" ({result.method})")


def _by_id(suite: Suite | None, result: RaceResult) -> dict[str, Contender]:
    return {c.id: c for c in suite.contenders.get(result.name, ())} if suite else {}


def _warnings(results: Results, journal: bool, warnings: Sequence[str]) -> Sequence[str]:
    found = list(warnings)
    if results.stopped:
        found.append(
            f"This run was stopped before its plan's end ({results.stopped}): what there is so far is shown."
        )
    if results.resumed:
        found.append(f"This run was interrupted and resumed {results.resumed} time(s).")
    if not journal:
        found.append("The journal is not at hand: no latency curves and no turns over time are shown.")
    return found


def _again(results: Results) -> str:
    command = " ".join(results.command)
    return command if "--seed" in results.command else f"{command} --seed {results.seed}"


#: Facts whose own names do not say enough.
SAID_AS = {"activity": "before the race", "load_1min": "load, 1 minute", "perf": "performance counters"}


def _machine(results: Results) -> list[tuple[str, str]]:
    """What is known of the machine, one line a fact."""
    found = []
    for name, value in results.machine.items():
        if name == "activity" and isinstance(value, Mapping):
            said = _activity(value)
        elif isinstance(value, list | tuple):
            said = ", ".join(str(item) for item in value) or "none"
        else:
            said = _fact(name, value)
        found.append((SAID_AS.get(name, name.replace("_", " ").removesuffix(" bytes")), said))
    return found


def _activity(seen: Mapping[str, object]) -> str:
    """What went on before the race: `1% busy, 0% stolen, over 0.5 s`."""
    shares = {"busy": "busy", "steal": "stolen"}
    said = [f"{seen[key]:.0%} {as_}" for key, as_ in shares.items() if isinstance(seen.get(key), int | float)]
    window = f"over {seen['window_s']} s" if "window_s" in seen else ""
    return ", ".join(filter(None, [*said, window]))


def _fact(name: str, value: object) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and name.endswith("_bytes"):
        return words.size(value)
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _policy(style: str, scripts: Sequence[str], live: Live | None) -> str:
    """Content-Security-Policy: our own style and script, and no request to anywhere."""
    allowed = " ".join(map(_digest, scripts))
    connect = "; connect-src 'self'" if live else ""
    return (
        f"default-src 'none'; img-src data:; style-src {_digest(style)}; script-src {allowed}{connect}; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text_: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text_.encode()).digest()).decode()}'"


@cache
def _environment() -> Environment:
    environment = hardened("deadheat.report.html")
    environment.filters |= {
        "short": text.short,
        "size": words.size,
        "gate_value": gates_view.value,
        "advice": gates.advice,
    }
    environment.globals["figure"] = words.figure
    return environment
