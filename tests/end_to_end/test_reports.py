"""What a finished race leaves: derived from its journal, the same each time, valid and readable anywhere."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from .bench import TWICE, Deadheat, Ended, SuiteFolder

SCHEMAS = Path(__file__).parents[2] / "docs" / "schema"
COLOUR = re.compile(r"\x1b\[[0-9;]*(3[0-7]|9[0-7]|38;)[0-9;]*m")
Finished = tuple[Deadheat, Ended]


@pytest.fixture
def copy(finished: Finished, tmp_path: Path) -> Deadheat:
    """A finished run that a test may damage."""
    home = tmp_path / "home"
    shutil.copytree(finished[0].runs, home / "runs", symlinks=True)
    return Deadheat(home, finished[0].suite)


def _schema(name: str) -> Any:
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text())


def test_the_table_and_where_things_are(finished: Finished) -> None:
    deadheat, ended = finished
    assert re.search(r"^twice · wall time, n = 30 · 6 blocks, 36 invocations$", ended.out, re.MULTILINE)
    assert "null pair" in ended.out
    latest = deadheat.runs / "latest"
    run = latest.resolve().name
    said = ended.err.replace("\n", "")
    assert f"{run}/report.html" in said
    assert f"{run}/report.md" in said
    assert f"{run}/results.json" in said
    assert "again: deadheat race --budget 14s --seed 7" in ended.err
    names = ("plan.json", "machine.json", "builds.json", "journal.jsonl", "results.json", "report.md")
    for name in (*names, "report.html"):
        assert (latest / name).stat().st_size > 0, name
    assert (latest / "results.csv").read_text().count("\n") == 3


@pytest.mark.parametrize(("file", "schema"), [("results.json", "results"), ("plan.json", "plan")])
def test_files_are_valid_against_their_schema(finished: Finished, file: str, schema: str) -> None:
    jsonschema.validate(json.loads((finished[0].runs / "latest" / file).read_text()), _schema(schema))


def test_journal_lines_are_valid_against_their_schema(finished: Finished) -> None:
    validator = jsonschema.Draft202012Validator(_schema("observation"))
    for line in finished[0].journal():
        del line["crc"]
        validator.validate(line)


@pytest.mark.parametrize("verb", ["show", "report"])
def test_json_is_results_json(finished: Finished, verb: str) -> None:
    deadheat = finished[0]
    ended = deadheat.run(verb, "--json")
    assert ended.code == 0
    printed = json.loads(ended.out)
    jsonschema.validate(printed, _schema("results"))
    assert ended.out == (deadheat.runs / "latest" / "results.json").read_text()


def test_a_race_prints_json_and_nothing_else_on_stdout(finished: Finished, tmp_path: Path) -> None:
    deadheat = Deadheat(tmp_path / "home", finished[0].suite)
    ended = deadheat.run("race", "--budget", "3s", "--json")
    results = json.loads(ended.out)
    jsonschema.validate(results, _schema("results"))
    assert results["run"] == (deadheat.runs / "latest").resolve().name


def test_a_report_derives_the_very_same(finished: Finished, copy: Deadheat) -> None:
    latest = copy.runs / "latest"
    names = ("results.json", "results.sha256", "results.csv", "report.md", "report.html", "builds.json")
    before = {name: (latest / name).read_bytes() for name in names}
    for name in names:
        (latest / name).unlink()
    ended = copy.run("report")
    assert ended.code == 0
    assert {name: (latest / name).read_bytes() for name in names} == before
    assert ended.out == finished[1].out
    assert copy.run("show").out == finished[1].out


def test_a_torn_last_line_is_dropped_with_a_warning(copy: Deadheat) -> None:
    latest = copy.runs / "latest"
    before = (latest / "results.json").read_bytes()
    lines = (latest / "journal.jsonl").read_bytes().count(b"\n")
    with (latest / "journal.jsonl").open("ab") as journal:
        journal.write(b'{"type":"invocation","work')
    ended = copy.run("report")
    assert ended.code == 0
    assert f"journal.jsonl:{lines + 1}: torn last line dropped" in ended.err.replace("\n", "")
    assert (latest / "results.json").read_bytes() == before


@pytest.mark.parametrize("verb", [("report",), ("race", "--resume", "latest")])
def test_an_edited_journal_is_no_evidence(copy: Deadheat, verb: tuple[str, ...]) -> None:
    journal = copy.runs / "latest" / "journal.jsonl"
    lines = journal.read_bytes().split(b"\n")
    number, line = next((n, line) for n, line in enumerate(lines, 1) if b'"wall_s":' in line)
    lines[number - 1] = re.sub(rb'"wall_s":[0-9.e-]+', b'"wall_s":0.001', line)
    journal.write_bytes(b"\n".join(lines))
    ended = copy.run(*verb)
    assert ended.code == 2
    assert f"journal.jsonl:{number}: the checksum does not fit the line" in ended.error
    assert "hint: " in ended.error
    assert ended.out == ""
    # Not touched either: it may be evidence of something else.
    assert journal.read_bytes() == b"\n".join(lines)


def test_a_journal_without_its_last_lines_is_resumed(copy: Deadheat) -> None:
    """As if killed in the last block: that block is run again, the others are as they were."""
    journal = copy.runs / "latest" / "journal.jsonl"
    lines = journal.read_bytes().split(b"\n")
    journal.write_bytes(b"\n".join(lines[:-4]) + b"\n" + lines[-4][:20])
    blocks = [o["block"] for o in copy.journal() if o["type"] == "block-ended"]
    ended = copy.run("race", "--resume", "latest")
    assert ended.code in (0, 4), ended
    assert "torn last line dropped" in ended.err.replace("\n", "")
    results = copy.results()
    assert results["resumed"] == 1
    assert results["workloads"][0]["blocks"] == len(blocks) + 1
    assert "resumed 1 time" in ended.out


def test_colour_is_for_terminals(finished: Finished, tmp_path: Path) -> None:
    assert "\x1b[" not in finished[1].out + finished[1].err
    suite = SuiteFolder(tmp_path / "suite")
    suite.workload("twice", TWICE)
    suite.contender("twice", "good", "./good", needs=["no-such-tool"])
    deadheat = Deadheat(tmp_path / "home", suite.path)
    # "unavailable" is yellow.
    assert COLOUR.search(_on_a_terminal(deadheat, "check"))
    plain = _on_a_terminal(deadheat, "check", NO_COLOR="1")
    assert "unavailable" in plain
    assert not COLOUR.search(plain)


@pytest.mark.parametrize("verb", ["show", "list", "runs"])
def test_a_narrow_terminal_loses_nothing(finished: Finished, verb: str) -> None:
    wide = finished[0].run(verb).out
    narrow = Deadheat(finished[0].home, finished[0].suite, env={"COLUMNS": "40"}).run(verb)
    assert narrow.code == 0
    words = set(re.findall(r"[a-z]{3,}", wide)) - {"null"}
    assert words <= set(re.findall(r"[a-z]{3,}", narrow.out))


def test_a_reader_that_goes_away_is_no_error(finished: Finished) -> None:
    deadheat = finished[0]
    with deadheat.start_into_closed_pipe("show") as process:
        _, err = process.communicate(timeout=60)
    # How it ends is between the shell and the library that prints; that it says nothing is ours.
    assert process.returncode in (0, 1)
    assert err == b""


def _on_a_terminal(deadheat: Deadheat, *args: str, **env: str) -> str:
    """What it prints where stdout is a terminal."""
    deadheat.home.mkdir(exist_ok=True)
    ours, theirs = pty.openpty()
    try:
        process = subprocess.Popen(
            deadheat.argv(*args),
            env={**deadheat.environment(), "TERM": "xterm-256color", "COLUMNS": "100", **env},
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs)
        said = b""
        while piece := _read(ours):
            said += piece
        assert process.wait(60) == 0
        return said.decode()
    finally:
        os.close(ours)


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, 65536)
    except OSError:  # EIO: the other side has closed
        return b""
