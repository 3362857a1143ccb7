"""Which races are a family: those that may have their starts in common, if there are two of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from deadheat import plan
from deadheat.kinds.registry import KINDS
from deadheat.plan import Asked
from deadheat.suite.suite import load

SUITE = load(Path(__file__).parents[2] / "suite")
ASKED = Asked(workloads=("app",), seed=7)


def families(asked: Asked) -> dict[str, str | None]:
    races = plan.plan(asked, SUITE, list(KINDS)).workloads
    return {race.key.replace(" [by=cpu]", ""): race.family for race in races}


def test_workloads_of_one_folder_are_a_family_but_for_what_a_start_may_keep() -> None:
    found = families(ASKED)
    assert found.pop("app-cached") is None
    assert len(found) == 6 and set(found.values()) == {"app"}


def test_one_alone_and_workloads_with_contenders_of_their_own_are_none() -> None:
    assert families(replace(ASKED, workloads=("app-db", "http-hello"))) == {
        "app-db": None,
        "http-hello": None,
    }


def test_where_a_start_is_what_is_judged_each_race_has_its_own() -> None:
    for judged in ("memory", "startup"):
        assert set(families(replace(ASKED, judged_by=judged)).values()) == {None}


def test_where_servers_are_asked_otherwise_each_race_has_its_own() -> None:
    asked = replace(ASKED, workloads=("app-json", "app-db"))
    assert set(families(replace(asked, protocol="https")).values()) == {None}
    settings = families(replace(asked, connections=(16, 32)))
    assert set(settings.values()) == {"app"} and len(settings) == 4
