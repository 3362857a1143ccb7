"""A race's null pair, its family of verdicts and its places: who may be said to be faster than whom."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations

from deadheat import stats
from deadheat.model.claim import MORE_IS_BETTER
from deadheat.model.gate import GateResult
from deadheat.model.reason import BrokenGate
from deadheat.model.result import Against, ContenderResult, NullPair, Verdict, turned
from deadheat.plan.looks import looks_of
from deadheat.plan.skew import any_skewed
from deadheat.results import pace
from deadheat.results.gates.gate import gate_result
from deadheat.results.gates.own import LOWER_BOUND
from deadheat.results.tally import Tally
from deadheat.results.values import VALUES, Value

# Gates on limits hold up to 80 or 90% of them: who holds may be at that.
CLEAR_OF_LIMITS = 1.25
# How many times as fast the first of a pair is as the second.
Compared = Callable[[str, str], stats.Estimate]
# The verdicts of a race by the figures alone, by pair.
Family = Mapping[tuple[str, str], stats.Verdict]


def compare(
    tally: Tally, a: str, b: str, value: Value, metric: str, blocks: Sequence[int] | None = None
) -> stats.Estimate:
    """How many times as fast a is as b over the blocks that both were in, or over some of these.

    The reference is the mean of its two entries, except against itself and where the second was lost.
    """
    both = tally.common_blocks(a, b)
    blocks = both if blocks is None else [block for block in blocks if block in both]
    lower_is_better = not MORE_IS_BETTER[metric]
    if not tally.method.of_sums:
        mine, theirs = (tally.series(entry, value, blocks) for entry in (a, b))
        return stats.compare(mine, theirs, lower_is_better=lower_is_better)
    own, other = paired_rounds(tally, a, b, value, blocks)
    return stats.compare_sums(own, other, lower_is_better=lower_is_better)


def by_block(tally: Tally, a: str, b: str, value: Value, metric: str) -> dict[int, float]:
    """The log ratio of each block that has one, by the same rule as `compare`."""
    both = tally.common_blocks(a, b)
    sign = 1 if MORE_IS_BETTER[metric] else -1
    if not tally.method.of_sums:
        pairs = zip(*(tally.series(entry, value, both) for entry in (a, b)), strict=True)
        effects = [stats.block_effects([mine], [theirs]) for mine, theirs in pairs]
    else:
        sums = zip(*paired_rounds(tally, a, b, value, both), strict=True)
        effects = [stats.effects_of([mine], [theirs])[0] for mine, theirs in sums]
    return {block: sign * float(one[0]) for block, one in zip(both, effects, strict=True) if len(one)}


def second_entry(tally: Tally, blocks: Sequence[int]) -> str | None:
    """The reference's second entry, where it was in all of these blocks in every round; else None.

    One rule for all blocks, so that they are of one kind.
    """
    null = tally.race.null_entry
    if null is None or not tally.method.both_entries or not set(blocks) <= set(tally.common_blocks(null)):
        return None
    whole = all(rounds.there.all() for rounds in tally.rounds(null, VALUES[tally.race.metric], blocks))
    return null if whole else None


def paired_rounds(
    tally: Tally, a: str, b: str, value: Value, blocks: Sequence[int]
) -> tuple[list[stats.Rounds], list[stats.Rounds]]:
    """The rounds of both, a list entry a block; the reference's are those of its two entries together."""
    null = second_entry(tally, tally.common_blocks(a, b)) if tally.race.null_entry not in (a, b) else None
    return _rounds(tally, a, null, value, blocks), _rounds(tally, b, null, value, blocks)


def _rounds(
    tally: Tally, entry: str, null: str | None, value: Value, blocks: Sequence[int]
) -> list[stats.Rounds]:
    rounds = tally.rounds(entry, value, blocks)
    if null is None or entry != tally.race.reference_entry:
        return rounds
    second = tally.rounds(null, value, blocks)
    return [stats.together(*two) for two in zip(rounds, second, strict=True)]


def against(tally: Tally, a: str, b: str, value: Value) -> Against | None:
    pair = compare(tally, a, b, value, tally.race.metric)
    return None if pair.ratio is None else Against(ratio=pair.ratio, ci=pair.ci)


