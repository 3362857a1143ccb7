"""HTTP servers."""

import random
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any

from deadheat.kinds import certificate, http_asking, login
from deadheat.kinds.conformance import Case, Wrong
from deadheat.kinds.pages import Form, FormError
from deadheat.kinds.row_cases import changes_after_load, row_cases
from deadheat.kinds.server import check as server_check
from deadheat.kinds.server.block import threads, within
from deadheat.kinds.server.cold import driven
from deadheat.kinds.server.protocol import ServerProtocol
from deadheat.kinds.server.started import NotServingError
from deadheat.kinds.services import databases, statements
from deadheat.kinds.services import start as services
from deadheat.kinds.services.databases import Databases
from deadheat.model.address import Address
from deadheat.model.http_protocol import HTTP2, OVER_TLS
from deadheat.model.observation import Observation
from deadheat.model.work.http import HttpCase, HttpRequest
from deadheat.plan.schedule import Block, token
from deadheat.run.check import Check
from deadheat.run.kind import Stage

# Of the requests that fill a server's cache, and by whose page the form of its pages is learned.
FORM_TOKEN = "000000"


class HttpKind:
    """Every status and body checked: in full once a run, one token at each start, and under load."""

    def unavailable(self, stage: Stage) -> str | None:
        """It needs its contenders, and its services where it has any."""
        return services.lacking(stage)

    def check(self, stage: Stage, entry: str) -> Check:
        rng = random.Random(f"{stage.plan.seed}:check:{entry}")
        with ExitStack() as stack:
            stage = _ready_to_ask(certificate.beside(stage, stack))
            stage, running = services.beside(stage, stack, [entry])
            if (why := databases.unfit(stage, entry)) is not None:
                return Check(False, 0, why)
            seed = f"{stage.plan.seed}:check:{entry}:rows"
            stage, held = databases.beside(stage, running, stack, [entry], seed)
            found = server_check.check(
                stage, entry, lambda server: _cases(stage, held, entry, server.at, rng)
            )
            return running.asked(entry, found)

    def block(self, stage: Stage, block: Block) -> Generator[Observation]:
        with ExitStack() as stack:
            stage = _ready_to_ask(certificate.beside(stage, stack))
            stage, running = services.beside(stage, stack, block.start)
            stage, held = databases.beside(stage, running, stack, block.start, f"{block.seed}:rows")
            rng = random.Random(f"{block.seed}:at last")
            at_last = None if held is None else partial(_at_last, held, rng)
            protocol = ServerProtocol(ask, partial(target, drawn=Drawn()), at_last)
            yield from statements.counted(
                stage, held, block.index, lambda stage: running.loaded(driven(stage, block, protocol, stack))
            )
            yield from running.ran(block.index)


def _ready_to_ask(stage: Stage) -> Stage:
    """What asks over HTTP/2 is there before a server is waited for, whose start is timed."""
    if stage.race.protocol in HTTP2:
        import deadheat.kinds.http2_asking  # noqa: F401
    return stage


def _at_last(held: Databases, rng: random.Random, stage: Stage, entry: str, at: Address) -> Iterator[Case]:
    """Rows that change between the load and another request."""
    return changes_after_load(stage.workload, held, entry, stage.rows, at, rng)


def _cases(
    stage: Stage, held: Databases | None, entry: str, at: Address, rng: random.Random
) -> Iterator[Case]:
    """All cases, and those of a database where the workload has one."""
    own: dict[str, str] = {}
    if stage.workload.login is not None:
        yield lambda: own.update(login.values(stage.workload.login, at))
    if stage.race.protocol in OVER_TLS:
        yield partial(http_asking.agreed, at)
    drawn = [case.of(_row(stage, rng) | own) for case in stage.workload.conformance]
    cases = http_asking.http_cases(drawn, at, lambda: token(rng), stage.workload.load.at_once)
    yield from http_asking.headed(drawn[0], at, lambda: token(rng), stage.workload.headers, cases)
    if stage.workload.values is not None:
        of_each = stage.workload.expected()
        yield from (partial(_asked, of_each.of({**row, **own}), at, rng) for row in stage.drawn)
    if held is not None:
        yield from row_cases(stage.workload, held, entry, stage.rows, at, rng)


def _asked(case: HttpCase, at: Address, rng: random.Random) -> None:
    http_asking.ask_http(case, at, token(rng))


def ask(stage: Stage, at: Address, random_token: str) -> None:
    """The very request that the load sends, once; each of a mix. Raises Wrong, or OSError where nobody
    answers."""
    values = _row(stage, random.Random(random_token)) | login.values(stage.workload.login, at)
    for _, case in stage.workload.asked:
        http_asking.ask_http(case.of(values), at, random_token)


