"""deadheat race: the whole way from a suite to verdicts."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deadheat.cli import options, terminal
from deadheat.errors import ExitCode, UserError

if TYPE_CHECKING:
    from deadheat.live.watch import Watch
    from deadheat.planning import Asked
    from deadheat.planning.settings import RedisAsked
    from deadheat.report.live import View
    from deadheat.session import Outcome
    from deadheat.suite import Suite

NAME = "race"
PRESETS = ("quick", "standard", "thorough")
METHODS = ("deadheat", "as-published")


def run(
    workloads: Annotated[
        list[str] | None, typer.Argument(help="Workloads to race; all where none is named.")
    ] = None,
    contender: Annotated[
        list[str] | None, typer.Option("--contender", "-c", help="NAME or NAME:VARIANT; may be repeated.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Every contender and every variant.")] = False,
    preset: Annotated[str, typer.Option(help="quick, standard or thorough.")] = "quick",
    method: Annotated[
        str, typer.Option(help="deadheat, or as-published: as the studies' authors measured.")
    ] = "deadheat",
    budget: Annotated[str | None, typer.Option(help="Time to measure in all: 5m, 90s.")] = None,
    margin: Annotated[str, typer.Option(help="Differences below this do not matter.")] = "2%",
    seed: Annotated[int | None, typer.Option(help="Draws every order; random where not given.")] = None,
    server_cpus: Annotated[str | None, typer.Option(help="CPUs of the contenders: 0 or 0-1.")] = None,
    generator_cpus: Annotated[
        str | None, typer.Option(help="CPUs of the load generator and the referee.")
    ] = None,
    connections: Annotated[
        str | None, typer.Option(help="Connections to a server: 400, or 10,64,400 for a race at each.")
    ] = None,
    streams: Annotated[
        str | None, typer.Option(help="gRPC calls in flight on each connection: 50, or 1,10,50.")
    ] = None,
    scale: Annotated[
        bool,
        typer.Option("--scale", help="Servers on 1, 2, 4, ... cores, all but the load's: a race at each."),
    ] = False,
    claims: Annotated[
        str | None, typer.Option(metavar="STUDY", help="Race just what the claims of a study need.")
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Redis clients: that many pipelines in one process.")
    ] = None,
    pipeline_depth: Annotated[
        str | None, typer.Option(help="Redis clients: commands at a time, a race for each: 1,10,100.")
    ] = None,
    redis: Annotated[
        str | None, typer.Option(help="Redis clients: redis, valkey, sink; a race for each.")
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="Show the race to a browser on this machine.")] = False,
    live_port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="The port of --live; any free one where not given.")
    ] = None,
    db: options.DbOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan and stop.")] = False,
    resume: Annotated[str | None, typer.Option(help="Take up an interrupted run: its id, or latest.")] = None,
    json_: options.JsonOption = False,
    suite: options.SuiteOption = options.DEFAULT_SUITE,
    out: options.OutOption = options.DEFAULT_OUT,
) -> None:
    """Race contenders and print who is faster, by how much and how surely.

    \b
    Examples:
      deadheat race http-hello --preset standard
      deadheat race fib -c go -c crystal:no-debug --budget 2m --margin 1%
      deadheat race http-hello --connections 10,64,400
      deadheat race grpc-unary --scale
      deadheat race --claims go-vs-crystal-2020
      deadheat race --method as-published http-hello
      deadheat race redis-pipeline --pipeline-depth 1,10,100,1000,400000
      deadheat race --live
      deadheat race --db postgresql://deadheat@db.example/benchmarks
      deadheat race --resume latest
    """
    from deadheat import session  # noqa: PLC0415
    from deadheat.planning import Asked  # noqa: PLC0415
    from deadheat.suite import load  # noqa: PLC0415

    if preset not in PRESETS:
        raise UserError(f'no preset is called "{preset}"', hint="quick, standard or thorough")
    if method not in METHODS:
        raise UserError(f'no method is called "{method}"', hint="deadheat or as-published")
    if resume is not None:
        outcome = session.resume(out, resume, _view(), _watch(live, live_port), db)
    else:
        servers, generators = _cpus(server_cpus, generator_cpus, pinned=method == "deadheat", scale=scale)
        asked = Asked(
            workloads=tuple(workloads or ()),
            contenders=tuple(contender or ()),
            all_=all_,
            preset=preset,  # type: ignore[arg-type]
            method=method,  # type: ignore[arg-type]
            budget_s=options.duration_s(budget) if budget is not None else None,
            margin=options.share(margin),
            seed=seed,
            connections=options.counts(connections),
            streams=options.counts(streams),
            scale=scale,
            claims=claims,
            redis=_redis(redis, rounds, pipeline_depth),
            server_cpus=servers,
            generator_cpus=generators,
            command=("deadheat", *map(options.without_password, sys.argv[1:])),
        )
        loaded = load(suite)
        if dry_run:
            _print_plan(asked, loaded)
            return
        outcome = session.start(asked, loaded, out, _view(), _watch(live, live_port), db)
    _print(outcome, json_)
    raise typer.Exit(outcome.code)


def _cpus(
    servers: str | None, generators: str | None, *, pinned: bool, scale: bool
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Of the servers, and of the generator; where nothing is pinned both may use all."""
    from deadheat.machine import default_cpus  # noqa: PLC0415
    from deadheat.planning import scale as scaling  # noqa: PLC0415

    every = tuple(sorted(os.sched_getaffinity(0)))
    default = scaling.cpus(every) if scale else default_cpus()
    return (
        options.cpus(servers) if servers is not None else default.servers if pinned else every,
        options.cpus(generators) if generators is not None else default.generators if pinned else every,
    )


