"""`deadheat.ab`: two revisions compared from Python."""

from __future__ import annotations

import json
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

import deadheat
from deadheat.app import ad_hoc
from deadheat.cli import ab as cli
from deadheat.errors import UserError
from deadheat.library.revisions import AbOptions, _as_command, _given
from deadheat.report import revisions
from deadheat.results.gates import registry
from tests.end_to_end.impatient import OF_THE_MACHINE
from tests.made.forge import serving
from tests.made.pull_request import Pull
from tests.made.repository import ENVIRONMENT, Made, made

from .test_library import BISECT, CI_JOB, REPOSITORY, cells, executed

PROGRAM = "for _ in range({times}): pass\nprint('done')\n"
LITTLE, MUCH = 1_000, 2_000_000
TOOK_S = 0.02
BENCH = f'program = "{sys.executable} -S -E app.py"\n'


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    """A program that does little, on main; of its own runs, builds and lock."""
    for name in ("RUNS", "CACHE", "LOCK"):
        monkeypatch.setenv(f"DEADHEAT_{name}", str(tmp_path / name.lower()))
    for variable, value in ENVIRONMENT.items():
        monkeypatch.setenv(variable, value)
    # How busy the machine is beside a test is nobody's business.
    monkeypatch.setattr("deadheat.plan.races.DISTURBANCE", None)
    monkeypatch.setattr("deadheat.run.repeats.LONGEST", 1e9)
    enough = {"enough-blocks": registry.RACE_GATES["enough-blocks"]}
    monkeypatch.setattr(registry, "RACE_GATES", enough)
    own = {name: gate for name, gate in registry.CONTENDER_GATES.items() if name not in OF_THE_MACHINE}
    monkeypatch.setattr(registry, "CONTENDER_GATES", own)
    monkeypatch.setattr("deadheat.app.ad_hoc.APART_S", 0.0)
    # How long a start took on it must not decide whether a budget is too short.
    usual = ad_hoc.recorded
    monkeypatch.setattr(
        ad_hoc, "recorded", lambda *given, **options: replace(usual(*given, **options), took_s=TOOK_S)
    )
    monkeypatch.setattr("deadheat.library.revisions.runs_folder", lambda: tmp_path / "runs")
    repo = made(tmp_path / "mine", {"app.py": PROGRAM.format(times=LITTLE), "bench/deadheat.toml": BENCH})
    monkeypatch.chdir(repo.path)
    return repo


def test_the_cell_of_the_how_to(mine: Made) -> None:
    mine.write({"app.py": PROGRAM.format(times=MUCH)})
    names: dict[str, Any] = {"deadheat": deadheat}
    shown = executed(cell(REPOSITORY), names)
    assert isinstance(shown, deadheat.Comparison)
    # Which answer it is the machine's noise may decide; that it is shown, it may not.
    assert repr(shown).splitlines() == list(revisions.lines(shown.found))
    assert "cpu &gt; 3%" in shown._repr_html_()
    [decided] = shown.found.conditions
    assert (shown.failed, shown.open) == (decided.state == "fails", decided.state == "open")
    assert shown.run is not None
    assert {row["contender"] for row in shown.run.blocks} >= {"base", "head"}
    assert " ".join(shown.run.plan.command) == (
        "deadheat ab main . --metric cpu --seed 7 --budget 10s --fail-if cpu > 3%"
    )
    assert mine.worktrees() == 1


def test_the_same_program_is_not_raced(mine: Made, tmp_path: Path) -> None:
    compared = deadheat.ab("HEAD", repository=mine.path, budget_s=20)
    assert repr(compared) == "the same program: every file is the same to the byte"
    assert compared.run is None
    assert not compared.failed
    assert not (tmp_path / "runs").exists()


def test_what_is_set_for_one_side_is_not_shown_with_its_value(mine: Made) -> None:
    mine.write({"app.py": PROGRAM.format(times=MUCH)})
    compared = deadheat.ab(
        "HEAD",
        program=f"{sys.executable} -S -E app.py",
        env_b={"KEY": "secret"},
        metric="cpu",
        budget_s=2,
        margin=0.05,
        copy=(),
        seed=7,
    )
    assert compared.found.head.set_ == ("KEY",)
    assert compared.run is not None
    assert "--set B.env.KEY=*** --metric cpu" in " ".join(compared.run.plan.command)
    assert "secret" not in compared.found.model_dump_json()


