"""The pipeline that programs of a workload send to one of its services, and how it is known that they did."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from deadheat.model.base import Record
from deadheat.model.parameter import Setting

# Before a command that is sent n times, n being the program's size.
EACH = "N "
# The parameters of a workload that say something of its pipeline.
ROUNDS, DEPTH = "rounds", "depth"


class PipelineRules(Record):
    """What a client may do, as the workload's comments say in full."""

    overlap: Literal["allowed", "forbidden"] = "allowed"
    use_before_handed_over: Literal["allowed", "forbidden"] = "forbidden"
    unparsed_replies: Literal["allowed", "forbidden"] = "forbidden"
    connections: int = 1
    before_the_clock: tuple[str, ...] = ()


class ReplyDigest(Record):
    """How replies are rendered for the digest that proves they were parsed. `word`: of the command line, by
    which a program prints it."""

    word: str
    function: Literal["fnv1a-64"]
    text: str
    integer: str
    nil: str


class PipelineCosts(Record):
    """About what an invocation takes, for estimates only: the process, a command, and a round trip."""

    process_s: float = Field(ge=0)
    command_s: float = Field(ge=0)
    round_trip_s: float = Field(ge=0)

    def invocation_s(self, commands: int, depth: int | None) -> float:
        """Seconds, with so many commands handed over at a time (None: all)."""
        return self.process_s + self.command_s * commands + self.round_trip_s * commands / (depth or commands)


class Pipeline(Record):
    """Commands in Redis' protocol that a program sends to a `service`. Then it prints a line of JSON: its own
    `wall_ns`, how many `commands` it sent, and where it is asked for it the `digest` of all replies.

    `round`: its commands in order, `N GET foo` one that is sent n times, as often as the program's size says;
    `{increment}` stands for any one spelling of `increments`, all of which are right. `key` is the only one
    that commands touch. Of the workload's parameters `rounds` says how many rounds an invocation has, `depth`
    how many commands are handed over at a time, their replies awaited between; else one round, all at a time.
    `most_round_trips` of an invocation: with few commands at a time it has a smaller n.
    """

    service: str
    key: str
    round: tuple[str, ...]
    increments: tuple[str, ...]
    most_round_trips: int | None = Field(default=None, ge=1)
    takes: PipelineCosts | None = None
    rules: PipelineRules
    digest: ReplyDigest

    @property
    def repeated(self) -> tuple[str, ...]:
        """The commands that are sent n times."""
        return tuple(command for command in self.round if command.startswith(EACH))

    @property
    def first_command(self) -> str:
        """The name of the first."""
        return self.round[0].removeprefix(EACH).split()[0]

    def commands(self, n: int, rounds: int = 1) -> int:
        """How many commands that is."""
        once = len(self.round) - len(self.repeated)
        return (len(self.repeated) * n + once) * rounds

    def runs(self, n: int, increment: str) -> tuple[tuple[int, str], ...]:
        """One round as runs of equal commands: how often each is sent, in order."""
        return tuple(
            (n if command.startswith(EACH) else 1, self._spelt(command, increment)) for command in self.round
        )

    def size(self, n: int, depth: int | None) -> int:
        """The n of an invocation that hands over so many commands at a time (None: all)."""
        if depth is None or self.most_round_trips is None:
            return n
        return max(1, min(n, self.most_round_trips * depth // len(self.repeated)))

    def _spelt(self, command: str, increment: str) -> str:
        return command.removeprefix(EACH).replace("{increment}", increment)


def rounds_of(values: Mapping[str, Setting]) -> int:
    """Of an invocation at these values of the workload's parameters."""
    return int(values.get(ROUNDS, 1))


def depth_of(values: Mapping[str, Setting]) -> int | None:
    """Commands handed over at a time, None: a whole round."""
    return int(values[DEPTH]) if DEPTH in values else None
