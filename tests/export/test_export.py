"""Exports of runs that are half-done, old, damaged or hostile; and files that cannot be written."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from deadheat import export
from deadheat.errors import UserError
from deadheat.export import source, write
from deadheat.export.format import Rendered
from deadheat.model.reason import Note

from . import made_up
from .tools import openmetrics

DEADHEAT = Path(sys.executable).parent / "deadheat"
TEXTS = [name for name, format_ in export.FORMATS.items() if not format_.binary]
HOSTILE = '<script>alert(1)</script>"\\\u202e\x00\x1b[31m,\n=1+1 '


def cli(*args: str | Path, runs: Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(DEADHEAT), "export", *map(str, args)],
        env={**os.environ, "DEADHEAT_RUNS": str(runs), "COLUMNS": "300"},
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_list_names_every_format_with_an_example(tmp_path: Path) -> None:
    reported = cli("--to", "list", runs=tmp_path).stdout
    for name in export.FORMATS:
        assert re.search(rf"^{name} ", reported, re.MULTILINE)
        assert re.search(rf"deadheat export \S+ --to {name}( |$)", reported, re.MULTILINE)


def test_help_names_every_format(tmp_path: Path) -> None:
    reported = cli("--help", runs=tmp_path).stdout
    assert all(name in reported for name in export.FORMATS)


@pytest.mark.parametrize(
    ("asked", "near"), [("gobnch", "gobench"), ("hyperfin", "hyperfine"), ("JUnit", "junit")]
)
def test_an_unknown_format_gets_the_nearest_name(tmp_path: Path, asked: str, near: str) -> None:
    found = cli("--to", asked, runs=tmp_path)
    assert found.returncode == 2
    assert f'no format is called "{asked}"' in found.stderr
    assert f'did you mean "{near}"?' in found.stderr


def test_text_goes_to_standard_output_and_nothing_else_does(tmp_path: Path) -> None:
    folder = made_up.run_folder(tmp_path)
    found = cli(folder.path, "--to", "hyperfine", runs=tmp_path)
    assert found.returncode == 0
    assert json.loads(found.stdout)["results"]
    assert "left out" in found.stderr


def test_a_format_of_several_files_goes_into_the_runs_folder(tmp_path: Path) -> None:
    folder = made_up.run_folder(tmp_path)
    assert cli(folder.path, "--to", "csv", runs=tmp_path).returncode == 0
    assert {path.name for path in (folder.path / "exports").iterdir()} == {
        "slices.csv", "blocks.csv", "verdicts.csv",
    }  # fmt: skip


@pytest.mark.parametrize("name", list(export.FORMATS))
def test_a_run_that_was_cut_off_is_exported_and_marked(tmp_path: Path, name: str) -> None:
    folder = made_up.run_folder(tmp_path, planned=made_up.BLOCKS + 4, results=False)
    read = source.read(folder)
    assert read.unfinished == "echo: 6 of 10 blocks; count: 6 of 10 blocks"
    assert export.named(name).render(read).files
    assert not folder.results_file.exists(), "an export reads, and writes nothing into the run"
    found = cli(folder.path, "--to", name, "--out", tmp_path / "out", runs=tmp_path)
    assert found.returncode == 0
    assert "half-done: echo: 6 of 10 blocks" in found.stderr


def test_the_mark_is_in_the_file_where_the_format_has_a_place(tmp_path: Path) -> None:
    folder = made_up.run_folder(tmp_path, planned=made_up.BLOCKS + 4)
    read = source.read(folder)
    for name in ("gobench", "hdr-log", "junit", "github-action-benchmark"):
        files = export.named(name).render(read).files
        assert any(b"half-done" in content for content in files.values()), name
    assert b",false," in export.named("csv").render(read).files["verdicts.csv"]
    (metrics,) = export.named("openmetrics").render(read).files.values()
    families = {f.name: f for f in openmetrics(metrics)}
    assert {s.value for s in families["deadheat_complete"].samples} == {0}


def test_a_whole_run_has_no_mark(tmp_path: Path) -> None:
    assert source.read(made_up.run_folder(tmp_path)).unfinished is None


def test_missing_histograms(tmp_path: Path) -> None:
    folder = made_up.run_folder(tmp_path, histograms=False)
    with pytest.raises(UserError, match="no latency histogram"):
        export.named("hdr-log").render(source.read(folder))
    for name in set(export.FORMATS) - {"hdr-log"}:
        assert export.named(name).render(source.read(folder)).files


def test_a_missing_journal_leaves_what_results_hold(tmp_path: Path) -> None:
    folder = made_up.run_folder(tmp_path)
    folder.journal.unlink()
    read = source.read(folder)
    assert "is not there" in read.warnings[0]
    assert b"echo fast" in export.named("bencher").render(read).files["bencher.json"]
    assert b"fast against slow" in export.named("junit").render(read).files["junit.xml"]


def test_another_schema_names_the_version_that_wrote_it(tmp_path: Path) -> None:
    folder = made_up.run_folder(tmp_path)
    made_up.edit(folder, "results.json", schema=7, version="9.9.9")
    found = cli(folder.path, "--to", "junit", runs=tmp_path)
    assert found.returncode == 2
    assert "not of this version: schema 7, and 4 is read here (Deadheat 9.9.9 wrote it)" in found.stderr
    assert len(found.stderr.splitlines()) == 2


def test_results_from_before_a_field_was_added_are_read(tmp_path: Path) -> None:
    folder = made_up.run_folder(tmp_path)
    results = json.loads(folder.results_file.read_text())
    removed: dict[str, object] = {}
    for workload in results["workloads"]:
        for row in workload["contenders"]:
            for key in ("latency_ms", "published", "toolchains", "own_wall_s", "lower_bound"):
                removed.update({key: row.pop(key)} if key in row else {})
    assert len(removed) == 5, "each belongs to a kind of row"
    folder.results_file.write_text(json.dumps(results))
    for name in export.FORMATS:
        assert export.named(name).render(source.read(folder)).files


def test_servers_alone_are_no_hyperfine_file(tmp_path: Path) -> None:
    folder = made_up.run_folder(tmp_path, ["echo"])
    with pytest.raises(UserError, match="holds times of programs"):
        export.named("hyperfine").render(source.read(folder))


def test_hostile_text_breaks_no_format(tmp_path: Path) -> None:
    read = source.read(made_up.run_folder(tmp_path))
    workloads = []
    for workload in read.results.workloads:
        gates = tuple(
            gate.model_copy(update={"ok": False, "facts": {"note": HOSTILE}}) for gate in workload.gates
        )
        rows = tuple(
            row.model_copy(update={"status": "failed", "reason": HOSTILE}) if row.id == "fast" else row
            for row in workload.contenders
        )
        verdicts = tuple(
            v.model_copy(update={"a": HOSTILE, "reasons": (Note(text=HOSTILE),)}) for v in workload.verdicts
        )
        workloads.append(
            workload.model_copy(update={"contenders": rows, "verdicts": verdicts, "gates": gates})
        )
    results = read.results.model_copy(update={"workloads": tuple(workloads)})
    hostile = source.assemble(read.plan, results, read.observations)
    (junit,) = export.named("junit").render(hostile).files.values()
    messages = [found.get("message", "") for found in ET.fromstring(junit).iter("failure")]
    assert any("<script>" in message for message in messages), "as text, whole"
    (metrics,) = export.named("openmetrics").render(hostile).files.values()
    names = {
        sample.labels["a"]
        for family in openmetrics(metrics)
        if family.name == "deadheat_verdict"
        for sample in family.samples
    }
    assert HOSTILE in names
    table = export.named("csv").render(hostile).files["verdicts.csv"].decode()
    assert HOSTILE in {line["a"] for line in csv.DictReader(io.StringIO(table, newline=""))}


def test_csv_text_is_no_formula(tmp_path: Path) -> None:
    read = source.read(made_up.run_folder(tmp_path, ["echo"]))
    formula = tuple(
        v.model_copy(update={"reasons": (Note(text="=1+1"),), "more_blocks": None})
        for v in read.results.workloads[0].verdicts
    )
    workload = read.results.workloads[0].model_copy(update={"verdicts": formula})
    results = read.results.model_copy(update={"workloads": (workload,)})
    files = export.named("csv").render(source.assemble(read.plan, results, read.observations)).files
    lines = csv.DictReader(io.StringIO(files["verdicts.csv"].decode()))
    assert {line["why"] for line in lines} == {"'=1+1"}


def test_a_contender_whose_name_has_blanks_ends_no_gobench_line(tmp_path: Path) -> None:
    read = source.read(made_up.run_folder(tmp_path, ["echo"]))
    entries = tuple(
        entry.model_copy(update={"id": "a b/c\n d"}) if entry.id == "fast" else entry
        for entry in read.plan.workloads[0].entries
    )
    plan = read.plan.model_copy(
        update={"workloads": (read.plan.workloads[0].model_copy(update={"entries": entries}),)}
    )
    renamed = [
        o.model_copy(update={"entry": "a b/c\n d"}) if getattr(o, "entry", None) == "fast" else o
        for o in read.observations
    ]
    (text,) = export.named("gobench").render(source.assemble(plan, read.results, renamed)).files.values()
    lines = [line for line in text.decode().splitlines() if "contender=a_b_c_d-1 " in line]
    assert len(lines) == made_up.BLOCKS


def test_what_cannot_be_written_is_one_line_and_damages_nothing(tmp_path: Path) -> None:
    folder = made_up.run_folder(tmp_path)
    (tmp_path / "file").write_text("kept")
    found = cli(folder.path, "--to", "csv", "--out", tmp_path / "file", runs=tmp_path)
    assert found.returncode == 2
    assert "is a file, and csv is 3 files" in found.stderr
    found = cli(folder.path, "--to", "junit", "--out", tmp_path / "file" / "junit.xml", runs=tmp_path)
    assert found.returncode == 2
    assert "cannot be written" in found.stderr and "Traceback" not in found.stderr
    assert (tmp_path / "file").read_text() == "kept"


def test_a_full_disk_leaves_the_export_before(tmp_path: Path) -> None:
    """The second of three files does not fit: none of the three is replaced, and nothing is left beside."""
    format_ = export.named("csv")
    before = Rendered({"a.csv": b"old", "b.csv": b"old", "c.csv": b"old"})
    write.write(before, format_, tmp_path / "out")
    (tmp_path / "out" / f".b.csv-{os.getpid()}").symlink_to("/dev/full")
    with pytest.raises(UserError, match="No space left"):
        write.write(
            Rendered({"a.csv": b"new", "b.csv": b"n" * 10**6, "c.csv": b"new"}), format_, tmp_path / "out"
        )
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == dict(before.files)