def cell(title: str) -> str:
    [found] = [cell for cell in cells() if cell.title == title]
    return found.text


def ended(title: str) -> tuple[object, dict[str, Any]]:
    """What the script of the how-to ends with, and its names."""
    names: dict[str, Any] = {}
    with pytest.raises(SystemExit) as end:
        executed(cell(title), names)
    return end.value.code, names


def test_the_script_of_the_how_to_judges_for_git_bisect(
    mine: Made, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    mine.git("tag", "v1.2")
    code, names = ended(BISECT)
    assert (code, names["step"].error) == (0, None)
    assert "0: the same program: every file is the same to the byte" in capsys.readouterr().out
    # What a commit of before cannot be asked is skipped, and said.
    mine.write({"bench/deadheat.toml": "program = 3\n"})
    code, names = ended(BISECT)
    assert (code, names["step"].compared) == (125, None)
    assert "bench/deadheat.toml:1" in caplog.text
    mine.write({"bench/deadheat.toml": BENCH, "app.py": PROGRAM.format(times=MUCH)})
    code, names = ended(BISECT)
    assert code == 1
    run = names["step"].compared.run
    assert " ".join(run.plan.command) == "deadheat ab v1.2 . --budget 10s --fail-if cpu > 50% --bisect"


def test_a_commit_is_bad_by_the_margin_where_nothing_else_is_said(mine: Made) -> None:
    mine.write({"app.py": PROGRAM.format(times=MUCH)})
    for margin, code in ((0.5, 0), (0.01, 1)):
        step = deadheat.bisect("HEAD", metric="size", margin=margin, program="./app", artifact="app.py")
        assert step.compared is not None
        [decided] = step.compared.found.conditions
        assert (decided.condition.figure, decided.condition.threshold) == ("size", margin)
        assert (step.code, step.compared.run) == (code, None)


@pytest.mark.parametrize("options", [{"margin": 0.0}, {"fail_if": {"speed": 0.1}}, {"fail_iff": {}}])
def test_what_cannot_be_asked_ends_a_bisection(options: Any, mine: Made) -> None:
    step = deadheat.bisect("HEAD", **options)
    assert (step.code, step.compared) == (128, None)
    assert step.error is not None
    assert repr(step) == f"128: {step.error.message}"


def test_the_job_of_the_how_to(
    mine: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pull = Pull(tmp_path)
    (tmp_path / "event.json").write_text(json.dumps(pull.event()))
    monkeypatch.chdir(pull.cloned(tmp_path / "clone"))
    with serving() as forge:
        for name, value in {
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": forge.url,
            "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
            "GITHUB_REPOSITORY": "o/r",
            "GITHUB_STEP_SUMMARY": str(tmp_path / "page.md"),
            "GITHUB_TOKEN": "the-token",
        }.items():
            monkeypatch.setenv(name, value)
        code, names = ended(CI_JOB)
    # The branch does 2,000 times as much.
    assert code == 1
    assert "#12: the comment is written" in capsys.readouterr().out
    assert "fails: cpu \\> 10%" in forge.comments[1]
    left = Path("deadheat-result")
    job = json.loads((left / "ci.json").read_text())
    assert (job["base"], job["head"], job["code"], job["pull_request"]) == (pull.base, pull.head, 1, 12)
    assert job["repeat"] == (
        f"deadheat ab {pull.base} {pull.merge} --metric cpu --budget 10s --fail-if 'cpu > 10%'"
    )
    assert (left / "summary.md").read_text() in (tmp_path / "page.md").read_text()
    assert 'failures="1"' in (left / "junit.xml").read_text()
    assert names["compared"].run.folder.parent == left / "runs"


def test_a_job_leaves_why_nothing_was_compared(
    mine: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GITHUB_ACTIONS", "GITLAB_CI", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UserError, match="is for GitHub Actions and GitLab CI, and this is neither"):
        deadheat.ab(ci=tmp_path / "left")
    with pytest.raises(UserError, match="ci, and no out"):
        deadheat.ab(ci=tmp_path / "left", out=tmp_path)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    (tmp_path / "event.json").write_text("{}")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "event.json"))
    mine.git("tag", "v1")
    base = mine.git("rev-parse", "HEAD")
    mine.commit({"bench/deadheat.toml": "program = 3\n"})
    with pytest.raises(UserError, match=r"bench/deadheat\.toml:1"):
        deadheat.ab("v1", ".", ci=tmp_path / "left")
    job = json.loads((tmp_path / "left" / "ci.json").read_text())
    assert "bench/deadheat.toml:1" in job["error"]
    assert job["base"] == base
    head = mine.git("rev-parse", "HEAD")
    assert job["repeat"] == f"deadheat ab v1 {head} --budget 300s"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"margin": 0.0}, "a margin is a share above 0"),
        ({"command": "./a {port}", "program": "./a"}, "a server or a program, not both"),
        ({"command": "./a {port}", "path": "users"}, "users: a path begins with /"),
        ({"call": "a.B/C"}, "a gRPC server is called by --proto and --call, both"),
        ({"service": ["mongo"]}, 'no service "mongo" is known'),
        ({"fixture": "true"}, "--fixture fills one --service"),
        ({"request": "curl.txt", "path": "/"}, "--request says all of the requests"),
        ({"requests": "mix.jsonl", "path": "/"}, "--requests says all of the requests"),
        ({"login": "/login"}, "nothing of the login's answer is taken"),
        ({"fail_if": {"speed": 0.03}}, 'there is no figure "speed"'),
        ({"fail_if_surely": {"slower": 3}}, "slower: 3 is no share"),
        ({"fail_if": {"p99": 0.03}}, "a program that runs to its end has no p99"),
        ({"fail_iff": {"p99": 0.03}}, "there is no option fail_iff"),
    ],
)
def test_what_cannot_be_asked(options: Any, says: str, mine: Made) -> None:
    with pytest.raises(UserError, match=says):
        deadheat.ab("HEAD", **options)


