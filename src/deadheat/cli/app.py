"""The verbs, put together. A verb's module is imported when the verb is called, or its own help is wanted."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

import click

from deadheat import __version__


@dataclass(frozen=True)
class Verb:
    """The module of a verb, and what it does: the first line of its help."""

    module: str
    summary: str


# In the order in which --help lists them; a module that would be a word of Python's has an underscore.
VERBS = {
    "race": Verb("race", "Race contenders: who is faster, by how much and how surely."),
    "ab": Verb("ab", "Compare two revisions of your repository: is this branch slower than main?"),
    "comment": Verb(
        "comment", "Comment a comparison on its pull request, in a job of GitHub Actions or GitLab CI."
    ),
    "list": Verb("list_", "List the workloads of the suite and their contenders."),
    "check": Verb("check", "Check manifests, build, and compare every answer."),
    "build": Verb("build", "Build contenders out of tree."),
    "show": Verb("show", "Print the verdicts of a run, or what one of them rests on."),
    "report": Verb("report", "Derive results and reports again from a run's journal."),
    "cost": Verb("cost", "Print what serving a rate would cost with each contender of a run."),
    "merge": Verb("merge", "Put runs of one plan on several machines together."),
    "cluster": Verb("cluster", "Bring several machines up as a cluster, look at it, end it."),
    "claims": Verb("claims", "Print the published claims, and what became of them in a run."),
    "new": Verb("new", "Draft bench/deadheat.toml of your own service, or the claims of a published study."),
    "explain": Verb("explain", "Run two contenders under instruments: what differs a request."),
    "runs": Verb("runs", "List the runs, the newest first."),
    "export": Verb("export", "Write a run in the format of another tool."),
    "site": Verb("site", "Write runs as a site of pages: what to publish."),
    "history": Verb("history", "List the runs of the history, or show a contender's trend."),
    "compare": Verb("compare", "Compare two runs at two times."),
    "import": Verb("import_", "Keep figures of other tools in the history, as context."),
    "doctor": Verb("doctor", "Say whether this machine is fit to measure on."),
    "calibrate": Verb("calibrate", "Say how often the verdict is right on this machine."),
    "cache": Verb("cache", "Show what builds and tools take, or throw them away."),
    "completion": Verb("completion", "Print what a shell needs to complete our verbs and options."),
    "man": Verb("man", "Print the manual page, for man."),
}


class Verbs(click.Group):
    """The group of all verbs, each in a module of its own."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command = import_module(f"deadheat.cli.{VERBS[cmd_name].module}").COMMAND
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # Click's own imports every verb to ask for its first line, which takes longer than all else.
        with formatter.section("Commands"):
            formatter.write_dl([(name, verb.summary) for name, verb in VERBS.items()])


@click.group(
    cls=Verbs,
    name="deadheat",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="deadheat %(version)s", help="Print the version.")
def app() -> None:
    """Settle which of several implementations of the same service is faster, by how much and how surely.

    \b
    Examples:
      deadheat race                      race the built-in suite, quick preset
      deadheat race http-hello --all     every contender of one workload
      deadheat doctor                    is this machine fit to measure on?
    """
