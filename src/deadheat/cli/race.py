"""deadheat race: the whole way from a suite to verdicts."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from deadheat.cli import ad_hoc, on_cluster, terminal, values
from deadheat.cli.command import command
from deadheat.cli.race_options import LiveOptions, RaceOptions
from deadheat.errors import ExitCode, UserError
from deadheat.model import http_protocol

if TYPE_CHECKING:
    from deadheat.app.race import Raced
    from deadheat.hosts import cpus as host_cpus
    from deadheat.live.watch import Watch
    from deadheat.plan import Asked
    from deadheat.suite.ad_hoc import AdHoc
    from deadheat.suite.suite import Suite

# Of the load: every server has them, though no workload.toml declares them.
LOADS = ("connections", "streams")


def run(options: RaceOptions) -> None:
    """Race contenders: who is faster, by how much and how surely.

    \b
    Examples:
      deadheat race http-hello --preset standard
      deadheat race fib -c go -c crystal:no-debug --budget 2m --margin 1%
      deadheat race http-hello --reference node-http
      deadheat race http-hello --connections 10,64,400
      deadheat race grpc-unary --scale
      deadheat race http-hello --tls --http2
      deadheat race http-hello --metric p99
      deadheat race --claims go-vs-crystal-2020
      deadheat race http-hello --all --rank
      deadheat race --method as-published http-hello
      deadheat race redis-pipeline --sweep depth=1,10,100,1000,400000
      deadheat race http-hello --sweep connections=1,16,64,256
      deadheat race --live
      deadheat race --program 'sort big.txt' --program 'sort -S1G big.txt'
      deadheat race --program './a {n}' --program './b {n}' -L n=10,100 --prepare 'sync'
      deadheat race --command './a {port}' --command './b {port}' --path /users
      deadheat race --command './a {port}' --command './b {port}' --request copied.curl
      deadheat race --command './a {port}' --command './b {port}' --proto x.proto --call x.Y/Z
      deadheat race --command 'redis-server --port {port}' --command './mine {port}' --redis 'GET key'
      deadheat race --command './a' --command './b' --path '/users/{id}' --values users.csv
      deadheat race --command './a' --command './b' --requests mix.jsonl
      deadheat race --command './a' --command './b' --path '/{id}' --login /login --login-take 'id=json $.id'
      deadheat race --command './a' --command './b' --service postgres --fixture 'psql -f schema.sql'
      deadheat race --url http://127.0.0.1:3000 --url http://127.0.0.1:4000 -n main -n branch
      deadheat race --url http://10.0.0.5:3000 --url http://10.0.0.6:3000 --remote
      deadheat race http-hello --cluster 10.0.0.1:6379 --machines 4
      deadheat race --db postgresql://deadheat@db.example/benchmarks
      deadheat race app-db --db-url postgresql://me@127.0.0.1/postgres
      deadheat race --suite theirs --sandbox
      deadheat race --resume latest
      deadheat race --more latest
    """
    from deadheat.app import race as races

    if options.resume is not None and options.more is not None:
        raise UserError("--resume and --more are two", hint="--more takes up an interrupted run too")
    if options.cluster is not None:
        on_cluster.race(options, options.cluster, lambda: _asked(options))
    on_cluster.refuse_alone(options)
    if options.sandbox:
        _enter_sandbox(options)
    if (taken_up := options.more or options.resume) is not None:
        more = options.more is not None
        view, watch = terminal.view(), _watch(options)
        raced = races.resume(options.out, taken_up, view, watch, options.db, more=more, db_url=options.db_url)
    else:
        asked, suite = _what(options)
        if options.dry_run:
            _print_plan(asked, suite, options)
            return
        raced = races.start(
            asked,
            suite,
            options.out,
            terminal.view(),
            _watch(options),
            options.db,
            db_url=options.db_url,
            remote=options.remote,
        )
    _print(raced, as_json=options.json)
    raise click.exceptions.Exit(raced.code)


def _enter_sandbox(options: RaceOptions) -> None:
    """Raises UserError for what leads out of it, and where there is none."""
    from deadheat.hosts import sandbox

    outside = {
        "--url": options.url,
        "--live": options.live or options.live_port is not None,
        "--db": options.db,
        "--db-url": options.db_url,
    }
    if found := [name for name, given in outside.items() if given]:
        raise UserError(f"--sandbox has no network but its own loopback, and so no {found[0]}")
    out = options.out.absolute()
    walls = sandbox.Walls((out,), (options.suite,))
    sandbox.enter(walls, terminal.say, {"DEADHEAT_RUNS": str(out)})


def _what(options: RaceOptions) -> tuple[Asked, Suite]:
    """What is asked, of a suite or of the commands of the command line. Raises UserError."""
    from deadheat.suite.suite import load

    asked, wanted = _asked(options), _ad_hoc(options)
    if wanted is None:
        return asked, load(options.suite)
    recorded = ad_hoc.recorded(wanted, options)
    return recorded.timed(asked), recorded.suite


def _asked(options: RaceOptions) -> Asked:
    from deadheat.plan import Asked

    if options.metric not in (None, "throughput") and (options.claims or options.method != "deadheat"):
        raise UserError("--metric is of our own method; claims and studies have figures of their own")
    protocol = http_protocol.asked(tls=options.tls, http2=options.http2)
    if protocol is not None and (options.claims or options.method != "deadheat"):
        raise UserError(
            "--tls and --http2 are of our own method; claims and studies have HTTP/1.1 in the clear"
        )
    cpus, usable = _cpus(options)
    has_suite = not (options.command or options.program or options.url)
    parameters, loads = _parameters(options)
    return Asked(
        workloads=options.workloads,
        contenders=options.contender,
        reference=options.reference,
        all_=options.all or not has_suite,
        preset=options.preset,
        method=options.method,
        budget_s=options.budget,
        margin=options.margin,
        seed=options.seed,
        connections=loads["connections"],
        streams=loads["streams"],
        scale=options.scale,
        protocol=protocol,
        judged_by=options.metric,
        claims=options.claims,
        rank=options.rank,
        until="the end" if options.to_the_end else "settled or hopeless",
        parameters=parameters,
        server_cpus=cpus.servers,
        generator_cpus=cpus.generators,
        services_cpus=cpus.services,
        usable_cpus=usable,
        command=("deadheat", *values.without_passwords(sys.argv[1:])),
    )


def _ad_hoc(options: RaceOptions) -> AdHoc | None:
    """The commands of the command line, None where it names none. Raises UserError."""
    wanted = ad_hoc.asked(options, _parameters(options)[0])
    if wanted is not None and (
        options.workloads or options.contender or options.claims or options.method != "deadheat"
    ):
        kind = "--program" if options.program else "--url" if options.url else "--command"
        raise UserError(
            f"{kind} races without a suite",
            hint="leave out workloads, -c, --claims and --method, or name a suite",
        )
    if wanted is not None and (options.tls or options.http2):
        raise UserError(
            "--tls and --http2 are of contenders of a suite, whose contender.toml says how they serve them",
            hint="--url https://... is checked and loaded over TLS",
        )
    return wanted


def _cpus(options: RaceOptions) -> tuple[host_cpus.Cpus, tuple[int, ...]]:
    """Of servers and generator (where nothing is pinned both may use all) and services, and all that there
    are: the servers' first, then whole cores."""
    from deadheat.hosts import cpus
    from deadheat.hosts.held import this_host

    if options.cluster is not None:  # each machine has CPUs of its own to choose from
        return cpus.Cpus(options.server_cpus or (), options.generator_cpus or ()), ()
    cores = this_host().cores()
    every, scaled = cpus.all_of(cores), cpus.scale_cpus(cores)
    usual = scaled if options.scale else cpus.default_cpus(cores)
    if options.method != "deadheat":
        usual = cpus.Cpus(every, every)
    chosen = cpus.chosen_cpus(cores, options.server_cpus, options.generator_cpus, usual)
    return chosen, tuple(dict.fromkeys([*chosen.servers, *scaled.servers, *every]))


