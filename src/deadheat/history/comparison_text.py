"""What became of two runs held against each other, for a terminal and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from deadheat.history.comparison import Anchored, Comparison, RaceChange
from deadheat.history.spread import DEFAULT_SD, FEWEST
from deadheat.model.result import Results
from deadheat.report import words

if TYPE_CHECKING:
    from rich.console import Console

WARNING = (
    "Two runs at two times cannot settle a small difference: only contenders raced in turn, in the same "
    "minutes, can. Each figure is the ratio after over the ratio before, against what was raced beside it."
)


def print_comparison(found: Comparison, console: Console, *, as_json: bool) -> None:
    if as_json:
        console.file.write(json.dumps(_as_json(found), indent=2) + "\n")
        return
    console.print(WARNING, highlight=False, markup=False)
    _say(console, f"before: {_run(found.before)}")
    _say(console, f"after:  {_run(found.after)}")
    for note in found.notes:
        _say(console, f"! {note}")
    for race in found.races:
        _print_race(race, console)
    if not found.races:
        _say(console, "the two runs have no race in common")
        return
    intervals = sum(len(contender.by) for race in found.races for contender in race.contenders)
    _say(console, "")
    _say(
        console,
        f"{intervals} intervals of 95% each, not adjusted for their number: "
        f"about {words.figure(intervals / 20)} of them are expected to miss by chance",
    )


def _print_race(race: RaceChange, console: Console) -> None:
    _say(console, "")
    name = race.name + (f" [{race.setting}]" if race.setting else "")
    name += f" ({race.method})" if race.method != "deadheat" else ""
    _say(console, f"{name} · {words.unit(race.metric, race.kind)}")
    for note in race.notes:
        _say(console, f"  ! {note}")
    width = max((len(contender.contender) for contender in race.contenders), default=0)
    for contender in race.contenders:
        by = " · ".join(_against(anchored) for anchored in contender.by)
        _say(console, f"  {contender.contender:<{width}}  {by}: {contender.finding}")
    anchored = [anchored for contender in race.contenders for anchored in contender.by]
    if anchored:
        _say(console, f"  {between(anchored)}")


def between(anchored: list[Anchored]) -> str:
    """What was taken for the spread between runs, and where from."""
    known = [a.between for a in anchored if a.between is not None]
    assumed = (
        f"{DEFAULT_SD * 100:.1f}% (sd) is assumed between runs, the noise model's 2% a start for each of two"
    )
    if not known:
        return f"fewer than {FEWEST} other runs in the history: {assumed}"
    spreads = sorted(spread.sd * 100 for spread in known)
    shown = f"{spreads[0]:.2g}%" if len(spreads) == 1 else f"{spreads[0]:.2g}% to {spreads[-1]:.2g}%"
    least, most = min(s.runs for s in known), max(s.runs for s in known)
    runs = f"{least}" if least == most else f"{least} to {most}"
    rest = f"; where fewer than {FEWEST} have it, {assumed}" if len(known) < len(anchored) else ""
    return f"from run to run the same ratio moves by {shown} (sd; {runs} other runs in the history){rest}"


def _against(anchored: Anchored) -> str:
    found = anchored.change
    return f"{words.ratio(found.ratio)} ({words.interval(found.ci)}) against {anchored.anchor}"


def _run(results: Results) -> str:
    commit = f", {results.commit}" if results.commit else ""
    return f"{results.run} ({results.started}{commit})"


def _say(console: Console, line: str) -> None:
    console.out(line, highlight=False)


def _as_json(found: Comparison) -> dict[str, object]:
    return {
        "before": {"run": found.before.run, "commit": found.before.commit},
        "after": {"run": found.after.run, "commit": found.after.commit},
        "warning": WARNING,
        "notes": list(found.notes),
        "races": [
            {
                "name": race.name,
                "setting": race.setting,
                "method": race.method,
                "metric": race.metric,
                "notes": list(race.notes),
                "contenders": [
                    {
                        "contender": contender.contender,
                        "finding": contender.finding,
                        "against": [
                            {
                                "anchor": anchored.anchor,
                                "ratio": anchored.change.ratio,
                                "ci": anchored.change.ci,
                                "between_runs_sd": anchored.between.sd if anchored.between else DEFAULT_SD,
                                "runs": anchored.between.runs if anchored.between else 0,
                            }
                            for anchored in contender.by
                        ],
                    }
                    for contender in race.contenders
                ],
            }
            for race in found.races
        ],
    }
