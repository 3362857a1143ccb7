"""podman and docker by what they say of themselves: told by a script in their place, so that what is not here
(a user without delegation, docker without root, Docker Desktop) is tried too. What they do with what they are
told, the real ones show (test_containers.py)."""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from deadheat.errors import ExitCode
from deadheat.hosts import cgroup, container_engine, sandbox
from deadheat.hosts.container_engine import NoContainerEngineError, find
from deadheat.hosts.program import InContainer, Spec

PODMAN = {
    "host": {
        "cgroupControllers": ["cpuset", "cpu", "memory", "pids"],
        "cgroupVersion": "v2",
        "ociRuntime": {"name": "crun"},
        "serviceIsRemote": False,
    }
}
DOCKER = {
    "ServerVersion": "27.1",
    "CPUSet": True,
    "DefaultRuntime": "runc",
    "OperatingSystem": "Debian",
    "SecurityOptions": ["name=seccomp"],
}
Says = Callable[[str, Mapping[str, object]], None]


@pytest.fixture
def says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Says:
    """Puts a program there that answers `info` so, and alone is on the PATH."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    monkeypatch.delenv(container_engine.CHOSEN, raising=False)
    monkeypatch.setattr(container_engine, "PROGRAMS", ())
    monkeypatch.setattr(cgroup, "crun_refuses", lambda: False)

    def put(name: str, info: Mapping[str, object]) -> None:
        (tmp_path / f"{name}.json").write_text(json.dumps(info))
        script = f"#!/bin/sh\nif [ $1 = info ]; then cat {tmp_path}/{name}.json; else echo 5.4; fi\n"
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
        monkeypatch.setattr(container_engine, "PROGRAMS", (*container_engine.PROGRAMS, str(tmp_path / name)))

    return put


def spec(inside: int | None = None) -> Spec:
    container = InContainer("shop:1", "20261124-quick", 41231, inside)
    return Spec(
        argv=("shop", "--port", "41231"),
        cwd=Path(),
        env={"A": "1"},
        cpus=frozenset({2, 0}),
        container=container,
    )


def words(inside: int | None = None) -> list[str]:
    return list(find().creation("name", spec(inside), "owner", Path("/pid")))


def test_podman_is_told_all_of_it(says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 20000))
    says("podman", PODMAN)
    assert find().called.endswith("podman 5.4 (crun)")
    most = min(20000, int(Path("/proc/sys/kernel/pid_max").read_text()))
    assert words() == [
        "create", "--pull", "never", "--name", "name", "--log-driver", "none",
        "--label", "deadheat.run=20261124-quick", "--label", "deadheat.owner=owner",
        "--network", "host", "--cpuset-cpus", "0,2",
        "--ulimit", "nofile=20000:20000", "--ulimit", f"nproc=1024:{most}", "--pidfile", "/pid",
        "--env", "A=1", "shop:1", "--port", "41231",
    ]  # fmt: skip
    assert "--network" not in words(8080)
    assert words(8080)[11:13] == ["--publish", "127.0.0.1:41231:8080"]


def test_a_limit_without_an_end_is_as_much_as_there_can_be(
    says: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    says("podman", PODMAN)
    files, tasks = find().limits()[1::2]
    most_files = Path("/proc/sys/fs/nr_open").read_text().strip()
    most_tasks = Path("/proc/sys/kernel/pid_max").read_text().strip()
    assert (files, tasks) == (f"nofile={most_files}:{most_files}", f"nproc={most_tasks}:{most_tasks}")


def test_a_user_without_delegation_is_bound_by_ourselves(says: Says) -> None:
    info = {"host": {**PODMAN["host"], "cgroupControllers": []}}
    says("podman", info)
    assert "--cpuset-cpus" not in words()


def test_runc_where_crun_starts_nothing(says: Says, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "crun_refuses", lambda: True)
    monkeypatch.setenv("PATH", str(tmp_path))
    says("podman", {"host": {**PODMAN["host"], "cgroupVersion": "v1"}})
    (tmp_path / "podman").write_text((tmp_path / "podman").read_text().replace("cat", "/bin/cat"))
    with pytest.raises(NoContainerEngineError, match="install runc"):
        find()
    (tmp_path / "runc").touch(0o755)
    engine = find()
    assert engine.words("ps")[1:] == ("--runtime", "runc", "ps")
    assert engine.called.endswith("(runc)")


def test_docker_has_its_own_limits_and_tells_no_pid(says: Says) -> None:
    says("docker", DOCKER)
    engine = find()
    assert engine.called.endswith("docker 27.1 (runc)")
    assert not {"--ulimit", "--pidfile"} & set(words())
    assert engine.removal("name") == ("rm", "--force", "--volumes", "name")
    assert engine.stopping("name", 1.2) == ("stop", "-t", "2", "name")


@pytest.mark.parametrize(
    "info",
    [{"SecurityOptions": ["name=seccomp", "name=rootless"]}, {"OperatingSystem": "Docker Desktop"}],
    ids=["without root", "Docker Desktop"],
)
def test_where_the_hosts_network_is_not_to_be_had_the_port_is_published(
    says: Says, info: dict[str, object]
) -> None:
    says("docker", {**DOCKER, **info})
    assert words()[11:13] == ["--publish", "127.0.0.1:41231:41231"]
    container = spec().container
    assert container is not None and find().published(container)


def test_the_first_that_works_is_taken(says: Says, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    says("podman", {})
    says("docker", DOCKER)
    assert find().name == "docker"
    says("docker", {**DOCKER, "ServerErrors": ["Cannot connect to the Docker daemon at unix:///x"]})
    with pytest.raises(NoContainerEngineError, match=r"no container engine works: .*podman") as error:
        find()
    assert (error.value.code, error.value.absent) == (ExitCode.NOTHING_MEASURED, False)
    monkeypatch.setenv(container_engine.CHOSEN, str(tmp_path / "docker"))
    with pytest.raises(NoContainerEngineError, match="Cannot connect to the Docker daemon"):
        find()


def test_none_is_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(container_engine.CHOSEN, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoContainerEngineError, match="podman is not here and docker is not here") as error:
        find()
    assert error.value.absent


def test_none_in_a_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, sandbox.INSIDE, "1")
    with pytest.raises(NoContainerEngineError, match="no containers within --sandbox"):
        find()
