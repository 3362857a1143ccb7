"""What a contender in front of a database is asked before any timing: rows, rows that have just changed, and
whether the database was asked for each of them."""

import random
from collections.abc import Iterator, Sequence
from functools import partial

from deadheat.kinds import conformance
from deadheat.kinds.conformance import Case, Wrong
from deadheat.kinds.services import statements
from deadheat.kinds.services.databases import Databases
from deadheat.model.address import Address
from deadheat.model.database import Row
from deadheat.model.workload import HttpCase, Workload
from deadheat.plan.schedule import token

# Requests, each once more after one of its rows has changed.
ASKED = 20


def row_cases(
    workload: Workload, held: Databases, entry: str, rows: Sequence[Row], at: Address, rng: random.Random
) -> Iterator[Case]:
    """Requests for some of these rows, the only ones that the entry is asked meanwhile."""

    def asking(of: Sequence[Row], answered: Sequence[Row]) -> Case:
        values = {**held.asked.asked(answered), "ids": ",".join(row["id"] for row in of)}
        return partial(_counted, workload.expected().of(values), held, entry, len(answered), at, token(rng))

    now = {row["id"]: row for row in rows}
    for changing in rng.sample(list(now), min(ASKED, len(now))):
        ids = [*rng.choices(list(now), k=held.asked.drawn - 1), changing]
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


def _counted(case: HttpCase, held: Databases, entry: str, rows: int, at: Address, word: str) -> None:
    """One request; Wrong too where its database did not give each row by a statement of its own."""
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
    if (ran, given) != (rows, rows):
        what = f"SELECTs, rows: expected {rows}, {rows}  its database counted {ran}, {given}"
        raise Wrong(f"{asked}  {what}", f"{asked}\n\n{what}")
