"""Runs of one plan on several machines become one answer, or are refused where they are not of one plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from deadheat import stats
from deadheat.errors import UserError
from deadheat.model.http_protocol import NAMES
from deadheat.model.measured import InvocationPlan, SlicePlan
from deadheat.model.merged import MachineRun, Merged, MergedPair, MergedRace, OnMachine
from deadheat.model.plan import Plan, RacePlan
from deadheat.model.reason import Note, Reason, TooFewBlocks
from deadheat.model.result import Answer, ContenderResult, Verdict
from deadheat.plan.asked import OURS
from deadheat.results import figures, judging
from deadheat.results.claimed import Race

#: What a ratio may depend on, of machine.json; and how its differences are called.
KIND = {
    "cpu_model": "processor",
    "architecture": "architecture",
    "cores": "cores",
    "threads_per_core": "threads a core",
    "memory_bytes": "memory",
    "system": "system",
    "kernel": "kernel",
    "virtualisation": "virtualisation",
    "governors": "frequency governor",
    "boost": "boost",
}
# Firmware keeps a little for itself, not always the same.
GIGABYTE = 1e9
#: Of one machine: fewer say next to nothing of its own error, and with it of the error of all.
FEWEST_EACH = 3
# Held to the blocks of all machines together.
BY_ALL = "enough-blocks"


@dataclass(frozen=True)
class Run:
    """A run as its folder has it: `races` those that were begun, by their keys."""

    plan: Plan
    machine: Mapping[str, Any]
    races: Mapping[str, Race]

    @property
    def name(self) -> str:
        return self.plan.run


def merge(runs: Sequence[Run], *, unlike: bool = False, known_different: bool = False) -> Merged:
    """Put them together, race by race and pair by pair.

    `unlike`: machines of several kinds are put together too; `known_different`: the machines are not one
    whatever their ids say. Raises UserError where runs are not of one plan, or not of several machines.
    """
    if len(runs) < 2:
        raise UserError(
            f"{len(runs)} run: at least two are put together, each of a machine of its own",
            hint="deadheat merge RUN RUN...",
        )
    _check_apart(runs, known_different=known_different)
    margins = {run.name: run.plan.margin for run in runs}
    if len(set(margins.values())) > 1:
        raise UserError(f"the runs were planned with other margins: {_each(margins)}")
    differences = tuple(_differences(runs))
    if differences and not unlike:
        raise UserError(
            "the runs are of unlike machines: " + "; ".join(differences),
            hint="--unlike-machines puts them together all the same, and says so",
        )
    shared = [key for key in runs[0].races if all(key in run.races for run in runs)]
    shared = [key for key in shared if runs[0].races[key].tally.race.method == OURS]
    if not shared:
        raise UserError("the runs have no race in common", hint="deadheat runs says what each raced")
    for key in shared:
        _check_same(key, runs)
    return Merged(
        version=runs[0].plan.version,
        margin=runs[0].plan.margin,
        runs=tuple(MachineRun(run=run.name, machine=_words(run.machine)) for run in runs),
        unlike=differences,
        races=tuple(_race(key, runs, runs[0].plan.margin, one_kind=not differences) for key in shared),
        left_out=tuple(dict.fromkeys(key for run in runs for key in run.races if key not in shared)),
    )


def _words(machine: Mapping[str, Any]) -> str:
    return f"{machine.get('cpu_model', 'unknown processor')}, {machine.get('cores', '?')} cores"


def _each(by_run: Mapping[str, object]) -> str:
    return ", ".join(f"{value} in {run}" for run, value in by_run.items())


def _check_apart(runs: Sequence[Run], *, known_different: bool) -> None:
    """Whether each is of a machine of its own: blocks of one machine twice would count it twice."""
    for a, b in combinations(runs, 2):
        if (a.name, a.plan.started, a.plan.seed) == (b.name, b.plan.started, b.plan.seed):
            raise UserError(f"{a.name} is named twice")
    if known_different:
        return
    hint = "--different-machines where you know that they are (clones of an image may share an id)"
    if unknown := [run.name for run in runs if not run.machine.get("id")]:
        raise UserError(
            f"{unknown[0]} does not say which machine it was raced on, so it may be one of the others",
            hint=hint,
        )
    for a, b in combinations(runs, 2):
        if a.machine["id"] == b.machine["id"]:
            raise UserError(
                f"{a.name} and {b.name} were raced on one machine: that is no second one",
                hint=f"deadheat race --more RUN adds blocks of the same machine; {hint}",
            )


def _differences(runs: Sequence[Run]) -> Iterator[str]:
    """In what the machines differ, and what was built on them."""
    yield from differing({run.name: run.machine for run in runs})
    versions = {run.name: run.plan.version for run in runs}
    if len(set(versions.values())) > 1:
        yield f"Deadheat: {_each(versions)}"
    for key, race in runs[0].races.items():
        there = [run.races[key].tally for run in runs if key in run.races]
        for contender in race.tally.built:
            built = [tally.built[contender] for tally in there if contender in tally.built]
            if len({one.key for one in built}) > 1:
                chains = {", ".join(f"{k} {v}" for k, v in one.toolchains.items()) for one in built}
                how = (
                    " and ".join(sorted(chains)) if len(chains) > 1 else "other sources or compiler settings"
                )
                yield f"builds of {key}/{contender}: {how}"


def differing(machines: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """In what machines differ, by the names that they go by: `kernel: 6.1 in m1, 6.18 in m2`."""
    for field, name in KIND.items():
        found = {which: _of_kind(machine, field) for which, machine in machines.items()}
        if len(set(map(str, found.values()))) > 1:
            yield f"{name}: {_each(found)}"


def _of_kind(machine: Mapping[str, Any], field: str) -> object:
    value = machine.get(field)
    if field == "memory_bytes" and value is not None:
        return f"{value / GIGABYTE:.0f} GB"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value


def _check_same(key: str, runs: Sequence[Run]) -> None:
    """Whether a race asked the same of the same on every machine. Lengths may differ, and what was learnt
    there (lead-ins) or is the machine's own (CPUs)."""
    first = runs[0]
    for run in runs[1:]:
        theirs, ours = run.races[key].tally.race, first.races[key].tally.race
        for name, asked in _asked(ours).items():
            if (there := _asked(theirs)[name]) != asked:
                raise UserError(f"{key}: {name} is {asked} in {first.name}, {there} in {run.name}")
        known = [one.plan.facts.workloads[ours.workload] for one in (first, run)]
        if known[0].digest != known[1].digest:
            raise UserError(f"{key}: the workload is another in {first.name} than in {run.name}")
        for contender in {entry.contender for entry in ours.entries}:
            if known[0].contender(contender).digest != known[1].contender(contender).digest:
                raise UserError(f"{key}: {contender} is another in {first.name} than in {run.name}")


