"""The installed `deadheat`: every verb says what it does, and those that only look answer from the suite."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from deadheat import __version__
from deadheat.model import schema

ROOT = Path(__file__).parents[2]
DEADHEAT = Path(sys.executable).parent / "deadheat"
LOOKS = ("list", "check", "build", "show", "report", "runs")
VERBS = (
    "race",
    "ab",
    "comment",
    "cost",
    "merge",
    "cluster",
    *LOOKS,
    "claims",
    "new",
    "explain",
    "export",
    "site",
    "history",
    "compare",
    "import",
    "doctor",
    "calibrate",
    "cache",
    "completion",
    "man",
)
TIMEOUT_S = 120


def _deadheat(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return _run(ROOT, *args, **env)


def _run(cwd: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [DEADHEAT, *args],
        env={**os.environ, **env},
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


@pytest.mark.parametrize("verb", [(), *((verb,) for verb in VERBS)])
def test_help_has_two_examples(verb: tuple[str, ...]) -> None:
    ran = _deadheat(*verb, "--help", COLUMNS="100")
    assert ran.returncode == 0
    assert ran.stderr == ""
    examples = re.findall(r"^ +(deadheat .*)$", ran.stdout.split("Examples:")[1], re.MULTILINE)
    assert len(examples) >= 2
    named = " ".join(["deadheat", *verb])
    assert all(example.startswith(named) for example in examples)


@pytest.mark.parametrize("verb", VERBS)
def test_options_of_the_examples_exist(verb: str) -> None:
    reported = _deadheat(verb, "--help", COLUMNS="100").stdout
    examples, options = reported.split("Examples:")[1].split("Options:")
    own = re.sub(r"'[^']*'", "''", examples.split("|")[0])  # what is quoted is another program's
    asked = set(re.findall(r"(?<=\s)--?[a-z][a-z-]*", own))
    assert asked <= set(re.findall(r"--?[a-z][a-z-]*", options))


def test_help_lists_every_verb() -> None:
    commands = _deadheat("--help").stdout.split("Commands:")[1]
    assert set(re.findall(r"^  (\w+)", commands, re.MULTILINE)) >= set(VERBS)


def test_every_verb_is_said_in_one_line() -> None:
    """At 80 columns, whole: a sentence that click cuts off says less than a shorter one."""
    commands = _deadheat("--help", COLUMNS="80").stdout.split("Commands:")[1].strip().splitlines()
    assert len(commands) >= len(VERBS)
    assert [line for line in commands if line.endswith("...")] == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str) -> None:
    script = _deadheat("completion", shell)
    assert script.returncode == 0
    assert "_DEADHEAT_COMPLETE" in script.stdout


def test_what_bash_is_offered() -> None:
    offered = _deadheat(
        _DEADHEAT_COMPLETE="bash_complete", COMP_WORDS="deadheat race --preset ", COMP_CWORD="3"
    )
    words = [line.partition(",")[2] for line in offered.stdout.splitlines()]
    assert words == ["quick", "standard", "thorough"]


def test_no_verb_is_help() -> None:
    ran = _deadheat()
    assert "Usage: deadheat" in ran.stdout + ran.stderr


def test_version() -> None:
    ran = _deadheat("--version")
    assert (ran.returncode, ran.stdout) == (0, f"deadheat {__version__}\n")


def test_list_of_the_built_in_suite() -> None:
    ran = _deadheat("list")
    assert ran.returncode == 0
    for workload in (ROOT / "suite").glob("*/workload.toml"):
        name = workload.parent.name
        assert re.search(rf"^{name} \(\w[\w-]*\): ", ran.stdout, re.MULTILINE)
        for contender in workload.parent.glob("*/contender.toml"):
            assert re.search(rf"^  [* ] {contender.parent.name} ", ran.stdout, re.MULTILINE), contender


def test_list_as_json() -> None:
    listed = {workload["name"]: workload for workload in json.loads(_deadheat("list", "--json").stdout)}
    assert listed["fib"]["kind"] == "program"
    for workload in listed.values():
        ids = [contender["id"] for contender in workload["contenders"]]
        assert workload["reference"] in ids
        assert len(ids) == len(set(ids))


def test_dry_run_prints_the_plan_and_runs_nothing(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    asked = ("race", "--dry-run", "--seed", "4", "--out", str(runs))
    ran = _deadheat(*asked)
    assert ran.returncode == 0
    lines = ran.stdout.splitlines()
    assert {"fib", "http-hello"} <= {line.split(":")[0] for line in lines if "turns, about" in line}
    assert any(line.startswith("in all about") for line in lines)
    plan = json.loads(_deadheat(*asked, "--json").stdout)
    assert plan["seed"] == 4
    assert {race["workload"] for race in plan["workloads"]} >= {"fib", "http-hello"}
    assert not runs.exists()


def test_runs_where_there_is_none(tmp_path: Path) -> None:
    ran = _deadheat("runs", "--out", str(tmp_path))
    assert (ran.returncode, ran.stdout) == (0, "")
    assert "deadheat race makes one" in ran.stderr
    assert json.loads(_deadheat("runs", "--json", "--out", str(tmp_path)).stdout) == []


def test_cache_shows_and_throws_away(tmp_path: Path) -> None:
    tool = tmp_path / "tools" / "ghz-1"
    tool.mkdir(parents=True)
    (tool / "ghz").write_bytes(b"x" * 2_000_000)
    place = {"DEADHEAT_CACHE": str(tmp_path), "DEADHEAT_LOCK": str(tmp_path / "lock")}
    assert re.search(r"^tool +2 MB +just now +ghz-1$", _deadheat("cache", **place).stdout, re.MULTILINE)
    assert _deadheat("cache", "--older-than", "1d", **place).stdout == ""
    ran = _deadheat("cache", "--prune", "--at-most", "1MB", "--json", **place)
    (gone,) = json.loads(ran.stdout)
    assert (gone["what"], gone["name"], gone["goes"]) == ("tool", "ghz-1", True)
    assert "thrown away: 1, 2 MB" in ran.stderr
    assert not tool.exists()


def test_doctor(tmp_path: Path) -> None:
    ran = _run(tmp_path, "doctor")  # where no suite is: what it came with
    assert ran.returncode == 0, ran.stderr
    assert re.search(r"^[✓!] .*cores?\b", ran.stdout, re.MULTILINE)
    assert re.search(r"^[✓✗] .*\bgo\b.*\(.*fib.*: \d+ contenders?\)$", ran.stdout, re.MULTILINE)


def test_doctor_as_json_says_what_is_missing(tmp_path: Path) -> None:
    contender = tmp_path / "w" / "c"
    contender.mkdir(parents=True)
    (tmp_path / "w" / "workload.toml").write_text(
        'title = "W"\nquestion = "?"\nkind = "http"\nmetric = "throughput_rps"\nreference = "c"\n'
        '[request]\npath = "/"\n[[conformance]]\npath = "/"\nbody = ""\n'
    )
    (contender / "contender.toml").write_text(
        'title = "C"\nlanguage = "C"\nclass = "idiomatic"\nrun = "./c {port}"\nneeds = ["no-such-tool"]\n'
    )
    found = json.loads(_deadheat("doctor", "--json", "--suite", str(tmp_path)).stdout)
    assert found["machine"]["cores"] >= 1
    assert [need["need"] for need in found["toolchains"]] == ["no-such-tool"]
    assert found["toolchains"][0]["problem"] == "no-such-tool not found"
    assert found["toolchains"][0]["contenders"] == ["w/c"]


@pytest.mark.parametrize("name", schema.schemas())
def test_published_schemas_are_current(name: str) -> None:
    published = json.loads((ROOT / "docs" / "schema" / name).read_text())
    assert published == schema.schemas()[name], "make schema"


def test_no_schema_is_left_over() -> None:
    assert {file.name for file in (ROOT / "docs" / "schema").iterdir()} == set(schema.schemas())
