"""What a CI service shows of a comparison, in Markdown: the answer first, then what it rests on.

Much of it was written by whoever wrote the pull request (names of branches, titles of requests, output of
builds). All of that stands in code, where nobody is mentioned, nothing is a link and nothing is markup.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from deadheat.model.ab import Comparison, FigureChange, WorkloadChange
from deadheat.model.ci import CiJob
from deadheat.report import forest, revisions
from deadheat.report.reasons import joined

# Services refuse longer ones, one at 65,536 characters; what is left is for their own additions.
LIMIT_BYTES = 60_000
EARLIER = 5
SHORT = 7
PLOT_WIDTH = 34
_HISTORY = re.compile(r"^<!-- deadheat-earlier (\[.*\]) -->$", re.MULTILINE)
_MARKS = {0: "✅", 1: "❌"}


@dataclass(frozen=True)
class Earlier:
    """What an earlier commit's comment said."""

    head: str
    said: str


@dataclass(frozen=True)
class Section:
    """A part of a comment that is there as a whole or not at all; the greatest `drop` goes first, 0 never."""

    text: str
    name: str = ""
    drop: int = 0


def marker(id_: str) -> str:
    """The first line of a comment, which nobody sees, and by which it is found again."""
    return f"<!-- deadheat {re.sub('[^A-Za-z0-9_.-]', '-', id_)} -->"


def comment(job: CiJob, id_: str, link: str | None, before: str | None = None) -> str:
    """The comment; `before` is what it says now, whose answer for another commit is kept below."""
    kept = [one for one in _earlier(before or "") if one.head != job.head]
    own = Earlier(job.head, headline(job))
    hidden = json.dumps([[one.head, one.said] for one in (own, *kept)][: EARLIER + 1]).replace(">", "\\u003e")
    sections = [
        Section(marker(id_)),
        Section(f"<!-- deadheat-earlier {hidden} -->"),
        *_sections(job, link),
        *_history(kept[:EARLIER]),
    ]
    return fitted(sections)


def summary(job: CiJob, link: str | None = None) -> str:
    """The same for the page of the job itself."""
    return fitted(list(_sections(job, link)))


def headline(job: CiJob) -> str:
    """`slower by 6% (4 to 8)`; of several requests the worst."""
    if job.comparison is None:
        return "not compared"
    if job.comparison.same is not None:
        return "the same program"
    said = [_answer(change) for change in job.comparison.workloads]
    ranks = ("worse", "not compared", "cannot tell", "no worse", "better")
    answers = [change.answer for change in job.comparison.workloads]
    worst = min(range(len(said)), key=lambda at: ranks.index(answers[at]))
    others = f", the worst of {len(said)} requests" if len(said) > 1 else ""
    return said[worst] + others


def is_news(job: CiJob) -> bool:
    """Whether there is anything but "no slower" to say."""
    found = job.comparison
    return job.code != 0 or (found is not None and any(one.answer != "no worse" for one in found.workloads))


def fitted(sections: Sequence[Section], limit: int = LIMIT_BYTES) -> str:
    """As many of them as fit, each whole; what was left out is named."""
    kept, gone = list(sections), list[str]()
    while len((text := _joined(kept, gone)).encode()) > limit and any(one.drop for one in kept):
        last = max(kept, key=lambda one: one.drop)
        kept.remove(last)
        gone.append(last.name)
    return text


def _joined(sections: Sequence[Section], gone: Sequence[str]) -> str:
    note = (
        [f"Left out, for this would be too long: {', '.join(gone)}. The job's artifacts have all."]
        if gone
        else []
    )
    return "\n\n".join([*(one.text for one in sections), *note]) + "\n"


def _sections(job: CiJob, link: str | None) -> Iterator[Section]:
    yield Section(f"### {_MARKS.get(job.code, '⚠️')} Deadheat: {headline(job)}")
    about = [f"{code(job.head[:SHORT])} against {code(job.base[:SHORT])}"]
    if job.comparison is not None:
        about[0] = f"{code(job.comparison.head.label)} against {code(job.comparison.base.label)}"
        about += [] if job.head == job.comparison.head.commit else [f"of {code(job.head[:SHORT])}"]
    yield Section(" · ".join([*about, *([f"[the job, with report and data]({link})"] if link else [])]))
    if job.error is not None:
        yield Section(fence(job.error[-4000:]), "the error", 3)
    found = job.comparison
    if found is not None and found.workloads:
        yield Section("\n".join(_table(found)), "the table of requests", 4)
        for change in found.workloads:
            if change.answer == "not compared":
                yield Section(fence(f"{change.title}: {joined(change.reasons)}"[-4000:]), "why not", 3)
        if found.conditions:
            yield Section("\n".join(_conditions(found)), "the conditions", 2)
        yield Section("\n".join(_folded("All figures", _figures(found.workloads))), "all figures", 6)
    yield Section(
        "\n".join(_folded("Again, on your own machine", [fence(job.repeat, "console")])), "how to repeat", 5
    )


