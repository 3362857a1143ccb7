"""The races of the studies' pages: each once, gone on with where they stopped, with copies where given."""

from __future__ import annotations

import gzip
import itertools
import json
import lzma
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from bench import kept_results, redis_clients, study_runs

from deadheat.storage import migrate
from deadheat.suite.suite import load

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "tests" / "fixtures" / "runs-f6a1ed6" / "as-published" / "results.json.gz"
LOADED = load(ROOT / "suite").studies
STUDIES = tuple(LOADED)
# Of each study its race by our method, those of rows beside it, and one by its own where it says what that
# was.
RACES = [
    (study, run)
    for study, told in LOADED.items()
    for run in (
        "deadheat",
        *(f"beside.{rows.reference}" for rows in told.beside),
        *(("as-published",) if told.as_published else ()),
    )
]


class Ran:
    """What was started, in the place of `ended`. Each race leaves a run; `stops` is cut off, once."""

    def __init__(self, stops: str | None = None) -> None:
        self.commands: list[list[str]] = []
        self.environments: list[dict[str, str]] = []
        self._stops = stops

    @property
    def races(self) -> list[list[str]]:
        """Of all that was started, without builds that were timed and the script of the pages."""
        return [command for command in self.commands if command[1] == "race"]

    def __call__(self, command: list[str], env: dict[str, str] | None = None) -> int:
        self.commands.append(command)
        self.environments.append(env or {})
        code = 0
        if "race" in command and "--dry-run" not in command:
            out = Path(command[command.index("--out") + 1])
            cut_off = self._stops is not None and self._stops in str(out)
            leave_run(out, stopped="interrupted" if cut_off else None)
            if cut_off:
                self._stops, code = None, 130
        return code


def leave_run(out: Path, stopped: str | None) -> None:
    results = migrate.results(json.loads(gzip.decompress(KEPT.read_bytes())))
    run = out / "20260101-000000-thorough"
    run.mkdir(parents=True, exist_ok=True)
    (run / "plan.json").write_text("{}")
    command = ["deadheat", "race", "--suite", str(ROOT / "suite"), "--out", str(out)]
    (run / "results.json").write_text(json.dumps({**results, "stopped": stopped, "command": command}))


def raced(commands: list[list[str]]) -> list[tuple[str, str]]:
    """Study and run of each, by where it is kept."""
    folders = (Path(command[command.index("--out") + 1]) for command in commands)
    return [(folder.parent.name, folder.name) for folder in folders]


Start = Callable[..., int]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Start:
    def of(ran: Ran, *arguments: str) -> int:
        monkeypatch.setattr(study_runs, "ended", ran)
        monkeypatch.setattr(kept_results, "KEPT", tmp_path / "kept")
        monkeypatch.setattr(sys, "argv", ["study_runs", "--out", str(tmp_path / "out"), *arguments])
        return study_runs.main()

    return of


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    """What somebody brought along: the shards and a Hex home."""
    for name in redis_clients.PUBLISHED:
        (tmp_path / "copies" / name / "redis").mkdir(parents=True)
    (tmp_path / "copies" / "hex").mkdir()
    return tmp_path / "copies"


def test_each_study_is_raced_by_both_methods_and_the_pages_are_written_of_these_runs(start: Start) -> None:
    ran = Ran()
    assert start(ran) == 0
    races, pages = ran.races, ran.commands[-1]
    assert raced(races) == RACES
    assert {study for study, _ in RACES} == set(STUDIES)
    presets = {"as-published": "thorough"}
    for command, (study, run) in zip(races, RACES, strict=True):
        assert command[command.index("--preset") + 1] == presets.get(run, "standard")
        assert run.startswith("beside.") or command[command.index("--claims") + 1] == study
    assert pages[1:] == ["-m", "scripts.studies"]
    kept = sorted(file.name for file in kept_results.KEPT.iterdir())
    assert kept == sorted(f"{study}.{run}.json.xz" for study, run in RACES)


