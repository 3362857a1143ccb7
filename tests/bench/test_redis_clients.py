"""The bars of our clients, out of invocations; the published shards from copies of their packages."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from bench import redis_clients

from deadheat.model.observation import Invocation, Observation
from deadheat.suite.suite import load

CPU_MS = {"rust-redis-rs": 100.0, "ceiling": 10.0, "rust-lean": 15.0, "crystal-redis-client:each": 20.0}


def invocations(cpu_ms: Mapping[str, float]) -> list[Observation]:
    """Three of each that are timed, of which one is an outlier, and one that is not."""
    return [
        Invocation(
            race="redis-pipeline",
            block=0,
            round=turn,
            turn=turn,
            entry=entry,
            warm_up=turn == 3,
            n=400_003,
            at_ns=turn,
            wall_s=0.2,
            user_s=(9 if turn == 1 else 1) * ms / 1000,
            system_s=0,
            peak_memory_bytes=5_000_000 if turn == 3 else None,
        )
        for entry, ms in cpu_ms.items()
        for turn in range(4)
    ]


def bars(cpu_ms: Mapping[str, float]) -> dict[str, redis_clients.Bar]:
    table = redis_clients.rows(invocations(cpu_ms))
    return {bar.what: bar for bar in redis_clients.bars(table, {"crystal-jgaskins": "no shards"})}


def test_bars_are_of_medians_of_timed_invocations() -> None:
    found = bars(CPU_MS)
    assert found["CPU time of crystal-redis-client:each over rust-redis-rs"].here == pytest.approx(0.2)
    assert found["CPU time of rust-lean over ceiling"].here == pytest.approx(1.5)
    assert found["peak memory of rust-lean, MB"].here == pytest.approx(5.0)
    assert [what for what, bar in found.items() if not bar.holds] == [
        "CPU time of crystal-redis-client:each over the better published shard"
    ]


def test_a_bar_that_cannot_be_known_here_says_why() -> None:
    bar = bars(CPU_MS)["CPU time of crystal-redis-client:each over the better published shard"]
    assert (bar.here, bar.excused, bar.note) == (None, True, "not known here: no shards")


def test_the_better_shard_is_the_one_that_counts() -> None:
    found = bars(CPU_MS | {"crystal-jgaskins": 16.0, "crystal-stefanwille": 80.0})
    bar = found["CPU time of crystal-redis-client:each over crystal-jgaskins, the better published shard"]
    assert bar.here == pytest.approx(1.25)
    assert not bar.holds


@pytest.fixture
def shards(tmp_path: Path) -> Path:
    """What somebody brought along."""
    for name, version in zip(redis_clients.PUBLISHED, ("1.2.3", "4.5.6"), strict=True):
        package = tmp_path / "shards" / name / "redis"
        (package / "src").mkdir(parents=True)
        (package / "src" / "redis.cr").write_text("module Redis\nend\n")
        (package / "shard.yml").write_text(f"name: redis\nversion: {version}\n")
    return tmp_path / "shards"


def test_copies_of_the_shards_stand_where_their_builds_look(shards: Path, tmp_path: Path) -> None:
    suite = redis_clients.suite_with(shards, tmp_path / "suite")
    assert "redis-pipeline" in load(suite).workloads
    for name in redis_clients.PUBLISHED:
        assert (suite / "redis-pipeline" / name / "lib" / "redis" / "src" / "redis.cr").exists()
    assert redis_clients.versions(shards) == ["crystal-jgaskins 1.2.3", "crystal-stefanwille 4.5.6"]


def test_an_older_version_of_a_shard_may_be_brought_too(shards: Path, tmp_path: Path) -> None:
    [(copy, of)] = redis_clients.OLDER.items()
    built_from = Path("redis-pipeline", of, "lib", "redis", "shard.yml")
    assert not (redis_clients.suite_with(shards, tmp_path / "without") / built_from).exists()
    shutil.copytree(shards / "crystal-jgaskins", shards / copy)
    suite = redis_clients.suite_with(shards, tmp_path / "suite")
    assert (suite / built_from).exists()
    # Where the build of the variant looks for it.
    variants = [c for c in load(suite).contenders["redis-pipeline"] if c.name == Path(of).parent.name]
    assert [c.build for c in variants] == ["sh build.sh", f"sh build.sh {Path(of).name}"]


def test_a_shard_that_was_not_brought_is_named(shards: Path, tmp_path: Path) -> None:
    shutil.rmtree(shards / "crystal-stefanwille")
    with pytest.raises(FileNotFoundError, match="crystal-stefanwille"):
        redis_clients.suite_with(shards, tmp_path / "suite")
