"""What contenders need: is it there, which version, and how to get it.

A need is a tool (`go >= 1.21`), or `pkg-config:NAME`, `header:FILE` or `library:NAME`, each with a version if
it has one and, in parentheses, the Debian package that has it: `pkg-config:hiredis >= 1.0 (libhiredis-dev)`.
"""

import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from deadheat.build import library
from deadheat.build.command import path
from deadheat.build.packages import advice


@dataclass(frozen=True)
class Toolchain:
    """How a tool prints its version, the Debian packages that have it, and where newer ones are had."""

    command: tuple[str, ...]
    packages: tuple[str, ...]
    pattern: str = r"(\d+(?:\.\d+)+)"
    newer: str = ""


@dataclass(frozen=True)
class Found:
    """A need (`go >= 1.21`) held against this machine. `problem` is None where it is met."""

    need: str
    name: str
    version: str | None
    problem: str | None


TOOLCHAINS: dict[str, Toolchain] = {
    "go": Toolchain(("go", "version"), ("golang-go",), newer="go.dev/dl"),
    "crystal": Toolchain(("crystal", "--version"), ("crystal",)),
    "shards": Toolchain(("shards", "--version"), ("shards",)),
    "gcc": Toolchain(("gcc", "--version"), ("gcc",), r"(\d+\.\d+\.\d+)"),
    "g++": Toolchain(("g++", "--version"), ("g++",), r"(\d+\.\d+\.\d+)"),
    "clang": Toolchain(("clang", "--version"), ("clang",)),
    "make": Toolchain(("make", "--version"), ("make",)),
    "cmake": Toolchain(("cmake", "--version"), ("cmake",)),
    "rust": Toolchain(("rustc", "--version"), ("rustc", "rustc-web"), newer="rustup"),
    "cargo": Toolchain(("cargo", "--version"), ("cargo", "cargo-web"), newer="rustup"),
    "node": Toolchain(("node", "--version"), ("nodejs",), newer="nodejs.org"),
    "npm": Toolchain(("npm", "--version"), ("npm",)),
    "java": Toolchain(
        ("javac", "-version"), ("default-jdk-headless",), r"(\d+(?:\.\d+)*)", newer="adoptium.net"
    ),
    "maven": Toolchain(("mvn", "--version"), ("maven",)),
    "python": Toolchain(("python3", "--version"), ("python3",), newer="python.org"),
    "ruby": Toolchain(("ruby", "--version"), ("ruby",)),
    "bundle": Toolchain(("bundle", "--version"), ("ruby-bundler",)),
    "puma": Toolchain(("puma", "--version"), ("puma",)),
    "elixir": Toolchain(("elixir", "--short-version"), ("elixir",)),
    "mix": Toolchain(("elixir", "--short-version"), ("elixir",)),
    "erl": Toolchain(
        ("erl", "-noshell", "-eval", "io:put_chars(erlang:system_info(otp_release)), halt()."),
        ("erlang",),
        r"(\d+)",
    ),
    "nginx": Toolchain(("nginx", "-v"), ("nginx-light",)),
    "protoc": Toolchain(("protoc", "--version"), ("protobuf-compiler",)),
    "pkg-config": Toolchain(("pkg-config", "--version"), ("pkg-config",)),
    "redis-server": Toolchain(("redis-server", "--version"), ("redis-server",)),
    "valkey-server": Toolchain(("valkey-server", "--version"), ("valkey-server",)),
    "postgres": Toolchain(("postgres", "--version"), ("postgresql",)),
    "initdb": Toolchain(("initdb", "--version"), ("postgresql",)),
    "h2load": Toolchain(("h2load", "--version"), ("nghttp2-client",)),
    "wrk": Toolchain(("wrk", "--version"), ("wrk",)),
    "deadheat-load": Toolchain(("deadheat-load", "--version"), ("deadheat-load",)),
}

_NEED = re.compile(
    r"^\s*(?:(?P<kind>pkg-config|header|library):)?(?P<name>[A-Za-z0-9_./+-]+)"
    r"\s*(?P<wanted>(?:[<>=!~]=?|===)[^()]*)?(?:\((?P<package>[a-z0-9.+-]+)\))?\s*$"
)
# From this version on Go fetches the toolchain that a go.mod asks for, where GOTOOLCHAIN lets it.
GO_FETCHES = Version("1.21")


def probe(need: str, folder: Path | None = None) -> Found:
    """Is this need met here? `folder` is the contender's, whose go.mod says which Go will be fetched."""
    parsed = _NEED.match(need)
    if parsed is None:
        return Found(need, need, None, f'cannot read the need "{need}" (write: go >= 1.21)')
    kind, name, wanted = parsed["kind"], parsed["name"], (parsed["wanted"] or "").strip()
    tool = TOOLCHAINS.get(name)
    if kind is None:
        version = version_of(name)
        packages, newer = (tool.packages, tool.newer) if tool else ((), "")
    else:
        version = library.version_of(kind, name)
        packages, newer = (), ""
    if parsed["package"]:
        packages = (parsed["package"],)
    title = name if kind is None else f"{kind} {name}"
    if version is None:
        return Found(need, name, None, f"{title} not found{advice(packages, wanted, newer)}")
    if not wanted:
        return Found(need, name, version, None)
    try:
        specifiers = SpecifierSet(wanted)
        met = Version(version) in specifiers
        fetched = None if met or kind or name != "go" else _fetched_go(Version(version), specifiers, folder)
    except (InvalidSpecifier, InvalidVersion) as error:
        return Found(need, name, version, f'cannot compare {name} {version} with "{wanted}": {error}')
    if met or fetched:
        return Found(need, name, fetched or version, None)
    problem = f"{title} {version} is here, {wanted} is asked{advice(packages, wanted, newer)}"
    return Found(need, name, version, problem)


def missing(needs: tuple[str, ...], folder: Path | None = None) -> str | None:
    """The first unmet need, as a sentence; None when all are met."""
    return next((found.problem for found in (probe(need, folder) for need in needs) if found.problem), None)


def _fetched_go(version: Version, wanted: SpecifierSet, folder: Path | None) -> str | None:
    """The Go that this one fetches for the folder's go.mod; its own version where that is not known."""
    if version < GO_FETCHES or not _go_may_fetch():
        return None
    try:
        module = (folder / "go.mod").read_text() if folder else ""
    except OSError:
        module = ""
    asked = re.findall(r"^(?:go\s+|toolchain\s+go)(\d+(?:\.\d+)+)\s*$", module, re.MULTILINE)
    if not asked:
        return str(version)
    newest = max(asked, key=Version)
    return newest if Version(newest) in wanted else None


@cache
def _go_may_fetch() -> bool:
    """`go env GOTOOLCHAIN` is auto, or a version with `+auto`: a toolchain may be fetched."""
    return _output(("go", "env", "GOTOOLCHAIN")).strip().endswith("auto")


@cache
def version_of(name: str) -> str | None:
    """The version that a tool prints ("0" where it prints none), or None where it is not there."""
    tool = TOOLCHAINS.get(name, Toolchain((name, "--version"), ()))
    if shutil.which(tool.command[0], path=path()) is None:
        return None
    found = re.search(tool.pattern, _output(tool.command))
    return found[1] if found else "0"


def _output(command: tuple[str, ...]) -> str:
    """What a tool prints, on either stream; nothing where it cannot be run."""
    program = shutil.which(command[0], path=path())
    if program is None:
        return ""
    try:
        ran = subprocess.run(
            [program, *command[1:]],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ran.stdout + ran.stderr
