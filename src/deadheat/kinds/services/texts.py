"""Texts of a table that a page shows: what HTML has to escape, letters of several alphabets, no two alike."""

import random
import string

# Beyond ASCII all within the basic plane, where UTF-16 has the order of code points too.
LETTERS = string.ascii_letters + "éøßЖяλ急がば"
LETTERS_A_WORD = 6
# A text has one of these within it.
PLANTED = (
    '<script>alert("not escaped")</script>',
    "急がば回れ",
    "it's",
    '"so they say"',
    "R&D",
    "already &amp; escaped",
    "a < b > c",
    "back\\slash",
    "Zeit und Weile",
    "тише едешь",
)


def of(count: int, rng: random.Random) -> list[str]:
    """So many texts."""
    return [f"{_word(rng)} {PLANTED[place % len(PLANTED)]} {_word(rng)}" for place in range(count)]


def _word(rng: random.Random) -> str:
    return "".join(rng.choices(LETTERS, k=LETTERS_A_WORD))
