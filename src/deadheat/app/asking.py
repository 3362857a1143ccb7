"""What the first of several servers without a suite answers over HTTP."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Sequence
from functools import partial

from deadheat.app.trial import Heard, Trial
from deadheat.errors import ExitCode, UserError
from deadheat.kinds import answer_head, content_coding, login
from deadheat.kinds.conformance import Wrong
from deadheat.kinds.http_asking import connection_to
from deadheat.model.address import Address
from deadheat.suite.ad_hoc import Request

# An answer beyond this is not compared.
LONGEST_ANSWER = 64 << 20


def asked(trial: Trial, requests: Sequence[Request]) -> list[Heard]:
    """Its answers to these requests, of one start. Raises UserError where it does not start, serve or answer
    well."""
    answers = trial.answers([partial(_ask, trial, request) for request in requests])
    for each, answer in zip(requests, answers, strict=True):
        if answer.status != each.status if each.status is not None else answer.status >= 400:
            raise UserError(
                f"{trial.wanted.first.called} answers {each.method} {each.path} with {answer.status}",
                hint="--path names what it serves",
                code=ExitCode.NOTHING_MEASURED,
            )
    return answers


def _ask(trial: Trial, request: Request, at: Address) -> Heard:
    """Raises OSError while nobody answers, UserError for a certificate that is not trusted."""
    request = request.of(_signed_in(trial, at))
    connection = connection_to(at)
    try:
        body = None if request.body is None else request.body.encode()
        connection.request(request.method, request.path, body, dict(request.headers))
        response = connection.getresponse()
        data = response.read(LONGEST_ANSWER + 1)
        media = response.getheader("Content-Type", "").partition(";")[0].strip().lower()
        whole = data if len(data) <= LONGEST_ANSWER else None
        named = content_coding.of(response.headers)
        return Heard(
            whole and content_coding.decoded(whole, named),
            response.status,
            media or None,
            named,
            answer_head.location(response.headers, connection.host, connection.port),
            answer_head.cookies(response.headers),
        )
    except content_coding.CodingError as error:
        raise trial.failed(f"it answers {request.method} {request.path} with {error}") from error
    except ssl.SSLCertVerificationError as error:
        raise UserError(
            f"{trial.wanted.first.line}: its certificate is not trusted: {error.verify_message}",
            hint="--cacert FILE names its authority, --insecure takes any",
            code=ExitCode.NOTHING_MEASURED,
        ) from error
    except http.client.HTTPException as error:
        raise OSError(f"no HTTP: {error}") from error
    finally:
        connection.close()


def _signed_in(trial: Trial, at: Address) -> dict[str, str]:
    """What its login answers. Raises OSError while it refuses or nobody answers."""
    try:
        return login.values(trial.wanted.login, at)
    except Wrong as wrong:
        # It may not be ready yet; where it never is, this is said.
        raise OSError(wrong.reason) from wrong
