"""Commands of Redis, and the replies that are right."""

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from deadheat.model import json_text
from deadheat.model.base import Record


class RedisWork(Record):
    """Commands of Redis, each a list of words, sent in turn over all connections; `{token}` stands for the
    slice's random token.

    `expect`: the reply to each, as JSON has it (null: no such key), in a list or in a text. Without it any
    reply will do that is no error. Connections do not wait for each other: a reply that hangs on which of
    their commands came first is not one to expect.
    """

    commands: tuple[tuple[str, ...], ...] = Field(min_length=1)
    expect: Annotated[list[Any] | None, json_text.READ] = None

    @model_validator(mode="after")
    def _says_each_reply(self) -> Self:
        if not all(self.commands):
            raise ValueError("a command has a name")
        if self.expect is not None and len(self.expect) != len(self.commands):
            raise ValueError(f"expect: {len(self.expect)} replies to {len(self.commands)} commands")
        return self

    def commands_of(self, token: str) -> list[tuple[str, ...]]:
        """The commands of a turn."""
        return [tuple(word.replace("{token}", token) for word in words) for words in self.commands]

    def expected_of(self, token: str) -> list[Any] | None:
        """The replies that are right in it."""
        return None if self.expect is None else [_with_token(reply, token) for reply in self.expect]


def _with_token(reply: Any, token: str) -> Any:
    if isinstance(reply, list):
        return [_with_token(each, token) for each in reply]
    return reply.replace("{token}", token) if isinstance(reply, str) else reply
