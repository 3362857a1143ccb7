"""Commands without a suite: what the first of them answers is what all must answer."""

from __future__ import annotations

import http.client
import os
import ssl
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from deadheat import hosts
from deadheat.app import running
from deadheat.build import command
from deadheat.errors import ExitCode, UserError
from deadheat.hosts import Host, StartError
from deadheat.hosts.held import this_machine
from deadheat.hosts.program import Spec
from deadheat.kinds.conformance import connection_to
from deadheat.kinds.server.started import NotServingError, started_server
from deadheat.model.address import Address
from deadheat.run.progress import View
from deadheat.suite import ad_hoc
from deadheat.suite.ad_hoc import AdHoc, Answer
from deadheat.suite.suite import Suite, load
from deadheat.util.interrupt import Stop
from deadheat.util.paths import cache_folder

# Two answers in one second share their Date, and whatever else goes by the clock.
APART_S = 1.1
# An answer beyond this is too long for the check to the byte that each slice gets.
LONGEST_BODY = 1 << 20
# Of a program's output so much is compared.
LONGEST_OUTPUT = 1000


@dataclass(frozen=True)
class Recorded:
    """The suite, and the longest that a start of its first command took until it answered or ended."""

    suite: Suite
    took_s: float


def suite_of(wanted: AdHoc, view: View, *, answers_may_differ: bool = False) -> Suite:
    """The suite of these commands, written into the cache, with the first one's answer as the right one.

    Raises UserError where the first does not start, serve or end well.
    """
    return recorded((wanted,), view, answers_may_differ=answers_may_differ).suite


def recorded(wanted: Sequence[AdHoc], view: View, *, answers_may_differ: bool = False) -> Recorded:
    """The same of several workloads."""
    folder = ad_hoc.folder_of(wanted, cache_folder() / "ad-hoc")
    took_s = 0.0
    with this_machine("what the first command answers") as (host, stop):
        for each in wanted:
            for said in running.shared(each.commands):
                view.warn(said)
            ad_hoc.write_contenders(each, folder)
            right = _recorded(each, folder, host, stop)
            took_s = max(took_s, right.took_s)
            if each.request is not None and each.request.answer is not None:
                right = Answer(body=each.request.answer, status=right.status)
            elif answers_may_differ:
                right = Answer(body=None, status=right.status)
            elif right.body is None:
                what = "the body" if each.request is not None else "the output"
                view.note(
                    f"{each.first.called} answers otherwise each time, or at great length: {what} is not "
                    "compared"
                )
            ad_hoc.write_workload(each, right, folder)
    return Recorded(load(folder), took_s)


def _recorded(wanted: AdHoc, folder: Path, host: Host, stop: Stop) -> Answer:
    """Of two starts, more than a second apart: what differs between them is nobody's fault."""
    ask = _served if wanted.request is not None else _printed
    first = ask(wanted, folder, host, stop)
    time.sleep(APART_S)
    second = ask(wanted, folder, host, stop)
    if first.status != second.status:
        raise UserError(
            f"{wanted.first.called} answers {first.status}, and then {second.status}",
            code=ExitCode.NOTHING_MEASURED,
        )
    # The second finds the caches warm, as a race does.
    return replace(second, body=first.body if first.body == second.body else None)


def _spec(wanted: AdHoc, folder: Path, *port: str) -> Spec:
    home = folder / wanted.workload / wanted.first.name
    env = {name: os.environ[name] for name in command.ALLOWED if name in os.environ}
    return Spec(
        argv=("sh", ad_hoc.SCRIPT, *port) if wanted.first.at is None else (wanted.first.line,),
        cwd=home,
        env={**env, "PATH": command.path()},
        stdout=folder / "first.out",
        stderr=folder / "first.err",
        attached=wanted.first.listens,
        freezes=wanted.first.freezes,
        elsewhere=not wanted.first.metered,
    )


def _served(wanted: AdHoc, folder: Path, host: Host, stop: Stop) -> Answer:
    at = wanted.first.at or Address(host=host.address, port=host.free_port())
    found: list[Answer] = []

    def complaint(_: object) -> str | None:
        found.append(_ask(wanted, at))
        return None

    try:
        spec = _spec(wanted, folder, str(at.port))
        with started_server(host, spec, at.port, complaint, stop) as serving:
            answer = replace(found[-1], took_s=serving.ready_ns / 1e9)
    except (StartError, NotServingError) as error:
        tail = error.output_tail.strip()[-300:] if isinstance(error, NotServingError) else ""
        raise _failed(wanted, f"{error}: {tail}" if tail else str(error)) from error
    asked = wanted.request
    assert asked is not None
    if answer.status != asked.status if asked.status is not None else answer.status >= 400:
        raise UserError(
            f"{wanted.first.called} answers {asked.method} {asked.path} with {answer.status}",
            hint="--path names what it serves",
            code=ExitCode.NOTHING_MEASURED,
        )
    return answer


def _ask(wanted: AdHoc, at: Address) -> Answer:
    """Raises OSError while nobody answers, UserError for a certificate that is not trusted."""
    request = wanted.request
    assert request is not None
    connection = connection_to(at)
    try:
        body = None if request.body is None else request.body.encode()
        connection.request(request.method, request.path, body, dict(request.headers))
        response = connection.getresponse()
        text = response.read(LONGEST_BODY + 1)
        return Answer(body=_text(text, LONGEST_BODY), status=response.status)
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


def _printed(wanted: AdHoc, folder: Path, host: Host, stop: Stop) -> Answer:
    try:
        handle = host.start(_spec(wanted, folder))
    except StartError as error:
        raise _failed(wanted, str(error)) from error
    exit_ = hosts.wait(host, handle, stop)
    left = host.collect(handle)
    if not exit_.ok:
        raise _failed(wanted, f"it {exit_.describe()}: {left.output_tail.strip()[-300:]}")
    return Answer(body=_text(left.stdout, LONGEST_OUTPUT), took_s=exit_.wall_ns / 1e9)


def _text(data: bytes, longest: int) -> str | None:
    """None where it is too long, or no text that a manifest can hold."""
    if len(data) > longest:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _failed(wanted: AdHoc, why: str) -> UserError:
    return UserError(f"{wanted.first.title or wanted.first.line}: {why}", code=ExitCode.NOTHING_MEASURED)
