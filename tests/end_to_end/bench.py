"""What these tests stand on: suites of misbehaving contenders, and `deadheat` run on them."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.made.cramped import cramped

HABITS = Path(__file__).parents[1] / "fixtures" / "habits"
IMPATIENT = Path(__file__).parent / "impatient.py"

#: Long enough for a loaded machine. No test waits for it unless it fails.
PATIENCE_S = 300.0

HELLO = """\
title = "Hello"
question = "Who misbehaves most?"
kind = "http"
metric = "throughput_rps"
reference = "good"

[request]
path = "/{token}"

[load]
connections = 8

[[conformance]]
path = "/{token}"
body = "Hello from {token}!"
"""
TWICE = """\
title = "Twice"
question = "Who misbehaves most?"
kind = "program"
metric = "wall_s"
reference = "good"
oracle = "{python} oracle.py {n}"

[program]
args = ["{n}"]
timeout_s = 2

[program.n]
default = 30
quick = 30
standard = 30
thorough = 30
check = { range = [0, 3], random = [4, 9] }
"""
SERVE = "{python} -S -E ../server.py {port}"
CALCULATE = "{python} -S -E ../program.py {args}"


@dataclass
class SuiteFolder:
    """A suite in the making."""

    path: Path

    def workload(self, name: str, manifest: str, files: Iterable[str] = ()) -> None:
        (self.path / name).mkdir(parents=True)
        (self.path / name / "workload.toml").write_text(manifest)
        for file in files:
            shutil.copy(HABITS / file, self.path / name / file)

    def contender(self, workload: str, name: str, run: str, **more: object) -> Path:
        """A contender with these keys in its manifest; `files` maps its sources to their text."""
        folder = self.path / workload / name
        folder.mkdir()
        files = more.pop("files", {})
        assert isinstance(files, Mapping)
        keys: dict[str, object] = {
            "title": name,
            "language": "Python",
            "class": "idiomatic",
            "run": run,
            "default": True,
            **more,
        }
        # JSON's strings, lists and booleans are TOML's too.
        text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())
        (folder / "contender.toml").write_text(text)
        for file, content in files.items():
            (folder / file).write_text(content)
        return folder


def hello(path: Path, habits: Iterable[str] = (), copies: Iterable[str] = ()) -> SuiteFolder:
    """A suite with a good server (the reference), more of the good (`copies`), and one for each habit."""
    suite = SuiteFolder(path)
    suite.workload("hello", HELLO, ["server.py"])
    for name in ("good", *copies):
        suite.contender("hello", name, SERVE)
    for habit in habits:
        suite.contender("hello", habit, f"{SERVE} {habit}")
    return suite


def twice(path: Path, habits: Iterable[str] = ()) -> SuiteFolder:
    """The same for programs."""
    suite = SuiteFolder(path)
    suite.workload("twice", TWICE, ["program.py", "oracle.py"])
    suite.contender("twice", "good", CALCULATE)
    for habit in habits:
        suite.contender("twice", habit, f"{CALCULATE} {habit}")
    return suite


@dataclass
class Ended:
    """A command and what came of it."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The one `error:` line with its hint."""
        at = self.err.find("error: ")
        assert at >= 0, self.err
        return self.err[at:]


