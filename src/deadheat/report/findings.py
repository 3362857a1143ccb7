"""What else the blocks of a race show, a sentence each: where spread comes from, warm-up, drift, carry-over,
unequal work."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from deadheat.model.finding import (
    AnswersKnown,
    AtOwnDatabase,
    Attempt,
    CarriedOver,
    ClosesConnections,
    ConnectionsWait,
    CpuOutside,
    CutShort,
    DisturbedBlocks,
    Drifts,
    Finding,
    GivenUp,
    InContainers,
    LoadFromHosts,
    LongerLeadIn,
    LongTurnsOpen,
    LongWarmUp,
    MessageRates,
    NetworkPart,
    Note,
    NotSteady,
    ServicesOn,
    SlicesUnchecked,
    StandInReference,
    UnequalBytes,
    VarianceOfStarts,
    WrongWhileWarmingUp,
)
from deadheat.model.result import RaceResult
from deadheat.report import disturbance, load_from, own_database, words

WIDTH = 78
# What became of earlier races.
ENDED = {"begun": "cut off", "stopped": "stopped by hand", "settled": "settled", "open": "not all settled"}
# More contenders than this are not named one by one.
MANY = 3


def lines(result: RaceResult) -> Iterator[str]:
    """Every finding of a race as indented lines of at most WIDTH columns."""
    for finding in result.findings:
        yield from textwrap.wrap(
            sentence(finding), WIDTH, initial_indent="· ", subsequent_indent="  ", break_on_hyphens=False
        )


def sentences(result: RaceResult) -> list[str]:
    """Every finding of a race, a sentence each."""
    return [sentence(finding) for finding in result.findings]


def sentence(finding: Finding) -> str:
    """One finding for people."""
    match finding:
        case Note():
            return finding.text
        case AtOwnDatabase() | StandInReference() | AnswersKnown():
            return _beside(finding)
        case CutShort():
            counted = f"{finding.blocks} of {finding.planned} blocks"
            return f"ended after {counted}, which count: {finding.reason}"
        case DisturbedBlocks() | LongWarmUp() | WrongWhileWarmingUp():
            return _left_out(finding)
        case MessageRates():
            rates = ", ".join(f"{id_} {words.figure(rate)}" for id_, rate in finding.per_second.items())
            return f"{finding.messages} messages a call; messages/s: {rates}"
        case SlicesUnchecked() | LongTurnsOpen():
            return _long_turns(finding)
        case Attempt() | GivenUp() | LongerLeadIn():
            return _course(finding)
        case VarianceOfStarts():
            return _variance(finding)
        case NotSteady():
            return _not_steady(finding)
        case Drifts() | CarriedOver():
            return _within_blocks(finding)
        case UnequalBytes() | CpuOutside():
            return _unequal(finding)
        case (
            ClosesConnections()
            | ConnectionsWait()
            | InContainers()
            | LoadFromHosts()
            | ServicesOn()
            | NetworkPart()
        ):
            return _around(finding)


def _unequal(finding: UnequalBytes | CpuOutside) -> str:
    """Work that is not the same for all, or not where it is counted."""
    if isinstance(finding, UnequalBytes):
        return (
            f"unequal work on the wire: {finding.least_bytes:,.0f} bytes a response ({finding.least}) "
            f"to {finding.most_bytes:,.0f} ({finding.most})"
        )
    times = ", ".join(f"{id_} {words.ratio(ratio)}" for id_, ratio in finding.ratios.items())
    where = "outside of what is counted (lead-ins, drains, until the freeze)"
    return f"CPU time a request {where}, over that in it: {times}"


def _beside(finding: AtOwnDatabase | StandInReference | AnswersKnown) -> str:
    """What contenders were held against, and asked."""
    if isinstance(finding, AtOwnDatabase):
        return "; ".join(own_database.sentences(finding.database))
    if isinstance(finding, AnswersKnown):
        asked = ", ".join(finding.runs)
        return (
            f"answers of {_named(finding.contenders)}: checked by {asked}, of the same builds, and not again"
        )
    return f"{finding.reference} is the reference, as {finding.instead_of} cannot race: {finding.reason}"


def _attempt(finding: Attempt) -> str:
    """`third race of this pair on this machine today; before it: 1 cut off, 1 settled`."""
    whose = "this pair" if finding.pair else "two or more of these contenders"
    said = f"{words.ordinal(finding.number)} race of {whose} on this machine today"
    before = [f"{count} {ENDED[outcome]}" for outcome, count in sorted(finding.outcomes.items())]
    return f"{said}; before it: {', '.join(before)}" if before else said


def _around(
    finding: ClosesConnections | ConnectionsWait | InContainers | LoadFromHosts | ServicesOn | NetworkPart,
) -> str:
    """What a server does with its connections, where they and its services are, and where it ran."""
    if isinstance(finding, LoadFromHosts | ServicesOn | NetworkPart):
        return load_from.sentence(finding)
    if isinstance(finding, InContainers):
        return _in_containers(finding)
    if isinstance(finding, ClosesConnections):
        again = f"{finding.reopened:,} were opened again for {finding.replies:,} replies"
        return f"{finding.contender} closes connections: {again}"
    half, last = (words.seconds(ms / 1000) for ms in (finding.p50_ms, finding.p99_ms))
    return (
        f"{finding.contender} leaves connections waiting: of {finding.connections} half of the replies came "
        f"within {half}, one in a hundred after {last}; with no more connections than it serves at once a "
        "race is shorter and says more"
    )


def _in_containers(finding: InContainers) -> str:
    """`app ran in a container of podman 4.3.1 (runc), on the host's network; frozen by cgroup v2, ...`."""
    how, one = finding.how, len(finding.names) == 1
    parts = [
        f"{', '.join(finding.names)} ran in {'a container' if one else 'containers'} of {how.engine}",
        "reached through a published port, which costs what a run line is spared"
        if how.published
        else "on the host's network",
    ]
    frozen = (
        f"frozen by {how.frozen_by}"
        if how.frozen_by is not None
        else "idle but running while it was another's turn, since nobody may freeze it here"
    )
    metered = (
        "metered by its living processes, as no cgroup of its own counts"
        if how.metered_by == "processes"
        else f"metered by {how.metered_by}"
    )
    return f"{', '.join(parts)}; {frozen}, {metered}"


def _within_blocks(finding: Drifts | CarriedOver) -> str:
    ratio = f"{words.ratio(finding.ratio)} ({words.interval(finding.ci)})"
    if isinstance(finding, Drifts):
        return (
            f"{finding.contender} drifts: against {finding.reference} its second half of a block is {ratio} "
            "times its first"
        )
    return (
        f"carry-over: {finding.contender} right after {finding.predecessor} measures {ratio} times what it "
        "does after others; the order is random, so it evens out"
    )


def _long_turns(finding: SlicesUnchecked | LongTurnsOpen) -> str:
    """That slices-agree is no gate that held."""
    if isinstance(finding, LongTurnsOpen):
        return (
            f"slices-agree: not known of {finding.contender}: {finding.pairs} pairs of long turns give "
            f"{words.ratio(finding.ratio)} ({words.interval(finding.ci, 0 if finding.ci is None else None)}) "
            "times the ratio of its slices"
        )
    whose = _named(finding.contenders)
    turns = f"turns of {finding.turn_s:g} s"
    why = (
        f"no whole block has {turns} yet"
        if finding.planned
        else f"{turns} would take longer than this race; --preset standard takes them, once a build"
    )
    return f"slices-agree: not checked of {whose}: {why}"


def _named(contenders: Sequence[str]) -> str:
    """By their names where they are few."""
    return ", ".join(contenders) if len(contenders) <= MANY else f"{len(contenders)} contenders"


def _course(finding: Attempt | GivenUp | LongerLeadIn) -> str:
    """Which attempt it was, and what became of some contenders on the way."""
    if isinstance(finding, Attempt):
        return _attempt(finding)
    if isinstance(finding, GivenUp):
        who = ", ".join(f"{entry} after {blocks}" for entry, blocks in finding.contenders.items())
        return f"given up with hardly a chance to be settled: {who} of {finding.planned} blocks"
    if finding.from_block == 1:
        return f"lead-in of {', '.join(finding.contenders)}: {finding.lead_in_ms} ms, {finding.reason}"
    whose = f"the blocks of {', '.join(finding.contenders)}" if finding.contenders else "the blocks"
    return (
        f"lead-in: {finding.reason}, so from block {finding.from_block} on it has "
        f"{finding.lead_in_ms} ms, and {whose} before it do not count"
    )


def _variance(finding: VarianceOfStarts) -> str:
    shares = finding.shares
    if len(shares) > MANY:
        least, most = min(shares.values()), max(shares.values())
        return (
            f"of {len(shares)} contenders {least:.0%} to {most:.0%} of the variance is between "
            "starts: more blocks narrow their intervals, more rounds do not"
        )
    who = ", ".join(f"{share:.0%} of {entry}'s" for entry, share in shares.items())
    return f"{who} variance is between starts: more blocks narrow its interval, more rounds do not"


def _not_steady(finding: NotSteady) -> str:
    if finding.steady_from is None:
        return f"{finding.contender} never got steady"
    at_first = f"{finding.start:.2f} of its level at first"
    return f"{finding.contender} {finding.kind}: {at_first}, steady from slice {finding.steady_from}"


def _left_out(finding: DisturbedBlocks | LongWarmUp | WrongWhileWarmingUp) -> str:
    if isinstance(finding, DisturbedBlocks):
        return disturbance.afterwards(finding)
    if isinstance(finding, WrongWhileWarmingUp):
        first = finding.first_error or "no detail"
        return (
            f"{finding.contender} gave {finding.replies:,} wrong replies while it warmed up, where none "
            f"count; the first: {first}"
        )
    return f"{finding.contender} warms up for {finding.seconds:.0f} s a start, which do not count"
