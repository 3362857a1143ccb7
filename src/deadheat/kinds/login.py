"""What a server's answer to a login says, for the requests that need it."""

from __future__ import annotations

import http.client
import json
from http.cookies import CookieError, SimpleCookie
from typing import Any

from deadheat.kinds import content_coding
from deadheat.kinds.conformance import Wrong
from deadheat.kinds.http_asking import connection_to
from deadheat.model import json_path
from deadheat.model.address import Address
from deadheat.model.login import Login


def values(login: Login | None, at: Address) -> dict[str, str]:
    """By their names; none without a login. Raises Wrong where it is refused or one is missing, and OSError
    where nobody answers."""
    if login is None:
        return {}
    asked = f"{login.method} {login.path}, the login,"
    connection = connection_to(at)
    try:
        body = None if login.body is None else login.body.encode()
        connection.request(login.method, login.path, body, login.headers)
        response = connection.getresponse()
        coding = content_coding.of(response.headers)
        data = content_coding.decoded(response.read(), coding)
    except http.client.HTTPException as error:
        raise Wrong(f"{asked} is answered with no HTTP: {error}", str(error)) from error
    except content_coding.CodingError as error:
        raise Wrong(f"{asked} is answered with {error}", str(error)) from error
    finally:
        connection.close()
    exchange = f"{asked}\n{response.status} {response.reason}\n{response.headers}\n{data[:1000]!r}"
    if response.status != login.status if login.status is not None else response.status >= 400:
        raise Wrong(f"{asked} is answered with {response.status}", exchange)
    found = {name: _at(where, response.headers, data) for name, where in login.take.items()}
    for name, value in found.items():
        if value is None or not value.isprintable():
            what = "has no" if value is None else "has control characters in its"
            if login.take[name].startswith("json ") and (clause := content_coding.unread(coding)) is not None:
                raise Wrong(f"{asked} is answered with {clause}", exchange)
            raise Wrong(f"the answer to {asked} {what} {login.take[name]} ({{{name}}})", exchange)
    return {name: value for name, value in found.items() if value is not None}


def _at(where: str, headers: http.client.HTTPMessage, data: bytes) -> str | None:
    kind, name = where.split(" ", 1)
    match kind:
        case "cookie":
            return _cookie(name, headers)
        case "header":
            return headers.get(name)
    return _json(name, data)


def _cookie(name: str, headers: http.client.HTTPMessage) -> str | None:
    for line in headers.get_all("Set-Cookie", []):
        try:
            morsel = SimpleCookie(line).get(name)
        except CookieError:
            continue
        if morsel is not None:
            # As it was sent: it goes back as it came.
            return morsel.coded_value
    return None


def _json(path: str, data: bytes) -> str | None:
    try:
        value: Any = json_path.at(path, json.loads(data))
    except ValueError:
        return None
    if isinstance(value, bool):
        return None
    return value if isinstance(value, str) else json.dumps(value) if isinstance(value, int | float) else None
