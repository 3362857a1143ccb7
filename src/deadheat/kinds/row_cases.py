"""What a contender in front of a database is asked before any timing: rows, rows that have just changed, and
whether the database was asked for each of them."""

import random
from collections.abc import Iterator, Sequence
from functools import partial

from deadheat.kinds import conformance
from deadheat.kinds.conformance import Case, Wrong
from deadheat.kinds.pages import Form, FormError
from deadheat.kinds.services import statements, texts
from deadheat.kinds.services.databases import Databases
from deadheat.model.address import Address
from deadheat.model.database import Row
from deadheat.model.workload import HttpCase, Workload
from deadheat.plan.schedule import token

# Requests, each once more after one of its rows has changed.
ASKED = 20
# Pages that one form has to fit.
ALIKE = 5


def row_cases(
    workload: Workload, held: Databases, entry: str, rows: Sequence[Row], at: Address, rng: random.Random
) -> Iterator[Case]:
    """Requests for some of these rows, the only ones that the entry is asked meanwhile."""
    if held.asked.page is not None:
        yield from _page_cases(workload, held, entry, rows, at, rng)
        return
    drawn = held.asked.statements

    def asking(of: Sequence[Row], answered: Sequence[Row]) -> Case:
        values = {**held.asked.asked(answered), "ids": ",".join(row["id"] for row in of)}
        took = (len(answered), len(answered))
        return partial(_counted, workload.expected().of(values), held, entry, took, at, token(rng))

    now = {row["id"]: row for row in rows}
    for changing in rng.sample(list(now), min(ASKED, len(now))):
        ids = [*rng.choices(list(now), k=drawn - 1), changing]
        before = [now[id_] for id_ in ids]
        yield asking(before, before)
        now[changing] = held.change(entry, now[changing])
        after = [now[id_] for id_ in ids]
        yield asking(after, after)
    if (several := held.asked.several) is not None:
        twice = [now[rng.choice(list(now))]] * 2
        most = [now[id_] for id_ in rng.choices(list(now), k=several.most + 1)]
        for of in (twice[:1], twice, most[:-1], most):
            yield asking(of, of[: several.most])


def _page_cases(
    workload: Workload, held: Databases, entry: str, rows: Sequence[Row], at: Address, rng: random.Random
) -> Iterator[Case]:
    """Pages of all rows: each once more after one has changed, and at last after one was added; then whether
    all are made alike, and whether it was the database that sorted them."""

    def case() -> HttpCase:
        (added,) = texts.of(1, rng)
        return workload.expected().of(held.asked.asked_for_page(list(now.values()), added))

    def asking() -> Case:
        return partial(_counted, case(), held, entry, (1, len(now)), at, token(rng))

    now = {row["id"]: row for row in rows}
    for changing in rng.sample(list(now), min(ASKED, len(now))):
        yield asking()
        now[changing] = held.change(entry, now[changing])
        yield asking()
    for value in texts.of(ASKED, rng):
        more = {"id": str(len(now) + 1), "value": value}
        held.insert(entry, more)
        now[more["id"]] = more
        yield asking()
    yield partial(_alike, [case() for _ in range(ALIKE)], at, token(rng))
    yield partial(_unsorted, held, entry)


def _alike(cases: Sequence[HttpCase], at: Address, word: str) -> None:
    """Wrong where the pages of an entry are not all of the form of the first, to the byte."""
    form = None
    for case in cases:
        asked = f"{case.method} {case.path}"
        _, body = conformance.answered(case, at, word)
        assert case.page is not None
        try:
            form = form or Form.of(body.decode())
        except FormError as error:
            raise Wrong(f"{asked}  {error}", f"{asked}\n\n{body.decode()}") from error
        own = form.page(case.page.replace("{token}", word))
        if body.decode() != own:
            what = "its pages differ by more than their rows: under load each is held to the byte"
            raise Wrong(f"{asked}  {what}", f"{asked}\n\nby its first page:\n{own}\n\ngot:\n{body.decode()}")


def _unsorted(held: Databases, entry: str) -> None:
    """Wrong where the database was asked for an order."""
    with statements.counts(held) as counts:
        if counts.sorted(entry):
            what = "it has its database sort the rows, which the page is to do"
            raise Wrong(what, what)


def _counted(
    case: HttpCase, held: Databases, entry: str, took: tuple[int, int], at: Address, word: str
) -> None:
    """One request; Wrong too where its database did not count as many statements and rows for it."""
    asked = f"{case.method} {case.path}"
    with statements.counts(held) as counts:
        counts.wait_until_idle(entry)
        before = counts.of(entry)
        conformance.ask_http(case, at, word)
        if (busy := counts.wait_until_idle(entry)) is not None:
            what = f"after the reply a session of its database stays {busy}"
            raise Wrong(f"{asked}  {what}", f"{asked}\n\n{what}")
        after = counts.of(entry)
    ran, given = after[0] - before[0], after[1] - before[1]
    if (ran, given) != took:
        what = f"SELECTs, rows: expected {took[0]}, {took[1]}  its database counted {ran}, {given}"
        raise Wrong(f"{asked}  {what}", f"{asked}\n\n{what}")
