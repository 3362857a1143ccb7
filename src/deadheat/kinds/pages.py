"""Pages of HTML, compared by what they say: white space between tags does not count, nor how a character is
escaped. What a server's own pages have of these is their form, which makes of any page that is right the one
to the byte that this server must answer."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from itertools import pairwise, zip_longest
from typing import Self

# In the text of an element, where others may stand as they are.
ESCAPED = "<&"
CHARSET = "charset=utf-8"
_ROW = re.compile(
    r"(?P<before><tr[^<>]*>\s*<td[^<>]*>\s*)(?P<id>\d+)"
    r"(?P<within>\s*</td\s*>\s*<td[^<>]*>\s*)(?P<value>[^<]*?)"
    r"(?P<after>\s*</td\s*>\s*</tr\s*>)",
    re.IGNORECASE,
)
_CHARACTER = re.compile(r"&[#\w]+;|.", re.DOTALL)
_SHOWN = 80


class FormError(Exception):
    """A page whose rows cannot be told apart, or are not made alike; the message says how, in a clause."""


class _Reader(HTMLParser):
    """Tags and texts of a page, in their order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []

    def handle_decl(self, decl: str) -> None:
        self.pieces.append(f"<!{' '.join(decl.lower().split())}>")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = "".join(f' {name}="{value or ""}"' for name, value in sorted(attrs, key=lambda each: each[0]))
        self.pieces.append(f"<{tag}{said}>")

    def handle_endtag(self, tag: str) -> None:
        self.pieces.append(f"</{tag}>")

    def handle_comment(self, data: str) -> None:
        self.pieces.append(f"<!--{data}-->")

    def handle_data(self, data: str) -> None:
        if text := data.strip():
            self.pieces.append(text)


def read(page: str) -> list[str]:
    """Its tags and its texts, these unescaped and without white space around them."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader.pieces


def difference(expected: str, got: str) -> str | None:
    """Where a page first says something else than it should, in a clause."""
    for right, said in zip_longest(read(expected), read(got), fillvalue="the end"):
        if right != said:
            return f"expected in the page {right[:_SHOWN]}  got {said[:_SHOWN]}"
    return None


@dataclass(frozen=True)
class Form:
    """How a server writes a page with a table: what stands before its rows, in each, between and after
    them, and what it writes for each character that its rows have."""

    head: str
    row: tuple[str, str, str]
    between: str
    tail: str
    written: Mapping[str, str]

    @classmethod
    def of(cls, page: str) -> Self:
        """That of a page, whose rows must be alike. Raises FormError."""
        rows = list(_ROW.finditer(page))
        if len(rows) < 2:
            raise FormError("its page has no two rows of two cells")
        between = {page[one.end() : other.start()] for one, other in pairwise(rows)}
        around = {row.group("before", "within", "after") for row in rows}
        if len(between) != 1 or len(around) != 1:
            raise FormError("the rows of its page are not made alike")
        written: dict[str, str] = {}
        for row in rows:
            for piece in _CHARACTER.findall(row["value"]):
                character = html.unescape(piece)
                if written.setdefault(character, piece) != piece:
                    raise FormError(f"it writes {character} as {written[character]} and as {piece}")
        if bare := [character for character in ESCAPED if written.get(character) == character]:
            raise FormError(f"it does not escape {bare[0]}")
        first = rows[0]
        around_one = (first["before"], first["within"], first["after"])
        return cls(page[: first.start()], around_one, between.pop(), page[rows[-1].end() :], written)

    def page(self, right: str) -> str:
        """The server's own of a page that is right."""
        table = str.maketrans(dict(self.written))
        before, within, after = self.row
        rows = (
            f"{before}{row['id']}{within}{html.unescape(row['value']).translate(table)}{after}"
            for row in _ROW.finditer(right)
        )
        return self.head + self.between.join(rows) + self.tail
