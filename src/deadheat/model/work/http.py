"""Requests of HTTP, and the answers that are right."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from deadheat.model import json_text
from deadheat.model.base import Record
from deadheat.model.json_answer import JsonFields, JsonSchema
from deadheat.model.mask import Masks

_NAMED = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


class HttpRequest(Record):
    """The request that a load of kind http sends; `{token}` stands for the slice's random token."""

    method: str = "GET"
    path: str
    headers: dict[str, str] = {}
    body: str | None = None

    def of(self, row: Mapping[str, str]) -> Self:
        """With the values of a row in the place of their names in braces."""
        return self.model_validate(_filled(self.model_dump(), row))


class MixRequest(HttpRequest):
    """One of several requests that a load draws from: its `weight` is its share, beside theirs, of all that
    are sent. `name`: what reports call it, its method and path where it has none."""

    name: str | None = None
    weight: float = Field(default=1, gt=0)

    @property
    def title(self) -> str:
        return self.name or f"{self.method} {self.path}"


class HttpCase(Record):
    """A request and the answer that alone is right: the status, the body to the byte, the media type (without
    parameters such as its charset), the content coding (`identity`: none), the Location and the names of the
    cookies that are set, each but the status any where it is null.

    A `location` has no scheme, host and port of the server's own, is "" for none, and may have `{uuid}`,
    `{number}` or `{any}` for a part that varies. `cookies` are in order of the alphabet.

    In the place of the body to the byte its SHA-256, or an answer that it must be equal to by `structure`,
    but for what `masks` name: of JSON without regard to the order of keys. Or JSON that is right in parts: by
    the values of `json_fields` at their places (`$.items[0].id`), and by a `json_schema`, which is JSON in a
    text. All these are of the body with gzip, deflate, br and zstd decoded. Under load the status alone is
    compared.

    Or a `page`: HTML in UTF-8 that it must be equal to, but for white space between tags and for how
    characters are escaped. What a server's own page has of these is learned when it has started, and under
    load its pages are compared to the byte.
    """

    method: str = "GET"
    path: str
    headers: dict[str, str] = {}
    send: str | None = None
    status: int = 200
    content_type: str | None = None
    content_encoding: str | None = None
    location: str | None = None
    cookies: tuple[str, ...] | None = None
    body: str | None = None
    sha256: str | None = None
    structure: str | None = None
    page: str | None = None
    json_fields: Annotated[JsonFields, json_text.READ] = {}
    json_schema: JsonSchema | None = None
    masks: Masks = {}

    @model_validator(mode="after")
    def _says_one_body(self) -> Self:
        by_parts = (self.json_fields or None, self.json_schema)
        whole = (self.body, self.sha256, self.structure, self.page)
        if sum(each is not None for each in whole) + any(each is not None for each in by_parts) > 1:
            raise ValueError(
                "body, sha256, structure, page or json_fields and json_schema: one says what is right"
            )
        if self.masks and self.structure is None:
            raise ValueError("masks are of a structure")
        return self

    def of(self, row: Mapping[str, str]) -> Self:
        """With the values of a row in the place of their names in braces."""
        return self.model_validate(_filled(self.model_dump(), row))


def _filled(value: Any, row: Mapping[str, str]) -> Any:
    """A text, or each in a table, with the values of a row in the place of their names in braces."""
    if isinstance(value, dict):
        return {key: _filled(each, row) for key, each in value.items()}
    return filled(value, row) if isinstance(value, str) else value


def filled(text: str, row: Mapping[str, str]) -> str:
    """A text with the values of a row in the place of their names in braces; they are not looked at again."""
    return _NAMED.sub(lambda found: row.get(found[1], found[0]), text)
