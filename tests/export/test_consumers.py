"""Each format is read by what it is made for: the figures that come out are the run's own."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
from junitparser import JUnitXml

from deadheat import export
from deadheat.export import source
from deadheat.export.format import Rendered
from deadheat.model.result import ContenderResult
from deadheat.storage.run_folder import RunFolder

from . import made_up, tools

LIMIT_S = 120
# Bencher's published schema of its metric format, in our words.
METRIC = {
    "type": "object",
    "properties": {name: {"type": "number"} for name in ("value", "lower_value", "upper_value")},
    "required": ["value"],
    "additionalProperties": False,
}
BMF = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": {"type": "object", "minProperties": 1, "additionalProperties": METRIC},
}
# What github-action-benchmark's documentation says of its custom tools.
CUSTOM = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "unit": {"type": "string"},
            "value": {"type": "number"},
            "range": {"type": "string"},
            "extra": {"type": "string"},
        },
        "required": ["name", "unit", "value"],
        "additionalProperties": False,
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return made_up.run_folder(tmp_path_factory.mktemp("exports"))


def rendered(folder: RunFolder, name: str) -> Rendered:
    return export.named(name).render(source.read(folder))


def only(folder: RunFolder, name: str) -> str:
    (content,) = rendered(folder, name).files.values()
    return content.decode()


def row(folder: RunFolder, workload: str, contender: str) -> ContenderResult:
    race = next(w for w in folder.results().workloads if w.name == workload)
    return next(c for c in race.contenders if c.id == contender)


def ran(*argv: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run(
        [str(word) for word in argv], capture_output=True, text=True, timeout=LIMIT_S, check=False, cwd=cwd
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def benchstat(tmp_path: Path, *files: str, options: tuple[str, ...] = ()) -> dict[str, list[list[str]]]:
    """What benchstat says of these files, its csv: the rows below each unit's header."""
    names = []
    for number, text in enumerate(files):
        path = tmp_path / f"{number}.txt"
        path.write_text(text)
        names.append(path)
    out = ran(tools.benchstat(), "-format", "csv", *options, *names)
    tables: dict[str, list[list[str]]] = {}
    unit = ""
    for line in csv.reader(io.StringIO(out)):
        if len(line) > 1 and line[0] == "" and line[1] in ("req/s", "sec/op", "cpu-sec/op"):
            unit = line[1]
            tables.setdefault(unit, [])
        elif unit and len(line) > 1 and line[0] not in ("", "geomean"):
            tables[unit].append(line)
    return tables


def test_benchstat_agrees_on_a_clear_case_and_on_equals(folder: RunFolder, tmp_path: Path) -> None:
    found = benchstat(tmp_path, only(folder, "gobench"), options=("-col", "/contender"))
    (servers,) = found["req/s"]
    # Columns after the name: base and its interval, then value, interval, change, P of each other one.
    change = {"fast": servers[5], "same-2": servers[9], "ceiling": servers[13]}
    verdicts = {v.a: v.verdict for v in folder.results().workloads[0].verdicts}
    assert verdicts["fast"] == "faster"
    assert float(change["fast"].rstrip("%")) == pytest.approx(30, abs=6)
    assert change["same-2"] == "~"
    assert float(change["ceiling"].rstrip("%")) == pytest.approx(300, abs=25)
    (programs,) = found["sec/op"]
    assert float(programs[1]) == pytest.approx(made_up.WALL_S, rel=0.05)
    assert float(programs[5].rstrip("%")) == pytest.approx(100 / 1.3 - 100, abs=4)


def test_benchstat_holds_two_runs_against_each_other(tmp_path: Path) -> None:
    old = only(made_up.run_folder(tmp_path, ["echo"]), "gobench")
    later = made_up.run_folder(tmp_path, ["echo"], run="20260103-030405-quick", speeds={"fast": 2.6}, seed=2)
    found = benchstat(tmp_path, old, only(later, "gobench"))
    change = {line[0]: line[5] for line in found["req/s"]}
    assert float(change["Echo/contender=fast-1"].rstrip("%")) == pytest.approx(100, abs=15)
    # A name that ends in a number keeps it: that number is not taken for CPUs.
    assert change["Echo/contender=same-2-1"] == "~"


def test_benchstat_knows_that_more_requests_are_better(folder: RunFolder) -> None:
    assert "Unit req/s better=higher" in only(folder, "gobench").splitlines()


