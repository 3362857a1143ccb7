"""Containers end with the referee, however that ends: a process of its own removes those that are left.

A daemon, or a monitor that has left its parents, is not ended with us, and a container that is frozen by
version 1 of cgroups does not even end by SIGKILL before it is let go. So whoever starts one says first, on a
pipe, how it is let go and removed; at the end of the pipe that is done. Run as a program by its path, with
the standard library alone: it lies beside races, and must be small.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

# A container that is just being killed cannot be removed at once.
TRIES, PAUSE_S, WITHIN_S = 10, 0.5, 60.0


class Guard:
    """What is to be done at our end, by the names of containers."""

    def __init__(self) -> None:
        # A session of its own: a Ctrl-C at the terminal is for the referee.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            bufsize=0,
        )

    def take(self, name: str, removal: Sequence[str], thaw: Mapping[str, str], folder: str) -> None:
        """A container: what removes it, what is to be written into which files before, and the folder that
        goes with it."""
        self._say({"name": name, "removal": list(removal), "thaw": dict(thaw), "folder": folder})

    def leave(self, name: str) -> None:
        """It is gone."""
        self._say({"name": name})

    def close(self) -> None:
        """Returns when all that it still had is gone."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _say(self, what: Mapping[str, object]) -> None:
        assert self._process.stdin is not None
        # Without it they are found by their label at the next start.
        with contextlib.suppress(OSError):
            self._process.stdin.write(json.dumps(what).encode() + b"\n")


def _keep() -> None:
    """Until the referee is gone."""
    kept: dict[str, dict[str, object]] = {}
    for line in sys.stdin:
        what = json.loads(line)
        if "removal" in what:
            kept[what["name"]] = what
        else:
            kept.pop(what["name"], None)
    for what in kept.values():
        thaw = what["thaw"]
        assert isinstance(thaw, dict)
        _let_go(thaw)
        assert isinstance(what["removal"], list)
        _remove(what["removal"])
        shutil.rmtree(str(what["folder"]), ignore_errors=True)


def _let_go(thaw: Mapping[str, str]) -> None:
    """What is frozen; what is gone is let be."""
    for file, text in thaw.items():
        with contextlib.suppress(OSError):
            Path(file).write_text(text)


def _remove(argv: Sequence[str]) -> None:
    for _ in range(TRIES):
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            if subprocess.run(argv, timeout=WITHIN_S, check=False).returncode == 0:
                return
        time.sleep(PAUSE_S)


if __name__ == "__main__":
    _keep()
