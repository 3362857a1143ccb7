"""ghz (github.com/bojand/ghz): JSON out, read by a strict model; installed by Go into our own folder.

The version is named: a plain latest resolves to an old one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deadheat import hosts
from deadheat.build import command, toolchain
from deadheat.generators import ghz_form
from deadheat.generators.outside import Figures, GeneratorError, UnansweredError, unreadable
from deadheat.hosts import Host, StartError
from deadheat.hosts.program import Spec
from deadheat.util.interrupt import Stop
from deadheat.util.paths import cache_folder

VERSION = "0.120.0"
PACKAGE = f"github.com/bojand/ghz/cmd/ghz@v{VERSION}"
INSTALL_LIMIT_S = 900.0
LOG_LIMIT_BYTES = 4 << 20


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Percentile(_Part):
    percentage: float
    latency: int


class _Bin(_Part):
    mark: float
    count: int
    frequency: float


class _Report(_Part):
    """The report of ghz. Nanoseconds; `average` and the like are of calls that ended OK."""

    date: str
    end_reason: str = Field(alias="endReason")
    options: dict[str, Any]
    count: int
    total: int
    average: float
    fastest: float
    slowest: float
    rps: float
    errors: dict[str, int] | None = Field(alias="errorDistribution")
    statuses: dict[str, int] = Field(alias="statusCodeDistribution")
    percentiles: list[_Percentile] | None = Field(alias="latencyDistribution")
    histogram: list[_Bin] | None
    # Every single call: what is needed of them is in the rest.
    details: list[Any] | None = None


class Ghz:
    """Our own copy, installed when it is first needed."""

    name = "ghz"

    def missing(self, host: Host) -> str | None:
        return None if _binary().exists() else toolchain.missing(host, ("go",))

    def version(self, host: Host) -> str:
        return VERSION

    def argv(self, arguments: Sequence[str], url: str, output: Path) -> tuple[str, ...]:
        return (str(_binary()), *arguments, "--format", "json", url)

    def read(self, printed: bytes, output: Path) -> Figures:
        return read(printed)

    def prepare(self, host: Host, stop: Stop, cpus: frozenset[int]) -> None:
        """Install it where it is not there yet. Raises GeneratorError with the log's place."""
        binary = _binary()
        if binary.exists():
            return
        # Beside, then renamed: an install that was cut off leaves nothing that looks whole.
        beside = binary.parent.with_name(f".{binary.parent.name}-{os.getpid()}")
        beside.mkdir(parents=True, exist_ok=True)
        log = binary.parent.parent / f"ghz-{VERSION}.log"
        spec = Spec(
            argv=("go", "install", PACKAGE),
            cwd=beside,
            env={**os.environ, "PATH": command.path(), "GOBIN": str(beside)},
            cpus=cpus,
            stdout=log.with_suffix(".out"),
            stderr=log,
            output_limit_bytes=LOG_LIMIT_BYTES,
            time_limit_s=INSTALL_LIMIT_S,
        )
        try:
            exit_ = hosts.wait(host, host.start(spec), stop)
            if exit_.ok and (beside / "ghz").exists():
                shutil.rmtree(binary.parent, ignore_errors=True)
                beside.rename(binary.parent)
                return
            raise GeneratorError(f"go install {PACKAGE} {exit_.describe()}; the log: {log}")
        except StartError as error:
            raise GeneratorError(str(error)) from error
        finally:
            shutil.rmtree(beside, ignore_errors=True)


def read(output: bytes) -> Figures:
    """What ghz found. Raises GeneratorError for JSON that is cut off or not of this version's form."""
    try:
        report = _Report.model_validate_json(output)
    except ValidationError as error:
        raise unreadable("ghz", error) from error
    statuses = sum(report.statuses.values())
    if statuses != report.count:
        raise GeneratorError(f"ghz counts {report.count} calls and {statuses} statuses")
    errors = {status: count for status, count in report.statuses.items() if status != "OK" and count}
    if report.count == sum(errors.values()):
        first_error = next(iter(report.errors or {}), "no call at all")
        raise UnansweredError(f"ghz had no call answered: {first_error[:200]}")
    if report.end_reason != "normal":
        raise GeneratorError(f"ghz ended early: {report.end_reason}")
    histogram = tuple((bin_.mark * 1e3, bin_.count) for bin_ in report.histogram or ())
    latency = {f"p{p.percentage:g}": p.latency / 1e6 for p in report.percentiles or []}
    return Figures(
        requests=report.count,
        seconds=report.total / 1e9,
        throughput_rps=report.rps,
        latency_ms={
            "min": report.fastest / 1e6,
            "mean": report.average / 1e6,
            "max": report.slowest / 1e6,
            **latency,
        },
        histogram=histogram,
        statuses=report.statuses,
        errors=errors,
        shown=_shown(report, histogram),
    )


def _shown(report: _Report, histogram: Sequence[tuple[float, int]]) -> tuple[str, ...]:
    """Histogram, percentiles and statuses in the form of ghz's own summary."""
    return ghz_form.lines(
        histogram,
        [(p.percentage, p.latency / 1e6) for p in report.percentiles or []],
        report.statuses,
    )


def _binary() -> Path:
    return cache_folder() / "tools" / f"ghz-{VERSION}" / "ghz"
