"""A calibration in words, for the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator

from deadheat.model.calibration import Calibration, CalibrationCited, Found, Length
from deadheat.report import words


def lines(calibration: Calibration) -> Iterator[str]:
    """The whole table."""
    here = calibration.machine
    yield f"calibration {calibration.id} · {here.cores} cores, {here.cpu_model}, Linux {here.kernel}"
    yield ""
    yield _false_winners(calibration)
    yield ""
    minutes = sorted(calibration.settles)
    heading = "".join(f"{f'{m} min':>8}" for m in minutes)
    yield f"  called faster within    {heading}    in races so far"
    for found in calibration.found:
        chances = "".join(f"{found.chance[m]:>8.0%}" for m in minutes)
        what = f"{found.difference * 100:4g}% at margin {found.margin * 100:g}%"
        yield f"  {what}   {chances}    {_raced(found)}"
    yield ""
    for m in minutes:
        settles = calibration.settles[m]
        what = "nothing below 100%" if settles is None else f"{settles:.1%}"
        yield f"  {m:>2} min of racing a pair settle {what} (margin 0, four times in five)"
    yield ""
    for length in calibration.lengths:
        yield (
            f"  slices of {length.counted_ms:>5} ms: ratio {length.ratio:.3f} ({words.interval(length.ci)}), "
            f"±{length.error_a_minute:.2%} after a minute of load{_agrees(length)}"
        )
    lead_in = f"a lead-in of {calibration.lead_in_ms} ms or more"
    yield f"  best here: {calibration.counted_ms} ms counted, after {lead_in}"


def cited(found: CalibrationCited | None) -> str:
    """One line for plans and reports."""
    if found is None:
        return "not calibrated: deadheat calibrate measures what this machine can settle"
    if found.stale is not None:
        return f"calibration {found.id} of {found.made[:10]} is stale: {found.stale}; deadheat calibrate"
    settled = [
        f"{share:.1%} in {minutes} min"
        for minutes, share in sorted(found.settles.items())
        if share is not None
    ]
    return f"calibration {found.id} of {found.made[:10]}: a pair settles {', '.join(settled) or 'nothing'}"


def sizing(found: CalibrationCited | None) -> str:
    """Who chose the blocks and rounds of a plan, for --dry-run."""
    if found is not None and found.stale is None:
        return (
            f"{cited(found)}; it chose the blocks and rounds of servers whose own starts are not known yet, "
            "where enough of them fit"
        )
    return f"{cited(found)}; blocks and rounds are the preset's where no line says otherwise"


def _false_winners(calibration: Calibration) -> str:
    low, high = calibration.false_winner_rate
    return (
        f"  identical servers: {calibration.false_winners} false winners in {calibration.identical} races at "
        f"margin 0 ({low:.1%} to {high:.1%}; 5% is what the method allows)"
    )


def _agrees(length: Length) -> str:
    """Whether a length gives the ratio of the longest, and how surely that is known."""
    if length.against_longest is None:
        return ""
    width = math.log(length.against_longest[1] / length.against_longest[0]) / 2
    what = "agrees with" if length.agrees else "differs from"
    return f"; {what} the longest, as far as was measured (±{width:.1%})"


def _raced(found: Found) -> str:
    if not found.raced or found.ratio is None:
        return "none"
    truth = f", truth {found.truth:.3f}" if found.truth is not None else ""
    return f"{found.found} of {found.raced}; ratio {found.ratio:.3f}{truth}"
