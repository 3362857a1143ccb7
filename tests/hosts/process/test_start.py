"""What a program finds when it starts, and what is said when it cannot."""

from __future__ import annotations

import json
import os
import platform
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deadheat.errors import UserError
from deadheat.hosts.process import ExitedError, Launcher, LauncherError, Spec, StartError, Why

from .conftest import Start
from .watch import PATIENCE_S, python, said

LOOK = """
import json
status = dict(line.split(':', 1) for line in open('/proc/self/status').read().splitlines())
say(json.dumps({
    'environment': dict(os.environ), 'cwd': os.getcwd(), 'argv': sys.argv,
    'cpus': sorted(os.sched_getaffinity(0)),
    'session': os.getsid(0) == os.getpid(), 'group': os.getpgid(0) == os.getpid(),
    'descriptors': sorted(int(fd) for fd in os.listdir('/proc/self/fd')),
    'blocked': status['SigBlk'].strip(), 'ignored': status['SigIgn'].strip(),
    'stdin': os.read(0, 100).decode(),
}))
"""


def look(start: Start, tmp_path: Path, **more: object) -> dict[str, object]:
    exit = start((*python(LOOK), "argument"), **more).wait(PATIENCE_S)
    assert exit.ok, (tmp_path / "err").read_text()
    seen: dict[str, object] = json.loads((tmp_path / "out").read_text())
    return seen


def test_the_environment_is_exactly_what_was_given(start: Start, tmp_path: Path) -> None:
    seen = look(start, tmp_path, env={"PORT": "8080", "LC_CTYPE": "C.UTF-8"})
    assert seen["environment"] == {"PORT": "8080", "LC_CTYPE": "C.UTF-8"}


