"""What one turn says, by metric; of a block or a race see `Tally`."""

from collections.abc import Callable

from deadheat.model.observation import ColdStart, Invocation, Slice

Turn = Slice | Invocation | ColdStart
Value = Callable[[Turn], float]


def throughput_rps(turn: Turn) -> float:
    """Replies in the counted part over its length; 0 where something went wrong in it or it had none."""
    assert isinstance(turn, Slice)
    if turn.counted_s <= 0 or (turn.errors and sum(turn.errors.values())):
        return 0.0
    return turn.replies / turn.counted_s


def wall_s(turn: Turn) -> float:
    assert isinstance(turn, Invocation)
    return turn.wall_s


def cpu_s(turn: Turn) -> float:
    assert isinstance(turn, Invocation)
    return turn.user_s + turn.system_s


def user_s(turn: Turn) -> float:
    """CPU time of the program itself."""
    assert isinstance(turn, Invocation)
    return turn.user_s


def system_s(turn: Turn) -> float:
    """CPU time of the kernel on the program's behalf."""
    assert isinstance(turn, Invocation)
    return turn.system_s


def own_wall_s(turn: Turn) -> float:
    """Wall time by the program's own clock; 0 where it has none."""
    assert isinstance(turn, Invocation)
    return turn.own_wall_s or 0.0


def cpu_us_per_request(turn: Turn) -> float:
    """The server's CPU time in the counted part for each reply of it, microseconds."""
    assert isinstance(turn, Slice)
    return turn.server_cpu_ns / 1e3 / turn.replies if turn.server_cpu_ns and turn.replies else 0.0


def first_reply_s(turn: Turn) -> float:
    """From a server's start to its first right answer."""
    assert isinstance(turn, ColdStart)
    return turn.first_reply_s


def reply_100_s(turn: Turn) -> float:
    """The same to its 100th, under load."""
    assert isinstance(turn, ColdStart)
    return turn.reply_100_s


def reply_10000_s(turn: Turn) -> float:
    """The same to its 10,000th."""
    assert isinstance(turn, ColdStart)
    return turn.reply_10000_s


COLD_VALUES: dict[str, Value] = {
    "first_reply_s": first_reply_s,
    "reply_100_s": reply_100_s,
    "reply_10000_s": reply_10000_s,
}
VALUES: dict[str, Value] = {
    "throughput_rps": throughput_rps,
    "wall_s": wall_s,
    "cpu_s": cpu_s,
    **COLD_VALUES,
}
# Of each metric that a turn has a value of, those of claims too.
TURN_VALUES: dict[str, Value] = {
    **VALUES,
    "own_wall_s": own_wall_s,
    "cpu_us_per_request": cpu_us_per_request,
}


def sums(value: Value, turn: Turn) -> tuple[float, float]:
    """What a turn adds to the two sums whose quotient is a block's value; NaN where it cannot count.

    Throughput: replies (none where something went wrong) and counted seconds. CPU a request: microseconds
    and replies. All else: the value, and one turn.
    """
    if isinstance(turn, Slice) and value in _SUMS:
        return _SUMS[value](turn)
    if isinstance(turn, Invocation) and value is own_wall_s and turn.own_wall_s is None:
        return _CANNOT_COUNT
    return value(turn), 1.0


def _replies(turn: Slice) -> tuple[float, float]:
    return (throughput_rps(turn) * turn.counted_s, turn.counted_s) if turn.counted_s > 0 else _CANNOT_COUNT


def _cpu_us(turn: Slice) -> tuple[float, float]:
    if turn.server_cpu_ns is None:
        return _CANNOT_COUNT
    return turn.server_cpu_ns / 1e3, float(turn.replies)


_CANNOT_COUNT = (float("nan"), float("nan"))
_SUMS: dict[Value, Callable[[Slice], tuple[float, float]]] = {
    throughput_rps: _replies,
    cpu_us_per_request: _cpu_us,
}