def _table(found: Comparison) -> Iterator[str]:
    yield "| what | answer | HEAD to BASE | BASE = 1 |"
    yield "| --- | --- | --- | --- |"
    both = f"{found.base.label} against {found.head.label}"
    own = {
        change.workload: one
        for change in found.workloads
        for one in change.figures
        if one.figure == change.by and change.answer != "not compared"
    }
    plots = _plots(own, found.workloads[0].margin)
    for change in found.workloads:
        # A program without a name is called by both revisions, which stand above.
        what = "the program" if change.title == both else code(change.title, cell=True)
        shown = revisions.value(own[change.workload]) if change.workload in own else ""
        yield f"| {' | '.join([what, _answer(change), shown, plots.get(change.workload, '')])} |"


def _answer(change: WorkloadChange) -> str:
    """Without its reasons, in which stands what others wrote."""
    return "not compared" if change.answer == "not compared" else revisions.sentence(change)


def _plots(own: Mapping[str, FigureChange], margin: float) -> dict[str, str]:
    """Intervals about BASE's 1 on one axis, in text: pictures of ours are not shown there."""
    marks = {name: forest.Mark("", one.ratio, one.ci) for name, one in own.items() if one.ci is not None}
    _, *lines = forest.draw(list(marks.values()), margin, PLOT_WIDTH) or [""]
    width = PLOT_WIDTH - 4
    return {
        name: code(line[4:].ljust(width).replace(" ", "·")) for name, line in zip(marks, lines, strict=True)
    }


def _conditions(found: Comparison) -> Iterator[str]:
    by_name = {change.workload: change for change in found.workloads}
    for one in found.conditions:
        change = by_name[one.workload]
        of = f"{code(change.title)}: " if len(by_name) > 1 else ""
        mark = {"fails": "❌", "holds": "✅", "open": "⚠️"}[one.state]
        said = revisions.decided(one, change).replace(">", "\\>")
        yield f"- {mark} {of}{said}"


def _figures(changes: Sequence[WorkloadChange]) -> Iterator[str]:
    for change in changes:
        title = f"{change.title}, {change.blocks} blocks" if len(changes) > 1 else f"{change.blocks} blocks"
        yield fence("\n".join([title, *(f"  {row}" for row in revisions.rows(change))]))


def _history(kept: Sequence[Earlier]) -> Iterator[Section]:
    if kept:
        lines = [f"- {code(one.head[:SHORT])} {code(one.said)}" for one in kept]
        yield Section("\n".join(_folded("Earlier commits", ["\n".join(lines)])), "earlier commits", 7)


def _earlier(text: str) -> Iterator[Earlier]:
    found = _HISTORY.search(text)
    try:
        read = json.loads(found[1]) if found else []
        yield from (Earlier(str(head), str(said)) for head, said in read)
    except (TypeError, ValueError):
        return


def _folded(title: str, parts: Iterable[str]) -> Iterator[str]:
    yield f"<details><summary>{title}</summary>\n"
    for part in parts:
        yield f"{part}\n"
    yield "</details>"


def code(text: str, *, cell: bool = False) -> str:
    """As code within a line: its fence is longer than any in it. `cell`: of a table, in which a bar is one
    even there."""
    line = "".join(c if c.isprintable() else " " for c in " ".join(text.split())) or " "
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    room = " " if line.startswith("`") or line.endswith("`") else ""
    shown = line.replace("|", "\\|") if cell else line
    return f"{ticks}{room}{shown}{room}{ticks}"


def fence(text: str, language: str = "text") -> str:
    """As a block of code, its fence longer than any in it."""
    lines = "".join(c if c.isprintable() or c == "\n" else " " for c in text.strip())
    ticks = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", lines)), default=0))
    return f"{ticks}{language}\n{lines}\n{ticks}"
