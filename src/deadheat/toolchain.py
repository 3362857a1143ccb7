"""Toolchains that contenders need: is it there, which version, and how to get it."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from deadheat.command import path


@dataclass(frozen=True)
class Toolchain:
    """How a tool tells its version, and the Debian package that has it."""

    command: tuple[str, ...]
    package: str
    pattern: str = r"(\d+(?:\.\d+)+)"


@dataclass(frozen=True)
class Found:
    """A need (`go >= 1.21`) held against this machine. `problem` is None where it is met."""

    need: str
    name: str
    version: str | None
    problem: str | None


TOOLCHAINS: dict[str, Toolchain] = {
    "go": Toolchain(("go", "version"), "golang-go"),
    "crystal": Toolchain(("crystal", "--version"), "crystal"),
    "shards": Toolchain(("shards", "--version"), "shards"),
    "gcc": Toolchain(("gcc", "--version"), "gcc", r"(\d+\.\d+\.\d+)"),
    "g++": Toolchain(("g++", "--version"), "g++", r"(\d+\.\d+\.\d+)"),
    "clang": Toolchain(("clang", "--version"), "clang"),
    "make": Toolchain(("make", "--version"), "make"),
    "cmake": Toolchain(("cmake", "--version"), "cmake"),
    "rust": Toolchain(("rustc", "--version"), "rustc"),
    "cargo": Toolchain(("cargo", "--version"), "cargo"),
    "node": Toolchain(("node", "--version"), "nodejs"),
    "npm": Toolchain(("npm", "--version"), "npm"),
    "java": Toolchain(("javac", "-version"), "default-jdk-headless", r"(\d+(?:\.\d+)*)"),
    "maven": Toolchain(("mvn", "--version"), "maven"),
    "python": Toolchain(("python3", "--version"), "python3"),
    "ruby": Toolchain(("ruby", "--version"), "ruby"),
    "bundle": Toolchain(("bundle", "--version"), "ruby-bundler"),
    "puma": Toolchain(("puma", "--version"), "puma"),
    "elixir": Toolchain(("elixir", "--short-version"), "elixir"),
    "mix": Toolchain(("elixir", "--short-version"), "elixir"),
    "erl": Toolchain(
        ("erl", "-noshell", "-eval", "io:put_chars(erlang:system_info(otp_release)), halt()."),
        "erlang",
        r"(\d+)",
    ),
    "nginx": Toolchain(("nginx", "-v"), "nginx-light"),
    "protoc": Toolchain(("protoc", "--version"), "protobuf-compiler"),
    "pkg-config": Toolchain(("pkg-config", "--version"), "pkg-config"),
    "redis-server": Toolchain(("redis-server", "--version"), "redis-server"),
    "valkey-server": Toolchain(("valkey-server", "--version"), "valkey-server"),
    "h2load": Toolchain(("h2load", "--version"), "nghttp2-client"),
    "wrk": Toolchain(("wrk", "--version"), "wrk"),
    "deadheat-load": Toolchain(("deadheat-load", "--version"), "deadheat-load"),
}

_NEED = re.compile(r"^\s*([A-Za-z0-9_.+-]+)\s*((?:[<>=!~]=?|===).*)?$")


def probe(need: str) -> Found:
    """Is this need met here?"""
    parsed = _NEED.match(need)
    if parsed is None:
        return Found(need, need, None, f'cannot read the need "{need}" (write: go >= 1.21)')
    name, wanted = parsed[1], parsed[2]
    version = version_of(name)
    if version is None:
        return Found(need, name, None, f"{name} not found{_advice(name)}")
    if wanted is None:
        return Found(need, name, version, None)
    try:
        met = Version(version) in SpecifierSet(wanted)
    except (InvalidSpecifier, InvalidVersion) as error:
        return Found(need, name, version, f'cannot compare {name} {version} with "{wanted.strip()}": {error}')
    problem = None if met else f"{name} {version} is here, {wanted.strip()} is asked{_advice(name)}"
    return Found(need, name, version, problem)


def missing(needs: tuple[str, ...]) -> str | None:
    """The first unmet need, as a sentence; None when all are met."""
    return next((found.problem for found in map(probe, needs) if found.problem), None)


@cache
def version_of(name: str) -> str | None:
    """The version that a tool prints ("found" where it prints none), or None where it is not there."""
    tool = TOOLCHAINS.get(name, Toolchain((name, "--version"), ""))
    program = shutil.which(tool.command[0], path=path())
    if program is None:
        return None
    try:
        ran = subprocess.run(
            [program, *tool.command[1:]],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(tool.pattern, ran.stdout + ran.stderr)
    return found[1] if found else "0"


def _advice(name: str) -> str:
    tool = TOOLCHAINS.get(name)
    return f" (Debian: apt-get install {tool.package})" if tool and tool.package else ""
