"""A short command, run for what it prints and apart from any measurement."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deadheat.hosts.process import StartError


@dataclass(frozen=True, slots=True)
class Output:
    """What a command printed, and its status: below zero the signal that it died of."""

    status: int
    stdout: str
    stderr: str


def of(
    argv: Sequence[str], env: Mapping[str, str], timeout_s: float, stdin: str, *, apart: bool = False
) -> Output:
    """As `Host.run`. `apart`: in a session of its own, which a Ctrl-C at the terminal does not reach."""
    environment = {**os.environ, **env}
    program = shutil.which(argv[0], path=environment.get("PATH"))
    if program is None:
        raise StartError(f"cannot run {argv[0]}: it is not there")
    try:
        ran = subprocess.run(
            [program, *argv[1:]],
            env=environment,
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            check=False,
            start_new_session=apart,
        )
    except OSError as error:
        raise StartError(f"cannot run {argv[0]}: {error.strerror}") from error
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"{argv[0]} did not end within {timeout_s:g} s") from None
    return Output(ran.returncode, ran.stdout, ran.stderr)
