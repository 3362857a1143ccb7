"""Stacks with their CPU time: `outermost;...;innermost ns`, as flame graphs are drawn from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from deadheat.explain.sentences import ALIKE

#: How inferno marks a frame of the kernel's.
KERNEL = "_[k]"
_MARK = re.compile(r"_\[[kji]\]$")
_SYSTEM_CALL = re.compile(r"^(?:__x64_sys_|__arm64_sys_|__sys_|ksys_|do_)(\w+?)_\[k\]$")
# Where the ways of read and recvfrom, of write and sendto, meet.
_MEETING = {"tcp_sendmsg_[k]", "tcp_recvmsg_[k]", "do_epoll_wait_[k]"}
_FAMILY = {name: f"kernel: {verb}" for verb, names in ALIKE.items() for name in names}


@dataclass(frozen=True)
class Folded:
    """CPU time by stack, nanoseconds."""

    ns: Mapping[str, float]

    @property
    def total_ns(self) -> float:
        return sum(self.ns.values())

    def scaled(self, total_ns: float) -> Folded:
        """The same shares of another total: a request's CPU time, say."""
        factor = total_ns / self.total_ns if self.ns else 0.0
        return Folded({stack: value * factor for stack, value in self.ns.items()})

    def renamed(self, to: Callable[[str], str]) -> Folded:
        """Stacks put elsewhere; what then has one name is added up."""
        found: dict[str, float] = {}
        for stack, value in self.ns.items():
            found[to(stack)] = found.get(to(stack), 0.0) + value
        return Folded(found)

    def text(self) -> str:
        """A line a stack, whole nanoseconds, in order of their names."""
        return "".join(f"{stack} {value:.0f}\n" for stack, value in sorted(self.ns.items()) if value >= 0.5)

    def functions(self) -> dict[str, float]:
        """Time by where it is spent: a function itself, or what the kernel was asked to do."""
        return dict(self.renamed(_place).ns)


def parse(text: str) -> Folded:
    """Folded stacks as inferno writes them."""
    found: dict[str, float] = {}
    for stack, value in _lines(text):
        found[stack] = found.get(stack, 0.0) + value
    return Folded(found)


def by_side(stack: str) -> str:
    """A stack without its way into the kernel: so kernel parts of different programs have one place."""
    frames = stack.split(";")
    at = next((place for place, frame in enumerate(frames) if frame.endswith(KERNEL)), None)
    if at is None:
        return ";".join(["own code", *frames[1:]])
    met = next((place for place, frame in enumerate(frames) if frame in _MEETING), at)
    return ";".join(["kernel", _place(stack), *frames[met:]])


def _lines(text: str) -> Iterator[tuple[str, float]]:
    for line in text.splitlines():
        stack, _, value = line.rpartition(" ")
        if stack and value.isdigit():
            yield stack, float(value)


def _place(stack: str) -> str:
    frames = stack.split(";")
    if not frames[-1].endswith(KERNEL):
        return _MARK.sub("", frames[-1])
    for frame in frames:
        # do_syscall_64 and the like are the way to every one of them.
        if (found := _SYSTEM_CALL.match(frame)) and not found[1].startswith("syscall"):
            return _FAMILY.get(found[1], f"kernel: {found[1]}")
    if any("page_fault" in frame for frame in frames):
        return "kernel: page faults"
    # The way back from a system call is where another thread, or another program, gets the CPU.
    if any("exit_to_user_mode" in frame or "schedule" in frame for frame in frames):
        return "kernel: switching to another thread"
    return "kernel: others"
