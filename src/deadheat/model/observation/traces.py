"""What a program did, seen by another tool in an invocation apart that is not timed."""

from typing import Literal

from deadheat.model.base import Record


class SocketTrace(Record):
    """The system calls of one invocation on its connection, as strace saw them (docs/redis-sink.md).

    `sends_early`: bytes left before the last command was handed over. `reads_while_writing`: replies were
    read before the last write had ended. `unknown` says why none of it is known.
    """

    type: Literal["socket-trace"] = "socket-trace"
    race: str
    block: int
    entry: str
    write_calls: int | None = None
    read_calls: int | None = None
    bytes_out: int | None = None
    bytes_in: int | None = None
    sends_early: bool | None = None
    reads_while_writing: bool | None = None
    unknown: str | None = None


class CallCount(Record):
    """Calls that a program executed from the smaller n to the larger, beside those its source asks for."""

    type: Literal["call-count"] = "call-count"
    race: str
    block: int
    entry: str
    n: tuple[int, int]
    asked: int
    executed: int | None = None
    unknown: str | None = None
