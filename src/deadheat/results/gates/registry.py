"""The gates by name, in the order in which reports have them: each a function of what was measured.

A new gate is a function in a module of this room and a line here; what to do about a broken one is a
sentence in report/gates.py, by the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from deadheat.model.gate import GateResult
from deadheat.model.observation import Interference, Slice
from deadheat.results.gates import elsewhere, interference, own
from deadheat.results.tally import Tally
from deadheat.util.registry import Registry


@dataclass(frozen=True)
class Measured:
    """One contender of a race as it was measured; `ceiling`: the entry that is the race's, if any."""

    tally: Tally
    entry: str
    ceiling: str | None = None

    @property
    def slices(self) -> list[Slice]:
        """Its slices of load, none of a program."""
        return self.tally.slices(self.entry)


# Of one contender's own measurement, and of a race as a whole. None: it has nothing that the gate looks at.
OfContender = Callable[[Measured], GateResult | None]
OfRace = Callable[[Tally], GateResult | None]


def _of_slices(gate: Callable[[Measured, list[Slice]], GateResult | None]) -> OfContender:
    """A gate on a server under load."""

    def held(of: Measured) -> GateResult | None:
        return gate(of, of.slices) if of.slices else None

    return held


def _around(gate: Callable[[Sequence[Interference]], GateResult | None]) -> OfRace:
    """A gate on what the machine did around blocks. None of journals of before its counters were kept."""
    return lambda tally: gate(tally.interference) if tally.interference else None


def _below_ceiling(of: Measured, slices: list[Slice]) -> GateResult | None:
    return own.below_ceiling(of.tally, of.entry, of.ceiling) if of.ceiling is not None else None


def _generator_cpu(of: Measured, slices: list[Slice]) -> GateResult:
    return own.generator_cpu(slices, of.tally.race.slices.generator_threads)


CONTENDER_GATES: Registry[OfContender] = Registry(
    "gate",
    {
        "right-answers": lambda of: own.right_answers(of.tally, of.entry),
        "server-limited": lambda of: own.server_limited(of.tally, of.entry, of.tally.race.metric),
        "errors": _of_slices(lambda of, slices: own.errors(slices)),
        "littles-law": _of_slices(lambda of, slices: own.littles_law(slices)),
        "generator-cpu": _of_slices(_generator_cpu),
        "services-cpu": lambda of: own.services_cpu(of.tally, of.entry),
        "services-network": lambda of: elsewhere.services_network(of.tally, of.entry),
        "database-statements": lambda of: own.database_statements(of.tally, of.entry),
        "database-sessions": lambda of: own.database_sessions(of.tally, of.entry),
        "generator-share": lambda of: own.generator_share(of.tally, of.entry),
        "server-cpu-known": _of_slices(lambda of, slices: own.server_cpu_known(of.tally, of.entry, slices)),
        "below-ceiling": _of_slices(_below_ceiling),
        "flat": _of_slices(
            lambda of, slices: own.flatness(of.tally, of.entry, of.tally.race.reference_entry)
        ),
        "steady": lambda of: own.steady(of.tally, of.entry),
        "drift": _of_slices(lambda of, slices: own.drift(of.tally, of.entry, of.tally.race.reference_entry)),
        "slices-agree": lambda of: own.slices_agree(of.tally, of.entry),
        "loop-delay": _of_slices(lambda of, slices: interference.loop_delay(slices)),
        "runqueue-wait": _of_slices(
            lambda of, slices: interference.runqueue_wait(slices, of.tally.interference)
        ),
        "generators-together": _of_slices(lambda of, slices: elsewhere.generators_together(slices)),
        "network-limited": _of_slices(lambda of, slices: elsewhere.network_limited(slices, of.tally.network)),
        "frozen": lambda of: interference.frozen_idle(of.tally.ended.get(of.entry, ())),
    },
)
RACE_GATES: Registry[OfRace] = Registry(
    "gate",
    {
        "enough-blocks": own.enough_blocks,
        "steal": _around(interference.steal),
        "clock-steps": _around(interference.clock_steps),
        "throttling": _around(interference.throttling),
        "swap": _around(interference.swap),
        "frequency": _around(interference.frequency),
        "other-cpu": _around(interference.other_cpu),
    },
)


def of_contender(tally: Tally, entry: str, ceiling: str | None = None) -> tuple[GateResult, ...]:
    """What one contender's own measurement must hold."""
    of = Measured(tally, entry, ceiling)
    return tuple(result for gate in CONTENDER_GATES.values() if (result := gate(of)) is not None)


def of_race(tally: Tally) -> tuple[GateResult, ...]:
    """What the race as a whole must hold, the null pair apart."""
    return tuple(result for gate in RACE_GATES.values() if (result := gate(tally)) is not None)