def test_hyperfines_own_scripts_read_the_times(folder: RunFolder, tmp_path: Path) -> None:
    scripts = tools.hyperfine_scripts()
    whole = json.loads(only(folder, "hyperfine"))
    (tmp_path / "all.json").write_text(json.dumps(whole))
    reported = ran(sys.executable, scripts / "advanced_statistics.py", tmp_path / "all.json")
    assert reported.count("Command 'count: ") == len(made_up.CLASSES)
    assert f"runs:         {made_up.BLOCKS * made_up.ROUNDS * 2}" in " ".join(reported.split("\n"))
    pair = [r for r in whole["results"] if r["parameters"]["contender"] in ("slow", "fast")]
    (tmp_path / "pair.json").write_text(json.dumps({"results": pair}))
    reported = ran(sys.executable, scripts / "welch_ttest.py", tmp_path / "pair.json")
    assert "There is a difference" in reported
    same = [r for r in whole["results"] if r["parameters"]["contender"] == "slow"] * 2
    (tmp_path / "same.json").write_text(json.dumps({"results": same}))
    reported = ran(sys.executable, scripts / "welch_ttest.py", tmp_path / "same.json")
    assert "The two benchmarks are almost the same" in reported


def test_hyperfine_says_what_is_no_program(folder: RunFolder) -> None:
    assert rendered(folder, "hyperfine").notes == (
        "echo: no program that runs to completion, so it is left out",
    )


def test_bencher(folder: RunFolder) -> None:
    found = json.loads(only(folder, "bencher"))
    jsonschema.validate(found, BMF)
    fast = row(folder, "echo", "fast").figures.throughput_rps
    assert fast is not None and fast.ci is not None
    assert found["echo fast"]["throughput"] == {
        "value": fast.estimate,
        "lower_value": fast.ci[0],
        "upper_value": fast.ci[1],
    }
    # Bencher's own measure of latency is in nanoseconds.
    assert found["count slow"]["latency"]["value"] == pytest.approx(made_up.WALL_S * 1e9, rel=0.05)
    assert all(len(slug) <= 64 for measures in found.values() for slug in measures)


def test_github_action_benchmark(folder: RunFolder) -> None:
    files = {
        name: json.loads(text) for name, text in rendered(folder, "github-action-benchmark").files.items()
    }
    for entries in files.values():
        jsonschema.validate(entries, CUSTOM)
    bigger = {entry["name"]: entry for entry in files["customBiggerIsBetter.json"]}
    smaller = {entry["name"]: entry for entry in files["customSmallerIsBetter.json"]}
    assert bigger["echo fast ratio"]["value"] == pytest.approx(1.3, rel=0.05)
    assert "count slow wall-time" in smaller and "count slow wall-time" not in bigger


def test_the_pypi_library_reads_the_histogram_log_back(folder: RunFolder, tmp_path: Path) -> None:
    log = tmp_path / "latency.hlog"
    log.write_text(only(folder, "hdr-log"))
    reader = HistogramLogReader(str(log), HdrHistogram(1_000, 60_000_000_000, 3))
    by_tag: dict[str, HdrHistogram] = {}
    starts = []
    while (interval := reader.get_next_interval_histogram()) is not None:
        tag = interval.get_tag()
        starts.append(interval.get_start_time_stamp())
        by_tag.setdefault(tag, HdrHistogram(1_000, 60_000_000_000, 3)).add(interval)
    reader.close()
    assert set(by_tag) == {f"echo_{name}" for name in made_up.CLASSES}
    assert starts == sorted(starts)
    for name in made_up.CLASSES:
        latency = row(folder, "echo", name).figures.latency_ms
        assert latency is not None and latency.p99 is not None
        assert by_tag[f"echo_{name}"].get_value_at_percentile(99) / 1e6 == latency.p99


def test_the_npm_library_reads_the_histogram_log_back(folder: RunFolder, tmp_path: Path) -> None:
    package = tools.node_package("hdr-histogram-js", "3.0.1")
    (tmp_path / "latency.hlog").write_text(only(folder, "hdr-log"))
    script = """
    const fs = require('fs'), hdr = require('hdr-histogram-js');
    const reader = new hdr.HistogramLogReader(fs.readFileSync(process.argv[1], 'utf8'));
    const found = {};
    for (let h; (h = reader.nextIntervalHistogram()) != null;) {
      found[h.tag] = (found[h.tag] || 0) + h.totalCount;
    }
    console.log(JSON.stringify(found));
    """
    reported = json.loads(ran(_node(), "-e", script, tmp_path / "latency.hlog", cwd=package))
    assert reported == {f"echo_{name}": made_up.BLOCKS * 2000 for name in made_up.CLASSES}


