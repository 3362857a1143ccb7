"""`deadheat-load` by hand, run as any other generator is: what it finds, in the form of ghz beside it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path

from hdrh.histogram import HdrHistogram
from pydantic import BaseModel, ConfigDict, ValidationError

from deadheat.build import toolchain
from deadheat.generators import ghz_form
from deadheat.generators.engine import BINARY, find_binary
from deadheat.generators.outside import Figures, GeneratorError, UnansweredError, unreadable
from deadheat.hosts import Host
from deadheat.model.histogram import DIGITS, HIGHEST_NS, LOWEST_NS
from deadheat.util.interrupt import Stop

# As ghz divides: ten bins from the fastest to the slowest.
BINS = 10
PERCENTILES = (10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0)
# grpc-status by its number, in the names that ghz prints (grpc's codes.Code).
STATUSES = (
    "OK", "Canceled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound", "AlreadyExists",
    "PermissionDenied", "ResourceExhausted", "FailedPrecondition", "Aborted", "OutOfRange", "Unimplemented",
    "Internal", "Unavailable", "DataLoss", "Unauthenticated",
)  # fmt: skip


class _Latency(BaseModel):
    model_config = ConfigDict(strict=True)

    mean: float | None
    stdev: float | None
    max: float | None


class _Report(BaseModel):
    """What `--json` prints, as far as it is used: ours, so that a new key is no news about errors."""

    model_config = ConfigDict(strict=True)

    requests: int
    errors: int
    duration_s: float
    throughput_rps: float
    latency_ms: _Latency
    bytes_in: int
    statuses: dict[str, int]
    errors_by_kind: dict[str, int]
    first_error: str | None


class DeadheatLoad:
    """The engine that this installation has. One thread."""

    name = BINARY

    def missing(self, host: Host) -> str | None:
        return toolchain.missing(host, (BINARY,))

    def version(self, host: Host) -> str:
        return toolchain.version_of(host, BINARY) or "?"

    def prepare(self, host: Host, stop: Stop, cpus: frozenset[int]) -> None:
        """It is there as it is."""

    def argv(self, arguments: Sequence[str], url: str, output: Path) -> tuple[str, ...]:
        return (find_binary(), url, *arguments, "--json", "--quiet", "--hdr", _log(output).name)

    def read(self, printed: bytes, output: Path) -> Figures:
        try:
            log = _log(output).read_text()
        except OSError as error:
            raise GeneratorError(f"{BINARY} left no histogram: {error.strerror}") from error
        return read(printed, log)


def read(printed: bytes, log: str) -> Figures:
    """Its JSON, and its HdrHistogram log (ns). Raises GeneratorError."""
    try:
        report = _Report.model_validate_json(printed)
    except ValidationError as error:
        raise unreadable(BINARY, error) from error
    counted = sum(report.errors_by_kind.values())
    if counted != report.errors:
        raise GeneratorError(f"{BINARY} counts {report.errors} errors and {counted} of known kinds")
    if report.requests == 0:
        raise UnansweredError(f"{BINARY} had no call answered: {(report.first_error or 'none sent')[:200]}")
    histogram = _merged(log)
    if histogram.get_total_count() != report.requests:
        raise GeneratorError(
            f"{BINARY} counts {report.requests} calls and {histogram.get_total_count()} latencies"
        )
    values = histogram.get_percentile_to_value_dict(list(PERCENTILES))
    percentiles = [(percent, values[percent] / 1e6) for percent in PERCENTILES]
    latency_ms = {
        "mean": report.latency_ms.mean,
        "stdev": report.latency_ms.stdev,
        "max": report.latency_ms.max,
        **{f"p{percent:g}": ms for percent, ms in percentiles},
    }
    return Figures(
        requests=report.requests,
        seconds=report.duration_s,
        throughput_rps=report.throughput_rps,
        latency_ms={name: ms for name, ms in latency_ms.items() if ms is not None},
        errors={kind: count for kind, count in report.errors_by_kind.items() if count},
        threads=1,
        bytes_in=report.bytes_in,
        shown=ghz_form.lines(
            _bins(histogram), percentiles, {_status(code): n for code, n in report.statuses.items()}
        ),
    )


def _merged(log: str) -> HdrHistogram:
    """All intervals of an HdrHistogram V2 log: a histogram is the last field of its line."""
    merged = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)
    for line in log.splitlines():
        if line and not line.startswith(("#", '"')):
            merged.decode_and_add(line.rpartition(",")[2])
    return merged


def _bins(histogram: HdrHistogram) -> list[tuple[float, int]]:
    """Upper ends in ms and counts, from the fastest in bins of one width, as ghz has them."""
    cells = [
        (step.value_iterated_to, step.count_added_in_this_iter_step)
        for step in histogram.get_recorded_iterator()
    ]
    fastest, slowest = cells[0][0], cells[-1][0]
    # The last end is the slowest itself, which rounding might else put below it.
    ends = [fastest + (slowest - fastest) * n / BINS for n in range(BINS)] + [float(slowest)]
    counts = [0] * len(ends)
    for value, count in cells:
        counts[bisect_left(ends, value)] += count
    return [(end / 1e6, count) for end, count in zip(ends, counts, strict=True)]


def _status(code: str) -> str:
    return STATUSES[int(code)] if code.isdigit() and int(code) < len(STATUSES) else code


def _log(output: Path) -> Path:
    return output.with_suffix(".hdr")