def _row(stage: Stage, rng: random.Random) -> dict[str, str]:
    """One of those that requests are drawn from; empty where they are not."""
    return dict(rng.choice(stage.drawn)) if stage.drawn else {}


class Drawn:
    """The requests of a block, thousands of them: made once where nothing of a server's own is in them."""

    def __init__(self) -> None:
        self._of_all: list[dict[str, Any]] | None = None

    def of(self, stage: Stage, own: Mapping[str, str], form: Form | None) -> list[dict[str, Any]]:
        """Those of a server, by what its login said and the form of its pages."""
        if own or form is not None:
            return self._made(stage, own, form)
        if self._of_all is None:
            self._of_all = self._made(stage, own, form)
        return self._of_all

    @staticmethod
    def _made(stage: Stage, own: Mapping[str, str], form: Form | None) -> list[dict[str, Any]]:
        return [_drawn(*stage.workload.case_of({**row, **own}), form) for row in stage.drawn]


def target(stage: Stage, at: Address, drawn: Drawn | None = None) -> Mapping[str, Any]:
    loaded = {
        "url": at.url,
        **_trusted(at),
        "connections": stage.race.load.connections,
        **_at_once(at, stage.race.load.streams),
        **threads(stage.race),
        **within(at),
    }
    own = _signed_in(stage, at)
    if stage.workload.mix:
        asked = [(request.of(own), case.of(own)) for request, case in stage.workload.asked]
        mix = [
            {**_drawn(*pair, None), "name": one.title, "weight": one.weight}
            for one, pair in zip(stage.workload.mix, asked, strict=True)
        ]
        return {**loaded, "requests": mix, "draw": "even"}
    if not stage.drawn:
        return {**loaded, **_pair(*stage.workload.case_of(own))}
    _fill(stage, at)
    requests = (drawn or Drawn()).of(stage, own, _form(stage, at))
    return {**loaded, "requests": requests, "draw": "random"}


def _at_once(at: Address, requests: int) -> dict[str, Any]:
    """So many requests in flight on each connection, as the protocol has it."""
    return {"http2": True, "streams": requests} if at.http2 else {"pipeline": requests}


def _signed_in(stage: Stage, at: Address) -> dict[str, str]:
    """What the answer to its login says, of this start. Raises NotServingError."""
    try:
        return login.values(stage.workload.login, at)
    except (Wrong, OSError) as error:
        raise NotServingError(str(error), "") from error


def _fill(stage: Stage, at: Address) -> None:
    """Ask a server that may keep rows for each of them once, so that it is loaded with all of them kept.

    Raises NotServingError.
    """
    asked = stage.workload.database
    if asked is None or asked.several is None or not asked.kept:
        return
    try:
        for first in range(0, len(stage.rows), asked.several.most):
            rows = stage.rows[first : first + asked.several.most]
            http_asking.ask_http(stage.workload.expected().of(asked.asked(rows)), at, FORM_TOKEN)
    except (Wrong, OSError) as error:
        raise NotServingError(f"asked for all rows: {error}", "") from error


def _form(stage: Stage, at: Address) -> Form | None:
    """Of a server's pages, by one that it is asked for. None where it has no pages to answer with.

    Raises NotServingError.
    """
    case = stage.workload.expected().of(stage.drawn[0])
    if case.page is None:
        return None
    try:
        _, page = http_asking.answered(case, at, FORM_TOKEN)
        return Form.of(page.decode())
    except (Wrong, FormError, OSError) as error:
        raise NotServingError(f"its page: {error}", "") from error


def _trusted(at: Address) -> dict[str, Any]:
    """What the engine has to know of an address that is not this machine's, and of TLS."""
    fields: dict[str, Any] = {} if at.loopback else {"remote": True}
    if at.https and at.insecure:
        fields["insecure"] = True
    elif at.https and at.cacert is not None:
        fields["cacert"] = str(at.cacert)
    return fields


def _pair(request: HttpRequest, expected: HttpCase, form: Form | None = None) -> dict[str, Any]:
    body = expected.body if form is None or expected.page is None else form.page(expected.page)
    return {
        "request": {
            "method": request.method,
            "path": request.path,
            "headers": [list(header) for header in request.headers.items()],
            "body": request.body,
        },
        "expect": {"status": expected.status, "body": body},
    }


def _drawn(request: HttpRequest, expected: HttpCase, form: Form | None) -> dict[str, Any]:
    """A pair as one of many, which the engine draws from by the slice's token."""
    pair = _pair(request, expected, form)
    return {**pair["request"], "expect": pair["expect"]}


PROTOCOL = ServerProtocol(ask, target)