def null_pair_of(tally: Tally, compared: Compared) -> NullPair | None:
    """The reference against itself, by what the race is judged by (`compared`)."""
    null = tally.race.null_entry
    if null is None or not tally.common_blocks(tally.race.reference_entry, null):
        return None
    reference = tally.race.reference_entry
    judged = stats.judge_null_pair(
        compared(null, reference),
        fewest_blocks=tally.method.fewest_null_blocks,
    )
    shown, past = judged.estimate, tally.race.past
    if shown.ratio is None:
        return None
    return NullPair(
        contender=tally.race.reference,
        ratio=shown.ratio,
        ci=shown.ci,
        ci_99_9=shown.at(0.999).ci,
        ok=judged.ok,
        detectable=judged.detectable,
        pooled=past.null_pairs if past is not None else 0,
        pooled_excluding=past.excluding if past is not None else 0,
    )


def null_gate(tally: Tally, null_pair: NullPair | None) -> tuple[GateResult, ...]:
    """This race's own null pair, and those of earlier races that the plan knew of, where they are enough to
    say anything. None where the reference was not raced twice."""
    limit = "99.9% interval covers 1"
    if null_pair is not None:
        own = gate_result("null-pair", null_pair.ok, null_pair.ratio, limit)
        return (own, *_pool_gate(tally))
    null = tally.race.null_entry
    if null is None or not tally.common_blocks(tally.race.reference_entry, null):
        return ()
    return (gate_result("null-pair", False, None, limit),)


def _pool_gate(tally: Tally) -> tuple[GateResult, ...]:
    past = tally.race.past
    if past is None or past.null_pairs < stats.FEWEST_POOLED:
        return ()
    pool = stats.NullPool(past.null_pairs, past.excluding)
    share = pool.excluding / pool.pairs
    limit = "surely no more than 5% exclude 1"
    facts = {"pairs": pool.pairs, "excluding": pool.excluding}
    return (gate_result("null-pool", pool.ok, share, limit, **facts),)


def verdicts_of(
    tally: Tally, rows: Mapping[str, ContenderResult], family: Family, race_gates: Sequence[GateResult]
) -> tuple[Verdict, ...]:
    """The family's verdicts, those of a broken gate void; but where only the faster of the two was at a limit
    it is ahead by so much at least."""
    verdicts = []
    by_rate = tally.race.judged == "throughput_rps"
    for (a, b), by_figures in family.items():
        verdict = by_figures
        broken = first_broken((rows[a], rows[b]), race_gates)
        if broken is not None:
            limit = limit_of(rows[a], rows[b], race_gates, by_figures) if by_rate else None
            verdict = by_figures.void(broken) if limit is None else by_figures.at_least(limit)
        shown = as_result(a, b, tally.race.judged, verdict)
        if (blocks := verdict.more_blocks) is not None:
            shown = shown.replaced(more_blocks=blocks, more_s=pace.more_s(tally, blocks))
        verdicts.append(shown)
    return tuple(verdicts)


def limit_of(
    a: ContenderResult, b: ContenderResult, race_gates: Iterable[GateResult], verdict: stats.Verdict
) -> BrokenGate | None:
    """The limit (of the generator, the services, the network, this machine) that the faster of a pair was at,
    and nothing else is wrong: without it it would be further ahead.

    None where the other is less than `CLEAR_OF_LIMITS` times as slow: it may have been close to the same
    limit itself, which its gate lets pass up to there.
    """
    faster, other = (a, b) if verdict.winner == "a" else (b, a)
    estimate = verdict.estimate
    clear = min(abs(estimate.low), abs(estimate.high)) > math.log(CLEAR_OF_LIMITS)
    if verdict.winner is None or not clear or first_broken((other,), race_gates) is not None:
        return None
    at_limits = all(gate.name in LOWER_BOUND for gate in faster.broken)
    return first_broken((faster,), ()) if at_limits else None


def first_broken(rows: Iterable[ContenderResult], race_gates: Iterable[GateResult]) -> BrokenGate | None:
    """The first gate that does not hold, the contenders' own before the race's."""
    broken: list[tuple[str | None, GateResult]] = [(row.id, gate) for row in rows for gate in row.broken]
    broken += [(None, gate) for gate in race_gates if not gate.ok]
    return next((BrokenGate(contender=whose, gate=gate) for whose, gate in broken), None)


