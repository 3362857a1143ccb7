"""Right answers before any timing: what a contender is asked, and whether it answered right."""

import hashlib
import http
import http.client
import ssl
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import count

from deadheat.errors import UserError
from deadheat.kinds import answer_head, content_coding, pages, structure
from deadheat.model.address import Address
from deadheat.model.workload import HttpCase
from deadheat.run.check import Check, Headers

#: Interim answers (1xx) before the answer; HTTP sets no limit, but one that never answers is no server.
INTERIM_LIMIT = 100
TIMEOUT_S = 10.0
IDLE_S = 1.0
# Servers make it new once a second; one that was made at their start stays as it is.
DATE_MOVES_WITHIN_S = 10.0
DATE_ASKED_AGAIN_S = 0.1
_SHOWN = 400
_DIFFERENCES_SHOWN = 20
# What RFC 3986 calls unreserved: a path of these characters is the same in every encoding.
UNRESERVED = "-._~AZaz09"

# Lines of an answer's head, `Name: value`.


@dataclass(frozen=True)
class Remark:
    """A right answer that is unlike what most give: how, in a clause."""

    text: str


Case = Callable[[], Headers | Remark | None]


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


class _Connection(http.client.HTTPConnection):
    response_class = _Response


class _TlsConnection(http.client.HTTPSConnection):
    response_class = _Response


def connection_to(at: Address) -> http.client.HTTPConnection:
    """Not open yet. Raises UserError where the authorities to trust cannot be read."""
    if not at.https:
        return _Connection(at.host, at.port, timeout=TIMEOUT_S)
    try:
        context = ssl.create_default_context(cafile=at.cacert)
    except OSError as error:
        raise UserError(f"{at.cacert}: cannot be read: {error.strerror or error}") from error
    # From 3.13 on Python asks more of an authority than the generator does (RFC 5280's key usage): a server
    # that can be loaded can be checked.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if at.insecure:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return _TlsConnection(at.host, at.port, timeout=TIMEOUT_S, context=context)


