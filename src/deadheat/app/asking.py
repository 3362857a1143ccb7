"""What a command answers: a server's answer to its request, a program's output."""

from __future__ import annotations

import http.client
import os
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from deadheat import hosts
from deadheat.build import command
from deadheat.errors import ExitCode, UserError
from deadheat.hosts import Collected, Host, StartError
from deadheat.hosts.program import Exit, Spec
from deadheat.kinds import answer_head, content_coding
from deadheat.kinds.conformance import connection_to
from deadheat.kinds.server.started import NotServingError, started_server
from deadheat.model.address import Address
from deadheat.suite import ad_hoc_scripts, ad_hoc_suite
from deadheat.suite.ad_hoc import AdHoc, Request
from deadheat.util.interrupt import Stop

# An answer beyond this is not compared.
LONGEST_ANSWER = 64 << 20


@dataclass(frozen=True)
class Heard:
    """An answer. `data`: without gzip and deflate, None where it is longer than anybody compares. `took_s`:
    until a server answered so, or a program had ended; `content_type` without parameters; `location` "" for
    none; `cookies` are names."""

    data: bytes | None
    status: int = 200
    content_type: str | None = None
    coding: str = content_coding.IDENTITY
    location: str = ""
    cookies: tuple[str, ...] = ()
    took_s: float = 0.0


# What lines have in braces, by name.
Values = Mapping[str, object]


def values_at(wanted: AdHoc, values: Sequence[str] | None = None) -> dict[str, object]:
    """Of the parameters, at these values, else at the first of each."""
    at = values if values is not None else [each[0] for _, each in wanted.parameters]
    return dict(zip((name for name, _ in wanted.parameters), at, strict=True))


def spec(wanted: AdHoc, folder: Path, values: Values, script: str = ad_hoc_suite.SCRIPT) -> Spec:
    """How the first command is started, or a script of its hooks."""
    names = wanted.given if script == ad_hoc_suite.SCRIPT else wanted.asked
    given = [str(values[name]) for name in names]
    home = folder / wanted.workload / wanted.first.name
    env = {name: os.environ[name] for name in command.ALLOWED if name in os.environ}
    return Spec(
        argv=("sh", script, *given) if wanted.first.at is None else (wanted.first.line,),
        cwd=home,
        env={**env, "PATH": command.path()},
        stdout=folder / "first.out",
        stderr=folder / "first.err",
        attached=wanted.first.listens,
        freezes=wanted.first.freezes,
        elsewhere=not wanted.first.metered,
    )


def served(
    wanted: AdHoc, asked: Sequence[Request], folder: Path, host: Host, stop: Stop, beside: Values
) -> list[Heard]:
    """The first command's answers of one start, to what it is asked; `beside`: where its services are. Raises
    UserError where it does not start or serve."""
    at = wanted.first.at or Address(host=host.address, port=host.free_port())
    found: list[Heard] = []

    def complaint(_: object) -> str | None:
        found.append(_ask(wanted, asked[0], at))
        return None

    try:
        started = spec(wanted, folder, {"port": at.port, **values_at(wanted), **beside})
        with started_server(host, started, at.port, complaint, stop) as serving:
            more = [_ask(wanted, each, at) for each in asked[1:]]
            answers = [replace(each, took_s=serving.ready_ns / 1e9) for each in (found[-1], *more)]
    except (StartError, NotServingError) as error:
        tail = error.output_tail.strip()[-300:] if isinstance(error, NotServingError) else ""
        raise failed(wanted, f"{error}: {tail}" if tail else str(error)) from error
    except OSError as error:
        raise failed(wanted, f"it answered once, and then no more: {error}") from error
    for each, answer in zip(asked, answers, strict=True):
        if answer.status != each.status if each.status is not None else answer.status >= 400:
            raise UserError(
                f"{wanted.first.called} answers {each.method} {each.path} with {answer.status}",
                hint="--path names what it serves",
                code=ExitCode.NOTHING_MEASURED,
            )
    return answers


def _ask(wanted: AdHoc, request: Request, at: Address) -> Heard:
    """Raises OSError while nobody answers, UserError for a certificate that is not trusted."""
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
        raise failed(wanted, f"it answers {request.method} {request.path} with {error}") from error
    except ssl.SSLCertVerificationError as error:
        raise UserError(
            f"{wanted.first.line}: its certificate is not trusted: {error.verify_message}",
            hint="--cacert FILE names its authority, --insecure takes any",
            code=ExitCode.NOTHING_MEASURED,
        ) from error
    except http.client.HTTPException as error:
        raise OSError(f"no HTTP: {error}") from error
    finally:
        connection.close()


def printed(wanted: AdHoc, folder: Path, host: Host, stop: Stop, values: Values) -> Heard:
    """The first command's output at these values of what its lines have in braces, its hooks around it.
    Raises UserError where one of them does not start or end well."""

    def ran(script: str) -> tuple[Exit, Collected]:
        name = "it" if script == ad_hoc_suite.SCRIPT else Path(script).stem
        try:
            handle = host.start(spec(wanted, folder, values, script))
        except StartError as error:
            raise failed(wanted, f"{name}: {error}") from error
        exit_ = hosts.wait(host, handle, stop)
        left = host.collect(handle)
        if not exit_.ok:
            raise failed(wanted, f"{name} {exit_.describe()}: {left.output_tail.strip()[-300:]}")
        return exit_, left

    there = ad_hoc_scripts.hooks_of(wanted)
    before, after = (
        [f"{hook}.sh" for hook in names if hook in there]
        for names in (("setup", "prepare"), ("conclude", "cleanup"))
    )
    for script in before:
        ran(script)
    exit_, left = ran(ad_hoc_suite.SCRIPT)
    for script in after:
        ran(script)
    return Heard(left.stdout, took_s=exit_.wall_ns / 1e9)


def failed(wanted: AdHoc, why: str) -> UserError:
    """That the first command did not answer."""
    return UserError(f"{wanted.first.title or wanted.first.line}: {why}", code=ExitCode.NOTHING_MEASURED)
