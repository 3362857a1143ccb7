"""What contenders need: is it there, which version, and how to get it.

A need is a tool (`go >= 1.21`), or `pkg-config:NAME`, `header:FILE` or `library:NAME`, each with a version if
it has one and, in parentheses, the Debian package that has it: `pkg-config:hiredis >= 1.0 (libhiredis-dev)`.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from deadheat.build import library
from deadheat.build.packages import advice
from deadheat.hosts import Host, StartError


@dataclass(frozen=True)
class Toolchain:
    """How a tool prints its version, the Debian packages that have it, and where newer ones are had."""

    command: tuple[str, ...]
    packages: tuple[str, ...]
    pattern: str = r"(\d+(?:\.\d+)+)"
    newer: str = ""


@dataclass(frozen=True)
class Found:
    """A need (`go >= 1.21`) held against a host. `problem` is None where it is met."""

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
    "perl": Toolchain(("perl", "--version"), ("perl",), r"\(v(\d+\.\d+\.\d+)\)"),
    "php": Toolchain(("php", "--version"), ("php-cli",)),
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
# A tool says at once which it is, or after it has fetched something.
TIME_LIMIT_S = 20.0
# From this version on Go fetches the toolchain that a go.mod asks for, where GOTOOLCHAIN lets it.
GO_FETCHES = Version("1.21")


def probe(host: Host, need: str, folder: Path | None = None) -> Found:
    """Is this need met there? `folder` is the contender's, whose go.mod says which Go will be fetched."""
    parsed = _NEED.match(need)
    if parsed is None:
        return Found(need, need, None, f'cannot read the need "{need}" (write: go >= 1.21)')
    kind, name, wanted = parsed["kind"], parsed["name"], (parsed["wanted"] or "").strip()
    tool = TOOLCHAINS.get(name)
    if kind is None:
        version = version_of(host, name)
        packages, newer = (tool.packages, tool.newer) if tool else ((), "")
    else:
        version = library.version_of(host, kind, name)
        packages, newer = (), ""
    if parsed["package"]:
        packages = (parsed["package"],)
    title = name if kind is None else f"{kind} {name}"
    if version is None:
        return Found(need, name, None, f"{title} not found{advice(host, packages, wanted, newer)}")
    if not wanted:
        return Found(need, name, version, None)
    try:
        specifiers = SpecifierSet(wanted)
        met = Version(version) in specifiers
        may_fetch = not met and kind is None and name == "go"
        fetched = _fetched_go(host, Version(version), specifiers, folder) if may_fetch else None
    except (InvalidSpecifier, InvalidVersion) as error:
        return Found(need, name, version, f'cannot compare {name} {version} with "{wanted}": {error}')
    if met or fetched:
        return Found(need, name, fetched or version, None)
    problem = f"{title} {version} is here, {wanted} is asked{advice(host, packages, wanted, newer)}"
    return Found(need, name, version, problem)


def missing(host: Host, needs: tuple[str, ...], folder: Path | None = None) -> str | None:
    """The first unmet need, as a sentence; None when all are met."""
    problems = (probe(host, need, folder).problem for need in needs)
    return next(filter(None, problems), None)


def _fetched_go(host: Host, version: Version, wanted: SpecifierSet, folder: Path | None) -> str | None:
    """The Go that this one fetches for the folder's go.mod; its own version where that is not known."""
    if version < GO_FETCHES or not _go_may_fetch(host):
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
def _go_may_fetch(host: Host) -> bool:
    """`go env GOTOOLCHAIN` is auto, or a version with `+auto`: a toolchain may be fetched."""
    return (_output(host, ("go", "env", "GOTOOLCHAIN")) or "").strip().endswith("auto")


@cache
def version_of(host: Host, name: str) -> str | None:
    """The version that a tool prints ("0" where it prints none), or None where it is not there."""
    tool = TOOLCHAINS.get(name, Toolchain((name, "--version"), ()))
    printed = _output(host, tool.command)
    if printed is None:
        return None
    found = re.search(tool.pattern, printed)
    return found[1] if found else "0"


def _output(host: Host, command: tuple[str, ...]) -> str | None:
    """What a tool prints, on either stream; None where it is not there."""
    try:
        ran = host.run(command, env={"PATH": host.programs().path}, timeout_s=TIME_LIMIT_S)
    except StartError:
        return None
    except TimeoutError:
        return ""
    return ran.stdout + ran.stderr
