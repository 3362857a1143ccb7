"""The verbs as they are called: history, compare, import; and a real race that ends up in the history."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from deadheat.history import store
from deadheat.history.database import FILE, open_
from tests.made.cramped import cramped

from .made_up import results

DEADHEAT = Path(sys.executable).parent / "deadheat"
GOLDEN = Path(__file__).parents[1] / "generators" / "golden"
LIMIT_S = 200

WORKLOAD = """\
title = "Count"
question = "Who counts fastest?"
kind = "program"
metric = "wall_s"
reference = "seq"
oracle = "seq {n}"
[program]
args = ["{n}"]
n = { default = 9, quick = 9, standard = 9, thorough = 9, check = { range = [1, 3], random = [4, 9] } }
"""
CONTENDER = 'title = "{0}"\nlanguage = "C"\nclass = "idiomatic"\nrun = "{1} {{args}}"\ndefault = true\n'


def cli(*args: str | Path, runs: Path, code: int = 0, **env: str) -> subprocess.CompletedProcess[str]:
    ran = subprocess.run(
        [str(DEADHEAT), *map(str, args)],
        env={**os.environ, "DEADHEAT_RUNS": str(runs), "COLUMNS": "250", **env},
        cwd=runs,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert ran.returncode == code, ran.stderr
    return ran


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A runs folder whose history has twelve runs; rust gets faster with the ninth."""
    with open_(tmp_path / FILE) as history:
        for n in range(12):
            rust = 1.5 if n < 8 else 2.0
            run = results(f"run-{n:02}", {"rust": rust}, started=f"2026-01-{n + 1:02}", commit=f"c{n:03}")
            store.record(history, run, tmp_path)
    return tmp_path


def test_the_list(kept: Path) -> None:
    lines = cli("history", runs=kept).stdout.splitlines()
    assert [line.split()[0] for line in lines] == [f"run-{n:02}" for n in reversed(range(12))]
    assert "c011" in lines[0] and "http-hello" in lines[0]


def test_a_trend_marks_the_change_with_its_commit(kept: Path) -> None:
    reported = cli("history", "http-hello", "rust", runs=kept).stdout
    (changed,) = [line for line in reported.splitlines() if "change:" in line]
    assert "run-08" in changed and "c008" in changed
    step = re.search(r"([\d.]+) times the level before", changed)
    assert step and float(step[1]) == pytest.approx(2.0 / 1.5, rel=0.03)
    assert reported.startswith("http-hello · rust against go · 64 connections · Quiet 9000, 2 cores")


def test_a_trend_as_json(kept: Path) -> None:
    reported = json.loads(cli("history", "http-hello", "rust", "--json", runs=kept).stdout)
    assert [point["run"] for point in reported["series"][0]["points"] if point["change"]] == ["run-08"]


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("http-hallo",), 'did you mean "http-hello"?'),
        (("http-hello", "rost"), 'did you mean "rust"?'),
        (("a", "b", "c"), "too many words"),
        (("add",), "which run?"),
    ],
)
def test_what_is_not_there(kept: Path, words: tuple[str, ...], hint: str) -> None:
    complained = cli("history", *words, runs=kept, code=2).stderr
    assert hint in complained
    assert len(complained.splitlines()) == 2


def test_a_full_disk_leaves_the_trend_page_that_is_there(kept: Path) -> None:
    with open_(kept / FILE) as history:
        for n in range(28):
            run = results(f"more-{n:02}", {"rust": 1.5}, started=f"2026-02-{n + 1:02}", commit="c" * 500)
            store.record(history, run, kept)
    folder = kept / "pages"
    folder.mkdir()
    (folder / "trend.html").write_text("an older page")
    # SQLite shares 32 kB of memory by a file: the limit lies above that and below the page's size.
    words = ("history", "http-hello", "rust", "--html", folder / "trend.html")
    ran = subprocess.run(
        [*cramped(33_000), DEADHEAT, *words, "--out", kept],
        capture_output=True, text=True, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    assert ran.returncode == 3, ran.stderr
    assert "trend.html: cannot be written: File too large" in ran.stderr.splitlines()[0]
    assert len(ran.stderr.splitlines()) == 2
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"trend.html": "an older page"}


def test_compare_uses_the_history(kept: Path) -> None:
    reported = cli("compare", "run-00", "run-11", runs=kept).stdout
    assert "cannot settle a small difference" in reported
    assert "other runs in the history" in reported
    (rust,) = [line for line in reported.splitlines() if line.startswith("  rust")]
    assert rust.endswith("faster than before") and "against ceiling" in rust


