"""Needs held against machines that are made of scripts: a tool's version, a Go that fetches, a library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deadheat.build import library, packages, toolchain
from deadheat.hosts.held import this_host
from tests.made.programs import found_in

Machine = Callable[..., None]
HOST = this_host()


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Puts programs on an otherwise empty path: name=shell script. What was found before is forgotten."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def put(**scripts: str) -> None:
        for name, script in scripts.items():
            program = folder / name.replace("_", "-")
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)

    monkeypatch.setenv("PATH", str(folder))
    found_in(str(folder), monkeypatch)
    for cached in (
        toolchain.version_of,
        toolchain._go_may_fetch,
        library.version_of,
        packages.candidate,
    ):
        cached.cache_clear()
        monkeypatch.setattr(cached.__module__ + "." + cached.__name__, cached.__wrapped__)
    return put


def go(version: str, gotoolchain: str) -> str:
    return f'case "$1" in version) echo "go version go{version} linux/amd64" ;; *) echo {gotoolchain} ;; esac'


def apt(**candidates: str) -> str:
    lines = "".join(
        f'{name.replace("_", "-")}) echo "  Candidate: {version}" ;; ' for name, version in candidates.items()
    )
    return f'case "$2" in {lines} *) echo "  Candidate: (none)" ;; esac'


def module(folder: Path, text: str) -> Path:
    (folder / "go.mod").write_text(f"module example\n\n{text}\n")
    return folder


@pytest.mark.parametrize("gotoolchain", ("auto", "local+auto", "go1.24.4+auto"))
def test_a_go_that_may_fetch_is_as_new_as_its_go_mod(
    machine: Machine, tmp_path: Path, gotoolchain: str
) -> None:
    machine(go=go("1.24.4", gotoolchain))
    found = toolchain.probe(HOST, "go >= 1.26", module(tmp_path, "go 1.26.0"))
    assert (found.version, found.problem) == ("1.26.0", None)


def test_the_toolchain_line_counts_where_it_is_newer(machine: Machine, tmp_path: Path) -> None:
    machine(go=go("1.24.4", "auto"))
    found = toolchain.probe(HOST, "go >= 1.26", module(tmp_path, "go 1.25.0\n\ntoolchain go1.26.2"))
    assert found.version == "1.26.2"


def test_without_a_folder_the_need_is_met_and_the_version_its_own(machine: Machine) -> None:
    machine(go=go("1.24.4", "auto"))
    assert toolchain.probe(HOST, "go >= 1.26") == toolchain.Found("go >= 1.26", "go", "1.24.4", None)


@pytest.mark.parametrize(
    ("version", "gotoolchain"), (("1.24.4", "local"), ("1.24.4", "path"), ("1.20.5", "auto"), ("1.19.8", ""))
)
def test_a_go_that_may_not_fetch_or_cannot_is_too_old(
    machine: Machine, tmp_path: Path, version: str, gotoolchain: str
) -> None:
    machine(go=go(version, gotoolchain))
    found = toolchain.probe(HOST, "go >= 1.26", module(tmp_path, "go 1.26.0"))
    assert found.problem == f"go {version} is here, >= 1.26 is asked (Debian: apt-get install golang-go)"


def test_a_go_mod_that_asks_for_less_than_the_manifest_is_no_help(machine: Machine, tmp_path: Path) -> None:
    machine(go=go("1.24.4", "auto"))
    assert toolchain.missing(HOST, ("go >= 1.26",), module(tmp_path, "go 1.24")) is not None


def test_advice_names_the_package_that_is_new_enough(machine: Machine) -> None:
    machine(
        rustc="echo rustc 1.63.0", apt_cache=apt(rustc="1.63.0+dfsg1-2", rustc_web="1.85.0+dfsg3-1~deb12u3")
    )
    assert toolchain.missing(HOST, ("rust >= 1.85",)) == (
        "rust 1.63.0 is here, >= 1.85 is asked (Debian: apt-get install rustc-web)"
    )


def test_advice_names_no_package_that_is_too_old(machine: Machine) -> None:
    machine(apt_cache=apt(golang_go="2:1.19~1"))
    assert toolchain.missing(HOST, ("go >= 1.21",)) == (
        "go not found (newer than this system's golang-go 1.19: go.dev/dl)"
    )


def test_debians_cargo_is_told_by_rusts_number(machine: Machine) -> None:
    machine(apt_cache=apt(cargo="0.66.0+ds1-1", rustup="1.27.1-4"))
    assert toolchain.missing(HOST, ("cargo >= 1.88",)) == (
        "cargo not found (newer than this system's cargo 1.65: apt-get install rustup, rustup default stable)"
    )


def test_a_library_by_pkg_config(machine: Machine) -> None:
    machine(pkg_config='[ "$2" = hiredis ] && echo 1.2.0')
    assert toolchain.probe(HOST, "pkg-config:hiredis >= 1.0 (libhiredis-dev)").version == "1.2.0"
    assert toolchain.missing(HOST, ("pkg-config:hiredis >= 2 (libhiredis-dev)",)) == (
        "pkg-config hiredis 1.2.0 is here, >= 2 is asked (Debian: apt-get install libhiredis-dev)"
    )
    assert toolchain.missing(HOST, ("pkg-config:protobuf (libprotobuf-dev)",)) == (
        "pkg-config protobuf not found (Debian: apt-get install libprotobuf-dev)"
    )


def test_without_a_package_to_name_there_is_no_advice(machine: Machine) -> None:
    machine()
    assert toolchain.missing(HOST, ("header:foo/bar.h",)) == "header foo/bar.h not found"


def test_headers_and_libraries_are_what_the_compiler_and_the_linker_find() -> None:
    assert library.version_of(HOST, "header", "stdio.h") == "0"
    assert library.version_of(HOST, "header", "no/such/header.h") is None
    assert library.version_of(HOST, "library", "m") == "0"
    assert library.version_of(HOST, "library", "no-such-library") is None


@pytest.mark.parametrize("need", ("", "go 1.21", "pkg-config: x", "header:a b", "x (Not A Package)"))
def test_what_cannot_be_read_is_said(need: str) -> None:
    assert "cannot read the need" in (toolchain.missing(HOST, (need,)) or "")
