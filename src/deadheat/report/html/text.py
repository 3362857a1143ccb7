"""Other people's text on its way into a page: nothing in it may act, hide or reorder what is beside it."""

import re
import unicodedata

LONGEST = 60
# Not the no-break space: it keeps an interval in one piece.
_BLANKS = re.compile(r"[ \t\n\r\f\v]+")
# Marks that turn the direction of what follows, and what cannot be seen at all.
_HIDING = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def visible(text: str) -> str:
    """Control and format characters spelled out; line ends and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c in "\n\t" or unicodedata.category(c) not in _HIDING else _spelled(c) for c in text)


def short(text: str, longest: int = LONGEST) -> str:
    """At most so many characters, in one line."""
    text = _BLANKS.sub(" ", text).strip()
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _spelled(c: str) -> str:
    return f"\\u{ord(c):04x}" if ord(c) > 0xFF else f"\\x{ord(c):02x}"
