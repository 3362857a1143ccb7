"""Images raced by the real podman: as contenders and services, of suites, command lines and revisions."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.made import containers
from tests.made.containers import Engine
from tests.made.repository import ENVIRONMENT, Made, made

from .bench import HABITS, Deadheat, all_gone, twice

podman = pytest.mark.usefixtures("podman_here")
BUDGET = ("--budget", "8s", "--seed", "7")
# Long enough for any start; it ends before a race.
NOT_RACED, RACED = ("--budget", "10m"), ("--budget", "40s", "--seed", "7")
BENCH = 'containerfile = "Containerfile"\nconnections = 4\n'


@pytest.fixture(scope="module")
def engine() -> Engine:
    return containers.podman()


@pytest.fixture(scope="module")
def podman_here() -> None:
    """One container is tried, once."""
    if (why := containers.why_none()) is not None:
        pytest.skip(why)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("images")


@pytest.fixture(scope="module")
def image(podman_here: None, engine: Engine, folder: Path) -> Iterator[str]:
    with containers.image(engine, folder) as name:
        yield name


@pytest.fixture
def deadheat(home: Path, tmp_path: Path, engine: Engine) -> Deadheat:
    """With no suite anywhere."""
    return Deadheat(home, home / "no-suite", cwd=tmp_path, env={**ENVIRONMENT, **engine.env})


@pytest.fixture
def mine(tmp_path: Path, folder: Path) -> Made:
    """A repository whose program is built into an image."""
    repo = made(tmp_path / "mine", {"bench/deadheat.toml": BENCH})
    for file, data in containers.sources(folder / "sources").items():
        (repo.path / file).write_bytes(data)
    (repo.path / "served").chmod(0o755)
    repo.commit({})
    return repo


def answering(answer: str) -> dict[str, str]:
    return {"Containerfile": containers.CONTAINERFILE.format(answer=answer)}


@podman
def test_two_images_and_a_command(deadheat: Deadheat, image: str, engine: Engine) -> None:
    command = shlex.join([sys.executable, "-S", "-E", str(HABITS / "server.py"), "{port}"])
    lines = ("--command", command, "--image", image, "--image", f"GOGC=off {image} spins")
    names = ("-n", "command", "-n", "image", "-n", "spins")
    ended = deadheat.run("race", *lines, *names, "--answers-may-differ", "--connections", "4", *BUDGET)
    assert ended.code in (0, 4), ended
    assert {deadheat.row(name)["status"] for name in ("command", "image", "spins")} == {"measured"}
    # What spins uses is its own CPU time, and while it is frozen it has none.
    assert all(line["frozen_cpu_ns"] < 1e7 for line in deadheat.journal() if line["type"] == "ended")
    started = [line for line in deadheat.journal() if line["type"] == "started"]
    assert {line["entry"] for line in started if line["container"] is not None} == {"image", "spins"}
    built = {line["contender"]: line for line in deadheat.journal() if line["type"] == "built"}
    assert (
        built["image"]["image"]
        == built["spins"]["image"]
        == engine.says("inspect", "--format={{.Id}}", image)
    )
    [run] = [folder for folder in deadheat.runs.glob("*-*") if folder.is_dir()]
    report = (run / "report.md").read_text()
    assert "image, spins ran in containers of podman " in report
    assert "on the host's network; frozen by cgroup v" in report
    assert engine.containers(f"deadheat-{run.name}-") == []


@podman
def test_a_published_port_is_said(deadheat: Deadheat, image: str) -> None:
    lines = ("--image", f"{image} -at 8080", "--image", f"{image} -at {{port}}", "--image-port", "8080")
    ended = deadheat.run("race", *lines, "-n", "a", "-n", "b", "--connections", "4", *BUDGET)
    assert ended.code in (0, 4), ended
    assert {deadheat.row(name)["status"] for name in "ab"} == {"measured"}
    assert "reached through a published port, which costs" in " ".join(ended.out.split())


@podman
def test_bad_images(deadheat: Deadheat, image: str) -> None:
    absent = "localhost/deadheat-tests/absent:1"
    for first, code, said in (
        (absent, 3, f"the image {absent} is not here"),
        (f"{image} ends", 3, "exited with status 3 after"),
        (f"{image} 'unbalanced", 2, "no closing quotation"),
        ("NAME=value", 2, "names no image"),
    ):
        ended = deadheat.run("race", "--image", first, "--image", image, *BUDGET)
        assert ended.code == code, ended
        assert said in ended.error
    assert "pull" in deadheat.run("race", "--image", absent, "--image", image, *BUDGET).error
    ended = deadheat.run("race", "--image", f"{image} ends", "--image", image, *BUDGET)
    assert "no such database: shop" in ended.error
    # One that is not the reference leaves the race with its reason.
    ended = deadheat.run("race", "--image", image, "--image", f"{image} ends", "-n", "a", "-n", "b", *BUDGET)
    assert "no such database: shop" in ended.err
    for words, said in (
        (("--image", image), "a race takes two"),
        (("--command", "a {port}", "--command", "b {port}", "--image-port", "80"), "--image-port is of an"),
        (("--image", image, "--image", image, "--shell"), "--shell is of a --command"),
        (("--image", image, "--image", image, "--image-port", "80", "--service", "redis"), "does not reach"),
    ):
        ended = deadheat.run("race", *words)
        assert (ended.code, said in ended.error) == (2, True), ended


def test_without_an_engine(deadheat: Deadheat, tmp_path: Path) -> None:
    """Where the PATH has neither, and where the one that is named does not work."""
    (tmp_path / "bin").mkdir()
    del deadheat.env["DEADHEAT_CONTAINER_ENGINE"]
    deadheat.env["PATH"] = str(tmp_path / "bin")
    ended = deadheat.run("race", "--image", "a", "--image", "b")
    assert ended.code == 3
    assert "no container engine: podman is not here and docker is not here" in ended.error
    docker = tmp_path / "bin" / "docker"
    docker.write_text("#!/bin/sh\necho 'Cannot connect to the Docker daemon at unix:///x' >&2\nexit 1\n")
    docker.chmod(0o755)
    deadheat.env["PATH"] = f"{tmp_path / 'bin'}:/bin"
    deadheat.env["DEADHEAT_CONTAINER_ENGINE"] = "docker"
    ended = deadheat.run("race", "--image", "a", "--image", "b")
    assert ended.code == 3
    assert "no container engine works: docker: Cannot connect to the Docker daemon" in ended.error


SUITE = """\
title = "Served"
question = "Who serves?"
kind = "http"
metric = "throughput_rps"
reference = "there"

