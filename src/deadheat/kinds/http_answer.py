"""What is wrong with an answer of HTTP, held against what its case expects."""

import hashlib
import http.client
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from deadheat.kinds import answer_head, content_coding, pages, structure
from deadheat.model import json_path
from deadheat.model.work.http import HttpCase
from deadheat.run.check import Headers

_SHOWN = 400
_DIFFERENCES_SHOWN = 20


class Response(Protocol):
    """An answer as `http.client` has it, of any version: 10, 11 or 20."""

    status: int
    reason: str
    version: int
    headers: http.client.HTTPMessage

    def read(self, amt: int | None = ..., /) -> bytes: ...

    def getheader(self, name: str, default: str, /) -> str: ...

    def getheaders(self) -> list[tuple[str, str]]: ...


@dataclass(frozen=True)
class Answer:
    """One that was read to its end, and whom it came from."""

    response: Response
    body: bytes
    host: str
    port: int

    @property
    def headers(self) -> Headers:
        """Its lines `Name: value`."""
        return tuple(f"{name}: {value}" for name, value in self.response.getheaders())

    def __str__(self) -> str:
        version = {10: "1.0", 11: "1.1", 20: "2"}.get(self.response.version, str(self.response.version))
        first = f"HTTP/{version} {self.response.status} {self.response.reason}"
        try:
            body = content_coding.decoded(self.body, content_coding.of(self.response.headers))
        except content_coding.CodingError:
            body = self.body
        return "\n".join((first, *self.headers, "", _show(body)))


@dataclass(frozen=True)
class Fault:
    """What is wrong, in a clause; where many things differ, a line of each."""

    text: str
    differences: tuple[str, ...] = ()


def fault(case: HttpCase, answer: Answer, token: str) -> Fault | None:
    """The first thing that is wrong; `token` is what stood in the request for `{token}`."""
    return next(_faults(case, answer, token), None)


def _faults(case: HttpCase, answer: Answer, token: str) -> Iterator[Fault]:
    response = answer.response
    if response.status != case.status:
        yield Fault(f"expected status {case.status}  got {response.status}")
    yield from _told(_coding(case, answer), _body(case, answer, token))
    if (found := _otherwise(case, answer)) is not None:
        yield found
    yield from _told(_json_parts(case, answer))
    yield from _told(
        _page(case, answer, token),
        _media_type(case, answer),
        _framing(answer),
        _cookies(case, answer),
        _location(case, answer, token),
    )


def _told(*clauses: str | None) -> Iterator[Fault]:
    return (Fault(clause) for clause in clauses if clause is not None)


def _body(case: HttpCase, answer: Answer, token: str) -> str | None:
    if case.body is None:
        return None
    expected = case.body.replace("{token}", token).encode()
    if answer.body == expected:
        return None
    return f'expected body "{_show(expected)}"  got "{_show(answer.body)}"'


def _page(case: HttpCase, answer: Answer, token: str) -> str | None:
    """By what a page says."""
    if case.page is None:
        return None
    reported = answer.response.getheader("Content-Type", "")
    try:
        differs = pages.difference(case.page.replace("{token}", token), answer.body.decode())
    except UnicodeDecodeError:
        return "expected UTF-8  got other bytes"
    if differs is None and pages.CHARSET not in reported.lower().replace('"', ""):
        return f"expected {pages.CHARSET} in Content-Type  got {reported or 'none'}"
    return differs


def _otherwise(case: HttpCase, answer: Answer) -> Fault | None:
    """By digest or by structure."""
    if case.sha256 is None and case.structure is None:
        return None
    coding = content_coding.of(answer.response.headers)
    try:
        body = content_coding.decoded(answer.body, coding)
    except content_coding.CodingError as error:
        return Fault(f"answered with {error}")
    if case.sha256 is not None and (digest := hashlib.sha256(body).hexdigest()) != case.sha256:
        got = f"{digest[:16]}... ({len(body)} bytes)"
        return Fault(f"expected a body of SHA-256 {case.sha256[:16]}...  got {got}")
    if case.structure is None:
        return None
    expected, read = structure.read(case.structure.encode()), structure.read(body)
    assert expected is not None
    if read is None:
        return Fault(
            f"expected text  got {content_coding.unread(coding) or f'{len(body)} bytes that are none'}"
        )
    found = structure.compare(expected, read, case.masks).differences
    if not found:
        return None
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return Fault(f"{found[0]}{more}", ("\n".join(str(each) for each in found[:_DIFFERENCES_SHOWN]),))


