"""What an HTTP contender is asked, over connections of its own or kept ones."""

import http
import http.client
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import partial
from pathlib import Path
from typing import Protocol

from deadheat.errors import UserError
from deadheat.hosts.network import dial, inside
from deadheat.kinds import http_answer
from deadheat.kinds.conformance import Agreed, Case, Wrong
from deadheat.kinds.http_answer import Answer, Response
from deadheat.model.address import Address
from deadheat.model.work.http import HttpCase
from deadheat.run.check import Headers

#: Interim answers (1xx) before the answer; HTTP sets no limit, but one that never answers is no server.
INTERIM_LIMIT = 100
TIMEOUT_S = 10.0
# Requests on a kept connection, the last of them after an idle second.
KEPT_FOR = 4
IDLE_S = 1.0
# Servers make it new once a second; one that was made at their start stays as it is.
DATE_MOVES_WITHIN_S = 10.0
DATE_ASKED_AGAIN_S = 0.1
# What RFC 3986 calls unreserved: a path of these characters is the same in every encoding.
UNRESERVED = "-._~AZaz09"


class _Response(http.client.HTTPResponse):
    """An answer after any interim ones (103 Early Hints, 102): http.client itself skips 100 alone."""

    def _read_status(self) -> tuple[str, int, str]:
        for _ in range(INTERIM_LIMIT):
            version, status, reason = super()._read_status()  # type: ignore[misc]
            # 101 is final: from there on the connection speaks another protocol.
            if not 100 <= status < 200 or status == http.HTTPStatus.SWITCHING_PROTOCOLS:
                return version, status, reason
            http.client.parse_headers(self.fp)
        raise http.client.HTTPException(f"{INTERIM_LIMIT} interim answers (1xx) and none after them")


class Connection(Protocol):
    """One connection to a server, over which it is asked one request after another; as in `http.client`."""

    host: str
    port: int
    auto_open: int

    def connect(self) -> None: ...

    def request(
        self, method: str, url: str, body: str | bytes | None = ..., headers: Mapping[str, str] = ...
    ) -> None: ...

    def getresponse(self) -> Response: ...

    def close(self) -> None: ...


class _Connection(http.client.HTTPConnection):
    response_class = _Response
    network: Path | None = None

    def connect(self) -> None:
        with inside(self.network):
            super().connect()


class _TlsConnection(http.client.HTTPSConnection, _Connection):
    """What `HTTPSConnection` secures is what `_Connection` has connected."""


def connection_to(at: Address) -> Connection:
    """Not open yet. Raises UserError where the authorities to trust cannot be read."""
    context = _context(at) if at.https else None
    if at.http2:
        from deadheat.kinds.http2_asking import Http2Connection

        return Http2Connection(at, context, TIMEOUT_S)
    if context is None:
        connection = _Connection(at.host, at.port, timeout=TIMEOUT_S)
    else:
        connection = _TlsConnection(at.host, at.port, timeout=TIMEOUT_S, context=context)
    connection.network = at.network
    return connection


def _context(at: Address) -> ssl.SSLContext:
    """With whom to trust, and what is offered by ALPN, as the generator offers it."""
    try:
        context = ssl.create_default_context(cafile=at.cacert)
    except OSError as error:
        raise UserError(f"{at.cacert}: cannot be read: {error.strerror or error}") from error
    # From 3.13 on Python asks more of an authority than the generator does (RFC 5280's key usage): a server
    # that can be loaded can be checked.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if at.insecure:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2" if at.http2 else "http/1.1"])
    return context


def agreed(at: Address) -> Agreed:
    """What a handshake with a server over TLS comes to. Raises Wrong where it fails, or ends without HTTP/2
    where that is asked for; OSError where nobody answers."""
    with dial(at, TIMEOUT_S) as plain:
        try:
            with _context(at).wrap_socket(plain, server_hostname=at.host) as secured:
                protocol, cipher = secured.selected_alpn_protocol(), secured.cipher()
                version = secured.version()
        except (ssl.SSLError, ConnectionError, TimeoutError) as error:
            raise Wrong(f"no TLS: {_tls_fault(error)}", str(error)) from error
    if at.http2 and protocol != "h2":
        what = f"it agreed on {protocol or 'nothing'} by ALPN, where h2 was offered"
        raise Wrong(f"no HTTP/2 over TLS: {what}", what)
    return Agreed(f"{version}, {cipher[0] if cipher is not None else 'ciphers unknown'}")


def _tls_fault(error: OSError) -> str:
    """A certificate that is not trusted, or no TLS at all."""
    return str(getattr(error, "verify_message", None) or getattr(error, "reason", None) or error)


class _Silent(Wrong):
    """No answer in time."""


def ask_http(case: HttpCase, at: Address, token: str) -> Headers:
    """One request on a connection of its own: the answer's headers. Raises Wrong, or OSError where nobody
    answers."""
    return answered(case, at, token)[0]


def answered(case: HttpCase, at: Address, token: str) -> tuple[Headers, bytes]:
    """One request on a connection of its own: the answer's headers and its body. Raises as ask_http does."""
    connection = connection_to(at)
    try:
        return _ask_on(connection, case, token)
    finally:
        connection.close()


