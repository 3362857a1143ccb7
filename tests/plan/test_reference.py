"""Another reference: who, and what becomes of the race."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deadheat.model.contender import Contender
from deadheat.model.observation import ReferenceReplaced
from deadheat.model.plan import Entry, RacePlan
from deadheat.plan import reference


def race(*ids: str, n: int = 9, **more: Any) -> RacePlan:
    entries = (
        *(Entry(id=id_, contender=id_) for id_ in ids),
        Entry(id=f"{ids[0]}'", contender=ids[0], null=True),
    )
    return RacePlan.model_validate(
        {
            "workload": "w",
            "kind": "program",
            "metric": "wall_s",
            "reference": ids[0],
            "entries": [entry.model_dump() for entry in entries],
            "blocks": 6,
            "rounds": 1,
            "measured": {"by": "invocations", "n": n},
            **more,
        }
    )


def contenders(**classes: str) -> list[Contender]:
    made = []
    for id_, class_ in classes.items():
        name, _, variant = id_.partition("__")
        made.append(
            Contender.model_validate(
                {
                    "workload": "w",
                    "name": name,
                    "variant": variant or None,
                    "title": name,
                    "language": "C",
                    "class": class_,
                    "needs": (),
                    "build": None,
                    "artifact": None,
                    "run": "./x",
                    "env": {},
                    "default": True,
                    "max_n": None,
                    "why": None,
                    "folder": Path(),
                }
            )
        )
    return made


def replaced(new: str, was: str, workload: str = "w") -> ReferenceReplaced:
    return ReferenceReplaced(workload=workload, reference=new, was=was, why="gone")


def test_a_ceiling_and_a_variant_come_last() -> None:
    pool = contenders(a="ceiling", b__x="idiomatic", b="idiomatic", c="tuned")
    able = race("ref", "a", "b:x", "b", "c")
    assert reference.stand_in(able, {"ref", "ref'"}, pool) == "b"
    assert reference.stand_in(able, {"ref", "b"}, pool) == "c"
    assert reference.stand_in(able, {"ref", "b", "c"}, pool) == "b:x"


def test_nobody_stands_in_where_there_is_no_need_or_no_pair() -> None:
    pool = contenders(a="idiomatic", b="idiomatic")
    assert reference.stand_in(race("ref", "a", "b"), {"ref'"}, pool) is None
    assert reference.stand_in(race("ref", "a", "b"), {"ref", "a"}, pool) is None
    assert reference.stand_in(race("ref", "a", "b", method="as-published"), {"ref"}, pool) is None


def test_the_null_pair_is_the_new_ones() -> None:
    now = reference.so_far(race("ref", "a", "b"), [replaced("a", "ref")])
    assert now.reference_entry == "a"
    assert now.null_entry == "a'"
    assert [entry.id for entry in now.entries] == ["ref", "a", "b", "a'"]


def test_a_race_without_the_new_one_has_it_entered() -> None:
    """Of a workload at two sizes: who stands in at one does at the other too."""
    now = reference.so_far(race("ref", "b", n=5), [replaced("a", "ref")])
    assert [entry.id for entry in now.entries] == ["ref", "b", "a", "a'"]


def test_the_last_one_stands_and_other_workloads_are_left_alone() -> None:
    observed = [replaced("a", "ref"), replaced("b", "a"), replaced("c", "b", workload="other")]
    assert reference.so_far(race("ref", "a", "b", "c"), observed).reference == "b"