def test_junitparser_counts_gates_and_verdicts(folder: RunFolder, tmp_path: Path) -> None:
    path = tmp_path / "junit.xml"
    path.write_text(only(folder, "junit"))
    suites = JUnitXml.fromfile(str(path))
    results = folder.results()
    gates = sum(
        len(w.gates) + sum(len(c.gates) for c in w.contenders if c.class_ != "ceiling")
        for w in results.workloads
    )
    verdicts = sum(len(w.verdicts) for w in results.workloads)
    unsettled = sum(v.verdict == "inconclusive" for w in results.workloads for v in w.verdicts)
    counted = (suites.tests, suites.failures, suites.errors, suites.skipped)
    suites.update_statistics()  # type: ignore[no-untyped-call]
    assert counted == (suites.tests, suites.failures, suites.errors, suites.skipped)
    assert counted == (gates + verdicts, 0, 0, unsettled)
    by_name = {case.name: case for suite in suites for case in suite}
    assert by_name["fast against slow, requests/s"].is_passed


def test_prometheus_reads_openmetrics(folder: RunFolder) -> None:
    families = {f.name: f for f in tools.openmetrics(only(folder, "openmetrics").encode())}
    ratios = {
        (s.labels["workload"], s.labels["contender"], s.labels["bound"]): s.value
        for s in families["deadheat_ratio"].samples
    }
    against = row(folder, "echo", "fast").against_reference
    assert against is not None and against.ci is not None
    assert ratios["echo", "fast", "estimate"] == against.ratio
    assert ratios["echo", "fast", "low"] == against.ci[0]
    said = {
        (s.labels["a"], s.labels["deadheat_verdict"]): s.value
        for s in families["deadheat_verdict"].samples
        if s.labels["workload"] == "echo"
    }
    assert said["fast", "faster"] == 1 and said["fast", "dead heat"] == 0
    assert {s.value for s in families["deadheat_gate_ok"].samples} == {1}
    assert families["deadheat_run"].samples[0].labels["run"] == made_up.RUN


def test_csv_and_parquet_hold_the_same_tables(folder: RunFolder, tmp_path: Path) -> None:
    package = tools.node_package("hyparquet", "1.31.5")
    for name, content in rendered(folder, "parquet").files.items():
        (tmp_path / name).write_bytes(content)
    script = """
    import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
    const file = await asyncBufferFromFile(process.argv[1]);
    const rows = await parquetReadObjects({ file });
    console.log(JSON.stringify(rows, (_, v) => typeof v === 'bigint' ? Number(v) : v));
    """
    tables = {
        name.removesuffix(".csv"): list(csv.DictReader(io.StringIO(content.decode())))
        for name, content in rendered(folder, "csv").files.items()
    }
    turns = made_up.BLOCKS * made_up.ROUNDS * 2 * 5
    assert {name: len(rows) for name, rows in tables.items()} == {
        "slices": 2 * turns,
        "blocks": 2 * made_up.BLOCKS * 5,
        "verdicts": 4,
    }
    for name, rows in tables.items():
        argv = (_node(), "--input-type=module", "-e", script, tmp_path / f"{name}.parquet")
        typed = json.loads(ran(*argv, cwd=package))
        assert [list(line) for line in typed] == [list(line) for line in rows]
        for as_text, as_typed in zip(rows, typed, strict=True):
            for column, text in as_text.items():
                _same(text, as_typed[column])


def test_a_block_is_what_its_slices_add_up_to(folder: RunFolder) -> None:
    """Tidy means that one table can be made of the other."""
    files = rendered(folder, "csv").files
    slices = list(csv.DictReader(io.StringIO(files["slices.csv"].decode())))
    blocks = list(csv.DictReader(io.StringIO(files["blocks.csv"].decode())))
    line = next(b for b in blocks if (b["workload"], b["contender"], b["block"]) == ("echo", "fast", "2"))
    rates = [
        float(s["throughput_rps"])
        for s in slices
        if (s["workload"], s["contender"], s["block"]) == ("echo", "fast", "2")
    ]
    assert len(rates) == int(line["turns"])
    # Replies over time; the slices of this run are equally long.
    assert float(line["throughput_rps"]) == pytest.approx(sum(rates) / len(rates))
    assert float(line["ratio_to_reference"]) == pytest.approx(1.3, rel=0.1)


def _node() -> str:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node not found: install Node.js to check this export against a reader of another author")
    return node


def _same(text: str, typed: Any) -> None:
    if typed is None or typed == "":
        assert text == ""
    elif isinstance(typed, bool):
        assert text == str(typed).lower()
    elif isinstance(typed, str):
        assert text == typed
    else:
        assert float(text) == pytest.approx(typed, rel=1e-12)
