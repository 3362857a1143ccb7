"""Where the time of real races goes, what it buys, and whether races told rightly how long more blocks take.

    python -m bench.race_times RUN...      # folders of runs: what is new of them becomes lines, and the table
    python -m bench.race_times --write     # the table of docs/method.md, from the lines so far

A race is one line of bench/race_times.jsonl, from its journal alone. Runs of an older commit are read as they
were judged, by the method of their time: raced beside today's on the same machine, for as long, they are what
half-widths at equal time are held against. A plan of f6a1ed6 needs the suite that it names in today's format:
in a copy of such a run plan.json may name ours.
"""

from __future__ import annotations

import datetime
import json
import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from deadheat.model.observation import (
    BlockEnded,
    BlockStarted,
    GoneOn,
    Interference,
    Invocation,
    Observation,
    Resumed,
    Slice,
)
from deadheat.model.result import RaceResult
from deadheat.results import pace
from deadheat.results.tally import Tally, tallied
from deadheat.storage.journal import whole_blocks

from . import one_a_line, run_folders
from .load import page

RACES = Path("bench/race_times.jsonl")
PROGRAM = "python -m bench.race_times"
# Stamps of blocks are whole seconds: over less than this they say nothing of how long a block takes.
LEAST_S = 20.0
TOLD_WITHIN, TOLD_RACES = 0.25, 10


@dataclass(frozen=True)
class Timed(run_folders.Kept):
    """One race. `wall_s`: of all its blocks, those that do not count too; `counted`, `warm_ups`, `lead_ins`
    and `open_loop` as shares (0 to 1) of the time of those that count, None where nothing tells.

    `half_widths` of the judged intervals, log units. `starts_sd` and `rounds_sd` of each contender, log
    units. `told`: what the race said after half of its blocks that a block takes, over what the rest took.
    """

    workload: str
    preset: str
    version: str
    commit: str | None
    machine: str
    contenders: int
    blocks: int
    wall_s: float
    counted: float | None
    warm_ups: float | None
    lead_ins: float | None
    open_loop: float | None
    half_widths: tuple[float, ...]
    starts_sd: tuple[float, ...]
    rounds_sd: tuple[float, ...]
    told: float | None

    @property
    def half_width(self) -> float | None:
        """The median of its pairs'."""
        return statistics.median(self.half_widths) if self.half_widths else None


def read() -> list[Timed]:
    """Every race so far."""
    lines = RACES.read_text().splitlines() if RACES.exists() else []
    found = [json.loads(line) for line in lines]
    lists = ("half_widths", "starts_sd", "rounds_sd")
    return [Timed(**{**one, **{name: tuple(one[name]) for name in lists}}) for one in found]


def of_run(folder: Path) -> list[Timed]:
    """Those of a run's races that have a block. Raises UserError where the folder cannot be read."""
    return [_timed(one) for one in run_folders.races(folder) if one.tally.blocks]


def _timed(one: run_folders.OnDisk) -> Timed:
    tally, race, result = one.tally, one.race, one.result
    around = [
        o for o in one.observed if isinstance(o, Interference) and o.race == race.key and o.host is None
    ]
    counting_s = sum(o.wall_ns for o in around if o.block in tally.blocks) / 1e9
    parts = {name: seconds / counting_s if counting_s else None for name, seconds in _parts_s(tally).items()}
    rows = [row for row in result.contenders if row.variance is not None]
    return Timed(
        run=one.plan.run,
        started=one.plan.started,
        seed=one.plan.seed,
        race=race.key,
        workload=race.workload,
        preset=one.plan.preset,
        version=one.plan.version,
        commit=one.plan.commit,
        machine=one.machine,
        contenders=sum(row.status == "measured" for row in result.contenders),
        blocks=len(tally.blocks),
        wall_s=round(sum(o.wall_ns for o in around) / 1e9, 1),
        half_widths=_half_widths(result),
        starts_sd=tuple(round(row.variance.starts_sd, 5) for row in rows if row.variance),
        rounds_sd=tuple(round(row.variance.rounds_sd, 5) for row in rows if row.variance),
        told=told(one),
        **{name: None if share is None else round(share, 4) for name, share in parts.items()},
    )


def _half_widths(result: RaceResult) -> tuple[float, ...]:
    found = [verdict.ci for verdict in result.verdicts if verdict.ci is not None and verdict.ci[0] > 0]
    return tuple(round(math.log(high / low) / 2, 5) for low, high in found)


