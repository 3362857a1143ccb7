"""What an HTTP contender is asked, over connections of its own or kept ones."""

import http
import http.client
import ssl
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from itertools import count
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
    need no escaping, a kept connection (also after an idle second), and many requests at once, each
    answered with its own token."""
    for case in cases:
        for _ in range(5):
            yield partial(ask_http, case, at, tokens())
        yield partial(ask_http, case, at, tokens() + UNRESERVED)
    for case in cases:
        yield partial(_kept_alive, case, at, tokens)
        yield partial(_all_at_once, case, at, [tokens() for _ in range(at_once)])


def headed(case: HttpCase, at: Address, tokens: Callable[[], str], names: Sequence[str]) -> None:
    """Requests on one connection, until the Date has moved where it is among the `names` of headers that an
    answer must have."""
    connection = connection_to(at)
    first, asked = None, f"{case.method} {case.path}"
    until = time.monotonic() + DATE_MOVES_WITHIN_S
    try:
        while True:
            lines, _ = _ask_on(connection, case, tokens())
            sent = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
            fault = None
            if absent := [name for name in names if not sent.get(name.lower())]:
                fault = f"expected a header {absent[0]}  got none"
            elif "Date" not in names:
                return
            elif (date := _date(sent["date"])) is None:
                fault = f"expected a Date of HTTP  got {sent['date']}"
            elif date != (first := first or date):
                return
            elif time.monotonic() >= until:
                fault = f"its Date is {sent['date']} for {DATE_MOVES_WITHIN_S:.0f} s: expected the time"
            if fault is not None:
                raise Wrong(f"{asked}  {fault}", "\n".join((asked, "", *lines)))
            time.sleep(DATE_ASKED_AGAIN_S)
    finally:
        connection.close()


def _date(sent: str) -> datetime | None:
    """The time of a Date header; None of one that is none."""
    try:
        return datetime.strptime(sent, "%a, %d %b %Y %H:%M:%S GMT")
    except ValueError:
        return None


def _kept_alive(case: HttpCase, at: Address, tokens: Callable[[], str]) -> None:
    connection = connection_to(at)
    # http.client opens a closed connection again without a word: here that would hide the fault.
    connection.auto_open = 0
    try:
        _connect(connection)
        for number in count():
            if number == 3:
                time.sleep(IDLE_S)
            try:
                _ask_on(connection, case, tokens())
            except http.client.NotConnected:
                raise Wrong(
                    "the connection was not kept alive", f"request {number + 1} on one connection: closed"
                ) from None
            if number == 3:
                return
    finally:
        connection.close()


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