def _json_parts(case: HttpCase, answer: Answer) -> str | None:
    """By values at their places, and by a schema."""
    if not case.json_fields and case.json_schema is None:
        return None
    coding = content_coding.of(answer.response.headers)
    try:
        body = content_coding.decoded(answer.body, coding)
    except content_coding.CodingError as error:
        return f"answered with {error}"
    try:
        value = json.loads(body)
    except ValueError:
        return f"expected JSON  got {content_coding.unread(coding) or _show(body)}"
    for place, expected in case.json_fields.items():
        if (reported := json_path.at(place, value)) is json_path.MISSING:
            return f"{place}: expected {json.dumps(expected)}  got nothing there"
        # 1 and true are not the same, though Python has them equal.
        if json.dumps(reported, sort_keys=True) != json.dumps(expected, sort_keys=True):
            return f"{place}: expected {json.dumps(expected)}  got {_show(json.dumps(reported).encode())}"
    return None if case.json_schema is None else _by_schema(json.loads(case.json_schema), value)


def _by_schema(schema: Any, value: Any) -> str | None:
    from jsonschema.exceptions import best_match
    from jsonschema.validators import validator_for

    # What a schema names elsewhere is not fetched: `best_match` would end with an error of its own.
    found = best_match(validator_for(schema)(schema).iter_errors(value))
    return None if found is None else f"{found.json_path}: {found.message} (json_schema)"


def _coding(case: HttpCase, answer: Answer) -> str | None:
    reported = content_coding.of(answer.response.headers)
    if case.content_encoding in (None, reported):
        return None
    return f"expected Content-Encoding {case.content_encoding}  got {reported}"


def _media_type(case: HttpCase, answer: Answer) -> str | None:
    """Its parameters are not compared."""
    reported = answer.response.getheader("Content-Type", "")
    if case.content_type is None or reported.partition(";")[0].strip().lower() == case.content_type:
        return None
    return f"expected Content-Type {case.content_type}  got {reported or 'none'}"


def _framing(answer: Answer) -> str | None:
    """How it says where it ends; that it ends there, the body has shown."""
    response = answer.response
    if response.version == 20:  # its frames say it
        return None
    if response.version != 11:
        return "expected HTTP/1.1  got HTTP/1.0"
    length = "Content-Length" in response.headers
    coded = "Transfer-Encoding" in response.headers
    if length == coded and response.status not in (204, 304):
        return f"expected Content-Length or chunked  got {'both' if length else 'neither'}"
    return None


def _cookies(case: HttpCase, answer: Answer) -> str | None:
    """Those that it sets; their values are not compared."""
    reported = answer_head.cookies(answer.response.headers)
    if case.cookies is None or case.cookies == reported:
        return None
    return f"expected cookies {', '.join(case.cookies) or 'none'}  got {', '.join(reported) or 'none'}"


def _location(case: HttpCase, answer: Answer, token: str) -> str | None:
    """Where it leads."""
    reported = answer_head.location(answer.response.headers, answer.host, answer.port)
    expected = None if case.location is None else case.location.replace("{token}", token)
    if expected is None or answer_head.fits(reported, expected):
        return None
    return f"expected Location {expected or 'none'}  got {reported or 'none'}"


def _show(data: bytes) -> str:
    text = data[:_SHOWN].decode("utf-8", "backslashreplace")
    return text + (f"... ({len(data)} bytes)" if len(data) > _SHOWN else "")
