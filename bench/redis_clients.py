"""The bars of the Redis clients of ours, from interleaved invocations on a real Redis.

python -m bench.redis_clients                                      # races, then prints the tables
python -m bench.redis_clients runs/latest                          # of a race that was run already
python -m bench.redis_clients --write docs/performance-redis.md    # puts them into the page
python -m bench.redis_clients --shards DIR                         # with copies of the published shards

DIR/crystal-jgaskins holds redis/ and db/, DIR/crystal-stefanwille redis/ and pool/, as `shards install`
leaves them in the lib/ of that contender, of the versions that its shard.lock names.

Ends with 1 where a bar does not hold, with 2 where nothing was measured.
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.programs import ended
from deadheat.model.observation import Built, Invocation, Observation
from deadheat.storage.journal import read
from deadheat.storage.run_folder import RunFolder

WORKLOAD = "redis-pipeline"
REFERENCE, CEILING = "rust-redis-rs", "ceiling"
OURS = ("crystal-redis-client:each", "rust-lean")
PUBLISHED = ("crystal-jgaskins", "crystal-stefanwille")
# Copies that need not be there, and the folder of the workload whose packages they are.
OLDER = {"crystal-jgaskins-0.1": "crystal-jgaskins/redis-0.1"}
SUITE = Path(__file__).parents[1] / "suite"
MOST_PEAK_MB = 20
BEGIN, END = "<!-- redis clients: begin -->", "<!-- redis clients: end -->"


@dataclass(frozen=True)
class Row:
    """One contender: medians over its timed invocations; its peak in an invocation apart."""

    invocations: int
    cpu_ms: float
    wall_ms: float
    peak_mb: float


@dataclass(frozen=True)
class Bar:
    """What was asked, and what is here: None where it was not measured, for the reason in `note`.

    `excused`: this machine cannot measure it at all.
    """

    what: str
    at_most: float
    here: float | None
    note: str = "not measured"
    excused: bool = False

    @property
    def holds(self) -> bool:
        return self.here is not None and self.here <= self.at_most


def rows(observations: Sequence[Observation]) -> dict[str, Row]:
    """Of each contender of the whole workload on a real Redis, in the order of CPU time."""
    found: dict[str, list[Invocation]] = {}
    for o in observations:
        if isinstance(o, Invocation) and o.race == WORKLOAD and not o.entry.endswith("'"):
            found.setdefault(o.entry, []).append(o)
    table = {entry: row for entry, of in found.items() if (row := _row(of)) is not None}
    return dict(sorted(table.items(), key=lambda item: item[1].cpu_ms))


def _row(invocations: Sequence[Invocation]) -> Row | None:
    timed = [i for i in invocations if not i.warm_up]
    if not timed:
        return None
    return Row(
        invocations=len(timed),
        cpu_ms=1000 * statistics.median(i.user_s + i.system_s for i in timed),
        wall_ms=1000 * statistics.median(i.own_wall_s or i.wall_s for i in timed),
        peak_mb=max(i.peak_memory_bytes or 0 for i in invocations if i.warm_up) / 1e6,
    )


def bars(table: Mapping[str, Row], missing: Mapping[str, str]) -> list[Bar]:
    """All that were asked for. `missing`: why a contender could not be built here."""
    crystal, lean = OURS
    shards = [name for name in PUBLISHED if name in table]
    if shards:
        better = min(shards, key=lambda name: table[name].cpu_ms)
        published = _share(table, crystal, better, 1.0)
    else:
        why = missing.get(PUBLISHED[0], "not raced")
        what = f"CPU time of {crystal} over the better published shard"
        published = Bar(what, 1.0, None, f"not known here: {why}", excused=True)
    return [
        _share(table, crystal, REFERENCE, 0.47),
        published,
        _share(table, lean, REFERENCE, 0.25),
        _share(table, lean, CEILING, 1.8),
        *(Bar(f"peak memory of {name}, MB", MOST_PEAK_MB, _peak(table, name)) for name in OURS),
    ]


def _share(table: Mapping[str, Row], name: str, of: str, at_most: float) -> Bar:
    both = name in table and of in table
    here = table[name].cpu_ms / table[of].cpu_ms if both else None
    whom = f"{of}, the better published shard" if of in PUBLISHED else of
    return Bar(f"CPU time of {name} over {whom}", at_most, here)


def _peak(table: Mapping[str, Row], name: str) -> float | None:
    return table[name].peak_mb if name in table else None


def render(table: Mapping[str, Row], asked: Sequence[Bar], source: str) -> str:
    """The two tables, as Markdown, with where they are from."""
    reference = table.get(REFERENCE)
    lines = [source, "", "| contender | invocations | CPU, ms | of redis-rs | wall, ms | peak, MB |"]
    lines += ["| --- | ---: | ---: | ---: | ---: | ---: |"]
    for name, row in table.items():
        share = f"{row.cpu_ms / reference.cpu_ms:.3f}" if reference else "-"
        cells = (
            name,
            str(row.invocations),
            f"{row.cpu_ms:.1f}",
            share,
            f"{row.wall_ms:.0f}",
            f"{row.peak_mb:.1f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "| bar | at most | here | |", "| --- | ---: | ---: | --- |"]
    for bar in asked:
        here = "-" if bar.here is None else f"{bar.here:.3g}"
        outcome = bar.note if bar.here is None else ("holds" if bar.holds else "**does not hold**")
        lines.append(f"| {bar.what} | {bar.at_most:g} | {here} | {outcome} |")
    return "\n".join(lines)


def suite_with(shards: Path, folder: Path, *, whole: bool = False) -> Path:
    """A suite in `folder`, of this workload or the `whole`, whose published shards have their packages from
    `shards`; those of an older version of one where `shards` has them too.

    Raises FileNotFoundError where those of one are not there.
    """
    built_by_hand = shutil.ignore_patterns("target", "node_modules")
    source, to = (SUITE, folder) if whole else (SUITE / WORKLOAD, folder / WORKLOAD)
    shutil.copytree(source, to, ignore=built_by_hand)
    brought = {name: of for name, of in OLDER.items() if (shards / name).is_dir()}
    for name, of in {**dict(zip(PUBLISHED, PUBLISHED, strict=True)), **brought}.items():
        lib = folder / WORKLOAD / of / "lib"
        shutil.rmtree(lib, ignore_errors=True)
        shutil.copytree(shards / name, lib)
    return folder


def versions(shards: Path) -> list[str]:
    """Which shards the copies are, by their own word: `crystal-jgaskins 0.16.0`."""
    described = {name: (shards / name / "redis" / "shard.yml").read_text() for name in PUBLISHED}
    return [
        f"{name} {version[1]}"
        for name, text in described.items()
        if (version := re.search(r"^version: *(\S+)", text, re.MULTILINE))
    ]


def race(suite: Path, runs: Path, budget: str) -> Path:
    """The folder of a race of them all, just run. Raises CalledProcessError where there is none."""
    contenders = [word for name in (*OURS, *PUBLISHED, CEILING) for word in ("-c", name)]
    command = [str(Path(sys.executable).with_name("deadheat")), "race", WORKLOAD, *contenders]
    options = ["--set", "server=redis", "--budget", budget, "--suite", str(suite), "--out", str(runs)]
    # 4: no verdict. The medians are there, and the gates say why.
    code = ended([*command, *options], stdout=sys.stderr)
    if code not in (0, 4):
        raise subprocess.CalledProcessError(code, command)
    return runs / "latest"


def main() -> int:
    """Parses, races where no run is given, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("run", type=Path, nargs="?", help="the folder of a run; without it, one is raced")
    parser.add_argument("--budget", default="100s")
    parser.add_argument("--shards", type=Path, metavar="DIR", help="packages of the published shards")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the tables between the page's marks")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            suite = suite_with(arguments.shards, Path(folder) / "suite") if arguments.shards else SUITE
            run = arguments.run or race(suite, Path(folder) / "runs", arguments.budget)
        except FileNotFoundError as error:
            print(f"redis clients: {error.filename}: {error.strerror}", file=sys.stderr)
            return 2
        except subprocess.CalledProcessError as error:
            print(f"redis clients: not measured: the race ended with {error.returncode}", file=sys.stderr)
            return 2
        observations, _ = read(run / "journal.jsonl")
        results = RunFolder(run).results()
    table = rows(observations)
    if not table:
        print("redis clients: nothing measured", file=sys.stderr)
        return 2
    missing = {
        o.contender: o.reason or "" for o in observations if isinstance(o, Built) and o.status != "ready"
    }
    asked = bars(table, missing)
    machine = results.machine
    source = (
        f"{results.started[:10]}: {machine['cores']} cores, {machine['cpu_model']}, Linux "
        f"{machine['kernel']}, {machine['virtualisation'] or 'no virtual machine'}. Medians of interleaved "
        f"invocations on redis-server; the order is that of seed {results.seed}."
    )
    if arguments.shards:
        source += f" Built from copies of the published packages: {', '.join(versions(arguments.shards))}."
    text = render(table, asked, source)
    print(text)
    if arguments.write:
        write(arguments.write, text)
    return 0 if all(bar.holds or bar.excused for bar in asked) else 1


def write(page: Path, text: str) -> None:
    """Puts the text between the page's marks."""
    head, _, rest = page.read_text().partition(BEGIN)
    _, _, tail = rest.partition(END)
    page.write_text(f"{head}{BEGIN}\n{text}\n{END}{tail}")


if __name__ == "__main__":
    sys.exit(main())
