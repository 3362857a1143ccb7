"""deadheat explain: why one is faster than another."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from deadheat.cli import options, terminal
from deadheat.errors import ExitCode

NAME = "explain"


def run(
    a: Annotated[str, typer.Argument(help="NAME or NAME:VARIANT.", show_default=False)],
    b: Annotated[str, typer.Argument(help="Another of the same workload.", show_default=False)],
    workload: Annotated[str | None, typer.Option(help="Where both are in several workloads: which.")] = None,
    seconds: Annotated[
        float, typer.Option(min=0.2, max=60, help="How long each instrument loads a server.")
    ] = 3.0,
    json_: options.JsonOption = False,
    suite: options.SuiteOption = options.DEFAULT_SUITE,
    out: options.OutOption = options.DEFAULT_OUT,
) -> None:
    """Run two contenders once more under instruments, and print what differs a request.

    \b
    Examples:
      deadheat explain go-net-http crystal-http-server
      deadheat explain go-grpc rust-tonic --workload grpc-unary
      deadheat explain go crystal --workload fib
    """
    from deadheat.explain import session  # noqa: PLC0415
    from deadheat.explain import terminal as page  # noqa: PLC0415
    from deadheat.interrupt import InterruptedRunError  # noqa: PLC0415
    from deadheat.suite import load  # noqa: PLC0415

    err = terminal.stderr()
    wanted = session.Wanted(a, b, workload, seconds, out, ("deadheat", *sys.argv[1:]))
    try:
        explained = session.explain(
            wanted, load(suite), lambda text: err.print(text, soft_wrap=True, highlight=False, markup=False)
        )
    except InterruptedRunError:
        err.print("interrupted: nothing is kept", highlight=False)
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    if json_:
        sys.stdout.write(json.dumps(explained.page.to_dict(), indent=2, ensure_ascii=False) + "\n")
    else:
        page.show(explained.page, terminal.stdout())
    err.print(f"page: {explained.folder / 'explain.md'}", soft_wrap=True, highlight=False, markup=False)
