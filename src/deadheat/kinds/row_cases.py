"""What a contender in front of a database is asked before any timing: rows, rows that have just changed, and
whether the database was asked for each of them; and after its load once more for rows that change."""

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from deadheat.kinds import http_asking
from deadheat.kinds.conformance import Case, Remark, Wrong
from deadheat.kinds.kept_cases import kept_cases
from deadheat.kinds.pages import Form, FormError
from deadheat.kinds.services import statement_log, statements, texts
from deadheat.kinds.services.databases import Databases, rewritten
from deadheat.model.address import Address
from deadheat.model.database import Row
from deadheat.model.work.http import HttpCase
from deadheat.model.workload import Workload
from deadheat.plan.schedule import token

# Requests, each once more after one of its rows has changed; and so many of them after the load.
ASKED = 20
ASKED_AFTER_LOAD = 2
# For a session to get to the row that it cannot have.
WAITS_WITHIN_S = 10.0
# A request, until all of its statements are in the log.
ASKED_AGAIN = 5
# Pages that one form has to fit.
ALIKE = 5


def row_cases(
    workload: Workload, held: Databases, entry: str, rows: Sequence[Row], at: Address, rng: random.Random
) -> Iterator[Case]:
    """Requests for some of these rows, the only ones that the entry is asked meanwhile."""
    if held.counts_in is None:
        yield lambda: Remark("its statements are not counted: pg_stat_statements is not there")
    if held.asked.written is not None:
        yield from _writing_cases(workload, held, entry, rows, at, rng)
        return
    if held.asked.kept:
        yield from kept_cases(workload, held, entry, rows, at, rng)
        return
    changing = _Changing(workload, held, entry, at, rng, {row["id"]: row for row in rows})
    yield from changing.cases(ASKED)
    if held.asked.page is not None:
        alike = [changing.page() for _ in range(ALIKE)]
        yield partial(_alike, alike, at, token(rng))
        yield partial(_unsorted, held, entry)
    elif (several := held.asked.several) is not None:
        now = list(changing.now.values())
        twice = [rng.choice(now)] * 2
        most = rng.choices(now, k=several.most + 1)
        for of in (twice[:1], twice, most[:-1], most):
            yield changing.asking_for(of)
        case = workload.expected().of(held.asked.asked(rng.sample(now, several.drawn)))
        yield partial(_one_by_one, case, held, entry, several.drawn, at, token(rng))


def changes_after_load(
    workload: Workload, held: Databases, entry: str, rows: Sequence[Row], at: Address, rng: random.Random
) -> Iterator[Case]:
    """Changes of these rows, as they show before any timing: who counts on it that none come under load is
    wrong. None where rows may be kept, nor where requests write them, whose table is looked at itself."""
    if held.asked.written is None and not held.asked.kept:
        now = {row["id"]: row for row in rows}
        yield from _Changing(workload, held, entry, at, rng, now).cases(ASKED_AFTER_LOAD)


@dataclass(frozen=True)
class _Changing:
    """An entry that is asked for rows which change meanwhile; `now` has them as they are, by id."""

    workload: Workload
    held: Databases
    entry: str
    at: Address
    rng: random.Random
    now: dict[str, Row]

    def cases(self, times: int) -> Iterator[Case]:
        """Requests, each once more after a row has changed; for pages some more, each after one was added."""
        for changing in self.rng.sample(list(self.now), min(times, len(self.now))):
            ids = [*self.rng.choices(list(self.now), k=self.held.asked.statements - 1), changing]
            yield self._asking(ids)
            self.now[changing] = self.held.change(self.entry, self.now[changing])
            yield self._asking(ids)
        if self.held.asked.page is None:
            return
        for value in texts.of(times, self.rng):
            more = {"id": str(len(self.now) + 1), "value": value}
            self.held.insert(self.entry, more)
            self.now[more["id"]] = more
            yield self._asking([])

    def _asking(self, ids: Sequence[str]) -> Case:
        """A request for these rows as they are, or for a page, which has all of them."""
        if self.held.asked.page is None:
            return self.asking_for([self.now[id_] for id_ in ids])
        return self._counted(self.page(), (1, len(self.now)))

    def asking_for(self, of: Sequence[Row]) -> Case:
        """A request for these rows, of which as many are answered as one may be for."""
        several = self.held.asked.several
        answered = of if several is None else of[: several.most]
        values = {**self.held.asked.asked(answered), "ids": ",".join(row["id"] for row in of)}
        return self._counted(self.workload.expected().of(values), (len(answered), len(answered)))

    def page(self) -> HttpCase:
        """A request for a page that adds a text."""
        (added,) = texts.of(1, self.rng)
        return self.workload.expected().of(self.held.asked.asked_for_page(list(self.now.values()), added))

    def _counted(self, case: HttpCase, took: tuple[int, int]) -> Case:
        return partial(_counted, case, self.held, self.entry, took, self.at, token(self.rng))