def test_rows_that_no_claim_names_are_held_against_the_one_that_they_vary(start: Start) -> None:
    ran = Ran()
    assert start(ran, "--study", "phoenix-vs-go-2016") == 0
    [of_plug] = [command for command in ran.races if command[-1].endswith("beside.plug-cowboy")]
    assert of_plug[2] == "http-hello"
    assert of_plug[of_plug.index("--reference") + 1] == "plug-cowboy"
    assert {"plug-cowboy", "plug-cowboy:iex"} <= {
        name for option, name in itertools.pairwise(of_plug) if option == "-c"
    }


def test_what_is_kept_can_be_read_and_names_no_folder_of_this_machine(start: Start) -> None:
    assert start(Ran(), "--study", STUDIES[0]) == 0
    assert kept_results.results(f"{STUDIES[0]}.deadheat").workloads
    text = lzma.decompress((kept_results.KEPT / f"{STUDIES[0]}.deadheat.json.xz").read_bytes()).decode()
    assert str(ROOT) not in text and '"--suite","suite"' in text.replace(" ", "").replace("\n", "")


def test_what_was_cut_off_goes_on_and_what_is_done_is_not_raced_again(start: Start) -> None:
    first = Ran(stops=f"{STUDIES[1]}/deadheat")
    assert start(first) == 1
    begun = [study for study, _ in RACES].index(STUDIES[1]) + 1
    assert len(first.races) == begun
    again = Ran()
    assert start(again) == 0
    taken_up, *others = again.races
    assert "--resume" in taken_up
    assert STUDIES[1] in taken_up[taken_up.index("--resume") + 1]
    assert not any("--resume" in command for command in others)
    assert len(others) == len(RACES) - begun


def test_what_would_be_raced_is_said_and_no_page_is_written(start: Start) -> None:
    ran = Ran()
    assert start(ran, "--dry-run") == 0
    assert len(ran.commands) == len(RACES)
    assert all(command[-1] == "--dry-run" for command in ran.commands)


def test_one_study_is_raced_alone_and_its_page_written(start: Start) -> None:
    ran = Ran()
    assert start(ran, "--study", STUDIES[1]) == 0
    races, pages = ran.races, ran.commands[-1]
    assert raced(races) == [race for race in RACES if race[0] == STUDIES[1]]
    assert pages[3:] == ["--study", STUDIES[1]]


def test_whose_time_to_compile_is_claimed_is_built_several_times_before(start: Start) -> None:
    ran = Ran()
    assert start(ran, "--study", "go-vs-crystal-2020") == 0
    timed = [command for command in ran.commands if command[1] == "build"]
    assert timed and timed[0][2] == "--times" and timed[0][-2:] == ["go", "crystal"]
    assert ran.commands.index(timed[0]) < ran.commands.index(ran.races[0])
    again = Ran()
    assert start(again, "--study", "go-vs-crystal-2020") == 0
    assert [command for command in again.commands if command[1] != "race"] == again.commands[-1:]


def test_with_copies_builds_find_the_shards_and_the_packages_of_hex(
    start: Start, copies: Path, tmp_path: Path
) -> None:
    ran, lock = Ran(), Path("http-hello/phoenix/mix.lock")
    (copies / "suite" / lock).parent.mkdir(parents=True)
    (copies / "suite" / lock).write_text("%{packed: :anew}")
    assert start(ran, "--copies", str(copies)) == 0
    suite = tmp_path / "out" / "suite"
    assert (suite / lock).read_text() == "%{packed: :anew}"
    assert all(command[command.index("--suite") + 1] == str(suite) for command in ran.commands[:-1])
    assert {env["HEX_HOME"] for env in ran.environments[:-1]} == {str(copies / "hex")}
    assert tuple(load(suite).studies) == STUDIES
    for name in redis_clients.PUBLISHED:
        assert (suite / "redis-pipeline" / name / "lib" / "redis").is_dir()


@pytest.mark.parametrize("missing", ["hex", "crystal-jgaskins"])
def test_a_copy_that_was_not_brought_is_named_before_anything_is_raced(
    start: Start, copies: Path, missing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(copies / missing)
    ran = Ran()
    assert start(ran, "--copies", str(copies)) == 2
    assert missing in capsys.readouterr().err
    assert ran.commands == []
