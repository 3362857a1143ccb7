"""Runs the comparisons, writes bench/results.json and the tables of docs/performance.md."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from . import truth
from .generators import WRK_PIPELINE_LUA
from .pairs import Result, available, compare, pairs

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "bench" / "results.json"
PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- begin: python -m bench.load -->", "<!-- end -->"


def main() -> int:
    """Parses, runs, writes; 2 if nothing of what was asked for can be run."""
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--only", action="append", metavar="PAIR", help="just this pair")
    parser.add_argument("--truth", action="store_true", help="the table of stalls as well")
    arguments = parser.parse_args()

    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    ran = 0
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(WRK_PIPELINE_LUA)
        script.flush()
        for pair in pairs(script.name):
            if arguments.only and pair.name not in arguments.only:
                continue
            if not available(pair):
                print(f"{pair.name}: {pair.needs} not found, left out", file=sys.stderr)
                continue
            result = compare(pair, arguments.rounds, arguments.seconds)
            kept.setdefault("pairs", {})[pair.name] = as_json(result)
            print("\n".join(rows(pair.name, kept["pairs"][pair.name])))
            ran += 1
    if arguments.truth:
        kept["stall"] = [asdict(row) for row in truth.stall()]
        kept["delay"] = asdict(truth.delay())
        ran += 1
    if not ran:
        return 2
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
    write_page(kept)
    return 0


def as_json(result: Result) -> dict:  # type: ignore[type-arg]
    """A pair's medians and samples."""
    pair = result.pair
    return {
        "setting": pair.setting,
        "goal": pair.goal,
        "generators": {
            generator.name: {
                "cpu_s_per_million": round(result.cost(generator.name), 3),
                "requests_per_s": round(result.rate(generator.name)),
                "p50_ms": result.p50_ms(generator.name),
                "ratio": round(result.ratio(generator.name), 3),
                "samples": [asdict(sample) for sample in result.samples[generator.name]],
            }
            for generator in pair.generators
        },
    }


def rows(name: str, pair: dict) -> Iterable[str]:  # type: ignore[type-arg]
    """A pair as lines of a Markdown table."""
    for number, (generator, figures) in enumerate(pair["generators"].items()):
        p50 = figures["p50_ms"]
        goal = f"{pair['goal']:.2f}" if number == 1 else ""
        yield (
            f"| {pair['setting'] if number == 0 else ''} | {generator} "
            f"| {figures['cpu_s_per_million']:.2f} | {figures['ratio']:.2f} | {goal} "
            f"| {figures['requests_per_s']:,} | {'' if p50 is None else f'{p50:.3f}'} |"
        )


def write_page(kept: dict) -> None:  # type: ignore[type-arg]
    """Puts the tables between the marks of docs/performance.md."""
    lines = [
        "| setting | generator | CPU s per million | of the peer's | goal | requests/s | p50 ms |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, pair in kept.get("pairs", {}).items():
        lines += rows(name, pair)
    if "stall" in kept:
        lines += [
            "",
            "| 2,000/s against `--stall 1s/5s` (truth: p90 500, p99 950) | p50 ms | p90 | p99 | achieved/s |",
            "| --- | --- | --- | --- | --- |",
        ]
        lines += [
            f"| {row['what']} | {row['p50']:.2f} | {row['p90']:.1f} | {row['p99']:.1f} "
            f"| {row['achieved_rps']:.1f} |"
            for row in kept["stall"]
        ]
        delay = kept["delay"]
        lines += ["", f"`--delay 2ms` at 1,000/s: service time p50 {delay['p50']:.3f} ms."]
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + after)


if __name__ == "__main__":
    sys.exit(main())