def http_cases(
    cases: Sequence[HttpCase], at: Address, tokens: Callable[[], str], at_once: int
) -> Iterable[Case]:
    """All that an HTTP contender must do: each case with random tokens, one of them of all characters that
    need no escaping, a kept connection of each (also after an idle second), and many requests at once,
    each answered with its own token."""
    for case in cases:
        for _ in range(5):
            yield partial(ask_http, case, at, tokens())
        yield partial(ask_http, case, at, tokens() + UNRESERVED)
    yield partial(_kept_alive, cases, at, tokens)
    for case in cases:
        yield partial(_all_at_once, case, at, [tokens() for _ in range(at_once)])


def headed(
    case: HttpCase, at: Address, tokens: Callable[[], str], names: Sequence[str], cases: Iterable[Case]
) -> Iterator[Case]:
    """These cases between two of their own, where answers must have the headers of these `names`: the Date,
    where it is one of them, has to move from the first on. Servers make it new once a second, which the cases
    take anyway."""
    if not names:
        yield from cases
        return
    first: list[datetime] = []
    yield lambda: first.extend(_dated(case, at, tokens(), names))
    yield from cases
    yield lambda: _moves(case, at, tokens, names, first)


def _moves(
    case: HttpCase, at: Address, tokens: Callable[[], str], names: Sequence[str], first: Sequence[datetime]
) -> None:
    """Asked until the Date is not what it was; nothing where there is none to move."""
    until = time.monotonic() + DATE_MOVES_WITHIN_S
    while first and _dated(case, at, tokens(), names) == first:
        if time.monotonic() >= until:
            asked = f"{case.method} {case.path}"
            what = f"its Date is {format_datetime(first[0], usegmt=True)} for {DATE_MOVES_WITHIN_S:.0f} s"
            raise Wrong(f"{asked}  {what}: expected the time", f"{asked}\n\n{what}")
        time.sleep(DATE_ASKED_AGAIN_S)


def _dated(case: HttpCase, at: Address, token: str, names: Sequence[str]) -> list[datetime]:
    """The Date of an answer, none where it need not have one. Raises Wrong where it lacks one of these."""
    lines = ask_http(case, at, token)
    sent = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    if absent := [name for name in names if not sent.get(name.lower())]:
        fault = f"expected a header {absent[0]}  got none"
    elif "Date" not in names:
        return []
    elif (date := _date(sent["date"])) is None:
        fault = f"expected a Date of HTTP  got {sent['date']}"
    else:
        return [date]
    asked = f"{case.method} {case.path}"
    raise Wrong(f"{asked}  {fault}", "\n".join((asked, "", *lines)))


def _date(sent: str) -> datetime | None:
    """The time of a Date header; None of one that is none."""
    try:
        return datetime.strptime(sent, "%a, %d %b %Y %H:%M:%S GMT").replace(tzinfo=UTC)
    except ValueError:
        return None


def _kept_alive(cases: Sequence[HttpCase], at: Address, tokens: Callable[[], str]) -> None:
    """Each on a connection of its own, which then are idle side by side."""
    with ExitStack() as stack:
        connections = [stack.enter_context(closing(connection_to(at))) for _ in cases]
        for connection in connections:
            # http.client opens a closed connection again without a word: here that would hide the fault.
            connection.auto_open = 0
            _connect(connection)
        for number in range(1, KEPT_FOR + 1):
            if number == KEPT_FOR:
                time.sleep(IDLE_S)
            for connection, case in zip(connections, cases, strict=True):
                try:
                    _ask_on(connection, case, tokens())
                except http.client.NotConnected:
                    raise Wrong(
                        "the connection was not kept alive", f"request {number} on one connection: closed"
                    ) from None


def _connect(connection: Connection) -> None:
    try:
        connection.connect()
    except (OSError, http.client.HTTPException) as error:
        why = error.strerror if isinstance(error, OSError) else None
        what = f"it took no connection: {why or error}"
        raise Wrong(what, what) from error


def _all_at_once(case: HttpCase, at: Address, tokens: Sequence[str]) -> None:
    with ThreadPoolExecutor(max_workers=len(tokens)) as pool:
        for answered in [pool.submit(ask_http, case, at, token) for token in tokens]:
            try:
                answered.result()
            except _Silent as silent:
                what = f"{silent.reason}, of {len(tokens)} requests at once, each on a connection of its own"
                raise Wrong(
                    f"{what} (it may listen with too short a queue, a backlog of 5 in Python's http.server)",
                    silent.exchange,
                ) from silent


def _ask_on(connection: Connection, case: HttpCase, token: str) -> tuple[Headers, bytes]:
    path = case.path.replace("{token}", token)
    asked = f"{case.method} {path}"
    try:
        connection.request(
            case.method,
            path,
            body=case.send.replace("{token}", token) if case.send is not None else None,
            headers={name: value.replace("{token}", token) for name, value in case.headers.items()},
        )
        response = connection.getresponse()
        answer = Answer(response, response.read(), connection.host, connection.port)
    except http.client.NotConnected:
        raise
    except TimeoutError as error:
        raise _Silent(f"no answer to {asked} within {TIMEOUT_S:.0f} s", f"{asked}\n(nothing)") from error
    except ssl.SSLError as error:
        raise Wrong(f"no TLS for {asked}: {_tls_fault(error)}", f"{asked}\n{error}") from error
    except (http.client.HTTPException, ConnectionError) as error:
        what = str(error) or type(error).__name__
        raise Wrong(f"not an HTTP answer to {asked}: {what}", f"{asked}\n{what}") from error
    if (fault := http_answer.fault(case, answer, token)) is not None:
        raise Wrong(f"{asked}  {fault.text}", "\n\n".join((*fault.differences, asked, str(answer))))
    return answer.headers, answer.body
