"""What the quick verbs import. Sets of modules decide, no clock: docs/performance.md has the times."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from deadheat.cli.app import VERBS, app

ROOT = Path(__file__).parents[2]
# Each costs more than all of `deadheat --help`, or a good part of it.
HEAVY = {"altair", "grpc", "jinja2", "numpy", "pyarrow", "pydantic", "rich", "scipy", "sqlalchemy", "uvicorn"}
PROGRAM = """\
import atexit, json, sys
atexit.register(lambda: sys.stderr.write(json.dumps(sorted(sys.modules))))
from deadheat.cli import main
main()
"""


def _imported(*words: str, cache: Path) -> set[str]:
    """The top-level packages that `deadheat WORDS` imports."""
    return {module.partition(".")[0] for module in _modules(*words, cache=cache)}


def _modules(*words: str, cache: Path) -> set[str]:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        cwd=ROOT,
        env={**os.environ, "DEADHEAT_CACHE": str(cache)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return set(json.loads(ran.stderr))


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("race", "--help"), ("list", "--help")])
def test_help_imports_nothing_heavy(words: tuple[str, ...], tmp_path: Path) -> None:
    imported = _imported(*words, cache=tmp_path)
    assert "click" in imported
    assert imported & HEAVY == set()


def test_list_reads_manifests_once(tmp_path: Path) -> None:
    """First it checks them, for which it needs pydantic; then it knows them, and needs nothing."""
    first = _imported("list", cache=tmp_path)
    assert first & HEAVY == {"pydantic"}
    assert _imported("list", cache=tmp_path) & HEAVY == set()
    assert _imported("list", "--json", cache=tmp_path) & HEAVY == set()


def test_what_ends_each_race_needs_no_distributions() -> None:
    """scipy.stats is a second of CPU time, and Student's quantiles stand in scipy.special too."""
    line = "import sys, deadheat.app.race, deadheat.report.html.page; print('scipy.stats' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


def test_summaries_are_the_first_lines_of_the_verbs_help() -> None:
    """--help has them without importing a verb."""
    context = click.Context(app)
    for name, verb in VERBS.items():
        command = app.get_command(context, name)
        assert command is not None
        assert command.name == name
        assert verb.summary == command.get_short_help_str(limit=200)


def test_help_imports_no_verb(tmp_path: Path) -> None:
    modules = _modules("--help", cache=tmp_path)
    assert modules & {f"deadheat.cli.{verb.module}" for verb in VERBS.values()} == set()
