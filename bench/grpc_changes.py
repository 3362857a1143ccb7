"""What each change of a tuned gRPC server gives by itself, measured by Deadheat's own race.

    python -m bench.grpc_changes go-grpc            # races (under two minutes), prints the table
    python -m bench.grpc_changes rust-tonic --write # and puts it into that contender's README

Each change is a variant in the contender's manifest, so that `deadheat race` builds it, checks its answers
and takes turns between all of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from bench import grpc_race
from bench.grpc_race import reported
from deadheat.model.result import RaceResult
from deadheat.report import words

WORKLOAD = "grpc-unary"
SUITE = Path("suite")
# The variants of each contender in the order of its README; `tuned` is all of them together.
CHANGES = {
    "go-grpc": ("gogc", "stream-workers", "tuned"),
    "java-grpc": ("direct-executor",),
    "rust-tonic": ("current-thread", "direct-route", "lto", "mimalloc", "small-buffers", "tuned"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("contender", choices=CHANGES)
    parser.add_argument("--budget", default="110s", help="time to measure in all")
    parser.add_argument("--results", type=Path, help="of a run that was raced before, instead of racing")
    parser.add_argument("--write", action="store_true", help="into the contender's README")
    asked = parser.parse_args()
    ids = [asked.contender, *(f"{asked.contender}:{change}" for change in CHANGES[asked.contender])]
    results, command = grpc_race.race(WORKLOAD, ids, asked.budget, asked.results)
    result = grpc_race.of(results, WORKLOAD)
    text = "\n".join([*table(result, ids), "", f"`{command}`: {grpc_race.machine(results, result)}"])
    print(text)
    if asked.write:
        page = SUITE / WORKLOAD / asked.contender / "README.md"
        grpc_race.into(page, f"python -m bench.grpc_changes {asked.contender}", text)


def table(result: RaceResult, ids: list[str]) -> Iterator[str]:
    """Ratios to the first, which is as documented."""
    base = grpc_race.row(result, ids[0])
    yield "| | calls/s | times as fast | calls a CPU second | peak memory |"
    yield "| --- | ---: | --- | --- | ---: |"
    for id_ in ids:
        row = grpc_race.row(result, id_)
        assert row.figures.throughput_rps is not None
        by_time = by_cpu = "1"
        if row is not base:
            by_time = reported(grpc_race.times_as_fast(row, base))
            by_cpu = reported(grpc_race.times_as_cheap(row, base))
        yield (
            f"| `{id_}` | {words.figure(row.figures.throughput_rps.estimate)} | {by_time} | {by_cpu} | "
            f"{words.size(row.peak_memory_bytes)} |"
        )


if __name__ == "__main__":
    main()