def test_no_descriptor_is_inherited(launcher: Launcher, tmp_path: Path) -> None:
    """Not even one that came to the launcher by mistake: Python itself would not let it."""
    spec = Spec(python(LOOK), tmp_path, stdout=tmp_path / "out")
    ours = os.open("/dev/null", os.O_RDONLY)
    with subprocess.Popen(
        [launcher.binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, pass_fds=(ours,)
    ) as running:
        os.close(ours)
        assert running.stdin is not None and running.stdout is not None
        running.stdin.write(spec.to_json() + "\n")
        running.stdin.flush()
        events = [json.loads(running.stdout.readline())["event"] for _ in range(2)]
    assert events == ["started", "exited"]
    # 3 is the listing's own.
    assert json.loads((tmp_path / "out").read_text())["descriptors"] == [0, 1, 2, 3]


def test_it_leads_a_session_and_a_group_of_its_own(start: Start, tmp_path: Path) -> None:
    seen = look(start, tmp_path)
    assert seen["session"] and seen["group"]


def test_signals_are_as_a_shell_gives_them(start: Start, tmp_path: Path) -> None:
    before = signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    try:
        seen = look(start, tmp_path)
    finally:
        signal.signal(signal.SIGUSR2, before)
    assert int(str(seen["blocked"]), 16) == 0
    of_python = {signal.SIGPIPE, signal.SIGXFSZ}  # which Python ignores from its own start
    assert int(str(seen["ignored"]), 16) == sum(1 << (number - 1) for number in of_python)


def test_it_runs_on_its_cpus_only(start: Start, tmp_path: Path) -> None:
    cpu = max(os.sched_getaffinity(0))
    assert look(start, tmp_path, cpus=frozenset({cpu}))["cpus"] == [cpu]


def test_arguments_directory_and_stdin_arrive(start: Start, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("from a file")
    seen = look(start, tmp_path, stdin=tmp_path / "in")
    assert (seen["argv"], seen["cwd"], seen["stdin"]) == (["-c", "argument"], str(tmp_path), "from a file")


def test_a_crash_leaves_no_core_file_and_names_its_signal(start: Start, tmp_path: Path) -> None:
    exit = start(python("import resource; say(resource.getrlimit(resource.RLIMIT_CORE)); os.abort()")).wait(
        PATIENCE_S
    )
    assert (exit.code, exit.signal, exit.why) == (None, signal.SIGABRT, Why.EXIT)
    assert "died of SIGABRT" in exit.describe()
    assert said(tmp_path / "out") == ["(0, 0)"]


def test_a_name_is_looked_up_in_the_path_it_is_given(start: Start, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    tool = tmp_path / "bin" / "a-tool"
    tool.write_text("#!/bin/sh\necho found\n")
    tool.chmod(0o755)
    assert start(("a-tool",), env={"PATH": str(tool.parent)}).wait(PATIENCE_S).ok
    assert said(tmp_path / "out") == ["found"]


@pytest.mark.parametrize("peak_memory", [False, True])
@pytest.mark.parametrize(
    ("argv", "more", "message"),
    [
        (("./missing",), {}, "cannot run ./missing: No such file or directory"),
        (
            ("no-such-tool",),
            {"env": {"PATH": "/usr/bin"}},
            "cannot run no-such-tool: not found in PATH=/usr/bin",
        ),
        (("/",), {}, "cannot run /: Permission denied"),
        (
            ("true",),
            {"cwd": Path("/no/such/place")},
            "cannot enter /no/such/place: No such file or directory",
        ),
        (("true",), {"cpus": frozenset({1023})}, "cannot bind true to CPUs [1023]: Invalid argument"),
        (("true",), {"cpus": frozenset({99_999})}, "cannot bind true to CPUs [99999]: Invalid argument"),
        (
            ("true",),
            {"stdout": Path("/no/such/place")},
            "cannot write /no/such/place: No such file or directory",
        ),
        (
            ("true",),
            {"stdin": Path("/no/such/place")},
            "cannot read /no/such/place: No such file or directory",
        ),
        ((), {}, "cannot run anything: argv is empty"),
        (("true", "a\0b"), {}, 'cannot run true: a NUL byte in "a\\0b"'),
    ],
)
def test_what_cannot_start_says_why(
    start: Start, argv: tuple[str, ...], more: dict[str, object], message: str, peak_memory: bool
) -> None:
    with pytest.raises(StartError) as caught:
        start(argv, peak_memory=peak_memory, **more)
    assert str(caught.value) == message


def test_a_missing_interpreter_is_told_from_a_missing_file(start: Start, tmp_path: Path) -> None:
    script = tmp_path / "server"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    with pytest.raises(StartError, match="the file is there: its interpreter or loader is not"):
        start(("./server",))


def test_a_missing_launcher_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError) as caught:
        Launcher.find()
    assert "make setup" in (caught.value.hint or "")


def test_the_launcher_beside_this_python_comes_before_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for place in ("bin", "path"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "deadheat-launch").touch(mode=0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    assert Launcher.find().binary == tmp_path / "bin" / "deadheat-launch"
    (tmp_path / "bin" / "deadheat-launch").unlink()
    assert Launcher.find().binary == tmp_path / "path" / "deadheat-launch"


def test_a_launcher_that_is_no_launcher_is_an_error_of_ours(tmp_path: Path) -> None:
    spec = Spec(("true",), tmp_path)
    with pytest.raises(LauncherError, match="ended with status 1"):
        Launcher(Path("/bin/false")).start(spec)
    with pytest.raises(LauncherError, match="No such file"):
        Launcher(tmp_path / "none").start(spec)


def test_a_low_limit_of_open_files_is_raised_for_all_alike(start: Start, tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 256), hard))
    try:
        start(python("import resource; say(resource.getrlimit(resource.RLIMIT_NOFILE)[0])")).wait(PATIENCE_S)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert said(tmp_path / "out") == [str(min(hard, 65_536))]


def test_what_has_ended_cannot_be_frozen_or_metered(start: Start) -> None:
    process = start(("true",))
    assert process.wait(PATIENCE_S).ok
    for act in (process.freeze, process.thaw, process.usage):
        with pytest.raises(ExitedError, match="exited with status 0"):
            act()
    assert process.stop().ok


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the number of rt_sigaction is that of x86_64")
def test_even_signals_that_libc_keeps_for_itself_are_reset(launcher: Launcher, tmp_path: Path) -> None:
    """An ancestor may ignore 32, which signal(2) through libc neither shows nor changes."""
    ignore = (
        "import ctypes, os, sys\n"
        "ignored = (ctypes.c_uint64 * 4)(1, 0, 0, 0)\n"
        "assert ctypes.CDLL(None).syscall(13, 32, ignored, None, 8) == 0\n"
        "os.execv(sys.argv[1], sys.argv[1:])\n"
    )
    spec = Spec(python(LOOK), tmp_path, stdout=tmp_path / "out")
    with subprocess.Popen(
        [sys.executable, "-c", ignore, str(launcher.binary)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdin is not None and running.stdout is not None
        running.stdin.write(spec.to_json() + "\n")
        running.stdin.flush()
        events = [json.loads(running.stdout.readline())["event"] for _ in range(2)]
    assert events == ["started", "exited"]
    ignored = int(json.loads((tmp_path / "out").read_text())["ignored"], 16)
    assert ignored & (1 << 31) == 0