def _parts_s(tally: Tally) -> dict[str, float]:
    """What was loaded in the blocks that count, seconds: the counted parts of turns, lead-ins, warm-ups, open
    loop. Of programs an invocation is counted from its start to its end."""
    turns = [turn for entry in tally.turns for turn in tally.of(entry)]
    slices = [turn for turn in turns if isinstance(turn, Slice)]
    counted = sum(s.counted_until_ns - s.counted_from_ns for s in slices) / 1e9
    counted += sum(turn.wall_s for turn in turns if isinstance(turn, Invocation))
    warmed = [one for of in tally.warmed_up.values() for one in of if one.block in tally.blocks]
    at_rate = [one for of in tally.open_loop.values() for one in of if one.block in tally.blocks]
    return {
        "counted": counted,
        "lead_ins": sum(s.counted_from_ns - s.started_ns for s in slices) / 1e9,
        "warm_ups": sum(one.loaded_s for one in warmed),
        "open_loop": sum(one.counted_ms or 0 for one in at_rate) / 1e3,
    }


def told(one: run_folders.OnDisk) -> float | None:
    """How long the race said after half of its blocks that one more takes, over how long those after it took.

    By the stamps of the blocks, so that all between them is in it; of those in which as many were raced as
    in the last before: who will have left by then is no question of time. None where these are too few, or
    where somebody stopped the race meanwhile.
    """
    own = [o for o in one.observed if getattr(o, "race", one.race.key) == one.race.key]
    clean = [i for i, o in enumerate(own) if isinstance(o, BlockEnded) and o.disturbed is None]
    if len(clean) < 2:
        return None
    middle = clean[len(clean) // 2 - 1] + 1
    rest = own[middle:]
    raced = [len(o.order) for o in own[:middle] if isinstance(o, BlockStarted)][-1]
    starts = [(i, len(o.order)) for i, o in enumerate(rest) if isinstance(o, BlockStarted)]
    alike = sum(1 for _ in takewhile(lambda start: start[1] == raced, starts))
    # Up to the start of another block: of the last one the journal has no end.
    begun = [i for i, _ in starts[: alike + 1]]
    if len(begun) < 2:
        return None
    span = rest[begun[0] : begun[-1]]
    if any(isinstance(o, Resumed | GoneOn) for o in span):
        return None
    blocks = sum(isinstance(o, BlockEnded) and o.disturbed is None for o in span)
    took_s = (_at(rest[begun[-1]]) - _at(rest[begun[0]])).total_seconds()
    said_s = pace.more_s(tallied(one.race, list(whole_blocks(list(own[:middle])))), blocks)
    return round(said_s / took_s, 4) if blocks and took_s >= LEAST_S else None


def _at(block: Observation) -> datetime.datetime:
    assert isinstance(block, BlockStarted)
    return datetime.datetime.fromisoformat(block.at)


def add(folders: Iterable[Path]) -> list[Timed]:
    """Keep what is new of these runs; the lines that were added."""
    found = (one for folder in folders for one in of_run(folder))
    return run_folders.keep(RACES, read(), found)


def table(done: Sequence[Timed]) -> list[str]:
    """Of each workload, commit and setting the medians of its races; then what was told of more blocks."""
    if not done:
        return ["No race was kept yet."]
    lines = [
        "| race | commit | preset | races | contenders | blocks | time of blocks | counted | warm-ups "
        "| lead-ins | open loop | half-width, median | sd of starts | sd of rounds |",
        "| --- | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |",
    ]
    for race, commit, preset, contenders in sorted({_group(one) for one in done}):
        of = [one for one in done if _group(one) == (race, commit, preset, contenders)]
        widths = [one.half_width for one in of if one.half_width is not None]
        cells = [
            f"{statistics.median(one.blocks for one in of):g}",
            f"{statistics.median(one.wall_s for one in of):.0f} s",
            *(_share([getattr(one, name) for one in of]) for name in PARTS),
            f"±{statistics.median(widths):.1%}" if widths else "-",
            *(_share([sd for one in of for sd in getattr(one, name)]) for name in ("starts_sd", "rounds_sd")),
        ]
        head = [race, commit, preset, str(len(of)), str(contenders)]
        lines.append(f"| {' | '.join([*head, *cells])} |")
    known = [one.told for one in done if one.told is not None]
    right = sum(abs(one - 1) <= TOLD_WITHIN for one in known)
    said = f"What a race told after half of its blocks of the time of more was within {TOLD_WITHIN:.0%} of"
    wanted = f"(wanted: {TOLD_RACES}, all of them)"
    return [*lines, "", f"{said} what these took in {right} of {len(known)} races {wanted}."]


PARTS = ("counted", "warm_ups", "lead_ins", "open_loop")


def _group(one: Timed) -> tuple[str, str, str, int]:
    commit = one.commit or "unknown"
    return one.race, commit[:7] + ("*" if commit.endswith("-dirty") else ""), one.preset, one.contenders


def _share(of: Sequence[float | None]) -> str:
    known = [one for one in of if one is not None]
    return f"{statistics.median(known):.1%}" if known else "-"


def write() -> None:
    """Put the table between its marks in docs/method.md."""
    page.put(PROGRAM, table(read()), one_a_line.METHOD)


def main() -> None:
    run_folders.command(__doc__, "races", add, write, lambda: table(read()))


if __name__ == "__main__":
    main()
