"""Commands and servers that are raced without a suite: the options."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from deadheat.cli import values
from deadheat.cli.command import option
from deadheat.cli.options import CallParts, LoadParts, OwnDatabase, RequestParts, Services


@dataclass(frozen=True, kw_only=True)
class AdHocOptions(RequestParts, LoadParts, CallParts, Services, OwnDatabase):
    """Commands to race without a suite."""

    command: tuple[str, ...] = option(
        multiple=True,
        metavar="LINE",
        help="A server to race without a suite: './a {port}', or one that reads PORT; twice at least, the "
        "first is the reference.",
    )
    program: tuple[str, ...] = option(
        multiple=True,
        metavar="LINE",
        help="A program to race without a suite, run to its end; twice at least, the first is the reference.",
    )
    url: tuple[str, ...] = option(
        multiple=True,
        metavar="URL",
        help="A server that runs already, http://127.0.0.1:3000 or https://[::1]:3000: metered, never "
        "started, never ended; twice at least, the first is the reference.",
    )
    image: tuple[str, ...] = option(
        multiple=True,
        metavar="LINE",
        help="A server in a container of podman or docker: 'app:v2', 'NAME=value app:v2 --port {port}'; an "
        "image that is here, and that reads PORT unless --image-port says where it listens. After each "
        "--command, if there are such.",
    )
    image_port: int | None = option(
        type=values.PORT,
        metavar="N",
        help="Where each --image listens in a network of its own; published on loopback, which costs.",
    )
    port: int | None = option(
        type=values.PORT,
        metavar="N",
        help="Where each --command listens, if it takes no port: as root each has a network of its own.",
    )
    config_template: tuple[Path, ...] = option(
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        multiple=True,
        metavar="FILE",
        help="A file that says {port}; {config} in a --command or --program is its copy that says one. Once "
        "for all, or once for each, in order.",
    )
    remote: bool = option(
        is_flag=True,
        help="Let a --url, or the PostgreSQL of --db-url, be of another machine: CPU time and memory of a "
        "--url are then not known. Load on a server that is not yours is an attack.",
    )
    insecure: bool = option(is_flag=True, help="Take any certificate of an https --url.")
    cacert: Path | None = option(
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        metavar="FILE",
        help="The authorities that an https --url is trusted by (PEM); else the public ones.",
    )
    freeze: bool = option(
        is_flag=True, help="Stop (SIGSTOP) each --url while it is another's turn; else it is idle, and runs."
    )
    name: tuple[str, ...] = option(
        "--name",
        "-n",
        multiple=True,
        metavar="NAME",
        help="What a --command, --image, --program or --url is called, in order.",
    )
    shell: bool = option(is_flag=True, help="Run each --command or --program by a shell.")
    no_shell: bool = option(
        "--no-shell", "-N", is_flag=True, help="Run them by no shell, as they are anyway: hyperfine's word."
    )
    setup: str | None = option(
        metavar="LINE", help="By a shell, before a --program's first invocation in each block; not timed."
    )
    prepare: tuple[str, ...] = option(
        multiple=True,
        metavar="LINE",
        help="By a shell, before each invocation; once for all programs, or once for each, in order.",
    )
    conclude: tuple[str, ...] = option(
        multiple=True, metavar="LINE", help="By a shell, after each invocation; once for all, or for each."
    )
    cleanup: str | None = option(
        metavar="LINE", help="By a shell, after a --program's last invocation in each block."
    )
    path: str = option(
        default="/", show_default=True, metavar="PATH", help="What each --command or --url is asked for."
    )
    request_method: str = option(
        "--request-method", "-X", default="GET", show_default=True, metavar="METHOD", help="How it is asked."
    )
    request: Path | None = option(
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="That request as a browser copies it: a line of curl, or an HTTP Archive of one.",
    )
    answers_may_differ: bool = option(
        is_flag=True,
        help="Compare the status alone (of programs the exit status), not with the first's answer.",
    )