def _asked(race: RacePlan) -> dict[str, object]:
    """What must be the same for two races to be one."""
    same: dict[str, object] = {
        "the kind": race.kind,
        "what is judged": race.judged,
        "the reference": race.reference,
        "the method's version": race.method_version,
        "the parameters": ", ".join(f"{name} = {value}" for name, value in sorted(race.values.items()))
        or "none",
        "the PostgreSQL": "the referee's"
        if race.own_database is None
        else f"somebody's own, {race.own_database.version}",
        "the list of contenders": ", ".join(sorted({entry.contender for entry in race.entries})),
    }
    match race.measured:
        case SlicePlan() as load:
            over = "" if load.protocol is None else f" over {NAMES[load.protocol]}"
            same["the load"] = f"{load.connections} connections of {load.streams}{over}"
            same["the servers' cores"] = len(load.server_cpus) if load.server_cpus else "the run's"
        case InvocationPlan() as sized:
            same["the size"] = sized.n
    return same


def _race(key: str, runs: Sequence[Run], margin: float, *, one_kind: bool) -> MergedRace:
    races = [run.races[key] for run in runs]
    plan = races[0].tally.race
    rivals = [
        row.id for row in races[0].result.contenders if row.id != plan.reference and row.class_ != "ceiling"
    ]
    found = {rival: _Pair.of(rival, runs, races, margin) for rival in rivals}
    pooled = {rival: pair.pooled for rival, pair in found.items() if pair.pooled is not None}
    these = stats.judge_family({rival: one.these for rival, one in pooled.items()}, margin)
    kinds = {rival: one.of_kind for rival, one in pooled.items() if one.of_kind is not None and one_kind}
    of_kind = stats.judge_family(kinds, margin, fewest_blocks=stats.FEWEST_MACHINES)

    def pair(rival: str) -> MergedPair:
        own = found[rival]
        both = [
            None if verdict is None else own.verdict(verdict, plan)
            for verdict in (these.get(rival, own.nothing(margin)), of_kind.get(rival))
        ]
        assert both[0] is not None
        return MergedPair(contender=rival, these=both[0], of_kind=both[1], machines=own.machines)

    return MergedRace(
        name=plan.workload,
        setting=plan.setting,
        kind=plan.kind,
        metric=plan.metric,
        judged_by=plan.judged_by,
        reference=plan.reference,
        pairs=tuple(pair(rival) for rival in rivals),
    )


