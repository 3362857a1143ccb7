"""What several races have in common is made once, and ended with the round."""

from __future__ import annotations

from pathlib import Path

import pytest

from deadheat import plan
from deadheat.build.built import Build
from deadheat.kinds.registry import KINDS
from deadheat.model.observation import Built
from deadheat.plan import Asked
from deadheat.run.rounds import Round, Rounds
from deadheat.suite.suite import load

SUITE = load(Path(__file__).parents[2] / "suite")
ASKED = Asked(workloads=("app-updates", "app-db", "app-json"), contenders=("rust-axum-sqlx",), seed=7)


RACES = plan.plan(ASKED, SUITE, list(KINDS)).workloads


@pytest.fixture
def rounds() -> Rounds:
    return Rounds("7:app", SUITE.workloads, builds())


def builds(**changed: dict[str, str]) -> dict[str, dict[str, Build]]:
    """Of each workload those of its contenders; `changed`: what rust-axum-sqlx has in its environment."""
    return {
        workload: {
            contender.id: Build(
                contender.replaced(env=changed.get(workload.replace("-", "_"), contender.env))
                if contender.id == "rust-axum-sqlx"
                else contender,
                Path("/built"),
                Built(workload=workload, contender=contender.id, status="ready"),
            )
            for contender in SUITE.contenders[workload]
        }
        for workload in ASKED.workloads
    }


def test_who_writes_comes_last_and_the_others_in_another_order_each_time(rounds: Rounds) -> None:
    orders = [[race.workload for race in rounds.order(number, RACES)] for number in range(20)]
    assert {order[-1] for order in orders} == {"app-updates"}
    assert {order[0] for order in orders} == {"app-db", "app-json"}
    assert rounds.order(7, RACES) == rounds.order(7, RACES)


def test_what_is_made_once_is_made_anew_where_it_failed() -> None:
    said: list[str] = []
    with Round([], [], {}, "7:app:0") as round_:
        assert round_.once("server", lambda: "first") == ("first", True)
        assert round_.once("server", lambda: "second") == ("first", False)
        round_.ends_by("server", lambda: said.append("first ended"))
        round_.drop("server")
        assert said == ["first ended"]
        assert round_.once("server", lambda: "second") == ("second", True)
        round_.ends_by("server", lambda: said.append("second ended"))
        round_.stack.callback(said.append, "stack")
    assert said == ["first ended", "second ended", "stack"]


def test_all_ends_where_a_race_is_interrupted() -> None:
    said: list[str] = []
    with pytest.raises(KeyboardInterrupt), Round([], [], {}, "7:app:0") as round_:
        round_.ends_by("server", lambda: said.append("ended"))
        raise KeyboardInterrupt
    assert said == ["ended"]


def test_a_round_has_the_entries_of_all_of_its_races(rounds: Rounds) -> None:
    with rounds.begin(3, RACES) as round_:
        assert rounds.now is round_
        assert set(round_.entries) == {"go-net-http-pgx", "go-net-http-pgx'", "rust-axum-sqlx"}
        assert round_.seed == "7:app:3"
    rounds.end()
    assert rounds.now is None


def test_a_stack_has_in_its_environment_what_any_of_its_workloads_gives_it(rounds: Rounds) -> None:
    of_json = [race for race in RACES if race.workload == "app-json"]
    with rounds.begin(0, RACES) as round_:
        assert round_.env["rust-axum-sqlx"]["DATABASE_URL"] == "{database_url}"
    with rounds.begin(1, of_json) as round_:
        assert "DATABASE_URL" not in round_.env["rust-axum-sqlx"]
        assert [workload.name for workload in round_.workloads] == ["app-json"]


def test_one_whose_workloads_disagree_is_started_for_each() -> None:
    torn = Rounds("7:app", SUITE.workloads, builds(app_json={"DATABASE_URL": "none"}))
    with torn.begin(0, RACES) as round_:
        assert "rust-axum-sqlx" not in round_.env
        assert round_.env["go-net-http-pgx"]["DATABASE_URL"] == "{database_url}"
