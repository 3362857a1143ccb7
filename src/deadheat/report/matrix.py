"""Workloads of a run that hold the same contenders against the same reference, side by side: a row a
contender, a column a workload."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import exp, log
from typing import NamedTuple

from deadheat.model.choices import JudgedBy
from deadheat.model.judged import setting_of
from deadheat.model.result import ContenderResult, RaceResult, Results, Verdict
from deadheat.report import verdicts, words

Table = list[list[str]]
# What stands behind a ratio where the cell has no room for its answer, and what that means.
MARKS = {"dead heat": "=", "inconclusive": "?", "invalid": "!"}
MEANT = {"dead heat": "a dead heat", "inconclusive": "not settled", "invalid": "no verdict"}
# What stands before a ratio that is a lower bound of how far the faster of the two is ahead.
AT_LEAST, AT_MOST = "≥", "≤"
BOUNDS = f"{AT_LEAST} and {AT_MOST} the faster was at a limit"
# The groups of rows, in their order: by what was judged of a contender in all of its races.
ALL_FASTER, BOTH, OPEN, ALL_SLOWER, UNJUDGED, CEILING = range(6)


class Matrix(NamedTuple):
    """A title; a table with a header, whose rows begin with the contender's name and the answer of its group;
    the same without intervals, for narrow places; and what the marks of those mean."""

    title: str
    table: Table
    brief: Table
    marks: str

    @staticmethod
    def grouped(table: Table) -> Table:
        """The answer before the name, said once for all rows of its group."""
        answers = [row[1] for row in table]
        return [
            [answer if at == 0 or answer != answers[at - 1] else "", row[0], *row[2:]]
            for at, (answer, row) in enumerate(zip(answers, table, strict=True))
        ]


def tables(results: Results) -> Iterator[Matrix]:
    """A table for each reference that several workloads of the run have, and all of their contenders.

    A cell is how many times as fast as the reference a contender is there (or as good, by what the title
    says), with the interval that it was judged by. Rows stand in groups by their judged answers: faster
    wherever that is settled, here faster and there slower, never settled, slower wherever settled.
    """
    for races in _families(results):
        rows = _rows(races)
        header = ["", "", *_labels(races)]
        marks = {word for race in races for id_ in rows if (word := _answer(race, id_)) in MARKS}
        meant = [f"{MARKS[word]} {MEANT[word]}" for word in MARKS if word in marks]
        if any(_bound(race, id_) for race in races for id_ in rows):
            meant.append(BOUNDS)
        yield Matrix(
            _title(races),
            [header, *(_line(races, id_, brief=False) for id_ in rows)],
            [header, *(_line(races, id_, brief=True) for id_ in rows)],
            ", ".join(meant),
        )


def _families(results: Results) -> Iterator[list[RaceResult]]:
    ours = [
        race
        for race in results.workloads
        if race.method == "deadheat"
        and race.setting in (None, setting_of(race.judged_by))
        and race.contenders
    ]
    for _, group in groupby(sorted(ours, key=_same_field), _same_field):
        races = list(group)
        shared = set.intersection(*({row.id for row in race.contenders} for race in races))
        if len(races) > 1 and len(shared) > 1:
            yield races


def _same_field(race: RaceResult) -> tuple[str, str]:
    return race.reference, race.kind


def _title(races: Sequence[RaceResult]) -> str:
    """With what is judged, of each column where that differs."""
    judged = dict.fromkeys(race.judged_by for race in races)
    good = {words.as_good(by) for by in judged}
    title = f"{_name(races)} · times {good.pop() if len(good) == 1 else 'as good'} as {races[0].reference}"
    if len(judged) == 1:
        return title + words.judged_by(races[0].judged_by)
    labels = _labels(races)
    columns = {
        by: ", ".join(label for label, race in zip(labels, races, strict=True) if race.judged_by == by)
        for by in judged
    }
    return f"{title}: " + "; ".join(f"{names} by {words.NOUNS[by]}" for by, names in columns.items())


def _name(races: Sequence[RaceResult]) -> str:
    """What their names have in common, up to the last hyphen; else all of them."""
    shared = _shared(races)
    return shared.rstrip("-") if shared else ", ".join(race.name for race in races)


def _labels(races: Sequence[RaceResult]) -> list[str]:
    return [race.name.removeprefix(_shared(races)) for race in races]


def _shared(races: Sequence[RaceResult]) -> str:
    first, *others = (race.name for race in races)
    head, hyphen, _ = first.rpartition("-")
    while hyphen and not all(name.startswith(head + hyphen) for name in others):
        head, hyphen, _ = head.rpartition("-")
    return head + hyphen


def _rows(races: Sequence[RaceResult]) -> list[str]:
    """The names of contenders: the reference first, then group by group, in each the fastest on average."""
    names = dict.fromkeys(row.id for race in races for row in race.contenders)
    reference = races[0].reference
    return sorted(
        names, key=lambda id_: (id_ != reference, _group(races, id_), -_mean_ratio(races, id_), id_)
    )


def _line(races: Sequence[RaceResult], id_: str, *, brief: bool) -> list[str]:
    reference = races[0].reference
    answer = "the reference" if id_ == reference else _group_name(_group(races, id_), races)
    return [id_, answer, *(_cell(race, id_, brief=brief) for race in races)]


def _group_name(group: int, races: Sequence[RaceResult]) -> str:
    by: JudgedBy = next((race.judged_by for race in races if race.judged_by != "throughput"), "throughput")
    faster, slower = (words.answer(word, by) for word in ("faster", "slower"))
    names = {
        ALL_FASTER: faster, BOTH: f"{faster} and {slower}", OPEN: "not settled", ALL_SLOWER: slower,
        UNJUDGED: "not judged", CEILING: "the ceiling",
    }  # fmt: skip
    return names[group]


def _group(races: Sequence[RaceResult], id_: str) -> int:
    answers = {answer for race in races if (answer := _answer(race, id_)) is not None}
    if all(row.class_ == "ceiling" for race in races if (row := _row(race, id_)) is not None):
        return CEILING
    match "faster" in answers, "slower" in answers:
        case True, True:
            return BOTH
        case True, False:
            return ALL_FASTER
        case False, True:
            return ALL_SLOWER
    return OPEN if answers else UNJUDGED


def _answer(race: RaceResult, id_: str) -> str | None:
    """The verdict's word, "faster" or "slower" from the contender's side; None where none was asked for."""
    if (verdict := _verdict(race, id_)) is None:
        return None
    if verdict.verdict == "faster":
        return "faster" if verdict.a == id_ else "slower"
    return verdict.verdict


def _mean_ratio(races: Sequence[RaceResult], id_: str) -> float:
    """Geometric; orders the rows of a group, and is printed nowhere."""
    ratios = [
        log(row.against_reference.ratio)
        for race in races
        if (row := _row(race, id_)) is not None and row.against_reference is not None
    ]
    return exp(sum(ratios) / len(ratios)) if ratios else 0.0


def _cell(race: RaceResult, id_: str, *, brief: bool) -> str:
    row = _row(race, id_)
    if row is None:
        return ""
    if row.status != "measured":
        return row.status
    if id_ == race.reference:
        return "1"
    if row.against_reference is None:
        return "no ratio"
    ratio = _bound(race, id_) + words.ratio(row.against_reference.ratio)
    answer = _answer(race, id_)
    if brief:
        return ratio + MARKS.get(answer or "", "")
    shown = f"{ratio} ({words.of_race(verdicts.judged_interval(race, row), race)})"
    return shown if answer not in MEANT else f"{shown}, {MEANT[answer]}"


def _bound(race: RaceResult, id_: str) -> str:
    """Which way the ratio to the reference is a bound; empty where it is none."""
    verdict = _verdict(race, id_)
    if verdict is None or verdict.limit is None:
        return ""
    return AT_LEAST if verdict.a == id_ else AT_MOST


def _verdict(race: RaceResult, id_: str) -> Verdict | None:
    row = _row(race, id_)
    return None if row is None or row.class_ == "ceiling" else verdicts.verdict_of(race, row)


def _row(race: RaceResult, id_: str) -> ContenderResult | None:
    return next((row for row in race.contenders if row.id == id_), None)
