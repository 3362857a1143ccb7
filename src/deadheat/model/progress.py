"""How far a race under way is."""

from deadheat.model.base import Record


class Progress(Record):
    """Blocks that count for all, of those planned; those that somebody got into, which do not; and those
    before a lead-in grew, which do not for whoever needs the longer one.

    `done` is the share of the race's time that has passed (0 to 1), `left_s` what is left of it; both with
    the blocks that will not count either, if as many as so far.
    """

    clean: int
    planned: int
    uncounted: int
    outgrown: int = 0
    done: float
    left_s: float
