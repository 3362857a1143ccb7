"""`import deadheat`: the how-to's cells run as in a notebook, and what a run and its tables offer."""

from __future__ import annotations

import ast
import asyncio
import importlib.util
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import deadheat
from deadheat.errors import UserError
from deadheat.export import tables
from deadheat.export.tables import Row
from tests.made.serving import server
from tests.site.test_commands import DOCS, ROOT, Block, blocks

HOW_TO = DOCS / "how-to" / "library.md"
OPTIONAL = "With polars and pandas"
# Their own tests run them: tests/library/test_ab.py.
REPOSITORY = "In your own repository"
BISECT = "judge.py, for git bisect run"
CI_JOB = "In a job of CI"

SIGNED_IN = server(
    """\
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(200, b"", f"X-Id: {SESSION}\\r\\n")

    def do_GET(self):
        self.answer(200 if self.path == f"/{SESSION}" else 401, b"you")
    """,
    "SESSION = secrets.token_hex(8)\n",
)


def cells() -> list[Block]:
    return [block for block in blocks(HOW_TO) if block.language == "python"]


def executed(cell: str, names: dict[str, Any]) -> Any:
    """As a notebook does: what its last line is, where that is an expression."""
    tree = ast.parse(cell)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(HOW_TO), "exec"), names)
    if last is None:
        return None
    assert isinstance(last, ast.Expr)
    return eval(compile(ast.Expression(last.value), str(HOW_TO), "eval"), names)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The names that the how-to's cells leave, run where an event loop runs, and what each showed."""
    home = tmp_path_factory.mktemp("home")
    names: dict[str, Any] = {"shown": []}

    async def notebook() -> None:
        for cell in cells():
            if cell.title not in (OPTIONAL, REPOSITORY, BISECT, CI_JOB):
                names["shown"].append(executed(cell.text, names))

    with pytest.MonkeyPatch.context() as patch:
        for name in ("RUNS", "CACHE", "LOCK"):
            patch.setenv(f"DEADHEAT_{name}", str(home / name.lower()))
        patch.chdir(home)
        # How busy the machine is beside a test is nobody's business.
        patch.setattr("deadheat.plan.races.DISTURBANCE", None)
        patch.setattr("deadheat.library.run.runs_folder", lambda: home / "runs")
        patch.setattr("deadheat.library.races.runs_folder", lambda: home / "runs")
        asyncio.run(notebook())
    return names


def test_the_cells_of_the_how_to_run_where_an_event_loop_runs(ran: dict[str, Any]) -> None:
    raced, planned, *_ = ran["shown"]
    assert isinstance(raced, deadheat.Run)
    assert planned == [ran["plan"].workloads[0].blocks]
    assert {row["contender"] for row in ran["run"].blocks} == {"one", "two"}


def test_a_run_shows_its_verdict(ran: dict[str, Any]) -> None:
    run = ran["run"]
    assert "gates: " in repr(run) and "two" in repr(run)
    assert "<table>" in run._repr_html_() and "gates: " in run._repr_html_()
    assert " ".join(run.results.command).startswith(
        "deadheat race --program python3 -S -c 'sum(range(10**6))'"
    )


