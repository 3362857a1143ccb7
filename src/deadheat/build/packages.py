"""How to get what is missing, in words that hold on its system."""

import re
from collections.abc import Sequence
from functools import cache

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from deadheat.hosts import Host, StartError

TIME_LIMIT_S = 20.0


def advice(host: Host, packages: Sequence[str], wanted: str = "", newer: str = "") -> str:
    """The first Debian package that is new enough; where this system's are all too old, who has a newer one.

    In parentheses, after a blank; empty where nobody is known.
    """
    if not packages:
        return ""
    candidates = {package: version for package in packages if (version := candidate(host, package))}
    fit = [package for package, version in candidates.items() if _fits(version, wanted)]
    if fit or not candidates:
        return f" (Debian: apt-get install {(fit or packages)[0]})"
    package, version = max(candidates.items(), key=lambda item: item[1])
    if newer == "rustup" and candidate(host, "rustup"):
        newer = "apt-get install rustup, rustup default stable"
    elsewhere = f": {newer}" if newer else ""
    return f" (newer than this system's {package} {version}{elsewhere})"


def _fits(version: Version, wanted: str) -> bool:
    try:
        return version in SpecifierSet(wanted)
    except InvalidSpecifier:
        return True


@cache
def candidate(host: Host, package: str) -> Version | None:
    """The version that apt would install; None without apt, or where it knows no such package."""
    try:
        ran = host.run(["apt-cache", "policy", package], env={"LC_ALL": "C"}, timeout_s=TIME_LIMIT_S)
    except (StartError, TimeoutError):
        return None
    # [epoch:]upstream[+~-debian]
    found = re.search(r"^  Candidate: (?:\d+:)?(\d+(?:\.\d+)*)", ran.stdout, re.MULTILINE)
    return upstream(package, Version(found[1])) if found else None


def upstream(package: str, version: Version) -> Version:
    """What the tool itself says: Debian numbered cargo 0.66 where it was Rust 1.65's, until 0.77."""
    if package == "cargo" and version.major == 0:
        return Version(f"1.{version.minor - 1}")
    return version