def test_files_and_services_are_given_as_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "requests.txt").write_text(
        "curl http://127.0.0.1:3000/users\ncurl http://127.0.0.1:3000/items\n"
    )
    asked = _given({"request": tmp_path / "requests.txt", "service": ["redis"], "fixture": "true"}).fields
    assert [each.path for each in asked["request"]] == ["/users", "/items"]
    assert [(each.name, each.fixture) for each in asked["services"]] == [("redis", "true")]
    (tmp_path / "mix.jsonl").write_text('{"path": "/a", "weight": 2}\n{"path": "/{id}"}\n')
    asked = _given(
        {
            "requests": tmp_path / "mix.jsonl",
            "login": "PUT /in",
            "login_headers": {"A": "b"},
            "login_take": {"id": "json $.id"},
        }
    ).fields
    assert [(each.path, each.weight) for each in asked["request"]] == [("/a", 2), ("/{id}", 1)]
    signed_in = asked["login"]
    assert (signed_in.method, signed_in.path, signed_in.headers) == ("PUT", "/in", {"A": "b"})
    called = _given({"proto": "api.proto", "call": "a.B/C", "data": '{"a": 1}'}).fields
    assert [(each.call, each.data) for each in called["call"]] == [("a.B/C", '{"a": 1}')]
    assert called["request"] == ()
    rows = _given({"path": "/{id}", "values": "users.csv"}).fields["request"]
    assert [Path(each.values).name for each in rows] == ["users.csv"]


def test_what_signs_in_is_not_in_the_command() -> None:
    line = " ".join(
        _as_command(
            None,
            ".",
            {
                "login": "/in",
                "login_headers": {"Authorization": "secret"},
                "login_body": "secret",
                "login_take": {"id": "cookie sid"},
                "requests": "mix.jsonl",
            },
        )
    )
    assert line == (
        "deadheat ab --requests mix.jsonl --login /in --login-header *** --login-body *** "
        "--login-take id=cookie sid --budget 300s"
    )


def test_options_have_the_names_of_the_command() -> None:
    named = {
        "headers": "header",
        "login_headers": "login_header",
        "budget_s": "budget",
        "env_a": "set_",
        "env_b": "set_",
    }
    offered = {named.get(name, name) for name in AbOptions.__annotations__}
    # Arguments of the function, a function of its own, and what Python has in another way.
    others = {"base", "head", "out", "ci", "bisect", "json"}
    not_offered = {"db", "server_cpus", "generator_cpus"}
    assert offered == {each.name for each in fields(cli.AbOptions)} - others - not_offered


def test_head_alone_is_compared_with_nothing(mine: Made) -> None:
    with pytest.raises(UserError, match="compared with what"):
        deadheat.ab(head="HEAD", repository=mine.path)


def test_no_repository(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        deadheat.ab(repository=tmp_path)
