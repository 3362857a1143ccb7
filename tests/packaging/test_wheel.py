"""What people install: the wheel has both programs and the suite, and needs neither Rust nor a checkout."""

from __future__ import annotations

import json
import os
import subprocess
import zipfile
from pathlib import Path

import pytest

from deadheat import __version__

from .conftest import ROOT, Installed

INSIDE = "deadheat/builtin_suite/"
# All that a race may end with on a machine that does much else: settled, nothing counted, nothing settled.
RACED = (0, 3, 4)


def test_it_is_of_this_platform_and_any_python(wheel: Path) -> None:
    name, version, python, abi, platform = wheel.name.removesuffix(".whl").split("-")
    assert (name, version, python, abi) == ("deadheat", __version__, "py3", "none")
    assert platform.startswith(("linux", "manylinux", "musllinux"))


def test_the_suite_in_it_is_the_repositorys(wheel: Path) -> None:
    """Every tracked file, links as what they point to, and nothing that a build left there."""
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "suite"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    expected: dict[str, Path] = {}
    for name in filter(None, tracked.split("\0")):
        path = ROOT / name
        files = [path] if not path.is_dir() else [p for p in path.rglob("*") if p.is_file()]
        for file in files:
            expected[name.removeprefix("suite/") + str(file)[len(str(path)) :]] = file
    with zipfile.ZipFile(wheel) as archive:
        found = {n.removeprefix(INSIDE): n for n in archive.namelist() if n.startswith(INSIDE)}
        assert set(found) == set(expected)
        assert [
            name for name, file in expected.items() if archive.read(found[name]) != file.read_bytes()
        ] == []
        executable = {n for n in found if archive.getinfo(found[n]).external_attr >> 16 & 0o100}
    assert executable == {name for name, file in expected.items() if os.access(file, os.X_OK)}


def test_every_file_of_the_package_is_in_it(wheel: Path) -> None:
    package = ROOT / "src" / "deadheat"
    ours = {
        f"deadheat/{path.relative_to(package)}"
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        there = {n for n in archive.namelist() if n.startswith("deadheat/") and not n.startswith(INSIDE)}
    assert there == ours


@pytest.mark.parametrize("program", ["deadheat", "deadheat-load"])
def test_programs(installed: Installed, program: str) -> None:
    ran = installed.run(program, "--version")
    assert (ran.returncode, ran.stdout.split()) == (0, [program, __version__])


def test_doctor_knows_the_suite_and_that_rust_is_missing(installed: Installed) -> None:
    ran = installed.run("deadheat", "doctor", "--json")
    assert ran.returncode == 0, ran.stderr
    problems = {need["need"]: need["problem"] for need in json.loads(ran.stdout)["toolchains"]}
    assert any("cargo not found" in (problem or "") for problem in problems.values())
    assert problems["deadheat-load"] is None


def test_a_race_outside_of_any_checkout(installed: Installed) -> None:
    ran = installed.run(
        "deadheat", "race", "fib", "--reference", "c", "-c", "c-no-inline", "--budget", "10s", "--seed", "1"
    )
    assert ran.returncode in RACED, ran.stderr
    assert "2 contenders ready" in ran.stderr
    run = installed.data / "deadheat" / "runs" / "latest"
    results = json.loads((run / "results.json").read_text())
    assert {row["name"] for row in results["workloads"][0]["contenders"]} == {"c", "c-no-inline"}
    assert (run / "report.html").stat().st_size > 10_000
    assert (installed.cache / "deadheat" / "builds" / "c").is_dir()
    assert list(installed.elsewhere.iterdir()) == []
    shown = installed.run("deadheat", "runs", "--json")
    assert [each["run"] for each in json.loads(shown.stdout)] == [run.resolve().name]


def test_a_suite_of_ones_own_goes_first(installed: Installed, tmp_path: Path) -> None:
    folder = tmp_path / "suite" / "mine"
    folder.mkdir(parents=True)
    (folder / "workload.toml").write_text(
        'title = "Mine"\nkind = "http"\nmetric = "throughput_rps"\n[request]\npath = "/{token}"\n'
        '[[conformance]]\npath = "/{token}"\nbody = "{token}"\n'
    )
    (folder / "one").mkdir()
    (folder / "one" / "contender.toml").write_text(
        'title = "One"\nlanguage = "C"\nclass = "idiomatic"\nrun = "./one {port}"\n'
    )
    listed = json.loads(installed.run("deadheat", "list", "--json", cwd=tmp_path).stdout)
    assert "mine" in json.dumps(listed)
    assert "redis-pipeline" not in json.dumps(listed)
