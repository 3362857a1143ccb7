"""Blocks that somebody got into: told by the machine's counters, and blind to what was measured."""

from __future__ import annotations

import inspect

import pytest

from deadheat.model.finding import DisturbedBlocks
from deadheat.model.observation import Disturbance, Interference, OtherProcess, Slice
from deadheat.model.observation.turns import GeneratorShare
from deadheat.model.plan import DisturbanceLimits
from deadheat.report import disturbance as words
from deadheat.run import disturbance
from tests.made.slices import LEAD_IN_NS, made_slice

SECOND = 10**9
LIMITS = DisturbanceLimits(others=0.03, steal=0.05, throttled=0.01)
CARGO = OtherProcess(pid=812, name="cargo", cpu_ns=3 * SECOND)
TOP = OtherProcess(pid=9, name="top", cpu_ns=SECOND // 10)


def around(**more: object) -> Interference:
    """Ten seconds of two CPUs; the rest as on an idle machine."""
    quiet: dict[str, object] = {
        "race": "hello",
        "block": 2,
        "cpus": (0, 1),
        "wall_ns": 10 * SECOND,
        "busy_ns": 15 * SECOND,
        "own_ns": 15 * SECOND,
        "others_ns": 0,
        "steal_ns": 0,
        "iowait_ns": 0,
    }
    return Interference.model_validate({**quiet, **more})


def test_a_quiet_block_counts() -> None:
    assert disturbance.of_block(around(), LIMITS) is None
    assert disturbance.of_block(around(others_ns=-SECOND), LIMITS) is None


@pytest.mark.parametrize(
    ("over", "by", "share"),
    [
        ({"others_ns": 6 * SECOND}, "other programs", 0.3),
        ({"steal_ns": 2 * SECOND}, "another machine", 0.1),
        ({"throttled_ns": SECOND}, "throttling", 0.05),
    ],
)
def test_each_limit_disturbs_by_itself(over: dict[str, int], by: str, share: float) -> None:
    found = disturbance.of_block(around(**over), LIMITS)
    assert found is not None
    assert found.by == by
    assert found.share == pytest.approx(share)
    just_below = {name: round(ns * found.limit / found.share) - 1 for name, ns in over.items()}
    assert disturbance.of_block(around(**just_below), LIMITS) is None


@pytest.mark.parametrize(
    ("others", "seen", "share"),
    [(0.95, 0.07, None), (6.0, 5.5, 0.275), (6.0, 7.0, 0.3), (6.0, 0.1, 0.3)],
    ids=["sleeping and waking", "seen", "seen on other CPUs too", "of another container"],
)
def test_what_nobody_can_be_seen_to_have_used_is_others_only_where_it_is_much(
    others: float, seen: float, share: float | None
) -> None:
    """Seconds; the first is of an idle machine: a slow server, and a generator that slept between replies."""
    found = disturbance.of_block(
        around(others_ns=round(others * SECOND), seen_ns=round(seen * SECOND)), LIMITS
    )
    assert (None if found is None else pytest.approx(found.share)) == share


def test_it_says_who() -> None:
    found = disturbance.of_block(around(others_ns=6 * SECOND, busiest=(CARGO, TOP)), LIMITS)
    assert found is not None and found.who == ("cargo (pid 812)", "top (pid 9)")
    reported = words.during(2, found)
    assert reported.startswith("block 3 does not count: cargo (pid 812) and others had 30% of the time")


def test_a_machine_that_does_not_tell_of_quotas_is_not_throttled() -> None:
    assert disturbance.of_block(around(throttled_ns=None), LIMITS) is None


def test_a_moment_is_too_short_to_tell() -> None:
    short = around(wall_ns=SECOND // 10, others_ns=SECOND // 10)
    assert disturbance.of_block(short, LIMITS) is None


def test_the_decision_reads_no_results() -> None:
    """It is given the machine's counters and the plan's limits, and nothing else."""
    assert list(inspect.signature(disturbance.of_block).parameters) == ["around", "limits"]
    of_contenders = ("repl", "rate", "latency", "runqueue", "delay", "entry")
    assert not [name for name in Interference.model_fields if any(word in name for word in of_contenders)]


@pytest.mark.parametrize(
    ("wall", "busy", "own", "steal", "known"),
    [(43.2, 40.51, 39.46, 1.88, True), (40.98, 21.44, 29.32, 24.54, False), (47.3, 47.32, 45.3, 0.05, True)],
    ids=["a little stolen", "a third stolen", "none stolen"],
)
def test_what_others_used_is_known_where_little_was_stolen(
    wall: float, busy: float, own: float, steal: float, known: bool
) -> None:
    """Seconds of three blocks of one race, as its machine told them."""
    block = around(
        wall_ns=round(wall * SECOND),
        busy_ns=round(busy * SECOND),
        own_ns=round(own * SECOND),
        others_ns=round((busy - own) * SECOND),
        steal_ns=round(steal * SECOND),
    )
    assert block.others_known is known
    found = disturbance.of_block(block, LIMITS)
    assert (found is None) is known
    if known:
        assert -0.02 <= block.others_ns / (2 * block.wall_ns) <= 0.03
    else:
        assert found is not None and found.by == "another machine"


def test_a_report_tells_of_the_worst() -> None:
    worst = Disturbance(by="other programs", share=0.3, limit=0.03, who=("cargo (pid 812)",))
    assert words.afterwards(DisturbedBlocks(blocks=2, worst=worst)) == (
        "2 blocks do not count: cargo (pid 812) had 30% of the time of the race's CPUs (limit 3%)"
    )


ON_MACHINES = LIMITS.replaced(clock_step_s=0.05, late=0.1)


@pytest.mark.parametrize("step_s", [2.0, -2.0])
def test_on_several_machines_a_clock_that_steps_disturbs(step_s: float) -> None:
    stepped = around(clock_step_ns=round(step_s * SECOND), host="10.0.0.3")
    # On one machine a gate says so.
    assert disturbance.of_block(stepped, LIMITS) is None
    found = disturbance.of_block(stepped, ON_MACHINES)
    assert found is not None and (found.by, found.who) == ("a clock step", ("10.0.0.3",))
    assert words.clause(found) == "the wall clock on 10.0.0.3 stepped by 2.00 s (limit 0.05)"
    assert disturbance.of_block(around(clock_step_ns=SECOND // 50), ON_MACHINES) is None


def slices(*late_ns: int, stood_ns: int = 0) -> list[Slice]:
    """One for each, by two generators of which the second is so late; it stood still for so long."""

    def share(host: str, late: int) -> GeneratorShare:
        delay = stood_ns if host == "10.0.0.3" else 0
        return GeneratorShare(host=host, late_ns=late, clock_error_ns=0, replies=1, errors=0,
                              latency_sum_ns=1, engine_cpu_ns=1, loop_delay_max_ns=delay)  # fmt: skip

    return [
        made_slice("hello", 0, n, 0, "good", 100).replaced(
            generators=(share("10.0.0.2", 0), share("10.0.0.3", late))
        )
        for n, late in enumerate(late_ns)
    ]


def test_generators_that_do_not_begin_together_disturb() -> None:
    """One slice of twenty may be late, as for the gate."""
    late = LEAD_IN_NS // 5
    assert disturbance.of_generators(slices(*[late] * 5), LIMITS) is None
    found = disturbance.of_generators(slices(*[late] * 5), ON_MACHINES)
    assert found is not None and (found.by, found.who) == ("a late generator", ("10.0.0.3",))
    assert "the generator on 10.0.0.3 was 20% of the lead-in behind (limit 10%)" in words.clause(found)
    assert disturbance.of_generators(slices(*[0] * 39, late), ON_MACHINES) is None
    alone = [made_slice("hello", 0, 0, 0, "good", 100)]
    assert disturbance.of_generators(alone, ON_MACHINES) is None


@pytest.mark.parametrize(("late_ns", "stood_ns"), [(SECOND, 0), (0, SECOND)])
def test_a_generator_that_stands_still_ends_a_block_at_once(late_ns: int, stood_ns: int) -> None:
    [one] = slices(late_ns, stood_ns=stood_ns)
    found = disturbance.lagged(one, ON_MACHINES)
    assert found is not None and (found.by, found.who) == ("a late generator", ("10.0.0.3",))
    assert disturbance.lagged(one, LIMITS) is None
    warming = one.replaced(counted_from_ns=one.started_ns, warm_up=True)
    assert disturbance.lagged(warming, ON_MACHINES) is not None
    # Who waited for its CPU has not stood still.
    [busy] = slices(LEAD_IN_NS, stood_ns=SECOND // 5)
    assert disturbance.lagged(busy, ON_MACHINES) is None
    assert disturbance.lagged(made_slice("hello", 0, 0, 0, "good", 100), ON_MACHINES) is None
