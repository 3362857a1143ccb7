"""What a contender that may keep rows is asked before any timing: the same rows twice, of which the second
time takes nothing of its database."""

import random
from collections.abc import Iterator, Sequence
from functools import partial

from deadheat.kinds import http_asking
from deadheat.kinds.conformance import Case, Wrong
from deadheat.kinds.services import statements
from deadheat.kinds.services.databases import Databases
from deadheat.model.address import Address
from deadheat.model.database import Row
from deadheat.model.work.http import HttpCase
from deadheat.model.workload import Workload
from deadheat.plan.schedule import token

# Requests, all of which are made again once all have been made.
ASKED = 20


def kept_cases(
    workload: Workload, held: Databases, entry: str, rows: Sequence[Row], at: Address, rng: random.Random
) -> Iterator[Case]:
    """Requests for as many rows as under load, for one, the same one twice, the most and one more than that;
    then all of them again, in another order."""
    several = held.asked.several
    assert several is not None
    most = rng.choices(rows, k=several.most + 1)
    lists = [rng.choices(rows, k=several.drawn) for _ in range(ASKED)]
    lists += [rng.sample(rows, 1), rng.sample(rows, 1) * 2, most[:-1], most]

    def case(of: Sequence[Row]) -> HttpCase:
        values = {**held.asked.asked(of[: several.most]), "ids": ",".join(row["id"] for row in of)}
        return workload.expected().of(values)

    for of in lists:
        yield partial(_read_once, case(of), held, entry, at, token(rng))
    for of in rng.sample(lists, len(lists)):
        yield partial(_kept, case(of), held, entry, at, token(rng))


def _read_once(case: HttpCase, held: Databases, entry: str, at: Address, word: str) -> None:
    """One request; Wrong too where by then more rows were read than there are, or none at all."""
    with statements.counts(held) as counts:
        http_asking.ask_http(case, at, word)
        counts.wait_until_idle(entry)
        if not counts.counts:
            return
        _, given, _ = counts.of(entry)
    if not given:
        raise _wrong(case, "it answers what is there, and its database counted no row that it read")
    if given > held.asked.rows:
        what = f"rows read: expected at most {held.asked.rows}, each once  its database counted {given}"
        raise _wrong(case, what)


def _kept(case: HttpCase, held: Databases, entry: str, at: Address, word: str) -> None:
    """One request that was made before; Wrong too where a row of it is read again."""
    with statements.counts(held) as counts:
        counts.wait_until_idle(entry)
        before = counts.of(entry)
        http_asking.ask_http(case, at, word)
        counts.wait_until_idle(entry)
        _, given, _ = (later - earlier for later, earlier in zip(counts.of(entry), before, strict=True))
    if given:
        raise _wrong(
            case, f"it read {given} rows again that it had been asked for before: it keeps none, or some"
        )


def _wrong(case: HttpCase, what: str) -> Wrong:
    asked = f"{case.method} {case.path}"
    return Wrong(f"{asked}  {what}", f"{asked}\n\n{what}")