def _writing_cases(
    workload: Workload, held: Databases, entry: str, rows: Sequence[Row], at: Address, rng: random.Random
) -> Iterator[Case]:
    """Requests that write: as many rows as under load, one, the most, and one twice; then whether rows are
    locked in the order of their ids."""
    several = held.asked.several
    assert several is not None

    def asking(of: Sequence[Row]) -> Case:
        written = rewritten(held.asked, of, rng)
        case = workload.expected().of(held.asked.asked(written))
        return partial(_written, case, held, entry, written, at, token(rng))

    for _ in range(ASKED):
        yield asking(rng.sample(rows, several.drawn))
    for count in (1, several.most):
        yield asking(rng.sample(rows, count))
    yield asking(rng.sample(rows, 1) * 2)
    written = rewritten(held.asked, rng.sample(rows, several.drawn), rng)
    case = workload.expected().of(held.asked.asked(written))
    yield partial(_one_by_one, case, held, entry, several.drawn, at, token(rng))
    low, high = sorted(rng.sample(rows, 2), key=lambda row: int(row["id"]))
    backwards = rewritten(held.asked, [high, low], rng)
    case = workload.expected().of(held.asked.asked(backwards))
    yield partial(_in_order, case, held, entry, backwards, at, token(rng))


def _written(
    case: HttpCase, held: Databases, entry: str, rows: Sequence[Row], at: Address, word: str
) -> None:
    """One request; Wrong where its rows have not their values behind the reply, or its database did not count
    that each was read and written."""
    asked = f"{case.method} {case.path}"
    took = _around(case, held, entry, at, word, rows)
    if took is None:
        return
    ran, given, wrote = took
    distinct = len({row["id"] for row in rows})
    if (ran, given) != (len(rows), len(rows)) or not distinct <= wrote <= len(rows):
        what = (
            f"SELECTs, rows, rows written: expected {len(rows)}, {len(rows)}, {distinct}  its database "
            f"counted {ran}, {given}, {wrote}"
        )
        raise Wrong(f"{asked}  {what}", f"{asked}\n{case.send}\n\n{what}")


def _in_order(
    case: HttpCase, held: Databases, entry: str, rows: Sequence[Row], at: Address, word: str
) -> None:
    """A request for two rows, the greater id first, while another session has the smaller one: Wrong where
    it has locked the greater one and waits for the other, as two such requests would for each other."""
    greater, smaller = (int(row["id"]) for row in rows)
    with statements.counts(held) as counts, ThreadPoolExecutor(max_workers=1) as pool:
        with held.locked(entry, smaller):
            reply = pool.submit(http_asking.ask_http, case, at, word)
            until = time.monotonic() + WAITS_WITHIN_S
            while not counts.waits(entry) and not reply.done() and time.monotonic() < until:
                time.sleep(statements.LOOK_AGAIN_S)
            held_both = counts.waits(entry) and held.is_locked(entry, greater)
        reply.result()
    if held_both:
        asked = f"{case.method} {case.path}"
        what = "it locks its rows in the order of the request: two requests would wait for each other"
        raise Wrong(f"{asked}  {what}", f"{asked}\n{case.send}\n\n{what}")


def _alike(cases: Sequence[HttpCase], at: Address, word: str) -> None:
    """Wrong where the pages of an entry are not all of the form of the first, to the byte."""
    form = None
    for case in cases:
        asked = f"{case.method} {case.path}"
        _, body = http_asking.answered(case, at, word)
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
    counted = _around(case, held, entry, at, word)
    if counted is not None and counted[:2] != took:
        ran, given, _ = counted
        what = f"SELECTs, rows: expected {took[0]}, {took[1]}  its database counted {ran}, {given}"
        raise Wrong(f"{asked}  {what}", f"{asked}\n\n{what}")


def _one_by_one(
    case: HttpCase, held: Databases, entry: str, drawn: int, at: Address, word: str
) -> Remark | None:
    """A request for several rows: how its SELECTs come. Wrong where some share a transaction that nobody
    began: one Sync for all of them, which is not what asking for each row takes."""
    if held.server.said is None:
        http_asking.ask_http(case, at, word)
        return Remark("how its SELECTs come is not seen: the log of somebody's own server is not read")
    with statement_log.logged(held) as ran:
        for _ in range(ASKED_AGAIN):
            http_asking.ask_http(case, at, word)
            way = statement_log.way(ran(), held.asked.table)
            # Else a session has not heard yet that it is to log.
            if way.statements == drawn:
                break
        else:
            return None
    if way.together > 1:
        asked = f"{case.method} {case.path}"
        what = f"{way.together} of its {drawn} SELECTs share one Sync: each is to have its own, or BEGIN"
        raise Wrong(f"{asked}  {what}", f"{asked}\n\n{what}")
    return Remark(str(way))


def _around(
    case: HttpCase, held: Databases, entry: str, at: Address, word: str, rows: Sequence[Row] = ()
) -> statements.Count | None:
    """One request, and what its database counted for it, None where it counts nothing; Wrong where these rows
    have not their values at once behind the reply, or a session stays in a transaction."""
    asked = f"{case.method} {case.path}"
    with statements.counts(held) as counts:
        counts.wait_until_idle(entry)
        before = counts.of(entry)
        http_asking.ask_http(case, at, word)
        if rows:
            _hold(held.values(entry), rows, asked)
        if (busy := counts.wait_until_idle(entry)) is not None:
            what = f"after the reply a session of its database stays {busy}"
            raise Wrong(f"{asked}  {what}", f"{asked}\n\n{what}")
        if not counts.counts:
            return None
        ran, given, wrote = (later - earlier for later, earlier in zip(counts.of(entry), before, strict=True))
        return ran, given, wrote


def _hold(values: Mapping[int, int], rows: Sequence[Row], asked: str) -> None:
    """Wrong where a table does not hold these rows; of one that comes twice the last."""
    for id_, value in {int(row["id"]): int(row["value"]) for row in rows}.items():
        if values[id_] != value:
            what = f"after the reply the row {id_} is {values[id_]} in its database: expected {value}"
            raise Wrong(f"{asked}  {what}", f"{asked}\n\n{what}")
