"""The tables of docs/method.md on a real machine, from the races of `make calibrate-full`.

python -m bench.calibration_table                          # prints them
python -m bench.calibration_table --write docs/method.md   # puts them into the page
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from deadheat import stats
from deadheat.calibration import steps, store, summary
from deadheat.model.calibration import CalibrationRace
from deadheat.report import words

RACES = Path("bench/calibration.jsonl")
BEGIN, END = "<!-- calibration tables: begin -->", "<!-- calibration tables: end -->"


def render(races: Sequence[CalibrationRace]) -> str:
    """Everything that is to be said of these races."""
    if not races:
        return "Nothing was raced yet."
    here = races[-1].machine
    minutes = sum(race.seconds for race in races) / 60
    parts = [
        f"{len(races)} races in {minutes:.0f} minutes, {_days(races)}: {here.cores} cores, {here.cpu_model}, "
        f"Linux {here.kernel}. Verdicts are by the interval alone, whatever the gates say.",
        _so_far(races),
        identical([race for race in races if race.kind == "identical"]),
        planted([race for race in races if race.kind == "planted"]),
    ]
    return "\n\n".join(part for part in parts if part)


def _days(races: Sequence[CalibrationRace]) -> str:
    first, last = min(race.at for race in races)[:10], max(race.at for race in races)[:10]
    return first if first == last else f"{first} to {last}"


def _so_far(races: Sequence[CalibrationRace]) -> str:
    """Whether all that is planned was raced; what was not comes when the command is run again."""
    done = {race.step for race in races}
    planned = list(steps.full())
    left = Counter((step.kind, step.planted) for step in planned if step.name not in done)
    if not left:
        return f"All {len(planned)} races that are planned are done."
    reported = [
        f"{count} of {'identical servers' if kind == 'identical' else f'a planted {difference:.0%}'}"
        for (kind, difference), count in left.items()
    ]
    return f"Of {len(planned)} races planned these are not done yet: {', '.join(reported)}."


def identical(races: Sequence[CalibrationRace]) -> str:
    """False winners at margin 0, alone and beside a noisy neighbour."""
    if not races:
        return ""
    groups = {
        "alone": [race for race in races if not race.neighbour],
        "beside a noisy neighbour": [race for race in races if race.neighbour],
        "**all**": list(races),
    }
    rows = [[name, *_identical(of)] for name, of in groups.items() if of]
    head = ["identical servers", "races", "false winners", "exact interval", "at the default margin"]
    head += ["median half-width", "refused by a gate"]
    return "### Identical servers, margin 0\n\n" + table(head, rows)


def _identical(races: Sequence[CalibrationRace]) -> list[str]:
    winners = summary.false_winners(races)
    low, high = stats.share(winners, len(races))
    beyond = sum(r.ci is not None and not (r.ci[0] <= 1.02 and r.ci[1] >= 1 / 1.02) for r in races)
    widths = [math.log(r.ci[1] / r.ci[0]) / 2 for r in races if r.ci is not None]
    refused = sum(race.printed == "invalid" for race in races)
    width = f"±{np.median(widths):.1%}" if widths else "-"
    return [str(len(races)), str(winners), f"{low:.1%} to {high:.1%}", str(beyond), width, str(refused)]


def planted(races: Sequence[CalibrationRace]) -> str:
    """Found, of each planted difference and margin; the truth by counting, and by the servers' own CPU."""
    rows = []
    for difference, margin in sorted({(race.planted, race.margin) for race in races}):
        of = [race for race in races if (race.planted, race.margin) == (difference, margin)]
        found = sum(race.verdict == "faster" for race in of)
        low, high = stats.share(found, len(of))
        wrong = sum(race.verdict == "slower" or _false_dead_heat(race) for race in of)
        counted = [race.truth for race in of if race.truth is not None and race.truth_by == "counting"]
        by_cpu = [race.by_cpu for race in of if race.by_cpu is not None]
        rows.append(
            [
                f"{difference:.0%}",
                f"{margin:.0%}",
                len(of),
                found,
                f"{low:.0%} to {high:.0%}",
                wrong,
                words.ratio(_mean(race.ratio for race in of)),
                *(words.ratio(_mean(truths)) if truths else "-" for truths in (counted, by_cpu)),
                f"{np.median([race.load_s for race in of]):.0f} s",
            ]
        )
    if not rows:
        return ""
    head = ["planted", "margin", "races", "called faster", "exact interval", "wrong", "ratio"]
    head += ["truth (counted)", "by CPU", "load on the pair"]
    return "### Planted differences, up to 3 minutes of load on the pair\n\n" + table(head, rows)


def _false_dead_heat(race: CalibrationRace) -> bool:
    return race.verdict == "dead heat" and race.planted > race.margin


def _mean(ratios: Iterable[float]) -> float:
    return math.exp(float(np.mean([math.log(ratio) for ratio in ratios])))


def table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--races", type=Path, default=RACES)
    parser.add_argument("--write", type=Path, help="a page with the two markers")
    asked = parser.parse_args()
    text = render(store.read_races(asked.races))
    if asked.write is None:
        print(text)
        return
    put(asked.write, text)


def put(page: Path, text: str) -> None:
    """Between the two markers."""
    before, rest = page.read_text().split(BEGIN)
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
