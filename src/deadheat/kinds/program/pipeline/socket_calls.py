"""What a client does with its connection, seen at the client: its system calls, by strace.

Why there and not at the server: what the client's system has taken for it is not what the program has read
(docs/redis-sink.md). The invocation is one apart, never timed: strace stops the program at each call.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from deadheat.hosts.program import Spec

WRITES = frozenset({"write", "writev", "sendto", "sendmsg", "sendmmsg"})
READS = frozenset({"read", "readv", "recvfrom", "recvmsg"})
# Bytes leave early where the first goes within this share of the time until the last: of the time that ten
# times as many commands take more, so that what a program's start costs is out of it (docs/redis-sink.md).
EARLY = 0.2
_SHOWN_BYTES = 128
_KINDS: Mapping[str, Literal["connect", "write", "read"]] = {
    "connect": "connect",
    **dict.fromkeys(WRITES, "write"),
    **dict.fromkeys(READS, "read"),
}
_LINE = re.compile(r"(\d+)\s+(\d+\.\d+) (.*)")
_CALL = re.compile(r"(\w+)\(\d+<(?:TCP|TCPv6):\[(.*?)\]>, ?(.*)", re.DOTALL)
_RESUMED = re.compile(r"<\.\.\. (\w+) resumed>(.*)", re.DOTALL)
_RESULT = re.compile(r"= (-?\d+)[^<]*(?:<(\d+\.\d+)>)?$")
_UNFINISHED = " <unfinished ...>"


@dataclass(frozen=True)
class Call:
    """One call on the connection: `result` bytes, or below zero for an error. Seconds of the clock."""

    kind: Literal["connect", "write", "read"]
    began_s: float
    ended_s: float
    result: int
    shown: str

    @property
    def taken(self) -> int:
        """Bytes that it moved; those that were only looked at are not."""
        return 0 if "MSG_PEEK" in self.shown else max(0, self.result)


@dataclass(frozen=True)
class Traced:
    """What the calls of one invocation come to."""

    write_calls: int
    read_calls: int
    bytes_out: int
    bytes_in: int
    reads_while_writing: bool
    #: From when the connection was made, or last used for its greeting, to the first byte of the pipeline
    #: and to the last write.
    first_byte_s: float
    last_write_s: float

    def sends_early(self, shorter: Traced) -> bool:
        """Whether bytes leave before all is handed over; `shorter`: the same with a tenth of the commands."""
        if self.first_byte_s == self.last_write_s:
            return False
        first_s = self.first_byte_s - shorter.first_byte_s
        return first_s < EARLY * (self.last_write_s - shorter.last_write_s)


def missing() -> str | None:
    """Why calls cannot be seen here, or None."""
    return None if shutil.which("strace") else "install strace"


def traced(spec: Spec, output: Path) -> Spec:
    """The same program under strace, which writes the calls to `output`."""
    strace = shutil.which("strace")
    assert strace is not None
    calls = ",".join(sorted(_KINDS))
    argv = (strace, "-f", "-qq", "-yy", "-T", "-ttt", "-e", "signal=none", "-s", str(_SHOWN_BYTES))
    return replace(spec, argv=(*argv, "-e", f"trace={calls}", "-o", str(output.absolute()), "--", *spec.argv))


def understand(lines: Iterator[str], port: int, first_command: str) -> Traced | None:
    """The figures of the connections to a port; None where no pipeline is to be seen on them.

    `first_command` of the pipeline, its name: what comes before it is the library's greeting.
    """
    calls = sorted(on_port(lines, port), key=lambda call: call.began_s)
    writes = [call for call in calls if call.kind == "write"]
    reads = [call for call in calls if call.kind == "read"]
    first = next((call for call in calls if _begins(call, first_command)), None)
    if first is None:
        return None
    last = max((call for call in writes if call.taken), key=lambda call: call.began_s, default=first)
    before = [call for call in calls if call.began_s < first.began_s]
    used = [call.ended_s for call in before if call.taken or call.kind == "connect"]
    start_s = max(used, default=first.began_s)
    return Traced(
        write_calls=len(writes),
        read_calls=len(reads),
        bytes_out=sum(call.taken for call in writes),
        bytes_in=sum(call.taken for call in reads),
        reads_while_writing=any(
            call.taken > 0 and first.began_s <= call.began_s and call.ended_s < last.ended_s for call in reads
        ),
        first_byte_s=first.began_s - start_s,
        last_write_s=last.began_s - start_s,
    )


def _begins(call: Call, first_command: str) -> bool:
    wanted = f"${len(first_command)}\\r\\n{first_command.lower()}\\r\\n"
    return call.kind == "write" and wanted in call.shown.lower()


def on_port(lines: Iterator[str], port: int) -> Iterator[Call]:
    """The calls on connections to a port; those that strace tells in two lines are put together."""
    begun: dict[str, tuple[str, float, str]] = {}
    for line in lines:
        if (match := _LINE.match(line)) is None:
            continue
        thread, at_s, text = match[1], float(match[2]), match[3]
        if resumed := _RESUMED.match(text):
            name, began_s, head = begun.pop(thread, ("", 0.0, ""))
            if result := name and _RESULT.search(resumed[2]):
                yield Call(_KINDS[name], began_s, at_s, int(result[1]), head + resumed[2])
            continue
        call = _CALL.match(text)
        if call is None or call[1] not in _KINDS or not _is_to(call, port):
            continue
        if text.endswith(_UNFINISHED):
            begun[thread] = (call[1], at_s, call[3])
        elif result := _RESULT.search(call[3]):
            ended_s = at_s + float(result[2] or 0)
            yield Call(_KINDS[call[1]], at_s, ended_s, int(result[1]), call[3])


def _is_to(call: re.Match[str], port: int) -> bool:
    return call[2].endswith(f":{port}") or (call[1] == "connect" and f"htons({port})" in call[3])
