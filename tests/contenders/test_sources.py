"""What must stay true of the sources across contenders."""

from __future__ import annotations

import json
import re

import pytest

from .conftest import SUITE

LOCKS = sorted(
    lock
    for workload in ("app", "http-hello")
    for lock in (SUITE / workload).rglob("package-lock.json")
    if "node_modules" not in lock.parts
)


def test_the_c_rows_differ_in_their_flags_alone() -> None:
    sources = {
        folder: (SUITE / "fib" / folder / "fib.c").read_text() for folder in ("c", "ceiling", "c-no-inline")
    }
    assert len(set(sources.values())) == 1


def test_a_lock_file_names_versions_and_no_address() -> None:
    assert LOCKS
    for lock in LOCKS:
        packages = json.loads(lock.read_text())["packages"]
        for name, package in packages.items():
            assert "resolved" not in package, f"{lock}: {name}"
            assert name == "" or package["integrity"], f"{lock}: {name}"


@pytest.mark.parametrize(
    "folder",
    ("http-hello/phoenix", "http-hello/phoenix-clean", "http-hello/plug-cowboy", "app/elixir-phoenix-ecto"),
)
def test_the_mix_lock_file_holds_what_each_package_in_it_needs(folder: str) -> None:
    text = (SUITE / folder / "mix.lock").read_text()
    lines = [line for line in text.splitlines() if "{:hex," in line]
    locked = {re.search(r'"(\w+)": ', line)[1] for line in lines}  # type: ignore[index]
    needed = {
        name
        for line in lines
        for name, optional in re.findall(r"\{:(\w+), \"[^\"]+\", \[[^\]]*optional: (true|false)\]\}", line)
        if optional == "false"
    }
    asked = set(re.findall(r"\{:(\w+), \"~>", (SUITE / folder / "mix.exs").read_text()))
    assert asked
    assert needed <= locked
    assert asked <= locked
    # The probe of mix-release.sh asks for one of them, by name and version.
    script = ((SUITE / folder).parent / "mix-release.sh").read_text()
    probe = re.search(r"hex.package fetch (\w+) (\S+)", script)
    assert probe is not None
    assert f'"{probe[1]}": {{:hex, :{probe[1]}, "{probe[2]}"' in text