[request]
path = "/"

[load]
connections = 4

[[conformance]]
path = "/"
body = "hello"
"""


def contender(folder: Path, name: str, keys: str) -> Path:
    """A contender.toml of these lines; its folder."""
    (folder / name).mkdir(parents=True)
    file = folder / name / "contender.toml"
    file.write_text(f'title = "{name}"\nlanguage = "Go"\nclass = "idiomatic"\ndefault = true\n{keys}\n')
    return file.parent


@podman
def test_images_of_a_suite(
    deadheat: Deadheat, image: str, engine: Engine, tmp_path: Path, folder: Path
) -> None:
    """One that is there, one that is built, once, and one that does not build and says why."""
    engine.drop("localhost/deadheat/built")
    served = tmp_path / "suite" / "served"
    contender(served, "there", f'image = "{image}"')
    built = contender(served, "built", 'containerfile = "Containerfile"')
    for file, data in containers.sources(folder / "sources").items():
        (built / file).write_bytes(data)
    (built / "served").chmod(0o755)
    broken = contender(served, "broken", 'containerfile = "Containerfile"')
    (broken / "Containerfile").write_text("FROM scratch\nCOPY absent /absent\n")
    contender(served, "absent", 'image = "localhost/deadheat-tests/absent:1"')
    (served / "workload.toml").write_text(SUITE)
    deadheat.suite = tmp_path / "suite"
    ended = deadheat.run("race", *BUDGET)
    assert ended.code in (0, 4), ended
    rows = {name: deadheat.row(name) for name in ("there", "built", "broken", "absent")}
    assert (rows["there"]["status"], rows["built"]["status"]) == ("measured", "measured")
    assert rows["absent"]["status"] == "unavailable"
    assert "localhost/deadheat-tests/absent:1 is not here" in rows["absent"]["reason"]
    assert rows["broken"]["status"] == "failed"
    [failed] = [
        line for line in deadheat.journal() if line["type"] == "built" and line["contender"] == "broken"
    ]
    assert any("absent" in line for line in failed["tail"])
    [tag] = engine.tags("localhost/deadheat/built")
    try:
        ended = deadheat.run("build", "built")
        assert "ready" in ended.out and "cached" in ended.out
        # Where the engine has dropped it, it is built again.
        engine.says("rmi", "--force", tag)
        assert "cached" not in deadheat.run("build", "built").out
    finally:
        engine.says("rmi", "--force", tag)


def test_manifests_with_a_mistake(deadheat: Deadheat, tmp_path: Path) -> None:
    """Each says file, line and what of two is meant."""
    deadheat.suite = tmp_path / "suite"
    for keys, said in (
        ('image = "a"\nbuild = "make"', "build or image, not both"),
        ('image = "a"\ncontainerfile = "b"', "image or containerfile, not both"),
        ('image = "a"\nrun = "./a {port}"', "a contender has a run line, an image, or listens already"),
        ('run = "./a {port}"\nargs = "b"', "args is of an image"),
        ("listens = 3000\nport = 8080", "port is of a server that is started"),
    ):
        served = tmp_path / "suite" / "served"
        file = contender(served, "there", keys) / "contender.toml"
        (served / "workload.toml").write_text(SUITE)
        ended = deadheat.run("list")
        assert ended.code == 2, ended
        assert f"{file}:" in ended.error and said in ended.error
        file.unlink()
        file.parent.rmdir()
    programs = twice(tmp_path / "programs")
    contender(programs.path / "twice", "contained", 'image = "a"')
    deadheat.suite = programs.path
    ended = deadheat.run("list")
    assert ended.code == 2
    assert "contained is in a container, and twice races programs that run to their end" in ended.error
    file = programs.path / "twice" / "contained" / "contender.toml"
    file.write_text(file.read_text().replace('image = "a"', 'run = "./a {args}"\nport = 8080'))
    assert "contained runs to its end, and listens nowhere" in deadheat.run("list").error


@podman
def test_a_service_is_an_image(deadheat: Deadheat, mine: Made, image: str) -> None:
    """Each side has one of its own, and asks it."""
    deadheat.cwd = mine.path
    services = f'[[services]]\nname = "facts"\nimage = "{image}"\nargs = "-at {{port}}"\n'
    mine.write({"bench/deadheat.toml": f'{BENCH}env = {{ ASKS = "FACTS" }}\n{services}'})
    ended = deadheat.run("ab", ".", "--race-the-same", *RACED)
    assert ended.code in (0, 4), ended
    ran = [line for line in deadheat.journal() if line["type"] == "service-ran"]
    assert {line["service"] for line in ran} == {"facts"}
    assert all(line["container"]["engine"].startswith("podman ") and line["cpu_s"] > 0 for line in ran)


@podman
def test_revisions_by_their_containerfiles(deadheat: Deadheat, mine: Made, engine: Engine) -> None:
    """The same image ends it, another answer is shown, a size is compared, a build that fails says why."""
    deadheat.cwd = mine.path
    mine.commit({"README": "words\n", ".dockerignore": "README\nbench\n"})
    mine.commit({"README": "other words\n"})
    ended = deadheat.run("ab", "HEAD~1", *NOT_RACED)
    assert (ended.code, ended.out.startswith("the same program: image ")) == (0, True), ended
    mine.write(answering("hullo"))
    ended = deadheat.run("ab", "HEAD", *RACED)
    assert 'expected body "hello"  got "hullo"' in ended.out, ended
    ended = deadheat.run("ab", "HEAD", "--metric", "size", "--fail-if", "size > 1%")
    assert (ended.code, "holds: size > 1%" in ended.out) == (0, True), ended
    mine.write({"Containerfile": "FROM scratch\nCOPY absent /\n"})
    ended = deadheat.run("ab", "HEAD", *NOT_RACED)
    assert ended.code == 3
    assert "the working tree does not build: its build exited with status" in ended.error
    assert "absent" in ended.error
    engine.drop("localhost/deadheat/mine")


@podman
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_of_a_race(
    deadheat: Deadheat, image: str, engine: Engine, number: signal.Signals
) -> None:
    """After a Ctrl-C, and after a kill -9, with some frozen."""
    with deadheat.start("race", "--image", image, "--image", f"{image} deaf", "--budget", "10m") as race:
        race.until_journal(
            lambda journal: any(line["type"] == "slice" and not line["warm_up"] for line in journal),
            "all three are up and warm",
        )
        [run] = [folder for folder in deadheat.runs.glob("*-*") if folder.is_dir()]
        names = engine.containers(f"deadheat-{run.name}-{race.pid}-")
        assert len(names) == 3
        if number == signal.SIGKILL:
            started = [one for one in race.kill() if "container_guard" not in one.name]
        else:
            race.signal(number)
            assert race.end().code == 130
            started = []
    engine.all_removed(names)
    all_gone(started)
