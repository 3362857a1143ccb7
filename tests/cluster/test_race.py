"""Races on several machines, each a network namespace with a node of Ray: they take turns under one lock."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from deadheat.model.cluster import ClusterRun
from deadheat.model.merged import Merged

from .conftest import OnCluster

#: That no verdict holds on a machine as busy as this is no fault of a race.
RACED = (0, 4)
RACE = ("race", "--budget", "8s", "--seed", "3", "--different-machines")


def of(deadheat: OnCluster) -> ClusterRun:
    [found] = deadheat.runs.glob("*/cluster.json")
    return ClusterRun.model_validate_json(found.read_bytes())


def journal(deadheat: OnCluster, run: str) -> list[dict[str, object]]:
    return deadheat.journal(run)


def test_each_races_whole_blocks_and_all_are_put_together(deadheat: OnCluster) -> None:
    ended = deadheat.run(*RACE, "--cluster", deadheat.cluster.address, "--machines", "2")
    assert ended.code in RACED, ended.err
    assert "these 2 machines: " in ended.out
    about = of(deadheat)
    assert [one.name for one in about.runs] == ["m1", "m2"]
    assert [one.address for one in about.runs] == [deadheat.cluster.ip("n1"), deadheat.cluster.ip("n2")]
    spans = []
    for one in about.runs:
        lines = journal(deadheat, one.run)
        counts = Counter(str(line["type"]) for line in lines)
        assert counts["block-ended"] == counts["block-started"] >= 3
        assert counts["interference"] == counts["block-ended"]
        assert {line["entry"] for line in lines if line["type"] == "slice"} == {"good", "good'", "copy"}
        assert (deadheat.runs / one.run / "report.html").exists()
        # Programs started there have what they would have at a login, though Ray had it otherwise.
        assert (one.nice, one.oom_score_adj) == (0, 0)
        spans.append([line["at"] for line in lines if line["type"] == "block-started"])
    assert all(spans)
    merged = Merged.model_validate_json((deadheat.runs / about.run / "merged.json").read_bytes())
    [pair] = merged.races[0].pairs
    assert pair.contender == "copy" and len(pair.machines) == 2
    assert pair.these.ratio is not None and pair.these.ci is not None
    # The same by the verb that reads folders.
    folders = [str(deadheat.runs / one.run) for one in about.runs]
    again = deadheat.run("merge", "--json", "--different-machines", *folders)
    assert json.loads(again.out)["races"] == json.loads(merged.model_dump_json(by_alias=True))["races"]
    assert not left_over(deadheat)


def left_over(deadheat: OnCluster) -> list[str]:
    """Programs of ours that still run on any node."""
    ours = ("deadheat-launch", "deadheat-load", "server.py")
    return [
        command
        for node in deadheat.cluster.nodes
        for command in deadheat.cluster.commands(node)
        if any(name in command for name in ours)
    ]


def test_one_machine_twice_is_refused(deadheat: OnCluster) -> None:
    ended = deadheat.run("race", "--budget", "8s", "--cluster", deadheat.cluster.address)
    assert ended.code == 2
    assert "say that they are one: blocks of one machine must not count as those of two" in ended.error
    assert not list(deadheat.runs.glob("*/plan.json"))


def test_more_machines_than_there_are(deadheat: OnCluster) -> None:
    ended = deadheat.run("race", "--cluster", deadheat.cluster.address, "--machines", "9")
    assert ended.code == 2 and "this cluster has 3 that can race: " in ended.error


def test_a_wrong_token(deadheat: OnCluster) -> None:
    deadheat.env["RAY_AUTH_TOKEN"] = "0" * 64
    ended = deadheat.run("race", "--cluster", deadheat.cluster.address)
    assert ended.code == 3 and "cannot be used" in ended.error


def test_no_token_at_all(deadheat: OnCluster) -> None:
    deadheat.env |= {"RAY_AUTH_MODE": "disabled"}
    ended = deadheat.run("race", "--cluster", deadheat.cluster.address)
    assert ended.code == 2 and "RAY_AUTH_MODE=token is not set" in ended.error


def test_nobody_there(deadheat: OnCluster) -> None:
    ended = deadheat.run("race", "--cluster", f"{deadheat.cluster.ip('n0')}:1")
    assert ended.code == 3 and "nobody answers at " in ended.error


def test_a_build_does_not_see_the_token(deadheat: OnCluster, tmp_path: Path) -> None:
    seen = tmp_path / "environment"
    manifest = deadheat.suite / "hello" / "copy" / "contender.toml"
    manifest.write_text(manifest.read_text() + f'build = "env > {seen}"\n')
    ended = deadheat.run(*RACE, "--cluster", deadheat.cluster.address, "--machines", "2")
    assert ended.code in RACED, ended.err
    names = {line.partition("=")[0] for line in seen.read_text().splitlines()}
    assert "PATH" in names and not any(name.startswith("RAY_") for name in names)
    assert "OMP_NUM_THREADS" not in names