@dataclass(frozen=True)
class _Pair:
    """A contender against the reference on each machine; `pooled` where each has FEWEST_EACH blocks or
    more."""

    contender: str
    machines: tuple[OnMachine, ...]
    pooled: stats.Pooled | None
    reasons: tuple[Reason, ...]

    @classmethod
    def of(cls, contender: str, runs: Sequence[Run], races: Sequence[Race], margin: float) -> _Pair:
        estimates = [_estimate(race, contender) for race in races]
        machines = tuple(
            _on_machine(run, race, contender, own, margin)
            for run, race, own in zip(runs, races, estimates, strict=True)
        )
        whole = all(own is not None and own.blocks >= FEWEST_EACH for own in estimates)
        pooled = stats.pool_machines([np.array(own.effects) for own in estimates if own]) if whole else None
        void = [one.run for one in machines if one.reasons]
        reasons: tuple[Reason, ...] = (Note(text=f"no ratio of {', '.join(void)}"),) if void else ()
        blocks = sum(one.blocks for one in machines)
        if not reasons and blocks < (needed := _fewest(races, contender)):
            reasons = (TooFewBlocks(blocks=blocks, needed=needed),)
        return cls(contender, machines, pooled, (*reasons, *_ended_early(runs, races)))

    def nothing(self, margin: float) -> stats.Verdict:
        return stats.Verdict("invalid", figures.NOTHING, margin)

    def verdict(self, judged: stats.Verdict, plan: RacePlan) -> Verdict:
        if self.reasons:
            judged = stats.Verdict("invalid", judged.estimate, judged.margin, self.reasons)
        shown = judging.as_result(self.contender, plan.reference, plan.judged, judged)
        # How many more blocks would settle it is a question of machines as much, and is not said.
        return shown.replaced(blocks=sum(one.blocks for one in self.machines))


def _ended_early(runs: Sequence[Run], races: Sequence[Race]) -> Sequence[Reason]:
    """A race that may end once it is settled ends on a lucky block more often than not; together with others
    that would count as if it had not."""
    early = [run.name for run, race in zip(runs, races, strict=True) if not race.tally.race.to_the_end]
    if not early:
        return ()
    said = f"{', '.join(early)} could end before the last block: race --to-the-end for runs to put together"
    return (Note(text=said),)


def _estimate(race: Race, contender: str) -> stats.Estimate | None:
    """Over the blocks of one machine; None where no block has a ratio, or the figure has none a block."""
    tally = race.tally
    found = figures.compare(tally, contender, tally.race.reference_entry, tally.race.judged_by)
    return found if found.effects else None


def _on_machine(run: Run, race: Race, contender: str, own: stats.Estimate | None, margin: float) -> OnMachine:
    rows = {row.id: row for row in race.result.contenders}
    reasons = tuple(_reasons(race, rows, contender, own))
    answer: Answer | None = None
    # One with few blocks says something together with others, and nothing by itself.
    if own is not None and not reasons and own.blocks >= _fewest([race], contender):
        answer = _answer(stats.judge(own, margin))
    return OnMachine(
        run=run.name,
        ratio=own.ratio if own is not None else None,
        ci=own.ci if own is not None else None,
        blocks=own.blocks if own is not None else 0,
        answer=answer,
        reasons=reasons,
    )


def _reasons(
    race: Race, rows: Mapping[str, ContenderResult], contender: str, own: stats.Estimate | None
) -> Iterator[Reason]:
    """Why a machine has no ratio that counts."""
    plan = race.tally.race
    pair = [rows[name] for name in (contender, plan.reference)]
    for row in pair:
        if row.status != "measured":
            yield Note(text=f"{row.id} is {row.status}" + (f": {row.reason}" if row.reason else ""))
            return
    of_race = [gate for gate in race.result.gates if gate.name != BY_ALL]
    if (broken := judging.first_broken(pair, of_race)) is not None:
        yield broken
    elif own is None:
        yield Note(text=f"{plan.judged} has no ratio block by block")
    else:
        yield from stats.unfit(own, FEWEST_EACH)


def _fewest(races: Sequence[Race], contender: str) -> int:
    """The blocks without which a pair has no verdict, as on one machine."""
    return max(judging.fewest_of(race.tally, (contender, race.tally.race.reference_entry)) for race in races)


def _answer(verdict: stats.Verdict) -> Answer:
    if verdict.kind == "faster":
        return "faster" if verdict.winner == "a" else "slower"
    return "dead heat" if verdict.kind == "dead heat" else "not settled"
