"""Servers on one machine, their database on a second, their load from a third."""

from __future__ import annotations

import json
import signal

import pytest

from deadheat.hosts.held import this_host
from deadheat.kinds.services import start as services
from deadheat.model.cluster import ClusterRun
from deadheat.suite.suite import load
from tests.end_to_end.bench import eventually
from tests.end_to_end.test_database_habits import BUILT_IN, honest

from .conftest import OnCluster
from .test_faults import racing
from .test_load_from import results
from .test_race import RACED, left_over

RACE = ("race", "rows", "--budget", "30s", "--seed", "3", "--connections", "4", "--different-machines")
ROLES = ("--load-from", "net=near", "--services-on", "net=far")


@pytest.fixture
def rows(deadheat: OnCluster) -> OnCluster:
    """With a workload like app-db."""
    asked = load(BUILT_IN).workloads["app-db"]
    if (why := services.missing(this_host(), asked.services)) is not None:
        pytest.skip(why)
    honest(deadheat.suite / "rows", {"one": "{database_url}", "two": "{database_url}"})
    deadheat.env["DEADHEAT_TEST_WARM_UP_MS"] = "500"
    return deadheat


def test_a_database_on_a_machine_of_its_own(rows: OnCluster) -> None:
    cluster, far = rows.cluster, rows.cluster.ip("n3")
    ended = rows.run(*RACE, "--cluster", cluster.address, *ROLES)
    assert ended.code in RACED, ended.err
    about, found = results(rows)
    assert [one.address for one in about.runs] == [cluster.ip("n1")]
    assert (about.load, about.services) == ((cluster.ip("n2"),), far)
    lines = rows.journal(about.runs[0].run)
    ran = [line for line in lines if line["type"] == "service-ran"]
    assert ran and all(line["host"] == far and line["cpu_s"] > 0 for line in ran)
    floors = {line["host"]: line["role"] for line in lines if line["type"] == "network"}
    assert floors == {cluster.ip("n2"): "load", far: "services"}
    assert far in {line["host"] for line in lines if line["type"] == "interference"}
    [race] = found["workloads"]
    for row in race["contenders"]:
        assert row["status"] == "measured", row["reason"]
        gates = {gate["name"]: gate for gate in row["gates"]}
        # Each reply took its one statement and row, by the count of the other machine's database.
        assert gates["database-statements"]["ok"], gates["database-statements"]
        assert gates["services-cpu"]["facts"]["generator"] == 0 < gates["services-cpu"]["value"]
        assert gates["services-network"]["value"] > 0, gates["services-network"]
    said = " ".join((ended.out + ended.err).split())
    assert (
        f"postgres on {far} (" in said
        and "there and back, which no answer of a service is sooner than" in said
    )
    assert not left_over(rows)
    assert not [line for line in cluster.commands("n3") if "postgres" in line]
    # What its data was copied from is large, and of no use afterwards.
    assert not list((cluster.home / "cache-n3").rglob("*.template"))


def test_resumed_where_the_services_were(rows: OnCluster) -> None:
    """And nowhere else in silence."""
    cluster = rows.cluster
    with rows.start(*RACE, "--cluster", cluster.address, *ROLES) as race:
        race.until_said("block 1 of")
        race.signal(signal.SIGINT)
        stopped = race.end()
    assert stopped.code == 130, stopped.err
    about, _ = results(rows)
    before = len(rows.journal(about.runs[0].run))
    elsewhere = rows.run(
        "race", "--cluster", cluster.address, "--resume", about.run, "--services-on", "net=none"
    )
    assert elsewhere.code == 2 and "the services of " in elsewhere.error, elsewhere.err
    assert "--services-on LABEL names another" in elsewhere.error
    again = rows.run("race", "--cluster", cluster.address, "--resume", about.run)
    assert again.code in RACED, again.err
    kept = ClusterRun.model_validate_json((rows.runs / about.run / "cluster.json").read_bytes())
    assert kept.services == cluster.ip("n3")
    lines = rows.journal(about.runs[0].run)[before:]
    assert {line["host"] for line in lines if line["type"] == "service-ran"} == {kept.services}


def test_a_service_that_lets_anybody_in_stays_beside_its_servers(rows: OnCluster) -> None:
    workload = rows.suite / "rows" / "workload.toml"
    workload.write_text(workload.read_text().replace("{data} {client}", "{data} 0.0.0.0/0"))
    ended = rows.run(*RACE, "--cluster", rows.cluster.address, *ROLES)
    assert "no line of it says {client}, the network that it lets in" in ended.err, ended.err
    _, found = results(rows)
    assert json.dumps(found["workloads"][0]).count("{client}")


def test_the_machine_of_the_services_is_gone(rows: OnCluster) -> None:
    """Told, and the race ends with the blocks that it has; nothing of it runs on."""
    cluster = rows.cluster
    with rows.start(*RACE, "--cluster", cluster.address, *ROLES) as race:
        race.until(racing(rows, 1), "it has a block")
        cluster.kill("n3")
        race.until_said("is lost")
        ended = race.end()
    try:
        said = f"{cluster.ip('n3')} is lost"
        assert "which has its services, is lost" in ended.err or said in ended.err, ended.err
        eventually(lambda: not left_over(rows), "nothing of ours runs on any node")
        about, _ = results(rows)
        assert any(line["type"] == "block-ended" for line in rows.journal(about.runs[0].run))
    finally:
        cluster.start("n3")
        cluster.until_up(4)
