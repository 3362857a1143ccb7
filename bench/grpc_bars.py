"""The bars of the gRPC servers, measured by Deadheat itself on one core each.

    python -m bench.grpc_bars                        # races (about two minutes), prints the table
    python -m bench.grpc_bars --write docs/grpc.md   # and puts it into the page
    python -m bench.grpc_bars --results runs/latest/results.json

Exits with 1 where a bar is not reached: its ratio, not its interval, is held against the bar.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench import grpc_race
from bench.grpc_race import reported
from deadheat.model.result import RaceResult
from deadheat.report import words
from deadheat.stats.estimate import Estimate

WORKLOAD = "grpc-unary"
SERVERS = ("go-grpc", "go-grpc:tuned", "rust-tonic", "rust-tonic:tuned")
CEILING = "ceiling"
NAME = "python -m bench.grpc_bars"


@dataclass(frozen=True)
class Bar:
    """`a` is to be at least so many times as fast as `b`."""

    a: str
    b: str
    least: float
    found: Estimate

    @property
    def reached(self) -> bool:
        return self.found.ratio is not None and self.found.ratio >= self.least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--budget", default="110s", help="time to measure in all")
    parser.add_argument("--results", type=Path, help="of a run that was raced before, instead of racing")
    parser.add_argument("--write", type=Path, metavar="PAGE")
    asked = parser.parse_args()
    results, command = grpc_race.race(WORKLOAD, (*SERVERS, CEILING), asked.budget, asked.results)
    result = grpc_race.of(results, WORKLOAD)
    bars = list(of(result))
    text = "\n".join(
        [f"`{command}`: {grpc_race.machine(results, result)}", "", *lines(bars), "", *costs(result)]
    )
    print(text)
    if asked.write is not None:
        grpc_race.into(asked.write, NAME, text)
    sys.exit(not all(bar.reached for bar in bars))


def of(result: RaceResult) -> Iterator[Bar]:
    """Every bar with what was found."""
    rows = {id_: grpc_race.row(result, id_) for id_ in (*SERVERS, CEILING)}
    best = max(SERVERS, key=lambda id_: rows[id_].figures.throughput_rps.estimate)  # type: ignore[union-attr]
    for a, b, least in (
        ("rust-tonic:tuned", "go-grpc:tuned", 1.5),
        ("rust-tonic:tuned", "rust-tonic", 1.8),
        ("go-grpc:tuned", "go-grpc", 1.35),
        (CEILING, best, 2.0),
    ):
        yield Bar(a, b, least, grpc_race.times_as_fast(rows[a], rows[b]))


def lines(bars: list[Bar]) -> Iterator[str]:
    yield "| | times as fast | bar | |"
    yield "| --- | --- | ---: | --- |"
    for bar in bars:
        reached = "reached" if bar.reached else "not reached"
        yield f"| `{bar.a}` over `{bar.b}` | {reported(bar.found)} | {bar.least:.2f} | {reached} |"


def costs(result: RaceResult) -> Iterator[str]:
    """What each had and cost."""
    yield "| | calls/s | CPU a call, µs | peak memory |"
    yield "| --- | ---: | ---: | ---: |"
    for id_ in (*SERVERS, CEILING):
        row = grpc_race.row(result, id_)
        assert row.figures.throughput_rps is not None
        assert row.figures.cpu_us_per_request is not None
        yield (
            f"| `{id_}` | {words.figure(row.figures.throughput_rps.estimate)} | "
            f"{words.figure(row.figures.cpu_us_per_request.estimate)} | {words.size(row.peak_memory_bytes)} |"
        )


if __name__ == "__main__":
    main()
