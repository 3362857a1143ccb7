"""The races of `--method as-published`: each study's own contenders, tool and arguments."""

from __future__ import annotations

from pathlib import Path

import pytest

from deadheat import plan as planning
from deadheat.errors import UserError
from deadheat.kinds.registry import KINDS
from deadheat.model.plan import RacePlan
from deadheat.plan import Asked
from deadheat.studies.drivers import DRIVERS
from deadheat.studies.registry import PLANNERS
from deadheat.suite.suite import load

SUITE = Path(__file__).parents[2] / "suite"


def races(*workloads: str, preset: str = "quick", contenders: tuple[str, ...] = ()) -> list[RacePlan]:
    asked = Asked(workloads=workloads, method="as-published", preset=preset, contenders=contenders)  # type: ignore[arg-type]
    return list(planning.plan(asked, load(SUITE), tuple(KINDS), PLANNERS).workloads)


def test_http_has_two_studies() -> None:
    crystal, phoenix = races("http-hello")
    assert crystal.setting == "go-vs-crystal-2020"
    assert phoenix.setting == "phoenix-vs-go-2016"
    assert crystal.outside is not None
    assert phoenix.outside is not None
    assert crystal.outside.arguments["go-net-http"] == ("-t8", "-c400", "-d3s")
    assert crystal.outside.runs == 1
    assert phoenix.outside.arguments["plug-cowboy"] == ("-t4", "-c10", "-d3s")
    assert phoenix.outside.arguments["node-http"] == ("-t1", "-c10", "-d3s")
    assert phoenix.outside.arguments["express"] == ("-t1", "-c10", "-d3s")
    assert phoenix.outside.runs == 3


TOLD = {name: bool(study.as_published) for name, study in load(SUITE).studies.items()}


@pytest.mark.parametrize("study", [name for name, told in TOLD.items() if not told])
def test_of_a_study_that_does_not_tell_how_it_was_run_that_is_said(study: str) -> None:
    asked = Asked(claims=study, method="as-published", preset="quick")
    with pytest.raises(UserError, match=f"{study} has no .as_published. section"):
        planning.plan(asked, load(SUITE), tuple(KINDS), PLANNERS)


@pytest.mark.parametrize("study", [name for name, told in TOLD.items() if told])
def test_the_claims_of_a_study_are_raced_by_its_own_method_alone(study: str) -> None:
    asked = Asked(claims=study, method="as-published", preset="quick")
    raced = planning.plan(asked, load(SUITE), tuple(KINDS), PLANNERS).workloads
    assert {(race.setting or "").split(",")[0] for race in raced} == {study}


def test_no_null_pair_and_one_block() -> None:
    for race in races():
        assert race.blocks == 1
        assert race.null_entry is None
        assert race.method == "as-published"


def test_thorough_is_the_study_whole() -> None:
    crystal, phoenix = races("http-hello", preset="thorough")
    assert crystal.outside is not None
    assert phoenix.outside is not None
    assert crystal.outside.arguments["crystal-http-server"][-1] == "-d60s"
    assert phoenix.outside.arguments["phoenix"][-1] == "-d30s"
    assert not any("the study's were" in note for note in crystal.outside.notes)


def test_a_scaled_length_is_said() -> None:
    (crystal, _) = races("http-hello")
    assert crystal.outside is not None
    assert any("runs of 3 s, the study's were 60 s" in note for note in crystal.outside.notes)


def test_grpc_runs_as_published_and_leanest() -> None:
    own, lean, *_ = races("grpc-unary")
    assert own.outside is not None
    assert lean.outside is not None
    flags = ("--concurrency", "5000", "--connections", "100", "-e")
    assert own.outside.arguments["go-grpc"] == (*flags, "--total", "30000")
    assert lean.outside.arguments["go-grpc"] == (*flags, "--disable-template-data", "--total", "30000")
    assert own.setting == "go-vs-rust-grpc"
    assert lean.setting == "go-vs-rust-grpc, leanest"


def test_grpc_has_other_generators_in_the_studys_shape() -> None:
    by_setting = {race.setting: race.outside for race in races("grpc-unary")}
    h2load, ours = by_setting["go-vs-rust-grpc, h2load"], by_setting["go-vs-rust-grpc, deadheat-load"]
    assert h2load is not None
    assert ours is not None
    assert (h2load.tool, ours.tool) == ("h2load", "deadheat-load")
    assert h2load.arguments["rust-tonic"] == ("-c", "100", "-m", "50", "-n", "30000")
    assert ours.arguments["go-grpc"] == ("-c", "100", "--streams", "50", "-n", "30000")
    assert h2load.in_flight == {"go-grpc": 5000, "rust-tonic": 5000}
    assert h2load.notes[0].startswith("unlike the study, h2load keeps 50 calls")
    assert h2load.notes[1].startswith("h2load the way the study ran its own tool")


def test_a_study_of_which_nothing_is_wanted_is_left_out() -> None:
    (only,) = races("http-hello", contenders=("go-net-http", "crystal-http-server"))
    assert only.setting == "go-vs-crystal-2020"


def test_every_race_can_be_driven() -> None:
    assert all((race.kind, race.method) in DRIVERS for race in races())


def test_a_workload_without_a_study() -> None:
    with pytest.raises(UserError, match="no published study"):
        races("grpc-stream")


def test_programs_with_a_size_are_run_at_the_studys_and_at_a_smaller_one_beside_it() -> None:
    whole, smaller = races("fib", preset="thorough")
    assert [(race.setting, race.n) for race in (whole, smaller)] == [
        ("go-vs-crystal-2020", 47),
        ("go-vs-crystal-2020, n=38", 38),
    ]
    (quick,) = races("fib")
    assert (quick.setting, quick.n) == ("go-vs-crystal-2020", 38)
    assert quick.outside is not None
    assert "at n = 38, the study's was 47 (--preset thorough)" in quick.outside.notes
    assert quick.outside.memory


def test_a_part_of_a_study_may_set_parameters() -> None:
    once, ten = races("redis-pipeline")
    assert (once.setting, once.values["rounds"]) == ("rust-vs-crystal-redis-2020", 1)
    assert (ten.setting, ten.values["rounds"]) == ("rust-vs-crystal-redis-2020, rounds=10", 10)
    assert [entry.contender for entry in ten.entries] == ["rust-redis-rs", "crystal-jgaskins"]


def test_a_budget_makes_no_sense() -> None:
    with pytest.raises(UserError, match="--budget cannot be given"):
        planning.plan(Asked(method="as-published", budget_s=60), load(SUITE), tuple(KINDS), PLANNERS)
