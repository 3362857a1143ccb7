"""Blocks that somebody else got into, in words."""

from deadheat.model.finding import DisturbedBlocks
from deadheat.model.observation import Disturbance


def clause(by: Disturbance) -> str:
    """`cargo (pid 812) and others had 31% of the race's CPUs (limit 3%)`."""
    where = f" on {by.who[0]}" if by.who else ""
    if by.by == "a clock step":
        return f"the wall clock{where} stepped by {by.share:.2f} s (limit {by.limit:.2f})"
    if by.by == "a late generator":
        return f"the generator{where} was {by.share:.0%} of the lead-in behind (limit {by.limit:.0%})"
    share = f"{by.share:.0%} of the time of the race's CPUs (limit {by.limit:.0%})"
    if by.by == "another machine":
        return f"another machine on the same hardware had {share}"
    if by.by == "throttling":
        return f"a CPU quota took {share}"
    who = by.who[0] if by.who else "something that is gone"
    return f"{who}{' and others' if len(by.who) > 1 else ''} had {share}"


def during(block: int, by: Disturbance) -> str:
    """While the race is on; `block` counts from 0."""
    return f"block {block + 1} does not count: {clause(by)}; another is raced instead, where there is time"


def afterwards(finding: DisturbedBlocks) -> str:
    """A line of the report."""
    blocks = "1 block does" if finding.blocks == 1 else f"{finding.blocks} blocks do"
    return f"{blocks} not count: {clause(finding.worst)}"
