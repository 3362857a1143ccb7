"""Races planned and run from Python, by the code that the command line calls."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TypedDict, Unpack

from deadheat.app import ad_hoc, given, sides
from deadheat.app import race as races
from deadheat.errors import UserError
from deadheat.hosts.cpus import default_cpus
from deadheat.hosts.held import this_host
from deadheat.library.run import Run
from deadheat.model import http_protocol
from deadheat.model.choices import JudgedBy, Preset
from deadheat.model.http_protocol import HttpProtocol
from deadheat.model.plan import Plan
from deadheat.plan import Asked
from deadheat.run.progress import NoView, View
from deadheat.suite import requests_file
from deadheat.suite.ad_hoc import AdHoc, Command, Mix, Request, named
from deadheat.suite.suite import Suite, load
from deadheat.util.paths import runs_folder, suite_folder

LOG = logging.getLogger("deadheat")
FEWEST = 2
# What stands for a value that is nobody's business.
SECRET = "***"


class Options(TypedDict, total=False):
    """What a race may be asked beside its workloads; each as the option of `deadheat race` of that name.

    `programs` are command lines that run to their end, `commands` servers that are asked for `path`, or the
    load of a file of `requests`, after a `login`, of whose answer `login_take` says by their names where the
    values for these are: both race without a suite, called as `names` say. `budget_s` is in seconds, `margin`
    a share.
    """

    contenders: Sequence[str]
    reference: str | None
    preset: Preset
    budget_s: float | None
    margin: float
    seed: int | None
    connections: Sequence[int]
    tls: bool
    http2: bool
    metric: JudgedBy
    parameters: Mapping[str, Sequence[object]]
    suite: str | os.PathLike[str]
    programs: Sequence[str]
    commands: Sequence[str]
    names: Sequence[str]
    path: str
    requests: str | os.PathLike[str] | None
    login: str | None
    login_headers: Mapping[str, str]
    login_body: str | None
    login_take: Mapping[str, str]
    answers_may_differ: bool


class Logged(NoView):
    """What a person would read goes to the logger `deadheat`."""

    def note(self, text: str) -> None:
        LOG.info(text)

    def warn(self, text: str) -> None:
        LOG.warning(text)


def planned(*workloads: str, **options: Unpack[Options]) -> Plan:
    """What `race` would run, with nothing measured; the first of `programs` or `commands` is started, for
    what it answers. Raises UserError."""
    return races.planned(*_what(workloads, options, Logged()))


def race(
    *workloads: str,
    out: str | os.PathLike[str] | None = None,
    view: View | None = None,
    **options: Unpack[Options],
) -> Run:
    """Race these workloads of a suite, all where none is named, and wait for the end; Ctrl-C ends it at a
    slice's end.

    `out` is where runs are kept; `view` is called as it goes on. It starts no event loop and needs none:
    where one runs, it stands still meanwhile, but for `await asyncio.to_thread(deadheat.race, ...)`. Raises
    UserError where something cannot be raced; that nothing could be settled is an answer.
    """
    view = view if view is not None else Logged()
    asked, suite = _what(workloads, options, view)
    kept = Path(out) if out is not None else runs_folder()
    return Run(Path(races.start(asked, suite, kept, view).folder.path))


def refuse_unknown(options: Mapping[str, object], known: type) -> None:
    """Raises UserError for the name of an option that there is none of: Python itself takes any."""
    names = known.__annotations__.keys()
    if unknown := options.keys() - names:
        like = get_close_matches(min(unknown), names, n=1)
        raise UserError(
            f"there is no option {min(unknown)}", hint=f"did you mean {like[0]}?" if like else None
        )


def of_login(headers: Mapping[str, str], body: str | None, take: Mapping[str, str]) -> list[str]:
    """Of a command line, without what signs in."""
    words = ["--login-header", SECRET] * len(headers)
    words += [] if body is None else ["--login-body", SECRET]
    return words + [word for name, where in take.items() for word in ("--login-take", f"{name}={where}")]


def _asked(workloads: Sequence[str], options: Options) -> Asked:
    refuse_unknown(options, Options)
    cpus = default_cpus(this_host().cores())
    asked = Asked(
        workloads=tuple(workloads),
        contenders=tuple(options.get("contenders", ())),
        reference=options.get("reference"),
        all_=_without_suite(options),
        preset=options.get("preset", "quick"),
        budget_s=options.get("budget_s"),
        margin=options.get("margin", Asked.margin),
        seed=options.get("seed"),
        connections=tuple(options.get("connections", ())),
        protocol=_protocol(options),
        judged_by=options.get("metric"),
        parameters={name: tuple(map(str, values)) for name, values in options.get("parameters", {}).items()},
        server_cpus=cpus.servers,
        generator_cpus=cpus.generators,
        services_cpus=cpus.services,
        command=_as_command(workloads, options),
    )
    if asked.margin <= 0:
        raise UserError(f"{asked.margin}: a margin is a share above 0", hint="margin=0.02")
    return asked


def _protocol(options: Options) -> HttpProtocol | None:
    """Raises UserError where no contender.toml says how it is served."""
    protocol = http_protocol.asked(tls=options.get("tls", False), http2=options.get("http2", False))
    if protocol is not None and _without_suite(options):
        raise UserError("tls and http2 are of contenders of a suite, not of programs and commands")
    return protocol


def _what(workloads: Sequence[str], options: Options, view: View) -> tuple[Asked, Suite]:
    """What is asked, of a suite or of programs or commands. Raises UserError."""
    asked = _asked(workloads, options)
    login = given.login(
        options.get("login"),
        options.get("login_headers", {}),
        options.get("login_body"),
        options.get("login_take", {}),
    )
    if not options.get("commands") and (login is not None or options.get("requests") is not None):
        raise UserError("requests and login are of commands", hint="a suite has [[mix]] and [login]")
    if not _without_suite(options):
        folder = options.get("suite")
        return asked, load(Path(folder) if folder is not None else suite_folder())
    programs, servers = tuple(options.get("programs", ())), tuple(options.get("commands", ()))
    lines = programs or servers
    if (programs and servers) or workloads or options.get("contenders"):
        raise UserError("programs, commands or workloads: one of them races")
    if len(lines) < FEWEST:
        raise UserError("a race takes two; the first is the reference")
    names = named(lines, tuple(options.get("names", ())))
    wanted = AdHoc(
        tuple(Command(line, name, Path.cwd()) for line, name in zip(lines, names, strict=True)),
        _request(options) if servers else None,
        login=login,
    )
    recorded = ad_hoc.recorded((wanted,), view, answers_may_differ=options.get("answers_may_differ", False))
    return recorded.timed(asked), recorded.suite


def _request(options: Options) -> Request | Mix:
    """What servers are asked. Raises UserError."""
    file = options.get("requests")
    if file is None:
        return Request(path=options.get("path", "/"))
    given.refuse_beside_a_file(None, Path(file), others="path" in options)
    return sides.load_of(requests_file.read(Path(file)), Path.cwd())


def _without_suite(options: Options) -> bool:
    return bool(options.get("programs") or options.get("commands"))


def _as_command(workloads: Sequence[str], options: Options) -> tuple[str, ...]:
    """The command line that asks the same, as reports show it."""
    words = ["deadheat", "race", *workloads]
    several = {"programs": "--program", "commands": "--command", "names": "--name", "contenders": "-c"}
    for key, option in several.items():
        words += [word for value in options.get(key, ()) for word in (option, value)]  # type: ignore[attr-defined]
    for key in ("reference", "preset", "seed", "metric", "suite", "path", "requests", "login"):
        if (value := options.get(key)) is not None:
            words += [f"--{key}", str(value)]
    words += of_login(
        options.get("login_headers", {}), options.get("login_body"), options.get("login_take", {})
    )
    if (margin := options.get("margin")) is not None:
        words += ["--margin", f"{100 * margin:g}%"]
    if (budget_s := options.get("budget_s")) is not None:
        words += ["--budget", f"{budget_s:g}s"]
    if loads := options.get("connections"):
        words += ["--connections", ",".join(map(str, loads))]
    words += [f"--{flag}" for flag in ("tls", "http2") if options.get(flag)]
    for name, values in options.get("parameters", {}).items():
        words += ["--sweep", f"{name}={','.join(map(str, values))}"]
    return (*words, *(["--answers-may-differ"] if options.get("answers_may_differ") else []))
