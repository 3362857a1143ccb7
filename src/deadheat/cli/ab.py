"""deadheat ab: is this branch slower than main?"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from deadheat.cli import terminal, values
from deadheat.cli.command import argument, command, option
from deadheat.cli.options import (
    JUDGED_BY_HELP,
    CallParts,
    Cpus,
    Database,
    Json,
    LoadParts,
    RequestParts,
    RunsFolder,
    Seed,
    Services,
)
from deadheat.errors import UserError
from deadheat.model.choices import JudgedBy

if TYPE_CHECKING:
    from deadheat.app.ab import Compared, Wanted
    from deadheat.app.sides import Given
    from deadheat.model.condition import FigureName

CONDITIONS = "slower, p50, p90, p99, cpu, memory, startup or size"


@dataclass(frozen=True, kw_only=True)
class BuildOptions(RequestParts, LoadParts, CallParts, Services):
    """What a bench file says, for who has none or means something else."""

    build: str | None = option(metavar="LINE", help="How a revision is built, by a shell.")
    artifact: str | None = option(
        metavar="FILE", help="What a build makes; by default what --command begins with."
    )
    command: str | None = option(
        metavar="LINE", help="The server: './app {port}', or one that reads PORT; asked for --path."
    )
    program: str | None = option(metavar="LINE", help="A program that is run to its end instead.")
    containerfile: str | None = option(
        metavar="FILE",
        help="The server is in a container of podman or docker: each revision's image is built of this file.",
    )
    image_port: int | None = option(
        type=values.PORT,
        metavar="N",
        help="Where such a server listens, if it does not read PORT; published on loopback, which costs.",
    )
    port: int | None = option(
        type=values.PORT,
        metavar="N",
        help="Where the --command listens, if it takes no port: as root each has a network of its own.",
    )
    config_template: str | None = option(
        metavar="FILE",
        help="A file of the repository that says {port}; {config} in the line is its copy that says one.",
    )
    shell: bool = option(is_flag=True, help="Run --command or --program by a shell.")
    copy: tuple[str, ...] = option(
        multiple=True, metavar="FILE", help="A file that git ignores and a build needs; may be repeated."
    )
    connections: int | None = option(type=click.IntRange(min=1), metavar="N", help="To the server.")
    path: str | None = option(metavar="PATH", help="What the server is asked for; / where nothing says it.")
    request_method: str | None = option("--request-method", "-X", metavar="METHOD", help="How it is asked.")
    request: Path | None = option(
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Requests as a browser copies them: lines of curl, or an HTTP Archive; each is raced.",
    )
    answers_may_differ: bool = option(is_flag=True, help="Compare the status alone with BASE's answers.")


@dataclass(frozen=True, kw_only=True)
class AbOptions(BuildOptions, Cpus, Seed, Database, RunsFolder, Json):
    base: str | None = argument(
        required=False,
        metavar="[BASE]",
        help="What is compared with; where HEAD left the default branch, if none is named.",
    )
    head: str = argument(
        default=".", metavar="[HEAD]", help="What is compared; the working tree, if none is named."
    )
    budget: float = option(
        type=values.DURATION_S, default="5m", show_default=True, help="Time to measure in all, builds apart."
    )
    margin: float = option(
        type=values.SHARE, default="2%", show_default=True, help="Differences below this do not matter."
    )
    metric: JudgedBy = option(
        type=values.OneOf(JudgedBy, "metric"), default="throughput", show_default=True, help=JUDGED_BY_HELP
    )
    fail_if: tuple[tuple[FigureName, float], ...] = option(
        type=values.CONDITION,
        multiple=True,
        help=f"Exit with 1 where the change is real and estimated worse than that: 'slower > 3%'; of "
        f"{CONDITIONS}; may be repeated.",
    )
    fail_if_surely: tuple[tuple[FigureName, float], ...] = option(
        type=values.CONDITION,
        multiple=True,
        help="Exit with 1 only where the whole interval is worse than that; may be repeated.",
    )
    fail_if_inconclusive: bool = option(
        is_flag=True, help="Exit with 4 where nobody can tell whether a condition holds."
    )
    bisect: bool = option(
        is_flag=True, help="For git bisect run: exit with 0, 1, or 125 where a commit cannot be judged."
    )
    set_: tuple[tuple[str, str, str], ...] = option(
        "--set",
        type=values.SIDE_VALUE,
        multiple=True,
        help="For one side alone, A (BASE) or B (HEAD): A.env.GOGC=off, B.build=LINE; may be repeated.",
    )
    ci: Path | None = option(
        type=click.Path(path_type=Path, file_okay=False),
        metavar="FOLDER",
        help="In a job of GitHub Actions or GitLab CI: compare what it is about, and leave its results, a "
        "summary and JUnit there.",
    )
    race_the_same: bool = option(is_flag=True, help="Race even where both are the same program.")


def run(options: AbOptions) -> None:
    """Compare two revisions of your repository: is this branch slower than main?

    Each is built in a checkout of its own, bench/deadheat.toml says how (or --build and --command), and both
    are raced. The answer is one sentence.

    \b
    Examples:
      deadheat ab
      deadheat ab main --fail-if 'slower > 3%'
      deadheat ab v1.2 v1.3 --budget 10m
      deadheat ab main --build 'cargo build --release' --command './target/release/app {port}' --path /users
      deadheat ab main --containerfile Containerfile --path /users
      deadheat ab --requests mix.jsonl --login 'POST /login' --login-take 'session=cookie session_id'
      deadheat ab --metric memory --margin 5%
      deadheat ab --service postgres --fixture 'psql -f db/schema.sql'
      deadheat ab HEAD~1 --program './sort.py big.txt' --fail-if 'memory > 10%'
      deadheat ab . --set A.env.GOGC=off
      deadheat ab --ci deadheat-result --fail-if 'slower > 3%'
      git bisect run deadheat ab v1.2 --bisect --fail-if 'slower > 10%'
    """
    from deadheat.app import ab, bisecting, ci

    wanted = _wanted(options)
    if options.ci is not None:
        if options.bisect:
            raise UserError("--bisect is for git bisect run, --ci for a job of a pull request")
        job = ci.Job(options.ci, os.environ, Path.cwd())
        compared, code = job.compare(
            wanted, terminal.view(), options.db, fail_if_inconclusive=options.fail_if_inconclusive
        )
        _print(compared, as_json=options.json)
        raise click.exceptions.Exit(code)
    if options.bisect:
        step = bisecting.step(wanted, Path.cwd(), options.out, terminal.view(), options.db)
        if step.error is not None:
            terminal.print_error(step.error.message, step.error.hint)
        if step.compared is not None:
            _print(step.compared, as_json=options.json)
        raise click.exceptions.Exit(step.code)
    compared = ab.compare(wanted, Path.cwd(), options.out, terminal.view(), options.db)
    _print(compared, as_json=options.json)
    raise click.exceptions.Exit(ab.code_of(compared, fail_if_inconclusive=options.fail_if_inconclusive))


def _wanted(options: AbOptions) -> Wanted:
    from deadheat.app.ab import Wanted
    from deadheat.hosts.cpus import chosen_cpus
    from deadheat.hosts.held import this_host
    from deadheat.model.condition import Condition, figure_of
    from deadheat.plan import Asked

    cpus = chosen_cpus(this_host().cores(), options.server_cpus, options.generator_cpus)
    conditions = [
        Condition(figure=figure, threshold=threshold, surely=surely)
        for given, surely in ((options.fail_if, False), (options.fail_if_surely, True))
        for figure, threshold in given
    ]
    return Wanted(
        base=options.base,
        head=options.head,
        given=_given(options),
        asked=Asked(
            budget_s=options.budget,
            margin=options.margin,
            seed=options.seed,
            server_cpus=cpus.servers,
            generator_cpus=cpus.generators,
            services_cpus=cpus.services,
            command=("deadheat", *values.without_passwords(sys.argv[1:])),
        ),
        conditions=conditions,
        by=figure_of(options.metric),
        answers_may_differ=options.answers_may_differ,
        race_the_same=options.race_the_same,
    )


def _given(options: AbOptions) -> Given:
    """What of a bench file the command line says. Raises UserError."""
    from deadheat.app.given import Said, given
    from deadheat.app.sides import Setting

    tables: dict[str, Any] = {
        "headers": dict(options.header),
        "login_headers": dict(options.login_header),
        "login_take": dict(options.login_take),
    }
    own = {name: getattr(options, name) for name in Said.__dataclass_fields__.keys() - tables}
    settings = [Setting("A" if side == "A" else "B", key, value) for side, key, value in options.set_]
    return given(Said(**own, **tables), settings)


def _print(compared: Compared, *, as_json: bool) -> None:
    from deadheat.report import revisions

    if as_json:
        terminal.line(compared.comparison.model_dump_json(by_alias=True, indent=2))
    else:
        for text in revisions.lines(compared.comparison):
            terminal.line(text)
    if compared.raced is not None:
        folder = Path(compared.raced.folder.path)
        terminal.say(f"report: {folder / 'report.html'} · results: {folder / 'ab.json'}")


COMMAND = command("ab", AbOptions, run, linux=True)