def _redis(servers: str | None, rounds: int | None, depths: str | None) -> RedisAsked:
    from deadheat.planning.settings import SERVERS, RedisAsked  # noqa: PLC0415

    named = [name.strip() for name in servers.split(",")] if servers is not None else []
    if unknown := [name for name in named if name not in SERVERS]:
        raise UserError(f'no Redis server is called "{unknown[0]}"', hint=", ".join(SERVERS))
    return RedisAsked(
        servers=tuple(server for server in SERVERS if server in named),
        rounds=rounds,
        depths=options.counts(depths),
    )


def _watch(live: bool, port: int | None) -> Watch | None:
    from deadheat.live.watch import Watch  # noqa: PLC0415

    return Watch(port or 0) if live or port is not None else None


def _view() -> View:
    from deadheat.report.live import LiveView, PlainView  # noqa: PLC0415

    console = terminal.stderr()
    return LiveView(console) if console.is_terminal else PlainView(console)


def _print_plan(asked: Asked, loaded: Suite) -> None:
    from deadheat import planning, session, stats  # noqa: PLC0415
    from deadheat.calibration import words  # noqa: PLC0415

    plan = session.planned(asked, loaded)
    terminal.stdout().file.write(plan.model_dump_json(by_alias=True, indent=2) + "\n")
    console = terminal.stderr()
    for race in plan.workloads:
        turns = race.blocks * race.rounds * 2 * len(race.entries)
        console.print(
            f"{race.key}: {len(race.entries)} entries, {race.blocks} blocks of {race.rounds} rounds, "
            f"{turns:,} turns, about {planning.estimated_s(race, plan.preset):.0f} s; "
            f"{stats.plan_looks(race.blocks).describe()}",
            highlight=False,
            markup=False,
        )
    console.print(words.sizing(plan.calibration), soft_wrap=True, highlight=False, markup=False)


def _print(outcome: Outcome, as_json: bool) -> None:
    from deadheat.report import terminal as table  # noqa: PLC0415

    if as_json:
        sys.stdout.write(outcome.folder.results_file.read_text())
    else:
        table.show(outcome.results, terminal.stdout())
    console = terminal.stderr()
    shown = Path(outcome.folder.path)
    console.print(
        f"report: {shown / 'report.html'} · to paste: {shown / 'report.md'} · "
        f"results: {shown / 'results.json'}",
        highlight=False,
        markup=False,
    )
    if outcome.results.stopped:
        console.print(
            f"resume: deadheat race --resume {shown}", soft_wrap=True, highlight=False, markup=False
        )
        return
    again = " ".join(outcome.results.command)
    if "--seed" not in outcome.results.command:
        again += f" --seed {outcome.results.seed}"
    console.print(f"again: {again}", soft_wrap=True, highlight=False, markup=False)
    if outcome.code == ExitCode.NOTHING_SETTLED:
        console.print(
            "nothing could be settled: a longer race may, --budget or --preset standard", highlight=False
        )
