"""Suites of others in a sandbox: the whole verb starts again within bubblewrap, and all that it starts.

Within it there is no network but a loopback of its own, no file but the runs and the builds can be written,
other processes are neither seen nor signalled, and /run, where the sockets of daemons are, is empty. Memory
has a limit, of a process, or where systemd runs of all together, which may then be so many.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from deadheat.errors import ExitCode, UserError
from deadheat.hosts import lock
from deadheat.util.paths import cache_folder

BUBBLEWRAP, SYSTEMD_RUN = "bwrap", "systemd-run"
SYSTEMD = Path("/run/systemd/system")
# What a resolver's configuration is where it is not a file of its own.
RESOLVER = Path("/run/systemd/resolve")
INSIDE = "DEADHEAT_SANDBOX"
HOME = "sandbox-home"
# Of this machine's memory.
MEMORY_SHARE = 0.75
PROCESSES = 8192
# What root keeps: services are run as ordinary users, and signalled. Neither mounts nor devices.
CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID", "SYS_NICE")


@dataclass(frozen=True)
class Walls:
    """What is left open: folders to write into, and whether there is a network."""

    writable: Sequence[Path]
    readable: Sequence[Path] = ()
    network: bool = False


def inside() -> bool:
    """Whether this process is within the sandbox."""
    return INSIDE in os.environ


def enter(walls: Walls, say: Callable[[str], None], settings: Mapping[str, str] | None = None) -> None:
    """Start this command line again within the sandbox, with these `settings` in its environment, and end
    with its exit code; within it, do nothing.

    Raises UserError where there is none to be had.
    """
    if inside():
        # It was ignored by the one before us.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        return
    _refuse_without_bubblewrap()
    folders = (*walls.writable, cache_folder())
    for folder in (*folders, home()):
        folder.mkdir(parents=True, exist_ok=True)
    # It is taken within: two sandboxes, or one and none, are still each other's noise.
    machine_lock = lock.default_path()
    machine_lock.touch(exist_ok=True)
    say(said(network=walls.network))
    again = [sys.executable, *sys.orig_argv[1:]]
    argv = words(replace(walls, writable=(*folders, machine_lock)), again, scope())
    _replace(argv, {**os.environ, **_environment(), **(settings or {})})


def said(*, network: bool) -> str:
    """What the sandbox is, in a line."""
    memory = f"{memory_bytes() / 2**30:.1f} GB"
    limit = (
        f"{memory} and {PROCESSES} tasks in all"
        if scope()
        else f"{memory} a process" + ("" if os.geteuid() == 0 else f", {PROCESSES} processes of yours")
    )
    net = "the network is there" if network else "no network but loopback"
    return f"sandbox ({BUBBLEWRAP}): {net}; only runs and builds can be written; at most {limit}"


def home() -> Path:
    """What HOME is within: of its own, kept from one time to the next for the caches of compilers."""
    return cache_folder() / HOME


def words(walls: Walls, command: Sequence[str], scope: Sequence[str] = ()) -> list[str]:
    """The command line that runs `command` within these walls, `scope` before it."""
    temporary = Path(tempfile.gettempdir())
    made = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run"]
    made += ["--tmpfs", str(temporary)]
    if walls.network:
        made += ["--ro-bind-try", str(RESOLVER), str(RESOLVER)]
    else:
        made.append("--unshare-net")
    # What lies in the folder for temporary files would be gone with it.
    kept = [Path(sys.prefix), Path.cwd(), *walls.readable]
    for path in kept:
        if path.absolute().is_relative_to(temporary):
            made += ["--ro-bind-try", str(path.absolute()), str(path.absolute())]
    for path in walls.writable:
        made += ["--bind", str(path.absolute()), str(path.absolute())]
    made += ["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--chdir", str(Path.cwd())]
    if os.geteuid() == 0:
        made += ["--cap-drop", "ALL"]
        made += [word for name in CAPABILITIES for word in ("--cap-add", f"CAP_{name}")]
    return [*scope, BUBBLEWRAP, *made, "--", *command]


def scope() -> list[str]:
    """What limits memory and tasks of all that is started, where systemd runs."""
    if not SYSTEMD.is_dir() or shutil.which(SYSTEMD_RUN) is None:
        return []
    user = [] if os.geteuid() == 0 else ["--user"]
    limits = ["-p", f"MemoryMax={memory_bytes()}", "-p", f"TasksMax={PROCESSES}"]
    return [SYSTEMD_RUN, *user, "--scope", "--quiet", *limits, "--"]


def memory_bytes() -> int:
    return round(MEMORY_SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


def _refuse_without_bubblewrap() -> None:
    if shutil.which(BUBBLEWRAP) is None:
        raise UserError(
            f"no sandbox: {BUBBLEWRAP} is not here",
            hint="Debian: apt-get install bubblewrap; without --sandbox contenders have your rights",
            code=ExitCode.USAGE,
        )
    tried = subprocess.run(
        words(Walls(()), ["true"], scope()), capture_output=True, text=True, errors="replace", check=False
    )
    if tried.returncode != 0:
        why = (tried.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise UserError(
            f"no sandbox: {why}",
            hint="some systems forbid user namespaces (kernel.apparmor_restrict_unprivileged_userns, "
            "user.max_user_namespaces), and most containers do",
        )


def _environment() -> dict[str, str]:
    """What keeps its place though HOME is another."""
    kept = {"DEADHEAT_CACHE": str(cache_folder()), "HOME": str(home()), INSIDE: "1"}
    for name, folder in (("RUSTUP_HOME", ".rustup"), ("ASDF_DATA_DIR", ".asdf")):
        if name not in os.environ and (Path.home() / folder).is_dir():
            kept[name] = str(Path.home() / folder)
    return kept


def _replace(argv: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    """Of one process at a time, by the kernel: of all together where systemd runs."""
    for limit, most in ((resource.RLIMIT_DATA, memory_bytes()), (resource.RLIMIT_NPROC, PROCESSES)):
        hard = resource.getrlimit(limit)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (least, least))
    # A Ctrl-C is for the referee within, which ends in order; it takes it over (util/interrupt.py).
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.execvpe(argv[0], list(argv), dict(environment))
