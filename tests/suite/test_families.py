"""Workloads that share a folder of contenders: who serves which, by what, and what a family's name means."""

from __future__ import annotations

from pathlib import Path

import pytest

from deadheat import plan
from deadheat.errors import UserError
from deadheat.kinds.registry import KINDS
from deadheat.plan import Asked
from deadheat.suite.suite import load

WORKLOAD = """\
title = "Of the family"
kind = "http"
metric = "throughput_rps"
contenders = "stacks"
default = false

[request]
path = "/{token}"

[[conformance]]
path = "/{token}"
body = "{token}"
"""
STACK = """\
title = "One"
language = "C"
class = "idiomatic"
run = "./one {port}"
env = { MODE = "fast", LOG = "no" }
default = true

[serves.text]
by = "itself"

[serves.rows]
by = "a driver"
env = { DATABASE = "{port}", LOG = "errors" }

[variants.tuned]
class = "tuned"
env = { MODE = "faster" }
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    for name in ("text", "rows"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "workload.toml").write_text(WORKLOAD)
    (tmp_path / "alone" / "one").mkdir(parents=True)
    alone = WORKLOAD.replace('contenders = "stacks"\ndefault = false\n', "")
    (tmp_path / "alone" / "workload.toml").write_text(alone)
    (tmp_path / "alone" / "one" / "contender.toml").write_text(STACK.partition("[serves")[0])
    without_rows = STACK[: STACK.index("[serves.rows]")] + STACK[STACK.index("[variants") :]
    for name, text in (("one", STACK), ("two", without_rows)):
        (tmp_path / "stacks" / name).mkdir(parents=True)
        (tmp_path / "stacks" / name / "contender.toml").write_text(text)
    return tmp_path


def test_a_contender_races_in_the_workloads_that_it_serves(suite: Path) -> None:
    contenders = load(suite).contenders
    assert [c.id for c in contenders["text"]] == ["one", "one:tuned", "two", "two:tuned"]
    assert [c.id for c in contenders["rows"]] == ["one", "one:tuned"]
    assert {c.folder for c in contenders["rows"]} == {suite / "stacks" / "one"}
    assert [c.by for c in contenders["rows"]] == ["a driver", "a driver"]
    assert [c.by for c in contenders["alone"]] == [None]


def test_the_environment_is_its_own_and_that_of_the_workload(suite: Path) -> None:
    one, tuned = load(suite).contenders["rows"]
    assert one.env == {"MODE": "fast", "LOG": "errors", "DATABASE": "{port}"}
    assert tuned.env == {"MODE": "faster", "LOG": "errors", "DATABASE": "{port}"}
    assert load(suite).contenders["text"][0].env == {"MODE": "fast", "LOG": "no"}


def test_a_familys_name_is_all_of_it_and_only_who_is_named_races(suite: Path) -> None:
    loaded = load(suite)
    assert loaded.named("stacks") == ("rows", "text")
    assert loaded.named("text") == ("text",)

    def raced(*names: str) -> list[str]:
        asked = Asked(workloads=names, server_cpus=(0,), generator_cpus=(1,))
        return [race.workload for race in plan.plan(asked, loaded, tuple(KINDS)).workloads]

    assert raced() == ["alone"]
    assert raced("stacks") == ["rows", "text"]
    assert raced("text", "stacks") == ["text", "rows"]


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("stacks/one", "[serves.rows]", "[serves.rose]", ':11: no workload of stacks is called "rose"; did'),
        ("stacks/two", '[serves.text]\nby = "itself"', "", "contender.toml: serves none of rows, text"),
        ("alone/one", "default = true", '[serves.alone]\nby = "x"', "serves is for a folder that workloads"),
        ("stacks/one", 'by = "itself"', "", ':8: key "serves.text.by" is missing'),
    ],
)
def test_what_serves_nothing_or_what_is_not_there_is_refused(
    suite: Path, file: str, old: str, new: str, says: str
) -> None:
    manifest = suite / file / "contender.toml"
    text = manifest.read_text()
    assert old in text
    manifest.write_text(text.replace(old, new))
    with pytest.raises(UserError) as refused:
        load(suite)
    assert says in refused.value.message


def test_a_shared_folder_that_is_not_there_is_refused(suite: Path) -> None:
    manifest = suite / "text" / "workload.toml"
    manifest.write_text(manifest.read_text().replace('"stacks"', '"stack"'))
    with pytest.raises(UserError, match=r'workload.toml:4: the suite has no folder "stack"'):
        load(suite)