def judged(
    tally: Tally,
    measured: Sequence[str],
    ceilings: Iterable[str],
    margin: float,
    claimed: Sequence[tuple[str, str]],
    compared: Compared | None = None,
) -> dict[tuple[str, str], stats.Verdict]:
    """Each contender against the reference, and the pairs that claims name: the family that is judged.

    By the figures alone, whatever the gates say. Ceilings are left out: they are this machine's limit, not
    rivals. Of a race that ranks all pairs are judged. `compared`: where turns do not say it.
    """
    metric = tally.race.metric
    how = compared or (lambda a, b: compare(tally, a, b, VALUES[metric], metric))
    pairs = family_of(tally, measured, ceilings, claimed)
    return stats.judge_family(
        {(a, b): how(a, b) for a, b in pairs},
        margin=margin,
        looks={pair: looks_of(tally.race, pair) for pair in pairs},
        fewest_blocks={pair: fewest_of(tally, pair) for pair in pairs},
        look_penalty=tally.method.version > 1,
    )


def fewest_of(tally: Tally, pair: tuple[str, str]) -> int:
    """The blocks without which a pair has no verdict: more where the starts of one were skewed before."""
    method = tally.method
    return method.fewest_if_skewed if any_skewed(tally.race, pair) else method.fewest_blocks


def family_of(
    tally: Tally, measured: Sequence[str], ceilings: Iterable[str], claimed: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """The pairs that are judged together, each once; none where the reference was not measured."""
    reference = tally.race.reference_entry
    if reference not in measured:
        return []
    out = set(ceilings)
    rivals = [entry for entry in measured if entry != reference and entry not in out]
    pairs = [(entry, reference) for entry in rivals]
    pairs += [(a, b) for a, b in claimed if {a, b} <= set(rivals)]
    if not tally.race.ranked:
        return pairs
    named = [set(pair) for pair in pairs]
    return pairs + [pair for pair in combinations(rivals, 2) if set(pair) not in named]


def reported_of(family: Family, a: str, b: str) -> Against | None:
    """How many times as fast a is as b by the interval that was judged; None where nobody judged them."""
    if (a, b) not in family and (b, a) not in family:
        return None
    estimate = (family.get((a, b)) or family[b, a]).estimate
    if estimate.ratio is None:
        return None
    ratio, ci = estimate.ratio, estimate.ci
    if (a, b) not in family:
        ratio, ci = turned(ratio, ci)
    return Against(ratio=ratio, ci=ci)


def as_result(a: str, b: str, metric: str, verdict: stats.Verdict) -> Verdict:
    """The verdict with the winner first, where there is one."""
    ratio, ci = verdict.estimate.ratio, verdict.estimate.ci
    if verdict.winner == "b" and ratio is not None:
        a, b = b, a
        ratio, ci = turned(ratio, ci)
    return Verdict(
        a=a,
        b=b,
        metric=metric,
        ratio=ratio,
        ci=ci,
        verdict=verdict.kind,
        blocks=verdict.estimate.blocks,
        reasons=verdict.reasons,
    )


def places(
    tally: Tally, levels: Mapping[str, float], compared: Compared | None = None
) -> dict[str, stats.Place]:
    """Places by `levels`, the race's metric of each rival; those that cannot be told apart share one.

    By the method's version 1: every pair by an interval of its own, which no verdict was judged by.
    """
    metric = tally.race.metric
    how = compared or (lambda a, b: compare(tally, a, b, VALUES[metric], metric))

    def apart(a: str, b: str) -> bool:
        pair = how(a, b)
        return pair.low > 0 or pair.high < 0

    return _placed(_fastest_first(levels, metric), apart)


def ranked(tally: Tally, entries: Iterable[str], family: Family) -> dict[str, stats.Place]:
    """Places of a race that was planned to rank, by the verdicts of its family and nothing else: whoever is
    not judged faster than another shares its place."""
    reference = tally.race.reference_entry
    ratios = {reference: 1.0}
    for entry in entries:
        against = reported_of(family, entry, reference)
        if against is not None:
            ratios[entry] = against.ratio

    def apart(a: str, b: str) -> bool:
        verdict = family.get((a, b)) or family.get((b, a))
        return verdict is not None and verdict.kind == "faster"

    return _placed(sorted(ratios, key=lambda entry: -ratios[entry]), apart)


def _fastest_first(levels: Mapping[str, float], metric: str) -> list[str]:
    return sorted(levels, key=lambda entry: levels[entry], reverse=MORE_IS_BETTER[metric])


def _placed(fastest_first: Sequence[str], apart: Callable[[str, str], bool]) -> dict[str, stats.Place]:
    return {place.contender: place for place in stats.places(fastest_first, apart=apart)}
