"""inferno (github.com/jonhoo/inferno): folds stacks and draws flame graphs; ours is installed by Cargo.

The version is named, so that a drawing is the same next year.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from deadheat import hosts
from deadheat.build import command
from deadheat.explain.reading import InstrumentError, Missing
from deadheat.hosts import StartError
from deadheat.hosts.program import Spec
from deadheat.run.kind import Stage
from deadheat.util.paths import cache_folder

VERSION = "0.12.8"
INSTALL = f"cargo install --locked inferno@{VERSION}"
PROGRAMS = ("inferno-collapse-perf", "inferno-flamegraph", "inferno-diff-folded")
INSTALL_LIMIT_S = 900.0
LOG_LIMIT_BYTES = 4 << 20


def folder() -> Path:
    """Where our own copy is, or would be."""
    return cache_folder() / "tools" / f"inferno-{VERSION}"


def find() -> Path | None:
    """The folder with the programs: our copy first, then the search path."""
    for place in (folder() / "bin", *map(Path, command.path().split(":"))):
        if all(os.access(place / program, os.X_OK) for program in PROGRAMS):
            return place
    return None


def missing() -> Missing | None:
    """Why it can neither be found nor installed."""
    if find() or shutil.which("cargo", path=command.path()):
        return None
    return Missing("neither inferno nor cargo to install it with is found", INSTALL)


def install(stage: Stage, say: Callable[[str], None]) -> Path:
    """The folder with the programs, installed there if they are not yet. Raises InstrumentError."""
    if (found := find()) is not None:
        return found
    say(f"installing inferno {VERSION}, once, to draw flame graphs (a minute or so)")
    # Beside, then renamed: an install that was cut off leaves nothing that looks whole.
    beside = folder().with_name(f".{folder().name}-{os.getpid()}")
    beside.mkdir(parents=True, exist_ok=True)
    log = folder().with_name(f"inferno-{VERSION}.log")
    spec = Spec(
        argv=("cargo", "install", "--locked", "--root", str(beside), f"inferno@{VERSION}"),
        cwd=beside,
        env={**os.environ, "PATH": command.path()},
        stdout=log.with_suffix(".out"),
        stderr=log,
        output_limit_bytes=LOG_LIMIT_BYTES,
        time_limit_s=INSTALL_LIMIT_S,
    )
    try:
        exit_ = hosts.wait(stage.host, stage.host.start(spec), stage.stop)
        if not exit_.ok:
            raise InstrumentError(f"{INSTALL} {exit_.describe()}; the log: {log}")
        shutil.rmtree(folder(), ignore_errors=True)
        beside.rename(folder())
    except StartError as error:
        raise InstrumentError(str(error)) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return folder() / "bin"
