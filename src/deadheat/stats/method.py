"""The method of a run by its version, so that an old run's verdicts can be made again as they were."""

from __future__ import annotations

from dataclasses import dataclass

from deadheat.stats.sequential import FEWEST_BLOCKS


@dataclass(frozen=True)
class Method:
    """What changed from one version of the method to the next.

    1: a block's effect is the mean of its slices' logs, against one entry of the reference; three blocks
    are enough for a verdict. 2: it is the log of sum(replies) / sum(time), against the mean of both its
    entries; no verdict rests on fewer than 5 blocks, 10 where a contender's starts are skewed; rows and
    claims take the intervals that were judged, claims about other figures are a family of their own, and
    places are numbered only where a race was planned to rank. Version 2 is that of the next release: until
    then what it says of a run may still change, and that of version 1 never does.
    """

    version: int
    of_sums: bool
    both_entries: bool
    fewest_blocks: int
    fewest_if_skewed: int
    fewest_null_blocks: int
    first_look: int
    one_family: bool


METHODS = {
    1: Method(
        1,
        of_sums=False,
        both_entries=False,
        fewest_blocks=3,
        fewest_if_skewed=3,
        fewest_null_blocks=1,
        first_look=3,
        one_family=False,
    ),
    2: Method(
        2,
        of_sums=True,
        both_entries=True,
        fewest_blocks=FEWEST_BLOCKS,
        fewest_if_skewed=10,
        fewest_null_blocks=2,
        first_look=FEWEST_BLOCKS,
        one_family=True,
    ),
}
METHOD = METHODS[2]
