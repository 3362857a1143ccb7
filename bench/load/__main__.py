"""Runs the comparisons, writes bench/results.json and the tables of docs/performance.md."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from . import flames, memory, page, truth, verdicts
from .measure import many_files
from .pair import Pair, Result, compare
from .pairs import pairs

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "bench" / "results.json"


def main() -> int:
    """Parses, runs, writes; 2 if nothing of what was asked for could be run."""
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--only", action="append", metavar="PAIR", help="just this pair")
    parser.add_argument(
        "--truth", action="store_true", help="the tables of stalls, messages and streams as well"
    )
    parser.add_argument("--memory", action="store_true", help="the table of memory as well")
    parser.add_argument("--flames", action="store_true", help="flame graphs and what they say as well")
    parser.add_argument("--list", action="store_true", help="name the pairs, run nothing")
    arguments = parser.parse_args()

    many_files()
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        known = pairs(Path(folder))
        names = [pair.name for pair in known]
        if arguments.list:
            print("\n".join(names))
            return 0
        if unknown := set(arguments.only or ()) - {*names, "none"}:
            parser.error(f"no pair {', '.join(sorted(unknown))}; there are {', '.join(names)}")
        for pair in known:
            if arguments.only and pair.name not in arguments.only:
                continue
            ran += measured(pair, kept, arguments.rounds, arguments.seconds)
            write(kept, names)
    if arguments.truth:
        kept["stall"] = [asdict(row) for row in truth.stall()]
        kept["delay"] = asdict(truth.delay())
        kept["messages"] = [asdict(row) for row in truth.messages()]
        kept["streams"] = [asdict(row) for row in truth.streams()]
        ran += 1
    if arguments.memory:
        kept["memory"] = [asdict(row) for row in memory.table()]
        ran += 1
    write(kept, names)
    if arguments.flames:
        try:
            flames.main()
            ran += 1
        except (RuntimeError, OSError) as error:
            print(f"flames: not drawn: {error}", file=sys.stderr)
    return 0 if ran else 2


def measured(pair: Pair, kept: dict, rounds: int, seconds: float) -> bool:  # type: ignore[type-arg]
    """Runs one pair into `kept`. What goes wrong is told and leaves the other pairs alone;
    figures of an earlier run stay, with their date, and a pair without any says why.
    """
    entries = kept.setdefault("pairs", {})
    try:
        entries[pair.name] = as_json(compare(pair, rounds, seconds))
    except (RuntimeError, OSError, ValueError, KeyError) as error:
        why = f"{type(error).__name__}: {error}".splitlines()[0][:300]
        print(f"{pair.name}: not measured: {why}", file=sys.stderr)
        if "generators" in entries.get(pair.name, {}):
            entries[pair.name]["not_measured_again"] = why
        else:
            entries[pair.name] = {"setting": pair.setting, "goal": pair.goal, "not_measured": why}
        return False
    print("\n".join(rows(entries[pair.name])), flush=True)
    return True


def as_json(result: Result) -> dict:  # type: ignore[type-arg]
    """A pair's medians and samples."""
    pair = result.pair
    return {
        "setting": pair.setting,
        "goal": pair.goal,
        "measured": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "generators": {
            generator.name: {
                "version": result.samples[generator.name][-1].version,
                "cpu_s_per_million": round(result.cost(generator.name), 3),
                "requests_per_s": round(result.rate(generator.name)),
                "p50_ms": result.p50_ms(generator.name),
                "ratio": round(result.ratio(generator.name), 4),
                "samples": [asdict(sample) for sample in result.samples[generator.name]],
            }
            for generator in pair.generators
        },
    }


def rows(pair: dict) -> Iterable[str]:  # type: ignore[type-arg]
    """A pair as lines of a Markdown table."""
    if why := pair.get("not_measured"):
        yield f"| {pair['setting']} | not measured: {why} | | | {share(pair['goal'])} | | |"
        return
    for number, (generator, figures) in enumerate(pair["generators"].items()):
        p50 = figures["p50_ms"]
        goal = share(pair["goal"]) if number == 1 else ""
        version = figures.get("version")
        yield (
            f"| {pair['setting'] if number == 0 else ''} | {generator}{f' {version}' if version else ''} "
            f"| {figures['cpu_s_per_million']:.2f} | {share(figures['ratio'])} | {goal} "
            f"| {figures['requests_per_s']:,} | {'' if p50 is None else f'{p50:.3f}'} |"
        )


def share(ratio: float | None) -> str:
    """Two digits that count; nothing where there is no goal."""
    if ratio is None:
        return ""
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.3f}"


def write(kept: dict, order: list[str]) -> None:  # type: ignore[type-arg]
    """Both files, after each pair: what was measured is kept if the rest is interrupted."""
    found = kept.get("pairs", {})
    kept["pairs"] = {name: found[name] for name in order if name in found}
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
    write_page(kept)


def write_page(kept: dict) -> None:  # type: ignore[type-arg]
    """Puts the tables, and what they say of the goals, into docs/performance.md."""
    lines = [
        "| setting | generator | CPU s per million | of the peer's | goal | requests/s | p50 ms |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for pair in kept.get("pairs", {}).values():
        lines += rows(pair)
    lines += [f"\n{sentence}" for sentence in verdicts.sentences(kept.get("pairs", {}))]
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
    if "messages" in kept:
        lines += ["", "| `serve ws --delay 2ms`, 1,000/s | planted ms | p50 told |", "| --- | --- | --- |"]
        lines += [
            f"| {row['figure']} | {row['planted']:.0f} | {row['p50']:.3f} |" for row in kept["messages"]
        ]
    if "streams" in kept:
        lines += [
            "",
            f"| {truth.STREAMS} streams at once (`serve sse`) | p50 planted ms | told | p90 planted | told |",
            "| --- | --- | --- | --- | --- |",
        ]
        lines += [
            f"| {row['figure']} | {row['planted_p50']:.0f} | {row['p50']:.2f} "
            f"| {row['planted_p90']:.0f} | {row['p90']:.2f} |"
            for row in kept["streams"]
        ]
    if "memory" in kept:
        lines += ["", "| peak memory, MB | 1,000 connections | 10,000 connections |", "| --- | --- | --- |"]
        lines += [
            f"| {row['protocol']} | {row['mb_at_1000']:.1f} | {row['mb_at_10000']:.1f} |"
            for row in kept["memory"]
        ]
    page.put("python -m bench.load", lines)


if __name__ == "__main__":
    sys.exit(main())
