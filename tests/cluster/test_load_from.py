"""Servers on one machine, their load from others: the same race, the same answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from deadheat.model.cluster import ClusterRun

from .conftest import OnCluster
from .test_race import RACED, left_over

RACE = ("race", "--budget", "10s", "--seed", "3", "--different-machines")


def results(deadheat: OnCluster) -> tuple[ClusterRun, dict[str, Any]]:
    [file] = deadheat.runs.glob("*/cluster.json")
    about = ClusterRun.model_validate_json(file.read_bytes())
    found = json.loads((deadheat.runs / about.runs[0].run / "results.json").read_text())
    return about, found


def test_two_hosts_load_the_servers_of_a_third(deadheat: OnCluster) -> None:
    cluster = deadheat.cluster
    ended = deadheat.run(*RACE, "--cluster", cluster.address, "--load-from", "role=load")
    assert ended.code in RACED, ended.err
    about, found = results(deadheat)
    assert [one.address for one in about.runs] == [cluster.ip("n1")]
    assert about.load == (cluster.ip("n2"), cluster.ip("n3"))
    assert "copy" in ended.out
    lines = deadheat.journal(about.runs[0].run)
    slices = [line for line in lines if line["type"] == "slice" and not line["warm_up"]]
    assert {line["entry"] for line in slices} == {"good", "good'", "copy"}
    for line in slices:
        assert [one["host"] for one in line["generators"]] == list(about.load)
        assert sum(one["replies"] for one in line["generators"]) == line["replies"]
    # In 40 ms of a busy machine there may be no reply at all.
    assert all(sum(line[of] for line in slices) > 0 for of in ("replies", "server_cpu_ns"))
    [race] = found["workloads"]
    for row in race["contenders"]:
        assert row["status"] == "measured", row["reason"]
        assert row["cpu_us_per_request"]["estimate"] > 0
    hosts = {line["host"] for line in lines if line["type"] == "interference"}
    assert hosts == {None, *about.load}
    floors = {line["host"]: line for line in lines if line["type"] == "network"}
    assert floors.keys() == set(about.load)
    assert all(line["rtt_s"] > 0 and line["bytes_per_s"] > 0 for line in floors.values())
    assert not left_over(deadheat)


def test_a_server_that_listens_on_loopback_alone_has_a_reason_of_its_own(
    deadheat: OnCluster, tmp_path: Path
) -> None:
    manifest = deadheat.suite / "hello" / "copy" / "contender.toml"
    manifest.write_text(manifest.read_text().replace("HOST", "NO_HOST"))
    ended = deadheat.run(*RACE, "--cluster", deadheat.cluster.address, "--load-from", "role=load")
    _, found = results(deadheat)
    row = next(r for w in found["workloads"] for r in w["contenders"] if r["name"] == "copy")
    assert row["status"] == "failed" and "it listens at that port, but not at 10." in row["reason"], row[
        "reason"
    ]
    assert ended.code != 0


def test_no_machine_with_that_label(deadheat: OnCluster) -> None:
    ended = deadheat.run(*RACE, "--cluster", deadheat.cluster.address, "--load-from", "role=none")
    assert ended.code == 2
    assert "no machine has the label role=none: m1 (" in ended.error and "role=load" in ended.error
