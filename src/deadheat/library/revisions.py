"""Two revisions of a repository compared from Python, by the code that `deadheat ab` calls."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, TypedDict, Unpack

from deadheat.app import ab as comparing
from deadheat.app import bisecting, commenting
from deadheat.app.ci import Job
from deadheat.app.given import Said, given
from deadheat.app.sides import Given, Letter, Setting
from deadheat.errors import BISECT_STOPS, UserError
from deadheat.hosts.cpus import default_cpus
from deadheat.hosts.held import this_host
from deadheat.library.races import SECRET, Logged, of_login, refuse_unknown
from deadheat.library.run import Run
from deadheat.model import ab as found
from deadheat.model.choices import CommentWhen, JudgedBy
from deadheat.model.condition import FIGURES, Condition, FigureName, figure_of
from deadheat.plan import Asked
from deadheat.report import revisions as words
from deadheat.run.progress import View
from deadheat.util.paths import runs_folder

BUDGET_S = 300.0
# Options that name one.
FILES = ("values", "request", "requests", "proto")


class AbOptions(TypedDict, total=False):
    """What a comparison may be asked; each as the option of `deadheat ab` of that name.

    `build` to `fixture` are what `bench/deadheat.toml` says otherwise; `values`, `request`, `requests` and
    `proto` are files, and `login_take` says by their names where values of the login's answer are:
    `{"session": "cookie session_id"}`. `budget_s` is in seconds, `margin` a share, `fail_if` and
    `fail_if_surely` are shares by figure: `{"slower": 0.03}`. `env_a` (of BASE) and `env_b` (of HEAD) are set
    for one side alone.
    """

    build: str | None
    artifact: str | None
    command: str | None
    program: str | None
    containerfile: str | None
    image_port: int | None
    port: int | None
    config_template: str | None
    shell: bool
    copy: Sequence[str]
    path: str | None
    request_method: str | None
    headers: Mapping[str, str]
    body: str | None
    values: str | os.PathLike[str] | None
    request: str | os.PathLike[str] | None
    requests: str | os.PathLike[str] | None
    login: str | None
    login_headers: Mapping[str, str]
    login_body: str | None
    login_take: Mapping[str, str]
    proto: str | os.PathLike[str] | None
    call: str | None
    data: str
    redis: Sequence[str]
    service: Sequence[str]
    fixture: str | None
    connections: int | None
    env_a: Mapping[str, str]
    env_b: Mapping[str, str]
    budget_s: float
    margin: float
    metric: JudgedBy
    fail_if: Mapping[FigureName, float]
    fail_if_surely: Mapping[FigureName, float]
    fail_if_inconclusive: bool
    seed: int | None
    answers_may_differ: bool
    race_the_same: bool


@dataclass(frozen=True)
class Comparison:
    """What came of it: `found` is `ab.json`, `run` the race, None where there was nothing to race, `code`
    what the command ends with (1 where a condition fails). Shown, it is what `deadheat ab` prints."""

    found: found.Comparison
    run: Run | None
    code: int

    @property
    def failed(self) -> bool:
        """Whether a condition fails."""
        return self.found.failed

    @property
    def open(self) -> bool:
        """Whether nobody can say of a condition whether it holds."""
        return self.found.open

    def __repr__(self) -> str:
        return "\n".join(words.lines(self.found))

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


@dataclass(frozen=True)
class Bisected:
    """A commit judged for `git bisect run`. `code` is what that wants to end with: 0 of a good commit, 1 of a
    bad one, 125 of one that cannot be judged, 128 (which ends the search) where that cannot even be asked,
    130 after Ctrl-C. `error`: why there is no comparison."""

    code: int
    compared: Comparison | None = None
    error: UserError | None = None

    def __repr__(self) -> str:
        if self.error is not None:
            return f"{self.code}: {self.error.message}"
        return f"{self.code}: {self.compared!r}" if self.compared is not None else f"{self.code}"


def ab(
    base: str | None = None,
    head: str = ".",
    repository: str | os.PathLike[str] = ".",
    *,
    out: str | os.PathLike[str] | None = None,
    ci: str | os.PathLike[str] | None = None,
    view: View | None = None,
    **options: Unpack[AbOptions],
) -> Comparison:
    """Compare two revisions of the repository that this folder is in, and wait for the end: by default where
    HEAD left the default branch, and the working tree.

    `out` is where runs are kept; `view` is called as it goes on. `ci`, in a job of GitHub Actions or GitLab
    CI: compare what the job is about, and leave the results, a summary, JUnit and the runs in this folder.
    Raises UserError where something cannot be compared, which is then left there too; that a condition fails,
    or nothing could be settled, is an answer.
    """
    view = view if view is not None else Logged()
    here = Path(repository).absolute()
    inconclusive = options.get("fail_if_inconclusive", False)
    if ci is not None:
        if out is not None:
            raise UserError("what a job leaves is in one folder: ci, and no out")
        wanted = _wanted(base, head, options, "--ci", os.fspath(ci))
        job = Job(Path(ci), os.environ, here)
        return _comparison(*job.compare(wanted, view, fail_if_inconclusive=inconclusive))
    wanted = _wanted(base, head, options)
    compared = comparing.compare(wanted, here, Path(out) if out is not None else runs_folder(), view)
    return _comparison(compared, comparing.code_of(compared, fail_if_inconclusive=inconclusive))


def bisect(
    base: str | None = None,
    head: str = ".",
    repository: str | os.PathLike[str] = ".",
    *,
    out: str | os.PathLike[str] | None = None,
    view: View | None = None,
    **options: Unpack[AbOptions],
) -> Bisected:
    """Judge a commit for `git bisect run`, as `deadheat ab --bisect` does: bad where a condition fails;
    without one, where it is slower (or what `metric` says) by more than `margin`.

    What cannot be compared raises nothing: a Python that ends by an exception says "bad" to git. It is in
    `error`, and goes to `view` as a warning.
    """
    view = view if view is not None else Logged()
    try:
        wanted = _wanted(base, head, options, "--bisect")
    except UserError as error:
        view.warn(_told(error))
        return Bisected(BISECT_STOPS, error=error)
    kept = Path(out) if out is not None else runs_folder()
    step = bisecting.step(wanted, Path(repository).absolute(), kept, view)
    if step.error is not None:
        view.warn(_told(step.error))
    compared = None if step.compared is None else _comparison(step.compared, step.code)
    return Bisected(step.code, compared, step.error)


def comment(folder: str | os.PathLike[str], id: str = "ab", on: CommentWhen = "always") -> str:
    """Comment on a pull request what `ab(ci=folder)` left there, in this job or in another, as `deadheat
    comment` does; says in a sentence what was done. Raises UserError."""
    return commenting.write(Path(folder), os.environ, id, on)


def _comparison(compared: comparing.Compared, code: int) -> Comparison:
    raced = compared.raced
    return Comparison(compared.comparison, Run(Path(raced.folder.path)) if raced is not None else None, code)


def _told(error: UserError) -> str:
    return f"{error.message} ({error.hint})" if error.hint else error.message


def _wanted(base: str | None, head: str, options: AbOptions, *more: str) -> comparing.Wanted:
    """`more`: words of the command line beside those of the options. Raises UserError."""
    refuse_unknown(options, AbOptions)
    if base is None and head != ".":
        raise UserError(f"{head} is compared with what", hint=f'deadheat.ab("main", "{head}")')
    cpus = default_cpus(this_host().cores())
    margin = options.get("margin", Asked.margin)
    if not 0 < margin < 1:
        raise UserError(f"{margin}: a margin is a share above 0", hint="margin=0.02")
    return comparing.Wanted(
        base=base,
        head=head,
        given=_given(options),
        asked=Asked(
            budget_s=options.get("budget_s", BUDGET_S),
            margin=margin,
            seed=options.get("seed"),
            server_cpus=cpus.servers,
            generator_cpus=cpus.generators,
            services_cpus=cpus.services,
            command=(*_as_command(base, head, options), *more),
        ),
        conditions=[
            *_conditions(options.get("fail_if", {}), surely=False),
            *_conditions(options.get("fail_if_surely", {}), surely=True),
        ],
        by=figure_of(options.get("metric", "throughput")),
        answers_may_differ=options.get("answers_may_differ", False),
        race_the_same=options.get("race_the_same", False),
    )


def _given(options: AbOptions) -> Given:
    """What of a bench file the options say. Raises UserError."""
    own: dict[str, Any] = {name: each for name, each in options.items() if name in Said.__dataclass_fields__}
    own |= {name: Path(own[name]) for name in FILES if own.get(name) is not None}
    settings = [*_settings("A", options.get("env_a", {})), *_settings("B", options.get("env_b", {}))]
    return given(Said(**own), settings)


def _settings(letter: Letter, env: Mapping[str, str]) -> list[Setting]:
    return [Setting(letter, f"env.{name}", value) for name, value in env.items()]


def _conditions(asked: Mapping[FigureName, float], *, surely: bool) -> list[Condition]:
    """Raises UserError for a figure that is none, and for a threshold that is no share."""
    for figure, threshold in asked.items():
        if figure not in FIGURES:
            raise UserError(f'there is no figure "{figure}"', hint=", ".join(FIGURES))
        if not 0 <= threshold < 1:
            raise UserError(f"{figure}: {threshold} is no share", hint=f'{{"{figure}": 0.03}} is 3%')
    return [Condition(figure=figure, threshold=each, surely=surely) for figure, each in asked.items()]


def _as_command(base: str | None, head: str, options: AbOptions) -> tuple[str, ...]:
    """The command line that asks the same, as reports show it; without values of the environment and of what
    signs in."""
    line = ["deadheat", "ab", *([base, head] if base is not None else [])]
    for key in Said.__dataclass_fields__:
        value = options.get(key)
        if key != "login_body" and isinstance(value, str | int | os.PathLike) and not isinstance(value, bool):
            line += [f"--{key.replace('_', '-')}", str(value)]
    for name, listed in (("redis", options.get("redis", ())), ("service", options.get("service", ()))):
        line += [word for each in listed for word in (f"--{name}", each)]
    for file in options.get("copy", ()):
        line += ["--copy", file]
    for name, value in options.get("headers", {}).items():
        line += ["--header", f"{name}: {value}"]
    line += of_login(
        options.get("login_headers", {}), options.get("login_body"), options.get("login_take", {})
    )
    for side, env in (("A", options.get("env_a", {})), ("B", options.get("env_b", {}))):
        line += [word for name in env for word in ("--set", f"{side}.env.{name}={SECRET}")]
    for key in ("metric", "seed"):
        if (value := options.get(key)) is not None:
            line += [f"--{key}", str(value)]
    if (margin := options.get("margin")) is not None:
        line += ["--margin", f"{100 * margin:g}%"]
    line += ["--budget", f"{options.get('budget_s', BUDGET_S):g}s"]
    for option, asked in (
        ("--fail-if", options.get("fail_if", {})),
        ("--fail-if-surely", options.get("fail_if_surely", {})),
    ):
        line += [word for figure, each in asked.items() for word in (option, f"{figure} > {100 * each:g}%")]
    flags = ("shell", "answers_may_differ", "race_the_same", "fail_if_inconclusive")
    return (*line, *(f"--{flag.replace('_', '-')}" for flag in flags if options.get(flag)))
