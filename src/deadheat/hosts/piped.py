"""A program that is talked to: a line to its standard input, a line from its standard output."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time

from deadheat.hosts import tree
from deadheat.hosts.affinity import on_cpus
from deadheat.hosts.meter import CpuTime, Usage
from deadheat.hosts.process import ExitedError, StartError, last_lines
from deadheat.hosts.program import Exit, Spec, Why
from deadheat.hosts.signals import none_blocked
from deadheat.hosts.tree import POLL_S

_READ_BYTES = 1 << 16
# Between the end of its output and its own.
LAST_BREATH_S = 2.0


class Piped:
    """As `Process`, without a launcher between, which would be one more to wake up for each line. It has to
    end with its standard input: so it ends with us, however we end."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self._received = b""
        self._exit: Exit | None = None
        self.started_ns = time.monotonic_ns()
        try:
            with contextlib.ExitStack() as stack, none_blocked():
                _restrict(stack, spec)
                stderr = (
                    subprocess.DEVNULL if spec.stderr is None else stack.enter_context(spec.stderr.open("ab"))
                )
                # Its own session: a Ctrl-C at the terminal is for the referee, which ends a slice first.
                self._process = subprocess.Popen(
                    spec.argv,
                    cwd=spec.cwd,
                    env=dict(spec.env),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=stderr,
                    start_new_session=True,
                    bufsize=0,
                )
        except OSError as error:
            raise StartError(f"cannot run {spec.argv[0]}: {error.strerror}") from error
        self.pid = self._process.pid
        assert self._process.stdin is not None and self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._stdout, selectors.EVENT_READ)

    @property
    def exit(self) -> Exit | None:
        """How it ended, as far as is known."""
        return self._exit

    def send(self, line: bytes) -> None:
        """One line, its end added. Raises ExitedError where nobody reads any more."""
        rest = memoryview(line + b"\n")
        try:
            while rest:
                rest = rest[self._stdin.write(rest) :]
        except (OSError, ValueError) as error:
            raise ExitedError(self._ended()) from error

    def receive(self, timeout_s: float) -> bytes:
        """The next line, without its end. Raises TimeoutError, ExitedError where there is none to come."""
        deadline = time.monotonic() + timeout_s
        while b"\n" not in self._received:
            if self._stdout.closed:
                raise ExitedError(self._ended())
            if not self._selector.select(max(0.0, deadline - time.monotonic())):
                raise TimeoutError(f"{self.spec.argv[0]} said nothing within {timeout_s:g} s")
            data = os.read(self._stdout.fileno(), _READ_BYTES)
            if not data:
                raise ExitedError(self._ended())
            self._received += data
        line, self._received = self._received.split(b"\n", 1)
        return line

    def freeze(self) -> int:
        """Stops the tree. Raises ExitedError."""
        self._alive()
        tree.freeze(self.pid)
        return time.monotonic_ns()

    def thaw(self) -> int:
        """Lets it go on. Raises ExitedError."""
        self._alive()
        tree.send(self.pid, signal.SIGCONT)
        return time.monotonic_ns()

    def usage(self, *, memory: bool = True) -> Usage:
        """CPU time, and memory if asked, of what lives of the tree. Raises ExitedError."""
        self._alive()
        return tree.usage(self.pid, memory=memory)

    def stop(self, grace_s: float = 5.0) -> Exit:
        """The end of its input, and SIGKILL to the whole tree after the grace."""
        if self.poll() is None:
            self._stdin.close()
            tree.send(self.pid, signal.SIGCONT)
            if not self._await(grace_s, Why.STOPPED):
                tree.send(self.pid, signal.SIGKILL)
                self._await(None, Why.KILLED)
        self._selector.close()
        for pipe in (self._stdin, self._stdout):
            pipe.close()
        assert self._exit is not None
        return self._exit

    def wait(self, timeout_s: float | None = None) -> Exit:
        """Raises TimeoutError while it runs."""
        if not self._await(timeout_s, Why.EXIT):
            raise TimeoutError(f"{self.spec.argv[0]} still runs after {timeout_s} s")
        assert self._exit is not None
        return self._exit

    def poll(self) -> Exit | None:
        """How it ended, or None while it runs."""
        self._await(0, Why.EXIT)
        return self._exit

    def close(self) -> None:
        """Kills whatever is left."""
        self.stop(0)

    def output_tail(self, lines: int = 20) -> str:
        """The last lines of its stderr, of this start and of those before that share the file."""
        return "" if self.spec.stderr is None else last_lines(self.spec.stderr, lines)

    def _ended(self) -> Exit:
        """Of one that hears or says nothing any more: it is ending."""
        if not self._await(LAST_BREATH_S, Why.EXIT):
            self.stop(0)
        assert self._exit is not None
        return self._exit

    def _alive(self) -> None:
        if (exit_ := self.poll()) is not None:
            raise ExitedError(exit_)

    def _await(self, timeout_s: float | None, why: Why) -> bool:
        """Whether it has ended by then; `why` is what is noted of that."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while self._exit is None:
            pid, status, used = os.wait4(self.pid, os.WNOHANG)
            if pid:
                self._note(
                    os.waitstatus_to_exitcode(status), CpuTime(_ns(used.ru_utime), _ns(used.ru_stime)), why
                )
            elif deadline is not None and time.monotonic() >= deadline:
                return False
            else:
                time.sleep(POLL_S)
        return True

    def _note(self, status: int, cpu: CpuTime, why: Why) -> None:
        # Waited for here, so that its CPU time is known, and not by Popen, which is told.
        self._process.returncode = status
        code, died_of = (status, None) if status >= 0 else (None, -status)
        self._exit = Exit.unseen(self.started_ns, why, died_of, code=code, cpu=cpu)


def _restrict(stack: contextlib.ExitStack, spec: Spec) -> None:
    """To its CPUs from its first instant: what is done about them later reaches no thread that it has started
    meanwhile. Raises StartError."""
    if spec.cpus is not None:
        try:
            stack.enter_context(on_cpus(spec.cpus))
        except OSError as error:
            raise StartError(
                f"cannot run {spec.argv[0]} on CPUs {sorted(spec.cpus)}: {error.strerror}"
            ) from error


def _ns(seconds: float) -> int:
    return round(seconds * 1e9)