def test_a_budget_is_planned_by_what_the_first_program_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each round runs three entries twice: of half a second each, 60 s have no more than 20."""
    monkeypatch.setenv("DEADHEAT_CACHE", str(tmp_path))

    def rounds(line: str) -> int:
        (race,) = deadheat.planned(programs=[line, f"{line} "], budget_s=60).workloads
        return race.blocks * race.rounds

    assert 5 < rounds("sleep 0.5") <= 20 < rounds("true")


def test_a_table_is_read_by_arrow(ran: dict[str, Any]) -> None:
    run = ran["run"]
    table = pa.table(run.slices)
    assert table.num_rows == len(run.slices) > 0
    assert table.schema.field("wall_s").type == pa.float64()
    assert table.column("contender").to_pylist() == [row["contender"] for row in run.slices]
    assert repr(run.verdicts).startswith("<deadheat.Table verdicts: ")
    assert run.verdicts.columns[0] == "run"


def test_a_table_in_a_notebook_is_short_and_escaped() -> None:
    rows: tuple[Row, ...] = tuple({"contender": "<b>", "ratio": 1.23456} for _ in range(25))
    table = deadheat.Table(
        tables.Table("made", {"contender": "text", "ratio": "float", "empty": "int"}, rows)
    )
    shown = table._repr_html_()
    assert "<td>&lt;b&gt;</td><td>1.235</td>" in shown
    assert shown.count("<tr>") == 21
    assert "5 more rows" in shown
    assert "empty" not in shown


@pytest.mark.parametrize("package", ["polars", "pandas"])
def test_frames(ran: dict[str, Any], package: str) -> None:
    run = ran["run"]
    frame = getattr(run.blocks, f"to_{package}")()
    assert len(frame) == len(run.blocks)
    assert list(frame["contender"]) == [row["contender"] for row in run.blocks]
    assert frame["block"].sum() == sum(row["block"] for row in run.blocks)


def test_the_cell_with_frames(ran: dict[str, Any]) -> None:
    [cell] = [cell for cell in cells() if cell.title == OPTIONAL]
    assert list(executed(cell.text, ran).columns) == ["a", "b", "ratio", "ratio_low", "ratio_high"]


@pytest.mark.parametrize("package", ["polars", "pandas"])
def test_without_the_package_one_line_says_so(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    table = deadheat.Table(tables.Table("made", {"n": "int"}, ({"n": 1},)))
    with pytest.raises(UserError, match=f"{package} is not installed"):
        getattr(table, f"to_{package}")()


@pytest.mark.parametrize(
    "options",
    [
        {"programs": ["true"]},
        {"programs": ["true", "true"], "commands": ["true", "true"]},
        {"programs": ["true", "true"], "contenders": ["go"]},
        {"programs": ["true", "true"], "margin": 0.0},
        {"programs": ["true", "true"], "budgets": 3},
        {"programs": ["true", "true"], "requests": "mix.jsonl"},
        {"commands": ["./a", "./b"], "requests": "mix.jsonl", "path": "/"},
        {"commands": ["./a", "./b"], "login": "/login"},
        {"login": "/login", "login_take": {"id": "cookie sid"}},
    ],
)
def test_what_cannot_be_raced(options: Any) -> None:
    with pytest.raises(UserError):
        deadheat.planned(**options)


def test_a_plan_of_a_suite_and_the_command_line_that_asks_the_same() -> None:
    plan = deadheat.planned(
        "http-hello",
        contenders=["node-http"],
        suite=ROOT / "suite",
        connections=[1, 16],
        margin=0.05,
        budget_s=120,
        metric="memory",
        seed=7,
    )
    assert [race.load.connections for race in plan.workloads] == [1, 16]
    assert plan.margin == 0.05
    said = " ".join(plan.command)
    assert said.startswith("deadheat race http-hello -c node-http --seed 7 --metric memory --suite ")
    assert said.endswith("--margin 5% --budget 120s --connections 1,16")


def test_servers_of_several_requests_that_are_signed_in_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CACHE", "LOCK"):
        monkeypatch.setenv(f"DEADHEAT_{name}", str(tmp_path / name.lower()))
    monkeypatch.setattr("deadheat.app.ad_hoc.APART_S", 0.0)
    (tmp_path / "app.py").write_text(SIGNED_IN)
    (tmp_path / "mix.jsonl").write_text(
        '{"path": "/{id}", "weight": 2}\n{"path": "/{id}", "name": "again", "expect": {"body": "you"}}\n'
    )
    monkeypatch.chdir(tmp_path)
    line = f"{sys.executable} -S -E app.py"
    plan = deadheat.planned(
        commands=[line, line],
        names=["one", "two"],
        requests="mix.jsonl",
        login="/in",
        login_body="secret",
        login_take={"id": "header X-Id"},
    )
    said = " ".join(plan.command)
    assert said.endswith("--requests mix.jsonl --login /in --login-body *** --login-take id=header X-Id")
    [manifest] = (tmp_path / "cache" / "ad-hoc").glob("*/ad-hoc/workload.toml")
    asked = tomllib.loads(manifest.read_text())
    assert [(each["name"], each["path"], each["weight"]) for each in asked["mix"]] == [
        ("GET /{id}", "/{id}", 2),
        ("again", "/{id}", 1),
    ]
    assert asked["login"] == {"path": "/in", "body": "secret", "take": {"id": "header X-Id"}}


def test_no_such_run(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        deadheat.read("nothing", tmp_path)


def test_importing_it_loads_no_more_than_is_asked_for() -> None:
    """The command line imports the package first of all."""
    line = "import sys, deadheat; print(len([m for m in sys.modules if m.startswith('deadheat.')]))"
    said = subprocess.run(
        [sys.executable, "-c", line], capture_output=True, text=True, check=True, env=os.environ
    )
    assert said.stdout.strip() == "0"
    assert importlib.util.find_spec("deadheat.library") is not None
    with pytest.raises(AttributeError, match="has no attribute 'speed'"):
        _ = deadheat.speed