def _parameters(options: RaceOptions) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[int, ...]]]:
    """The values by name, and those of the load. Raises UserError for one that is given twice."""
    given = [*options.set_, *options.sweep]
    names = [name for name, _ in given]
    names += [name for name in LOADS if getattr(options, name)]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UserError(f"{twice[0]} is given twice", hint=f"--sweep {twice[0]}=VALUE,... races each value")
    loads = {name: getattr(options, name) for name in LOADS}
    loads |= {name: values.counts(",".join(words)) for name, words in given if name in LOADS}
    return {name: words for name, words in given if name not in LOADS}, loads


def _watch(options: LiveOptions) -> Watch | None:
    from deadheat.live.watch import Watch

    wanted = options.live or options.live_port is not None
    return Watch(options.live_port or 0) if wanted else None


def _print_plan(asked: Asked, suite: Suite, options: RaceOptions) -> None:
    from deadheat.app import race as races
    from deadheat.report import planned

    plan = races.planned(asked, suite, db_url=options.db_url, remote=options.remote)
    if options.json:
        terminal.line(plan.model_dump_json(by_alias=True, indent=2))
        return
    shapes = suite.study(asked.claims).shape if asked.claims is not None else ()
    for sentence in planned.sentences(plan, shapes, len(asked.usable_cpus)):
        terminal.line(sentence)


def _print(raced: Raced, *, as_json: bool) -> None:
    folder = Path(raced.folder.path)
    terminal.results(raced.folder, as_json=as_json)
    terminal.say(
        f"report: {folder / 'report.html'} · to paste: {folder / 'report.md'} · "
        f"results: {folder / 'results.json'}"
    )
    if raced.results.stopped:
        terminal.say(f"resume: deadheat race --resume {folder}")
        return
    again = shlex.join(raced.results.command)
    if "--seed" not in raced.results.command:
        again += f" --seed {raced.results.seed}"
    terminal.say(f"again: {again}")
    if raced.more:
        races = ", ".join(f"{race} up to {blocks} blocks" for race, blocks in raced.more.items())
        terminal.say(f"more: deadheat race --more {folder} ({races})")
    if raced.code == ExitCode.NOTHING_JUDGED:
        terminal.say(
            "nothing could be judged: the broken gates above say why; race longer, or at a quieter hour"
        )


COMMAND = command("race", RaceOptions, run, linux=True)