@dataclass
class Deadheat:
    """The command line with every file of its own below one folder."""

    home: Path
    suite: Path
    env: dict[str, str] = field(default_factory=dict)
    cpus: frozenset[int] | None = None
    limit_bytes: int | None = None
    cwd: Path | None = None
    # Where it is not named, it is as with a user: `suite` where he stands, else the built-in one.
    names_suite: bool = True

    @property
    def runs(self) -> Path:
        return self.home / "runs"

    @property
    def lock(self) -> Path:
        """Of this worker: what `once` made for all is used by several at a time."""
        return self.home / f"lock-{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"

    def start(self, *args: str) -> Running:
        """In a process group of its own, as a shell would."""
        self.home.mkdir(exist_ok=True)
        return Running(self.argv(*args), self.environment(), self)

    def start_into_closed_pipe(self, *args: str) -> subprocess.Popen[bytes]:
        """Its stdout is a pipe that nobody reads any more."""
        ours, theirs = os.pipe()
        os.close(ours)
        try:
            return subprocess.Popen(
                self.argv(*args), env=self.environment(), stdout=theirs, stderr=subprocess.PIPE
            )
        finally:
            os.close(theirs)

    def argv(self, *args: str) -> list[str]:
        argv = [sys.executable, str(IMPATIENT), *args]
        if self.cpus is not None:
            argv = ["taskset", "-c", ",".join(map(str, sorted(self.cpus))), *argv]
        if self.limit_bytes is not None:
            argv = [*cramped(self.limit_bytes), *argv]
        return argv

    def environment(self) -> dict[str, str]:
        """Ours, with all that `deadheat` writes below our home."""
        kept = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "NO_COLOR")}
        named = {"DEADHEAT_SUITE": str(self.suite)} if self.names_suite else {}
        return {
            **kept,
            "DEADHEAT_LOCK": str(self.lock),
            "DEADHEAT_CACHE": str(self.home / "cache"),
            "DEADHEAT_RUNS": str(self.runs),
            **named,
            **self.env,
        }

    def run(self, *args: str) -> Ended:
        with self.start(*args) as running:
            return running.end()

    def results(self, run: str = "latest") -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.runs / run / "results.json").read_text())
        return found

    def journal(self, run: str = "latest") -> list[dict[str, Any]]:
        """Every whole line so far."""
        path = self.runs / run / "journal.jsonl"
        if not path.exists():
            return []
        return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]

    def row(self, contender: str, results: dict[str, Any] | None = None) -> dict[str, Any]:
        """A contender's row of the newest results."""
        rows = [r for w in (results or self.results())["workloads"] for r in w["contenders"]]
        found: dict[str, Any] = next(r for r in rows if r["name"] == contender)
        return found

    def compared(self) -> dict[str, Any]:
        """What the newest `ab` found."""
        found: dict[str, Any] = json.loads((self.runs / "latest" / "ab.json").read_text())
        return found

    def less_cpu(self) -> bool:
        """By the figures of the newest `ab`, of servers. An answer needs a quiet machine: the
        gate `flat` may well be broken beside other tests."""
        [change] = self.compared()["workloads"]
        [cpu] = (one for one in change["figures"] if one["figure"] == "cpu")
        held_back = {one["gate"]["name"] for one in change["reasons"]}
        return bool(cpu["ratio"] < 0.9 and (change["answer"] == "better" or held_back == {"flat"}))


class Running:
    """A `deadheat` under way. What it says goes to files, so that it can be read meanwhile."""

    def __init__(self, argv: list[str], env: dict[str, str], deadheat: Deadheat) -> None:
        self._deadheat = deadheat
        self._files = tempfile.TemporaryDirectory(dir=deadheat.home, prefix="said-")
        self._out, self._err = Path(self._files.name) / "out", Path(self._files.name) / "err"
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self._process = subprocess.Popen(
                argv,
                cwd=deadheat.cwd,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def end(self) -> Ended:
        """Wait for it."""
        try:
            self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise
        return Ended(self._process.returncode, self._out.read_text(), self._err.read_text())

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def until(self, happened: Callable[[], bool], what: str) -> None:
        """Wait until it is so, while this runs."""

        def so() -> bool:
            # Asked in this order: what happens just before the end counts.
            running = self._process.poll() is None
            if happened():
                return True
            assert running, f"it ended before {what}: {self._err.read_text()}"
            return False

        eventually(so, what)

    def until_journal(self, has: Callable[[list[dict[str, Any]]], bool], what: str) -> None:
        """Wait until the journal of the newest run is so."""
        self.until(lambda: has(self._deadheat.journal()), what)

    def until_said(self, text: str) -> None:
        """Wait for words on stderr."""
        self.until(lambda: text in self._err.read_text(), f'it says "{text}"')

    def kill(self) -> list[Kin]:
        """`kill -9`; all that it had started. Stopped first, so that none is born unseen."""
        self.signal(signal.SIGSTOP)
        started = kin(self.pid)
        self.signal(signal.SIGKILL)
        self._process.wait()
        return started

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()
        self._files.cleanup()


def eventually(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(0.01)


@dataclass(frozen=True)
class Kin:
    """A process, with its start time: its number may be given to another after it."""

    pid: int
    started: str
    name: str

    def alive(self) -> bool:
        """Whether it can still do anything: a zombie cannot."""
        fields = _stat(self.pid)
        return fields is not None and fields[19] == self.started and fields[0] not in "ZX"


def kin(pid: int) -> list[Kin]:
    """Every descendant of a process, whatever its session or group."""
    parents: dict[int, list[tuple[int, list[str]]]] = {}
    for entry in Path("/proc").iterdir():
        fields = _stat(int(entry.name)) if entry.name.isdigit() else None
        if fields is not None:
            parents.setdefault(int(fields[1]), []).append((int(entry.name), fields))
    found, ask = [], [pid]
    while ask:
        for child, fields in parents.get(ask.pop(), []):
            found.append(Kin(child, fields[19], _name(child)))
            ask.append(child)
    return found


def all_gone(processes: Iterable[Kin]) -> None:
    """Wait until none of them is alive."""
    processes = list(processes)

    def gone() -> bool:
        return not any(process.alive() for process in processes)

    try:
        eventually(gone, "all are gone")
    except AssertionError:
        left = [process for process in processes if process.alive()]
        raise AssertionError(f"still alive: {left}") from None


def _stat(pid: int) -> list[str] | None:
    """From the state on: field 3 of /proc/PID/stat is number 0."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return None


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""
