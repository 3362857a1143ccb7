"""A request before all others, whose answer has values that they need."""

import re

from pydantic import Field, field_validator

from deadheat.model import json_path
from deadheat.model.base import Record

#: What stands in braces in requests already.
TAKEN = ("token", "seq", "uuid")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WHERE = re.compile(rf"(cookie|header) [!#$%&'*+.^_`|~0-9A-Za-z-]+|json {json_path.PATTERN}")


class Login(Record):
    """Asked once at each start of a server, before its requests: `take` names values of the answer that stand
    in braces in these, each with where it is: "cookie session", "header X-CSRF-Token", "json $.token".
    `status`: the one that is right; any below 400 where none is named."""

    method: str = "POST"
    path: str = Field(pattern="^/")
    headers: dict[str, str] = {}
    body: str | None = None
    status: int | None = Field(default=None, ge=100, le=599)
    take: dict[str, str] = Field(min_length=1)

    @field_validator("take")
    @classmethod
    def _says_where(cls, take: dict[str, str]) -> dict[str, str]:
        for name, where in take.items():
            if not _NAME.fullmatch(name) or name in TAKEN:
                raise ValueError(
                    f'"{name}" is no name: letters, digits and _, and none of {", ".join(TAKEN)}'
                )
            if not _WHERE.fullmatch(where):
                raise ValueError(
                    f'{name}: "{where}" says no place: "cookie NAME", "header NAME" or "json $.path"'
                )
        return take
