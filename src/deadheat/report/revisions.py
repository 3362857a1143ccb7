"""What became of a comparison of two revisions, in words: the sentence first, then what it rests on."""

from __future__ import annotations

from collections.abc import Iterator

from deadheat.model.ab import Answers, Comparison, Decided, FigureChange, Side, WorkloadChange
from deadheat.model.bench import BenchFile
from deadheat.model.condition import Condition, judged_by
from deadheat.model.judged import metric_of
from deadheat.model.result import turned
from deadheat.report import reasons, words


def heading(base: Side, head: Side, bench: BenchFile, budget_s: float) -> str:
    """`main@3f2c1a9 against the working tree (4 files changed) · 3 requests · 5 minutes`."""
    kind = "call" if bench.call else "command" if bench.redis else "request"
    asked = len(bench.redis or bench.asked)
    what = f"{asked} {kind}{'s' * (asked != 1)}"
    changed = f" ({head.changed} file{'s' * (head.changed != 1)} changed)" if head.changed else ""
    what += " in one load" if bench.mix else ""
    parts = [f"{base.label} against {head.label}{changed}", what if bench.serves else "a program"]
    return " · ".join([*parts, *([words.duration(budget_s)] if budget_s else [])])


def built(base: Side, head: Side, same: str | None) -> str:
    """`✓ built main@3f2c1a9 (cached), the working tree (12 s): the programs differ`."""
    each = ", ".join(f"{side.label} ({_took(side)})" for side in (base, head))
    return f"✓ built {each}: " + ("the same program" if same is not None else "the programs differ")


def lines(found: Comparison) -> Iterator[str]:
    """What gets pasted."""
    if found.same is not None:
        yield f"the same program: {found.same} is the same to the byte"
        return
    for change in found.workloads:
        named = len(found.workloads) > 1
        yield f"{change.title}: {sentence(change)}" if named else sentence(change)
        yield from (f"  {row}" for row in rows(change))
        yield from (
            f"  {decided(one, change)}" for one in found.conditions if one.workload == change.workload
        )


def sentence(change: WorkloadChange) -> str:
    """The answer: "no slower than 2% (95%)", "slower by 6% (4 to 8)", "cannot tell in 5 minutes; ..."; of
    another figure "p99 up by 6% (4 to 8)", "memory up by no more than 2% (95%)"."""
    own = next((one for one in change.figures if one.figure == change.by), None)
    if own is None or change.answer == "not compared":
        said = reasons.joined(change.reasons)
        return "not compared" + (f": {said}" if said else "")
    if change.answer == "cannot tell":
        return _open(change) if change.by == "slower" else f"{_name(own, change)}: {_open(change)}"
    worse = change.answer == "worse"
    if change.by != "slower":
        name = _name(own, change)
        if change.answer == "no worse":
            return f"{name} up by no more than {_percent(change.margin)}" + (" (95%)" if own.ci else "")
        return f"{name} {_change_of(own)}"
    if change.answer == "no worse":
        return f"no slower than {_percent(change.margin)} (95%)"
    return f"{'slower' if worse else 'faster'} by {_by(own, slower=worse)}"


def _open(change: WorkloadChange) -> str:
    """What would settle it: more time, or a larger difference."""
    parts = [f"cannot tell in {words.duration(change.seconds)}"]
    ways = []
    if change.more_s is not None:
        ways.append(f"about {words.duration(change.seconds + change.more_s)} would")
    if change.detectable is not None:
        ways.append(f"{words.excess(change.detectable)} in this time")
    return "; ".join([*parts, *([", or ".join(ways)] if ways else [])])


def rows(change: WorkloadChange) -> Iterator[str]:
    """A figure a line, head's to base's; then the null pair, and what would have been seen."""
    names = {one.figure: _name(one, change) for one in change.figures}
    mixed = {each.name: f"mean latency of {each.name}" for each in change.by_request}
    width = max((len(name) for name in (*names.values(), *mixed.values())), default=0)
    for one in change.figures:
        yield f"{names[one.figure]:<{width}}  {value(one)}"
    for each in change.by_request:
        ci = f" ({_fine(each.ci[0])} to {_fine(each.ci[1])})" if each.ci is not None else ""
        yield f"{mixed[each.name]:<{width}}  {_fine(each.ratio)}{ci}"
    beside = []
    if change.null_pair is not None:
        null = change.null_pair
        ci = f" ({_fine(null.ci[0])} to {_fine(null.ci[1])})" if null.ci is not None else ""
        beside.append(f"null pair {_fine(null.ratio)}{ci}")
    if change.detectable is not None:
        what = "a slowdown" if change.by == "slower" else f"{words.NOUNS[judged_by(change.by)]} up by"
        of = " of" if change.by == "slower" else ""
        beside.append(f"{what}{of} {words.excess(change.detectable)} would have been seen 4 times in 5")
    if beside:
        yield " · ".join(beside)
    if change.answers is not None:
        yield answers(change.answers)


