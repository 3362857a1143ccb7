"""Other people's results, read: hyperfine's JSON, wrk's text, ghz's JSON, oha's JSON.

They become context rows. None has an interval that holds for the machine they are shown beside, whatever
spread the tool printed, so none is kept.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deadheat.errors import UserError
from deadheat.generators import ghz, wrk
from deadheat.generators.outside import Figures, GeneratorError

#: What of oha's percentiles is kept, by our names.
OHA_PERCENTILES = ("p50", "p90", "p95", "p99", "p99.9")


@dataclass(frozen=True)
class Foreign:
    """One row of somebody's figures, in their own precision. Seconds, milliseconds; no interval."""

    tool: str
    name: str
    requests: int | None = None
    throughput_rps: float | None = None
    wall_s: float | None = None
    latency_ms: Mapping[str, float] = field(default_factory=dict)
    errors: Mapping[str, int] = field(default_factory=dict)


def read(path: Path) -> list[Foreign]:
    """The rows of a file, its tool known by its form. Raises UserError."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        return _read(content)
    except GeneratorError as error:
        raise UserError(f"{path}: {error}", hint="the whole output of one run is needed") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError(
            f"{path}: is cut off, or of a form not known here: {type(error).__name__}: {error}",
            hint="hyperfine --export-json, wrk's text, ghz --format json, oha --output-format json are read",
        ) from error


def _read(content: bytes) -> list[Foreign]:
    if not content.lstrip().startswith(b"{"):
        text = content.decode("utf-8", "backslashreplace")
        if not text.startswith("Running "):
            raise ValueError("neither JSON nor wrk's text")
        figures = wrk.read(text)
        return [_of_figures("wrk", figures.shown[0].removeprefix("Running ").strip(), figures)]
    report = json.loads(content)
    if "results" in report:
        return [_hyperfine(result) for result in report["results"]]
    if "endReason" in report:
        options = report.get("options") or {}
        name = f"{options.get('call', '?')} @ {options.get('host', '?')}"
        return [_of_figures("ghz", name, ghz.read(content))]
    if "summary" in report and "latencyPercentiles" in report:
        return [_oha(report)]
    raise ValueError(f"JSON with the keys {', '.join(sorted(report)[:5])}")


def _of_figures(tool: str, name: str, figures: Figures) -> Foreign:
    return Foreign(
        tool=tool,
        name=name,
        requests=figures.requests,
        throughput_rps=figures.throughput_rps,
        latency_ms=figures.latency_ms,
        errors=figures.errors,
    )


def _hyperfine(result: Mapping[str, Any]) -> Foreign:
    failed = sum(code != 0 for code in result.get("exit_codes") or ())
    return Foreign(
        tool="hyperfine",
        name=str(result["command"]),
        requests=len(result["times"]) if result.get("times") else None,
        wall_s=_number(result["mean"]),
        errors={"exit code": failed} if failed else {},
    )


def _oha(report: Mapping[str, Any]) -> Foreign:
    """Requests that were answered; oha's rate counts every one that ended, so errors stand beside it."""
    summary, percentiles = report["summary"], report["latencyPercentiles"]
    statuses = {str(code): int(count) for code, count in report["statusCodeDistribution"].items()}
    errors = {code: count for code, count in statuses.items() if not code.startswith(("2", "3"))}
    errors |= {str(what): int(count) for what, count in report["errorDistribution"].items()}
    latency = {"mean": summary["average"], "max": summary["slowest"]}
    latency |= {name: percentiles[name] for name in OHA_PERCENTILES if name in percentiles}
    return Foreign(
        tool="oha",
        name="oha",
        requests=sum(statuses.values()),
        throughput_rps=_number(summary["requestsPerSec"]),
        # Where nothing was answered oha has null for every latency.
        latency_ms={name: _number(value) * 1e3 for name, value in latency.items() if value is not None},
        errors=errors,
    )


def _number(value: object) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is no number")
    return float(value)
