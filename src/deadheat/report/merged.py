"""Runs of several machines put together, in sentences with a picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from deadheat.model.merged import Merged, MergedPair, MergedRace
from deadheat.model.result import ANSWERS
from deadheat.report import forest, reasons, verdicts, words


def lines(merged: Merged) -> Iterator[str]:
    """A head, and each pair of each race: a verdict, the machines, and where they disagree."""
    yield f"{len(merged.runs)} machines"
    width = max(len(one.run) for one in merged.runs)
    yield from (f"  {one.run:<{width}}  {one.machine}" for one in merged.runs)
    for difference in merged.unlike:
        yield f"  unlike: {difference}"
    for race in merged.races:
        yield ""
        name = race.name + (f" [{race.setting}]" if race.setting else "")
        yield f"{name} · {words.unit(race.judged, race.kind)}"
        for pair in race.pairs:
            yield from (f"  {line}" for line in _pair(race, pair, merged))
    if merged.left_out:
        yield ""
        yield f"not in every run, and left out: {', '.join(merged.left_out)}"


def _pair(race: MergedRace, pair: MergedPair, merged: Merged) -> Iterator[str]:
    scopes = [(f"these {len(pair.machines)} machines", pair.these), ("machines of this kind", pair.of_kind)]
    for scope, verdict in scopes:
        if verdict is not None:
            yield f"{scope}: {verdicts.sentence(verdict, merged.margin, by=race.judged_by)}"
    if agreement := _agreement(race, pair):
        yield agreement
    for one in pair.machines:
        if one.reasons:
            yield f"{one.run}: no ratio: {reasons.joined(one.reasons)}"
    marks = [
        forest.Mark(one.run, one.ratio, one.ci)
        for one in pair.machines
        if one.ratio is not None and not one.reasons
    ]
    yield from forest.draw(marks, merged.margin)


def _agreement(race: MergedRace, pair: MergedPair) -> str:
    """`rust alone on each: faster on 3 of 4, slower on 1`, by each machine's own interval; empty where no
    machine says anything."""
    answers = Counter(one.answer for one in pair.machines if one.answer is not None)
    if not answers:
        return ""
    first, *rest = (answer for answer in ANSWERS if answers[answer])
    told = [f"{first} on {answers[first]} of {len(pair.machines)}"]
    told += [f"{answer} on {answers[answer]}" for answer in rest]
    surely = {answer for answer in answers if answer != "not settled"}
    opening = "the machines disagree" if len(surely) > 1 else "each machine by itself"
    return f"{opening}: {pair.contender} is {', '.join(told)}"