def answers(found: Answers) -> str:
    """`answers: 12 fields compared, 2 masked: $.id (uuid), $.at (time)`."""
    said = f"answers: {found.fields} field{'s' * (found.fields != 1)} compared"
    listed = ", ".join(f"{path} ({class_})" for path, class_ in found.masks.items())
    return f"{said}, {len(found.masks)} masked: {listed}" if listed else said


def value(one: FigureChange) -> str:
    """`0.94 (0.92 to 0.96)`: HEAD's figure to BASE's."""
    return _fine(one.ratio) + (f" ({_interval(one)})" if one.ci is not None else "")


def decided(one: Decided, change: WorkloadChange) -> str:
    """`fails: slower > 3% (of races like this one with no change 1% fail, with 3% 50%, with 6% 99%)`."""
    said = {"fails": "fails", "holds": "holds", "open": "cannot tell"}[one.state]
    if not one.chances:
        known = one.condition.figure in {figure.figure for figure in change.figures}
        return f"{said}: {condition(one.condition)}" + ("" if known else " (there is no figure of it)")
    shares = [
        f"{_share(chance)} of those with {'no change' if not truth else _percent(truth)}"
        for truth, chance in one.chances
    ]
    return f"{said}: {condition(one.condition)} (fails {', '.join(shares)}; races like this one, simulated)"


def condition(one: Condition) -> str:
    """As it is written on a command line."""
    return f"{one.figure} > {_percent(one.threshold)}" + (" surely" if one.surely else "")


def _name(one: FigureChange, change: WorkloadChange) -> str:
    if one.figure == "slower":
        return words.unit(change.metric, change.kind)
    if one.at_rps is not None:
        return f"{one.figure} at {words.figure(one.at_rps)}/s"
    if one.figure == "cpu":
        return words.unit(metric_of("cpu", change.metric), change.kind)
    return words.NOUNS[judged_by(one.figure)]


def _by(own: FigureChange, *, slower: bool) -> str:
    """`6% (4 to 8)`: how far the one is ahead of the other."""
    ratio, ci = own.ratio, own.ci
    if own.more_is_better == slower:
        ratio, ci = turned(ratio, ci)
    if ci is None:
        return words.excess(ratio)
    low, high = ci
    if ratio >= 2:
        return f"{words.figure(ratio)} times ({words.figure(low)} to {words.figure(high)})"
    return f"{words.excess(ratio)} ({100 * (low - 1):.2g} to {100 * (high - 1):.2g})"


def _change_of(own: FigureChange) -> str:
    """`up by 6% (4 to 8)`: how far a figure, of which less is better, is from base's."""
    if own.ratio >= 2:
        return f"{words.figure(own.ratio)} times as high" + (f" ({_interval(own)})" if own.ci else "")
    shown = f"{'up' if own.ratio > 1 else 'down'} by {100 * abs(own.ratio - 1):.2g}%"
    if own.ci is None:
        return shown
    low, high = sorted(100 * abs(end - 1) for end in own.ci)
    return f"{shown} ({low:.2g} to {high:.2g})"


def _interval(one: FigureChange) -> str:
    assert one.ci is not None
    return f"{_fine(one.ci[0])} to {_fine(one.ci[1])}"


def _fine(ratio: float) -> str:
    """Near 1 a third decimal counts."""
    return f"{ratio:.3f}" if 0.9 < ratio < 1.1 else words.ratio(ratio)


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"


def _share(chance: float) -> str:
    return "under 1%" if chance < 0.01 else f"{100 * chance:.0f}%"


def _took(side: Side) -> str:
    if side.cached:
        return "cached"
    return words.seconds(side.build_s) if side.build_s is not None else "nothing to build"
