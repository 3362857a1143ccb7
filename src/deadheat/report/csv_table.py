"""results.csv: a line a contender of each workload, for spreadsheets."""

import csv
import io

from deadheat.model.result import Against, ContenderResult, CpuRatio, Measure, RaceResult, Results
from deadheat.report import verdicts, words

COLUMNS = (
    "run", "workload", "setting", "method", "contender", "language", "class", "status", "reason", "place",
    "metric", "estimate", "estimate_low", "estimate_high", "ratio", "ratio_low", "ratio_high", "verdict",
    "cpu_us_per_request", "cpu_s", "cpu_ratio", "cpu_ratio_low", "cpu_ratio_high",
    "latency_mean_ms", "latency_p50_ms", "latency_p99_ms",
    "bytes_per_response", "peak_memory_bytes", "artifact_bytes", "build_s", "first_response_ms", "of_ceiling",
)  # fmt: skip


def render(results: Results) -> str:
    """CSV with a header; empty cells for what is not known."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for workload in results.workloads:
        for row in workload.contenders:
            writer.writerow(_cells(results.run, workload, row))
    return out.getvalue()


def _cells(run: str, workload: RaceResult, row: ContenderResult) -> dict[str, object]:
    pair = {row.id, workload.reference}
    verdict = next((v.verdict for v in workload.verdicts if {v.a, v.b} == pair), None)
    own = words.own_measure(workload.judged, row)
    latency = row.figures.latency_ms
    cells: dict[str, object] = {
        "run": run,
        "workload": workload.name,
        "setting": workload.setting,
        "method": workload.method,
        "contender": _inert(row.id),
        "language": _inert(row.language),
        "class": row.class_,
        "status": row.status,
        "reason": _inert(verdicts.reason(workload, row) if row.status != "measured" else None),
        "place": row.place,
        "metric": workload.judged,
        **_measure("estimate", own),
        **_ratio("ratio", row.against_reference),
        "verdict": verdict,
        "cpu_us_per_request": row.figures.cpu_us_per_request and row.figures.cpu_us_per_request.estimate,
        "cpu_s": row.figures.cpu_s and row.figures.cpu_s.estimate,
        **_ratio("cpu_ratio", row.figures.cpu_against_reference),
        "latency_mean_ms": latency and latency.mean,
        "latency_p50_ms": latency and latency.p50,
        "latency_p99_ms": latency and latency.p99,
    }
    for name in COLUMNS[-6:]:
        cells[name] = getattr(row, name, None)
    return cells


def _measure(name: str, measure: Measure | None) -> dict[str, object]:
    if measure is None:
        return {}
    low, high = measure.ci or (None, None)
    return {name: measure.estimate, f"{name}_low": low, f"{name}_high": high}


def _ratio(name: str, found: Against | CpuRatio | None) -> dict[str, object]:
    if found is None:
        return {}
    low, high = found.ci or (None, None)
    return {name: found.ratio, f"{name}_low": low, f"{name}_high": high}


def _inert(text: str | None) -> str | None:
    """Spreadsheets run cells that begin like a formula; somebody's text must stay text."""
    return f"'{text}" if text and text[0] in "=+-@\t\r" else text
