"""Races the published studies for their pages, one race at a time, and writes the pages of what they found.

python -m bench.study_runs                  # make studies
python -m bench.study_runs --dry-run        # what would be raced, and how long it takes
python -m bench.study_runs --study NAME     # this one alone; may be given more than once
python -m bench.study_runs --copies DIR     # make studies-from-copies: packages whose hosts cannot be reached

Each study is raced by our method and, where its file says how its author ran it, by its own; rows that no
claim names are raced beside the row that they vary. Each goes into a folder of its own in target/studies
(with copies: target/studies-from-copies). Contenders whose time to compile is claimed are built several times
before. Started again, what is done stays, and what was cut off is taken up. What each found is kept in
docs/results, of which the pages are made.

DIR holds `crystal-jgaskins` and `crystal-stefanwille` with their packages, as `shards install` leaves them in
lib/, and `hex`, a Hex home with the packages of the Elixir contenders; it may hold `crystal-jgaskins-0.1`,
the packages of the shard of 2020, and `suite`, files that are put over those of the suite that is raced: the
`mix.lock` of packages that were packed anew, whose checksums are others.

Ends with 1 where a race could not be made: the pages are then as they were.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench import kept_results, redis_clients
from bench.programs import ended
from deadheat.errors import ExitCode
from deadheat.model.claim import Study
from deadheat.storage import run_folder
from deadheat.storage.run_folder import RunFolder
from deadheat.suite.suite import load

ROOT = Path(__file__).parents[1]
# Of each whose time to compile is claimed, cold and warm.
BUILDS = 5
# That no verdict holds is an answer too: the page says why.
RACED = (ExitCode.DONE, ExitCode.NOTHING_JUDGED)


@dataclass(frozen=True)
class Wanted:
    """A run of one study, in a folder of its own: `kept` as."""

    study: str
    kept: str
    out: Path
    arguments: tuple[str, ...]
    # Of a deadheat before it, where times to compile are claimed: builds that are timed.
    before: tuple[str, ...] = ()

    @property
    def begun(self) -> RunFolder | None:
        """The newest run there is of it."""
        return next(reversed(run_folder.all_runs(self.out)), None)

    @property
    def done(self) -> RunFolder | None:
        """It, where it was raced to its end."""
        newest = self.begun
        if newest is None or not newest.results_file.exists():
            return None
        return newest if newest.results().stopped is None else None


def wanted(studies: Mapping[str, Study], out: Path, suite: Path) -> list[Wanted]:
    """Of each study a run by our method, one of rows beside each that they vary, and one by its own method
    where it says what that was."""
    found = []
    for study, told in studies.items():
        asked: dict[str, tuple[str, ...]] = {"deadheat": ("--claims", study, "--preset", "standard")}
        for rows in told.beside:
            named = [word for name in (rows.reference, *rows.contenders) for word in ("-c", name)]
            options = (rows.workload, *named, "--reference", rows.reference, "--preset", "standard")
            asked[f"beside.{rows.reference}"] = options
        if told.as_published:
            asked["as-published"] = ("--claims", study, "--method", "as-published", "--preset", "thorough")
        for kept, options in asked.items():
            to = out / study / kept
            places = ("--suite", str(suite), "--out", str(to))
            before = timed_builds(told, suite) if kept == "deadheat" else ()
            found.append(Wanted(study, kept_results.of_study(study, kept), to, (*options, *places), before))
    return found


def timed_builds(study: Study, suite: Path) -> tuple[str, ...]:
    """Of the contenders of its claims about compile times; empty where there are none."""
    claims = [claim for claim in study.claim if claim.metric == "build_s"]
    names = dict.fromkeys(name for claim in claims for name in (claim.a, claim.b))
    return ("build", "--times", str(BUILDS), "--suite", str(suite), *names) if names else ()


def race(run: Wanted, environment: Mapping[str, str], *, dry: bool) -> int:
    """Its exit code. A run that was cut off goes on."""
    deadheat = str(Path(sys.executable).with_name("deadheat"))
    environment = {**os.environ, **environment}
    if dry:
        command = [deadheat, "race", *run.arguments, "--dry-run"]
    elif (begun := run.begun) is not None:
        command = [deadheat, "race", "--resume", str(begun.path), "--out", str(run.out)]
    else:
        command = [deadheat, "race", *run.arguments]
        if run.before:
            # One that is unavailable is told by the race.
            ended([deadheat, *run.before], env=environment)
    return ended(command, env=environment)


def from_copies(copies: Path, out: Path) -> tuple[Path, dict[str, str]]:
    """The suite with those packages, and what a build needs in its environment. Raises FileNotFoundError.

    The suite stays where it is: a run that was cut off goes on with what it began with.
    """
    hex_home = copies / "hex"
    if not hex_home.is_dir():
        raise FileNotFoundError(2, "no such folder", str(hex_home))
    suite = out / "suite"
    if not suite.exists():
        half = out / "suite.half"
        shutil.rmtree(half, ignore_errors=True)
        redis_clients.suite_with(copies, half, whole=True)
        if (own := copies / "suite").is_dir():
            shutil.copytree(own, half, dirs_exist_ok=True)
        half.rename(suite)
    return suite, {"HEX_HOME": str(hex_home.absolute()), "HEX_OFFLINE": "1"}


def main() -> int:
    """Races what is not done, then writes the pages."""
    known = load(ROOT / "suite").studies
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--copies", type=Path, metavar="DIR", help="packages of shards and of Hex")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the runs are kept")
    parser.add_argument(
        "--study", action="append", choices=list(known), metavar="NAME", help=f"one of {', '.join(known)}"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be raced, and how long")
    arguments = parser.parse_args()
    name = "studies-from-copies" if arguments.copies else "studies"
    out = (arguments.out or ROOT / "target" / name).absolute()
    suite = ROOT / "suite"
    environment: dict[str, str] = {}
    if arguments.copies:
        try:
            suite, environment = from_copies(arguments.copies, out)
        except FileNotFoundError as error:
            print(f"studies: {error.filename}: {error.strerror}", file=sys.stderr)
            return 2
    runs = wanted({name: known[name] for name in arguments.study or known}, out, suite)
    for run in runs:
        done = run.done
        if done is None or arguments.dry_run:
            print(f"studies: {run.kept}", file=sys.stderr, flush=True)
            code = race(run, environment, dry=arguments.dry_run)
            done = None if arguments.dry_run else run.done
            if code not in RACED or not (arguments.dry_run or done):
                print(f"studies: stopped there ({code}); the same command goes on", file=sys.stderr)
                return 1
        if done is not None:
            kept_results.keep(run.kept, done)
    if arguments.dry_run:
        return 0
    wanted_pages = [word for name in arguments.study or () for word in ("--study", name)]
    pages = [sys.executable, "-m", "scripts.studies", *wanted_pages]
    return ended(pages)


if __name__ == "__main__":
    sys.exit(main())
