"""CPU time of each contender over the reference's: what a reply of a server costs, or a program's run."""

import math
from dataclasses import replace

from deadheat.model.result import AnyResult, CpuRatio, turned
from deadheat.results import claimed, judging
from deadheat.results.claimed import Race
from deadheat.results.tally import Tally
from deadheat.results.values import TURN_VALUES

# What is known of CPU time beside each metric that a race may judge.
BESIDE = {"throughput_rps": "cpu_us_per_request", "wall_s": "cpu_s"}


def ratio(tally: Tally, entry: str) -> CpuRatio | None:
    """By block over the rounds that both were in, sums of CPU time over sums of replies, with a plain 95%
    interval. None of the reference, and where CPU time is what the race judges."""
    metric, reference = BESIDE.get(tally.race.metric), tally.race.reference_entry
    if metric is None or entry == reference:
        return None
    pair = judging.compare(tally, entry, reference, TURN_VALUES[metric], metric)
    if pair.ratio is None:
        return None
    used, ci = turned(pair.ratio, pair.ci)
    return CpuRatio(ratio=used, ci=ci)


def by_block(tally: Tally, entry: str) -> dict[int, float]:
    """The same in each block that has one."""
    metric, reference = BESIDE.get(tally.race.metric), tally.race.reference_entry
    if metric is None or entry == reference:
        return {}
    logs = judging.by_block(tally, entry, reference, TURN_VALUES[metric], metric)
    return {block: math.exp(-log) for block, log in logs.items()}


def as_judged(race: Race) -> Race:
    """Where claims ask how a contender's CPU time stands to the reference's, its row has the interval of
    their family: of one question no report prints two."""
    rows = tuple(_as_judged(race, row) for row in race.result.contenders)
    return replace(race, result=race.result.replaced(contenders=rows)) if race.secondary else race


def _as_judged(race: Race, row: AnyResult) -> AnyResult:
    metric = BESIDE.get(race.result.metric)
    shown = row.figures.cpu_against_reference
    if metric is None or shown is None:
        return row
    verdict = race.secondary.get(claimed.of_pair(metric, row.id, race.result.reference))
    if verdict is None:
        return row
    ratio, ci = shown.ratio, verdict.estimate.ci
    # The question is how many times as little its first one uses.
    if row.id < race.result.reference:
        _, ci = turned(ratio, ci)
    return row.replaced(cpu_against_reference=CpuRatio(ratio=ratio, ci=ci, family=len(race.secondary)))