def test_compare_without_history_says_what_it_assumes(tmp_path: Path) -> None:
    with open_(tmp_path / FILE) as history:
        for name in ("a", "b"):
            store.record(history, results(name), tmp_path)
    reported = cli("compare", "a", "b", runs=tmp_path).stdout
    assert "fewer than 4 other runs in the history: 2.8% (sd) is assumed between runs" in reported
    assert reported.count("no change is seen") == 2


def test_compare_with_a_run_that_is_not_there(kept: Path) -> None:
    assert 'no run is called "run-99"' in cli("compare", "run-00", "run-99", runs=kept, code=2).stderr


def test_imports_are_shown_beside_and_marked(kept: Path) -> None:
    wrk = GOLDEN / "wrk-4.1.0-latency.txt"
    for _ in range(2):
        cli("import", wrk, "--workload", "http-hello", "--contender", "rust", runs=kept)
    cli("import", GOLDEN / "ghz-0.120.0-plain.json", runs=kept)
    lines = cli("history", "http-hello", "rust", runs=kept).stdout.splitlines()
    shown = [line for line in lines if "wrk" in line]
    assert len(shown) == 1 and shown[0].endswith("(no interval)")
    assert not [line for line in lines if "ghz" in line]
    everything = cli("history", runs=kept).stdout
    assert "ghz" in everything and "no part of any verdict" in everything
    context = json.loads(cli("history", "--json", runs=kept).stdout)["context"]
    assert [row["interval"] for row in context] == [None, None]


def test_nothing_is_imported_where_one_file_is_broken(kept: Path) -> None:
    broken = kept / "broken.txt"
    broken.write_text("Running nothing")
    cli("import", GOLDEN / "wrk-4.1.0-plain.txt", broken, runs=kept, code=2)
    assert json.loads(cli("history", "--json", runs=kept).stdout)["context"] == []


def race(tmp_path: Path, *more: str) -> tuple[Path, str]:
    """A real race of two programs; the runs folder, and what it said."""
    for name, run in (("seq", "seq"), ("shell", "sh -c 'seq $0'")):
        (tmp_path / "suite" / "count" / name).mkdir(parents=True)
        (tmp_path / "suite" / "count" / name / "contender.toml").write_text(CONTENDER.format(name, run))
    (tmp_path / "suite" / "count" / "workload.toml").write_text(WORKLOAD)
    runs = tmp_path / "runs"
    runs.mkdir(exist_ok=True)
    ran = subprocess.run(
        [str(DEADHEAT), "race", "--suite", tmp_path / "suite", "--out", runs, "--budget", "3s", *more],
        env={
            **os.environ,
            "DEADHEAT_LOCK": str(tmp_path / "lock"),
            "DEADHEAT_CACHE": str(tmp_path / "cache"),
        },
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert ran.returncode in (0, 4), ran.stderr
    return runs, ran.stderr


def test_a_race_is_kept_by_itself_and_can_be_added_again(tmp_path: Path) -> None:
    runs, said = race(tmp_path)
    assert "not in the history" not in said
    (run,) = json.loads(cli("history", "--json", runs=runs).stdout)["runs"]
    assert run["workloads"] == ["count"] and run["unfinished"] is None
    assert "kept: " in cli("history", "add", run["run"], runs=runs).stderr
    assert len(json.loads(cli("history", "--json", runs=runs).stdout)["runs"]) == 1
    assert "shell against seq" in cli("history", "count", "shell", runs=runs).stdout


def test_a_race_is_kept_in_the_teams_database(tmp_path: Path, target: str) -> None:
    runs, said = race(tmp_path, "--db", target)
    assert "not in the history" not in said
    with open_(target) as history:
        (kept,) = store.runs(history)
    assert (runs / kept.id / "results.json").exists()
    assert not (runs / FILE).exists()


def test_a_database_that_cannot_be_reached_costs_no_run_and_its_password_stays_secret(tmp_path: Path) -> None:
    url = f"postgresql://somebody:5ecret@/name?host={tmp_path}"
    runs, said = race(tmp_path, "--db", url)
    run = (runs / "latest").resolve()
    assert said.count("not in the history") == 1
    assert "deadheat history add" in said
    assert (run / "report.html").exists() and (run / "results.json").exists()
    written = [path for path in run.rglob("*") if path.is_file()]
    assert not [path for path in written if b"5ecret" in path.read_bytes()]
    assert "5ecret" not in said
