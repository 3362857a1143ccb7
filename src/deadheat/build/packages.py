"""How to get what is missing, in words that hold on this system."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version


def advice(packages: Sequence[str], wanted: str = "", newer: str = "") -> str:
    """The first Debian package that is new enough; where this system's are all too old, who has a newer one.

    In parentheses, after a blank; empty where nobody is known.
    """
    if not packages:
        return ""
    candidates = {package: version for package in packages if (version := candidate(package))}
    fit = [package for package, version in candidates.items() if _fits(version, wanted)]
    if fit or not candidates:
        return f" (Debian: apt-get install {(fit or packages)[0]})"
    package, version = max(candidates.items(), key=lambda item: item[1])
    if newer == "rustup" and candidate("rustup"):
        newer = "apt-get install rustup, rustup default stable"
    elsewhere = f": {newer}" if newer else ""
    return f" (newer than this system's {package} {version}{elsewhere})"


def _fits(version: Version, wanted: str) -> bool:
    try:
        return version in SpecifierSet(wanted)
    except InvalidSpecifier:
        return True


@cache
def candidate(package: str) -> Version | None:
    """The version that apt would install; None without apt, or where it knows no such package."""
    program = shutil.which("apt-cache")
    if program is None:
        return None
    try:
        ran = subprocess.run(
            [program, "policy", package],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    # [epoch:]upstream[+~-debian]
    found = re.search(r"^  Candidate: (?:\d+:)?(\d+(?:\.\d+)*)", ran.stdout, re.MULTILINE)
    return upstream(package, Version(found[1])) if found else None


def upstream(package: str, version: Version) -> Version:
    """What the tool itself says: Debian numbered cargo 0.66 where it was Rust 1.65's, until 0.77."""
    if package == "cargo" and version.major == 0:
        return Version(f"1.{version.minor - 1}")
    return version