class Wrong(Exception):
    """A wrong answer: what was wrong in a clause, and the whole exchange."""

    def __init__(self, reason: str, exchange: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.exchange = exchange


class _Silent(Wrong):
    """No answer in time."""


def run(cases: Iterable[Case]) -> Check:
    """Ask case after case; stop at the first wrong answer."""
    done, headers = 0, None
    remarks: list[str] = []
    for done, case in enumerate(cases, 1):
        try:
            reported = case()
        except Wrong as wrong:
            return Check(False, done, wrong.reason, wrong.exchange)
        if isinstance(reported, Remark):
            remarks.append(reported.text)
        else:
            headers = headers or reported
    return Check(True, done, headers=headers or (), remarks=tuple(remarks))


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
            if absent := [name for name in names if not sent.get(name.lower())]:
                what = f"expected a header {absent[0]}  got none"
                raise Wrong(f"{asked}  {what}", "\n".join((asked, "", *lines)))
            if "Date" not in names:
                return
            date = _date(sent["date"])
            if date is None:
                what = f"expected a Date of HTTP  got {sent['date']}"
                raise Wrong(f"{asked}  {what}", "\n".join((asked, "", *lines)))
            first = first or date
            if date != first:
                return
            if time.monotonic() >= until:
                what = f"its Date is {sent['date']} for {DATE_MOVES_WITHIN_S:.0f} s: expected the time"
                raise Wrong(f"{asked}  {what}", "\n".join((asked, "", *lines)))
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


def _connect(connection: http.client.HTTPConnection) -> None:
    try:
        connection.connect()
    except OSError as error:
        what = f"it took no connection: {error.strerror or error}"
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


def _ask_on(connection: http.client.HTTPConnection, case: HttpCase, token: str) -> tuple[Headers, bytes]:
    path = case.path.replace("{token}", token)
    asked = f"{case.method} {path}"
    expected = None if case.body is None else case.body.replace("{token}", token).encode()
    try:
        connection.request(
            case.method,
            path,
            body=case.send.replace("{token}", token) if case.send is not None else None,
            headers={name: value.replace("{token}", token) for name, value in case.headers.items()},
        )
        response = connection.getresponse()
        body = response.read()
    except http.client.NotConnected:
        raise
    except TimeoutError as error:
        raise _Silent(f"no answer to {asked} within {TIMEOUT_S:.0f} s", f"{asked}\n(nothing)") from error
    except (http.client.HTTPException, ConnectionError) as error:
        what = str(error) or type(error).__name__
        raise Wrong(f"not an HTTP answer to {asked}: {what}", f"{asked}\n{what}") from error
    if response.status != case.status:
        raise Wrong(
            f"{asked}  expected status {case.status}  got {response.status}", _exchange(asked, response, body)
        )
    if (fault := _coding(case, response)) is not None:
        raise Wrong(f"{asked}  {fault}", _exchange(asked, response, body))
    if expected is not None and body != expected:
        raise Wrong(
            f'{asked}  expected body "{_show(expected)}"  got "{_show(body)}"',
            _exchange(asked, response, body),
        )
    _compare_otherwise(case, asked, response, body)
    _compare_page(case, asked, response, body, token)
    fault = _media_type(case, response) or _framing(response) or _cookies(case, response)
    fault = fault or _location(case, response, connection, token)
    if fault is not None:
        raise Wrong(f"{asked}  {fault}", _exchange(asked, response, body))
    return _headers(response), body


def _compare_page(
    case: HttpCase, asked: str, response: http.client.HTTPResponse, body: bytes, token: str
) -> None:
    """By what a page says. Raises Wrong."""
    if case.page is None:
        return
    reported = response.getheader("Content-Type", "")
    try:
        fault = pages.difference(case.page.replace("{token}", token), body.decode())
    except UnicodeDecodeError:
        fault = "expected UTF-8  got other bytes"
    if fault is None and pages.CHARSET not in reported.lower().replace('"', ""):
        fault = f"expected {pages.CHARSET} in Content-Type  got {reported or 'none'}"
    if fault is not None:
        raise Wrong(f"{asked}  {fault}", _exchange(asked, response, body))


def _compare_otherwise(case: HttpCase, asked: str, response: http.client.HTTPResponse, body: bytes) -> None:
    """By digest or by structure. Raises Wrong, with every difference in its exchange."""
    if case.sha256 is None and case.structure is None:
        return
    try:
        body = content_coding.decoded(body, content_coding.of(response.headers))
    except content_coding.CodingError as error:
        raise Wrong(f"{asked}  answered with {error}", _exchange(asked, response, body)) from error
    if case.sha256 is not None and (digest := hashlib.sha256(body).hexdigest()) != case.sha256:
        what = f"expected a body of SHA-256 {case.sha256[:16]}...  got {digest[:16]}... ({len(body)} bytes)"
        raise Wrong(f"{asked}  {what}", _exchange(asked, response, body))
    if case.structure is None:
        return
    expected, got = structure.read(case.structure.encode()), structure.read(body)
    assert expected is not None
    if got is None:
        raise Wrong(
            f"{asked}  expected text  got {len(body)} bytes that are none", _exchange(asked, response, body)
        )
    if found := structure.compare(expected, got, case.masks).differences:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        every = "\n".join(str(each) for each in found[:_DIFFERENCES_SHOWN])
        raise Wrong(f"{asked}  {found[0]}{more}", f"{every}\n\n{_exchange(asked, response, body)}")


def _coding(case: HttpCase, response: http.client.HTTPResponse) -> str | None:
    """What is wrong with the content coding."""
    reported = content_coding.of(response.headers)
    if case.content_encoding in (None, reported):
        return None
    return f"expected Content-Encoding {case.content_encoding}  got {reported}"


def _media_type(case: HttpCase, response: http.client.HTTPResponse) -> str | None:
    """What is wrong with the media type; its parameters are not compared."""
    reported = response.getheader("Content-Type", "")
    if case.content_type is None or reported.partition(";")[0].strip().lower() == case.content_type:
        return None
    return f"expected Content-Type {case.content_type}  got {reported or 'none'}"


def _location(
    case: HttpCase, response: http.client.HTTPResponse, connection: http.client.HTTPConnection, token: str
) -> str | None:
    """What is wrong with where it leads."""
    reported = answer_head.location(response.headers, connection.host, connection.port)
    expected = None if case.location is None else case.location.replace("{token}", token)
    if expected is None or answer_head.fits(reported, expected):
        return None
    return f"expected Location {expected or 'none'}  got {reported or 'none'}"


def _cookies(case: HttpCase, response: http.client.HTTPResponse) -> str | None:
    """What is wrong with the cookies that it sets, whose values are not compared."""
    reported = answer_head.cookies(response.headers)
    if case.cookies is None or case.cookies == reported:
        return None
    return f"expected cookies {', '.join(case.cookies) or 'none'}  got {', '.join(reported) or 'none'}"


def _framing(response: http.client.HTTPResponse) -> str | None:
    """What is wrong with how the answer says where it ends; that it ends there, the body has shown."""
    if response.version != 11:
        return "expected HTTP/1.1  got HTTP/1.0"
    length = response.getheader("Content-Length") is not None
    coded = response.getheader("Transfer-Encoding") is not None
    if length == coded and response.status not in (204, 304):
        return f"expected Content-Length or chunked  got {'both' if length else 'neither'}"
    return None


def _headers(response: http.client.HTTPResponse) -> Headers:
    return tuple(f"{name}: {value}" for name, value in response.getheaders())


def _exchange(asked: str, response: http.client.HTTPResponse, body: bytes) -> str:
    headers = "\n".join(_headers(response))
    version = {10: "1.0", 11: "1.1"}.get(response.version, str(response.version))
    return f"{asked}\n\nHTTP/{version} {response.status} {response.reason}\n{headers}\n\n{_show(body)}"


def _show(data: bytes) -> str:
    text = data[:_SHOWN].decode("utf-8", "backslashreplace")
    return text + (f"... ({len(data)} bytes)" if len(data) > _SHOWN else "")
