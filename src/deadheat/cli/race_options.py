"""deadheat race: the options."""

from __future__ import annotations

from dataclasses import dataclass

from deadheat.cli import values
from deadheat.cli.ad_hoc_options import AdHocOptions
from deadheat.cli.command import argument, option
from deadheat.cli.on_cluster import ClusterOptions
from deadheat.cli.options import (
    JUDGED_BY_HELP,
    Cpus,
    Database,
    Json,
    RunsFolder,
    Sandboxed,
    Seed,
    SuiteFolder,
)
from deadheat.model.choices import JudgedBy, Method, Preset


@dataclass(frozen=True, kw_only=True)
class ParameterOptions:
    """Parameters of workloads, as their workload.toml declares them."""

    set_: tuple[tuple[str, tuple[str, ...]], ...] = option(
        "--set",
        type=values.ONE_VALUE,
        multiple=True,
        help="A workload's parameter; may be repeated. deadheat list --json shows them.",
    )
    sweep: tuple[tuple[str, tuple[str, ...]], ...] = option(
        "--sweep",
        "-L",
        type=values.SOME_VALUES,
        multiple=True,
        help="A race for each value of a parameter: depth=1,10,100; connections and streams are some "
        "everywhere, and what a --program or a --command has in braces; may be repeated.",
    )


@dataclass(frozen=True, kw_only=True)
class LiveOptions:
    """The page of a race under way."""

    live: bool = option(is_flag=True, help="Show the race to a browser on this machine.")
    live_port: int | None = option(
        type=values.PORT,
        metavar="N",
        help="The port of --live; any free one where not given.",
    )


@dataclass(frozen=True, kw_only=True)
class RaceOptions(
    Cpus,
    Seed,
    AdHocOptions,
    ParameterOptions,
    LiveOptions,
    ClusterOptions,
    Database,
    SuiteFolder,
    Sandboxed,
    RunsFolder,
    Json,
):
    workloads: tuple[str, ...] = argument(
        nargs=-1, metavar="[WORKLOAD]...", help="Workloads to race; all where none is named."
    )
    contender: tuple[str, ...] = option(
        "--contender", "-c", multiple=True, metavar="NAME", help="NAME or NAME:VARIANT; may be repeated."
    )
    reference: str | None = option(
        metavar="NAME", help="Held against this contender, where the workload has it; else its own reference."
    )
    all: bool = option(is_flag=True, help="Every contender and every variant.")
    preset: Preset = option(
        type=values.OneOf(Preset, "preset"),
        default="quick",
        show_default=True,
        help="How long and how much: blocks, sizes, settings.",
    )
    method: Method = option(
        type=values.OneOf(Method, "method"),
        default="deadheat",
        show_default=True,
        help="Ours, or as the studies' authors measured.",
    )
    metric: JudgedBy | None = option(
        type=values.OneOf(JudgedBy, "metric"),
        help=f"{JUDGED_BY_HELP} Default: throughput; cpu where a database shares the load's only CPU.",
    )
    budget: float | None = option(type=values.DURATION_S, help="Time to measure in all: 5m, 90s.")
    margin: float = option(
        type=values.SHARE,
        default="2%",
        show_default=True,
        help="Differences below this do not matter.",
    )
    connections: tuple[int, ...] = option(
        type=values.COUNTS,
        default=(),
        help="Connections to a server: 400, or 10,64,400 for a race at each.",
    )
    streams: tuple[int, ...] = option(
        type=values.COUNTS,
        default=(),
        help="gRPC calls, or commands of Redis, in flight on each connection: 50, or 1,10,50.",
    )
    scale: bool = option(
        is_flag=True, help="Servers on 1, 2, 4, ... cores, all but the load's: a race at each."
    )
    tls: bool = option(is_flag=True, help="HTTP servers over TLS: those whose contender.toml says how.")
    http2: bool = option(
        is_flag=True,
        help="HTTP servers over HTTP/2, with --tls agreed on by ALPN; without it in the clear (h2c).",
    )
    claims: str | None = option(metavar="STUDY", help="Race just what the claims of a study need.")
    to_the_end: bool = option(
        is_flag=True, help="Race every planned block, though all is settled: for runs that are to be merged."
    )
    rank: bool = option(is_flag=True, help="Judge all pairs, and number the contenders by that.")
    dry_run: bool = option(is_flag=True, help="Print the plan and stop; the whole of it with --json.")
    resume: str | None = option(metavar="RUN", help="Take up an interrupted run: its id, or latest.")
    more: str | None = option(
        metavar="RUN", help="Add blocks to a run with something open, up to the most it was planned with."
    )
