"""How far a race under way is."""

from deadheat.model.base import Record


class Progress(Record):
    """Blocks that count, of those planned, and blocks that do not.

    `done` is the share of the race's time that has passed (0 to 1), `left_s` what is left of it; both with
    the blocks that will not count either, if as many as so far.
    """

    clean: int
    planned: int
    uncounted: int
    done: float
    left_s: float
