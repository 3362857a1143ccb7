"""Whether slices of slow servers could be half as long: rates of each slice's middle half, against the whole.

    python -m bench.slice_lengths RUN...    # a row for each entry whose latency sized its slices

A slice is loaded for a number of mean latencies that are not counted, and then for twice as many that are.
Its middle half is what would have been counted had both been half as long. Of each entry: the mean of the
half's rate over the whole's with twice its standard error, and how slices of one block differ by either
(standard deviation, log units). Whoever has no level at all, by the gates `flat` and `drift`, is marked.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from deadheat.model.observation import Slice
from deadheat.results.tally import Tally

from . import run_folders

# Shorter slices are the plan's, not a latency's.
LEAST_LATENCY_MS = 30.0
NO_LEVEL = ("flat", "drift", "steady", "errors")


@dataclass(frozen=True)
class Sized:
    """An entry of a race. Latency in ms; `half` over the whole with `error`; spreads in log units."""

    race: str
    entry: str
    latency_ms: float
    slices: int
    half: float
    error: float
    spread: float
    spread_of_half: float
    level: bool


def half_and_whole_rps(one: Slice) -> tuple[float, float] | None:
    """Replies a second in the middle half of its load, and in all of the counted part; None where it has no
    reply in either."""
    lead_in_ms = (one.counted_from_ns - one.started_ns) / 1e6
    counted_ms = (one.counted_until_ns - one.counted_from_ns) / 1e6
    middle = _rate(one, lead_in_ms / 2, (lead_in_ms + counted_ms) / 2)
    whole = _rate(one, lead_in_ms, lead_in_ms + counted_ms)
    return (middle, whole) if middle and whole else None


def _rate(one: Slice, from_ms: float, until_ms: float) -> float:
    first, end = round(from_ms / one.bin_ms), min(round(until_ms / one.bin_ms), len(one.bins))
    return sum(one.bins[first:end]) / max(1, end - first) / one.bin_ms * 1000


def of_entry(tally: Tally, entry: str, *, level: bool) -> Sized | None:
    """None where its latency did not size its slices."""
    slices = [one for one in tally.slices(entry) if one.replies]
    if not slices:
        return None
    latency_ms = float(np.median([one.latency_sum_ns / one.replies for one in slices])) / 1e6
    rates = {block: [r for s in slices if s.block == block and (r := half_and_whole_rps(s))]
             for block in tally.blocks}  # fmt: skip
    of_blocks = [np.log(np.array(found)) for found in rates.values() if len(found) > 1]
    if latency_ms < LEAST_LATENCY_MS or not of_blocks:
        return None
    halves = np.concatenate([block[:, 0] - block[:, 1] for block in of_blocks])
    within = np.sqrt(np.mean([np.var(block, axis=0, ddof=1) for block in of_blocks], axis=0))
    error = 2 * float(halves.std(ddof=1)) / math.sqrt(len(halves))
    spread_of_half, spread = (float(each) for each in within)
    half = float(np.exp(halves.mean()))
    return Sized(tally.race.key, entry, latency_ms, len(halves), half, error, spread, spread_of_half, level)


def sized(folders: Sequence[Path]) -> Iterator[Sized]:
    """Every entry of these runs whose latency sized its slices."""
    for one in itertools.chain.from_iterable(map(run_folders.races, folders)):
        rows = {row.id: row for row in one.result.contenders}
        tally = one.tally
        for entry in one.race.entries:
            row = rows.get(entry.contender)
            level = row is not None and not any(gate.name in NO_LEVEL for gate in row.broken)
            if (found := of_entry(tally, entry.id, level=level)) is not None:
                yield found


def table(found: Sequence[Sized]) -> list[str]:
    """In Markdown, and what it says of those that have a level."""
    lines = ["| race | entry | latency | slices | half over whole | spread of slices | of halves |",
             "| --- | --- | --: | --: | --: | --: | --: |"]  # fmt: skip
    for one in found:
        name = one.entry if one.level else f"{one.entry} (no level)"
        lines.append(f"| {one.race} | {name} | {one.latency_ms:.0f} ms | {one.slices} | {one.half:.3f} "
                     f"±{one.error:.3f} | {one.spread:.1%} | {one.spread_of_half:.1%} |")  # fmt: skip
    level = [one for one in found if one.level]
    if level:
        farthest = max(abs(math.log(one.half)) for one in level)
        spread, of_half = (float(np.median([getattr(one, name) for one in level]))
                           for name in ("spread", "spread_of_half"))  # fmt: skip
        slices = sum(one.slices for one in level)
        lines += ["", f"{slices} slices of {len(level)} entries that have a level: the half is within "
                  f"{math.expm1(farthest):.1%} of the whole; slices of a block differ by {spread:.1%} in the "
                  f"median, halves by {of_half:.1%}."]  # fmt: skip
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("run", nargs="+", type=Path, help="folders of runs")
    print("\n".join(table(list(sized(parser.parse_args().run)))))


if __name__ == "__main__":
    main()
