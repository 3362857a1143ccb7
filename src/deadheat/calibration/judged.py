"""A race of a calibration, from its observations to a line of figures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deadheat import stats
from deadheat.calibration import servers
from deadheat.calibration.steps import LENGTHS_MS, Step
from deadheat.errors import ExitCode, UserError
from deadheat.model.calibration import CalibrationRace, MachineId
from deadheat.model.observation import Observation, Slice
from deadheat.model.plan import Plan
from deadheat.plan.looks import looks_of
from deadheat.results import derive
from deadheat.results.tally import Tally, tallied
from deadheat.results.values import Value, cpu_us_per_request, throughput_rps
from deadheat.storage.journal import whole_blocks

# Where counting might begin, milliseconds after a slice's start, and how long each window is.
LEAD_INS_MS, WINDOW_MS = (0, 25, 50, 75, 100, 150), 100


def race(
    step: Step,
    plan: Plan,
    observed: Sequence[Observation],
    *,
    other: str,
    iterations: tuple[int, int],
    truth: tuple[float, tuple[float, float]] | None,
    seconds: float,
    machine: MachineId,
) -> CalibrationRace:
    """The figures of one race of plain against another. Its verdict is by the interval alone, no gate.

    `truth` is counted, with its interval; None of races that it is counted by.
    """
    raced = plan.workloads[0]
    counting = list(whole_blocks(list(observed)))
    tally = tallied(raced, counting)
    result = derive.workload(raced, plan.facts, step.margin, counting)
    pair = _compare(tally, other, throughput_rps)
    verdict = stats.judge_family({other: pair}, step.margin, looks=looks_of(raced))[other]
    if verdict.estimate.ratio is None:
        raise UserError("a server of the calibration served nothing", code=ExitCode.NOTHING_MEASURED)
    by_cpu = _compare(tally, other, cpu_us_per_request, lower_is_better=True)
    start_variance, slice_variance = variances(tally, other)
    gates = [gate for row in result.contenders for gate in row.gates] + list(result.gates)
    slices = [*tally.slices(servers.PLAIN), *tally.slices(other)]
    rows = {row.id: row.figures.cpu_us_per_request for row in result.contenders}
    plain_us, other_us = rows[servers.PLAIN], rows[other]
    return CalibrationRace(
        step=step.name,
        kind=step.kind,
        planted=step.planted,
        margin=step.margin,
        neighbour=step.neighbour,
        lead_in_ms=step.lead_in_ms,
        counted_ms=step.counted_ms,
        blocks_planned=step.blocks,
        rounds=step.rounds,
        seed=plan.seed,
        at=plan.started,
        seconds=round(seconds, 2),
        load_s=round(sum(s.counted_until_ns - s.started_ns for s in slices) / 1e9, 2),
        iterations=iterations,
        effects=tuple(round(float(e), 6) for e in _effects(tally, other)),
        start_variance=start_variance,
        slice_variance=slice_variance,
        ratio=round(verdict.estimate.ratio, 6),
        ci=_rounded(verdict.estimate.ci),
        verdict=_word(verdict),
        printed=result.verdicts[0].verdict if result.verdicts else "none",
        broken=tuple(sorted({gate.name for gate in gates if not gate.ok})),
        truth=None if truth is None else round(truth[0], 6),
        truth_ci=None if truth is None else _rounded(truth[1]),
        truth_by="counting",
        cpu_ratio=None if by_cpu.ratio is None else round(by_cpu.ratio, 6),
        cpu_ratio_ci=_rounded(by_cpu.ci),
        cpu_us=(round(plain_us.estimate, 3), round(other_us.estimate, 3)) if plain_us and other_us else None,
        lead_in_bias=lead_in_bias(tally, other) if step.counted_ms == max(LENGTHS_MS) else {},
        machine=machine,
    )


def variances(tally: Tally, other: str) -> tuple[float, float]:
    """Of the pair's log ratio: between starts, and between rounds. Zeros where blocks are too few."""
    blocks = tally.common_blocks(servers.PLAIN, other)
    series = {name: tally.series(name, throughput_rps, blocks) for name in (servers.PLAIN, other)}
    try:
        parts = stats.variance_components(series).values()
    except ValueError:
        return 0.0, 0.0
    return sum(part.between_starts for part in parts), sum(part.between_slices for part in parts)


def lead_in_bias(tally: Tally, other: str) -> dict[int, tuple[float, float]]:
    """What counting a window from each lead-in on makes of the log ratio, against the slices' second half.

    Lead-in in milliseconds -> mean over blocks and its standard error, log units.
    """
    biases = {}
    for lead_in_ms in LEAD_INS_MS:
        changes = []
        for block in tally.common_blocks(servers.PLAIN, other):
            change = _settling(tally, servers.PLAIN, block, lead_in_ms) - _settling(
                tally, other, block, lead_in_ms
            )
            if np.isfinite(change):
                changes.append(change)
        if len(changes) > 1:
            error = float(np.std(changes, ddof=1) / np.sqrt(len(changes)))
            biases[lead_in_ms] = (round(float(np.mean(changes)), 6), round(error, 6))
    return biases


def _settling(tally: Tally, entry: str, block: int, lead_in_ms: int) -> float:
    """The log of the rate in a window after the lead-in over that in the slices' second half."""
    window = later = 0.0
    for turn in tally.turns[entry][block]:
        assert isinstance(turn, Slice)
        bins = turn.bins[:-1]  # the last is the rest of the span
        first, width = lead_in_ms // turn.bin_ms, WINDOW_MS // turn.bin_ms
        half = len(bins) // 2
        window += sum(bins[first : first + width]) / width
        later += sum(bins[half:]) / max(1, len(bins) - half)
    return float(np.log(window / later)) if window and later else float("nan")


def _compare(tally: Tally, other: str, value: Value, *, lower_is_better: bool = False) -> stats.Estimate:
    blocks = tally.common_blocks(servers.PLAIN, other)
    return stats.compare(
        tally.series(servers.PLAIN, value, blocks),
        tally.series(other, value, blocks),
        lower_is_better=lower_is_better,
    )


def _effects(tally: Tally, other: str) -> stats.FloatArray:
    blocks = tally.common_blocks(servers.PLAIN, other)
    return stats.block_effects(
        tally.series(servers.PLAIN, throughput_rps, blocks), tally.series(other, throughput_rps, blocks)
    )


def _word(verdict: stats.Verdict) -> str:
    """`faster` is plain, as it should be where something was planted; `slower` is the other way round."""
    return "slower" if verdict.winner == "b" else verdict.kind


def _rounded(ci: tuple[float, float] | None) -> tuple[float, float] | None:
    return None if ci is None else (round(ci[0], 6), round(ci[1], 6))
