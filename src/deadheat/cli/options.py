"""Options that several verbs share, each said once: a verb's options inherit the groups that it takes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from deadheat.cli import values
from deadheat.cli.command import argument, option
from deadheat.util import paths

_PATH = click.Path(path_type=Path)
# Of `race` and `ab`, whose verdicts are about one figure each.
JUDGED_BY_HELP = (
    "What is judged: throughput (of a program its time), p50, p90, p99 (at equal load), cpu, memory, startup "
    "or size."
)


@dataclass(frozen=True, kw_only=True)
class SuiteFolder:
    suite: Path = option(
        type=_PATH,
        default=paths.suite_folder,
        show_default="suite, else the one that came with deadheat",
        envvar="DEADHEAT_SUITE",
        show_envvar=True,
        help="The folder of workloads.",
    )


@dataclass(frozen=True, kw_only=True)
class Sandboxed:
    sandbox: bool = option(
        is_flag=True,
        help="For a suite of others, whose programs else have your rights: all of it within bubblewrap, with "
        "no network but loopback (deadheat build has one), and only runs and builds can be written.",
    )


@dataclass(frozen=True, kw_only=True)
class RunsFolder:
    out: Path = option(
        type=_PATH,
        default=paths.runs_folder,
        show_default="runs beside a suite, else in the user's data folder",
        envvar="DEADHEAT_RUNS",
        show_envvar=True,
        help="Where runs are kept.",
    )


@dataclass(frozen=True, kw_only=True)
class Json:
    json: bool = option(is_flag=True, help="Print JSON instead of a table.")


@dataclass(frozen=True, kw_only=True)
class Database:
    db: str | None = option(
        metavar="FILE|URL",
        envvar="DEADHEAT_DB",
        show_envvar=True,
        help="The history: a file, or postgresql://user@host/name; history.sqlite in the runs folder where "
        "not given.",
    )


@dataclass(frozen=True, kw_only=True)
class OwnDatabase:
    db_url: str | None = option(
        metavar="URL",
        help="Your own PostgreSQL in the place of the one that the referee starts, for workloads with a "
        "database: postgresql://user@host/name, whose user may make databases; each contender has one of its "
        "own there, which is dropped.",
    )


@dataclass(frozen=True, kw_only=True)
class OneRun:
    run: str = argument(
        default="latest", help="Its id, its folder, or latest, which it is where none is named."
    )


@dataclass(frozen=True, kw_only=True)
class SomeContenders:
    contenders: tuple[str, ...] = argument(
        nargs=-1, metavar="[NAME]...", help="NAME or NAME:VARIANT; all where none is named."
    )


@dataclass(frozen=True, kw_only=True)
class Cpus:
    """Which CPUs are whose; None is the machine's default."""

    server_cpus: tuple[int, ...] | None = option(type=values.CPUS, help="CPUs of the servers: 0, 0,2 or 0-1.")
    generator_cpus: tuple[int, ...] | None = option(
        type=values.CPUS, help="CPUs of the load generator and the referee."
    )


@dataclass(frozen=True, kw_only=True)
class Seed:
    seed: int | None = option(type=int, metavar="N", help="Draws every order; random where not given.")


@dataclass(frozen=True, kw_only=True)
class Services:
    """What commands that no suite knows have beside them."""

    service: tuple[str, ...] = option(
        multiple=True,
        metavar="NAME",
        help="Beside each, one of its own, fresh in each block: postgres, redis or valkey, as installed; its "
        "address is {postgres} in lines, and in the environment as clients look for it; may be repeated.",
    )
    fixture: str | None = option(
        metavar="LINE", help="By a shell, what fills the --service: 'psql -f schema.sql'."
    )


@dataclass(frozen=True, kw_only=True)
class CallParts:
    """What servers that no suite knows are asked by another protocol than HTTP: gRPC, or Redis'."""

    proto: Path | None = option(
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        metavar="FILE",
        help="The contract of each --command, where they are gRPC servers.",
    )
    call: str | None = option(
        metavar="PACKAGE.SERVICE/METHOD", help="The unary method of it that they are called by."
    )
    data: str = option(
        default="{}", show_default=True, metavar="JSON", help="Its request, as protobuf's JSON."
    )
    redis: tuple[str, ...] = option(
        multiple=True,
        metavar="COMMAND",
        help="What each --command is sent over Redis' protocol: 'SET key value'; may be repeated.",
    )


@dataclass(frozen=True, kw_only=True)
class RequestParts:
    """What servers that no suite knows are asked, beside method and path."""

    header: tuple[tuple[str, str], ...] = option(
        "--header", "-H", type=values.HEADER, multiple=True, help="A header of the request; may be repeated."
    )
    body: str | None = option(metavar="TEXT", help="The body of the request.")
    values: Path | None = option(
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        metavar="FILE",
        help="A CSV of which each request takes a row at random: {column} in path, headers and body.",
    )


@dataclass(frozen=True, kw_only=True)
class LoadParts:
    """Several requests that servers are asked in one load, and what signs in before any."""

    requests: Path | None = option(
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Several requests as one load, by weight: a JSON object a line, as deadheat-load --requests has "
        "them, lines of curl, or an HTTP Archive.",
    )
    login: str | None = option(
        metavar="REQUEST",
        help="Asked at each start, before the requests, which have what it answers in braces: 'POST /login'.",
    )
    login_header: tuple[tuple[str, str], ...] = option(
        type=values.HEADER, multiple=True, help="A header of the --login; may be repeated."
    )
    login_body: str | None = option(metavar="TEXT", help="The body of the --login.")
    login_take: tuple[tuple[str, str], ...] = option(
        type=values.TAKE,
        multiple=True,
        help="What of its answer is {NAME} in requests: 'session=cookie session_id', "
        "'csrf=header X-CSRF-Token', 'bearer=json $.token'; may be repeated.",
    )
