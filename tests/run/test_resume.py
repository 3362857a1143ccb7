"""A run is taken up again only where what it races, its toolchains and its kernel are what they were."""

from __future__ import annotations

from typing import Any

import pytest

from deadheat.errors import UserError
from deadheat.model.observation import Built
from deadheat.model.suite_facts import ContenderFacts, SuiteFacts, WorkloadFacts
from deadheat.run import resume


def built(**changed: Any) -> Built:
    plain = {
        "workload": "hello",
        "contender": "go",
        "status": "ready",
        "key": "k1",
        "toolchains": {"go": "1.26"},
    }
    return Built.model_validate(plain | changed)


def facts(workload: str = "w1", contender: str = "c1", id_: str = "go") -> SuiteFacts:
    one = ContenderFacts.model_validate(
        {"name": id_, "title": "Go", "language": "Go", "class": "idiomatic", "digest": contender}
    )
    return SuiteFacts(
        workloads={"hello": WorkloadFacts(title="H", question="Q", digest=workload, contenders=(one,))}
    )


def test_the_same_builds_go_on() -> None:
    resume.same_builds([built(cached=False), built(workload="other", key="k9")], [built(cached=True)])


def test_what_could_not_be_raced_before_does_not_hinder() -> None:
    resume.same_builds([built(status="unavailable", key=None)], [built()])


@pytest.mark.parametrize(
    ("was", "now", "why"),
    [
        ({}, {"key": "k2"}, "its sources, its build line or the compilers' flags have changed"),
        ({}, {"key": "k2", "toolchains": {"go": "1.27"}}, "go was 1.26 and is 1.27"),
        ({}, {"status": "failed", "key": None, "reason": "no disk"}, "its build failed now: no disk"),
        ({"key": None}, {}, "its journal does not say which build it was"),
    ],
    ids=["sources", "a toolchain", "it builds no more", "a journal of schema 1"],
)
def test_another_build_is_refused_by_name(was: dict[str, Any], now: dict[str, Any], why: str) -> None:
    with pytest.raises(UserError, match=f"hello/go is not what this run raced: {why}") as refused:
        resume.same_builds([built(**was)], [built(**now)])
    assert refused.value.hint == resume.ANEW


def test_another_kernel_is_refused() -> None:
    resume.same_kernel({"kernel": "6.1"}, "6.1")
    with pytest.raises(UserError, match=r"begun on kernel 6\.1, and this is 6\.2"):
        resume.same_kernel({"kernel": "6.1"}, "6.2")


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (facts(workload="w2"), "hello/workload.toml says something else"),
        (facts(contender="c2"), "hello/go/contender.toml says something else"),
        (facts(id_="rust"), "hello/go/contender.toml is no longer there"),
        (SuiteFacts(), "hello/workload.toml is no longer there"),
    ],
)
def test_another_suite_is_refused_by_file(now: SuiteFacts, said: str) -> None:
    resume.same_suite(facts(), facts())
    with pytest.raises(UserError, match=said):
        resume.same_suite(facts(), now)
