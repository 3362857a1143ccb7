"""Each gate: a clean race passes it, a planted fault trips it and takes the verdict away."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from deadheat.model.finding import DisturbedBlocks
from deadheat.model.observation import (
    BlockEnded,
    Checked,
    Disturbance,
    Interference,
    Observation,
    Slice,
    WarmedUp,
)
from deadheat.model.result import RaceResult
from deadheat.report.gates import advice
from deadheat.report.reasons import of_verdict
from deadheat.results import derive
from tests.made.observed import COUNTED_NS, LEAD_IN_NS, WALL_NS, observations, plan, race, suite

LATE = (*[100] * 20, *[200] * 10, 0)
FAULTS: dict[str, dict[str, Any]] = {
    "errors": {"errors": {"body": 1}, "first_error": "expected a, got b"},
    "littles-law": {"latency_sum_ns": 64 * COUNTED_NS * 11 // 10},
    "generator-cpu": {"engine_cpu_ns": COUNTED_NS * 9 // 10},
    "server-cpu-known": {"server_cpu_ns": None},
    "flat": {"bins": LATE},
    "loop-delay": {"loop_delay_max_ns": COUNTED_NS // 5},
}
# What a block's record of interference says instead, and a word of the advice that fits.
AROUND: dict[str, tuple[dict[str, Any], str]] = {
    "steal": ({"steal_ns": WALL_NS // 2}, "quieter hour"),
    "throttling": ({"throttled": 70, "throttled_ns": WALL_NS // 20}, "stopped us 420 times"),
    "swap": ({"swapped_in_bytes": 2**21, "swapped_out_bytes": 2**21}, "4 MB a block"),
    "other-cpu": ({"others_ns": WALL_NS // 2}, "25% of CPUs 0, 1, cargo (pid 812) most"),
    "clock-steps": ({"clock_step_ns": -(10**9)}, "suspended"),
    "frequency": ({}, "2,000 to 3,000 MHz"),
}


def derived(tmp_path: Path, **how: Any) -> RaceResult:
    return derive.results(plan(race(), suite(tmp_path)), {}, observations(race(), **how)).workloads[0]


def broken(result: RaceResult, entry: str) -> set[str]:
    (row,) = [row for row in result.contenders if row.id == entry]
    return {gate.name for gate in row.gates if not gate.ok}


def test_a_clean_race_holds_every_gate(tmp_path: Path) -> None:
    result = derived(tmp_path)
    assert all(gate.ok and advice(gate) is None for row in result.contenders for gate in row.gates)
    assert all(gate.ok for gate in result.gates)
    names = {gate.name for row in result.contenders for gate in row.gates}
    assert names == {*FAULTS, "right-answers", "below-ceiling", "frozen", "runqueue-wait", "drift"}
    assert {gate.name for gate in result.gates} == {*AROUND, "enough-blocks", "null-pair"}


def test_wrong_answers_under_load_take_a_contender_out_of_the_table(tmp_path: Path) -> None:
    result = derived(tmp_path, changed={"fast": FAULTS["errors"]})
    (row,) = [row for row in result.contenders if row.id == "fast"]
    assert (row.status, row.place, row.figures.throughput_rps) == ("invalid", None, None)
    (gate,) = row.gates
    assert (gate.name, gate.facts["first_error"]) == ("errors", "expected a, got b")
    assert result.verdicts == ()


@pytest.mark.parametrize("name", [name for name in FAULTS if name != "errors"])
def test_a_planted_fault_trips_its_gate_and_no_other(tmp_path: Path, name: str) -> None:
    result = derived(tmp_path, changed={"fast": FAULTS[name]})
    assert broken(result, "fast") == {name}
    assert broken(result, "slow") == set()
    assert result.verdicts[0].verdict == "invalid"
    assert of_verdict(result.verdicts[0]).startswith(f"{name}: ")


def test_who_leaves_connections_waiting_for_whole_turns_is_told_so(tmp_path: Path) -> None:
    """What is not answered within a turn has no latency: that is no contradiction of ours."""
    starved = {"latency_sum_ns": 64 * COUNTED_NS * 7 // 10, "latency_max_ns": LEAD_IN_NS + COUNTED_NS}
    shorter = {**starved, "latency_max_ns": COUNTED_NS // 2}
    said = "some requests waited 150 ms in turns of 150 ms"
    for changed, told in ((starved, said), (shorter, "report this as a bug")):
        folder = tmp_path / told[:4]
        [row] = [row for row in derived(folder, changed={"fast": changed}).contenders if row.id == "fast"]
        [law] = [gate for gate in row.gates if gate.name == "littles-law"]
        assert not law.ok and told in (advice(law) or "")


def test_a_contender_at_the_ceiling_is_a_lower_bound(tmp_path: Path) -> None:
    result = derived(tmp_path, speeds={"fast": 3.8})
    assert broken(result, "fast") == {"below-ceiling"}
    assert next(row for row in result.contenders if row.id == "fast").lower_bound


def test_wrong_answers_are_no_measurement(tmp_path: Path) -> None:
    seen = [o for o in observations(race()) if not (isinstance(o, Checked) and o.contender == "fast")]
    wrong = Checked(workload="echo", contender="fast", ok=False, cases=3, reason="expected a, got b")
    result = derive.results(plan(race(), suite(tmp_path)), {}, [*seen, wrong]).workloads[0]
    (row,) = [row for row in result.contenders if row.id == "fast"]
    assert (row.status, row.reason) == ("failed", "expected a, got b")
    assert result.verdicts == ()


def test_few_blocks_are_said_to_be_few(tmp_path: Path) -> None:
    short = race(2)
    result = derive.results(plan(short, suite(tmp_path)), {}, observations(short)).workloads[0]
    assert [gate.name for gate in result.gates if not gate.ok] == ["enough-blocks"]


def of(seen: Sequence[Observation], tmp_path: Path) -> RaceResult:
    return derive.results(plan(race(), suite(tmp_path)), {}, seen).workloads[0]


def with_second_half(times: float) -> list[Observation]:
    """A race in which `fast` serves so many times as much in the second half of each block."""
    later = race().rounds // 2
    return [
        one.model_copy(update={"replies": round(one.replies * times)})
        if isinstance(one, Slice) and one.entry == "fast" and one.round >= later
        else one
        for one in observations(race())
    ]


@pytest.mark.parametrize(
    ("times", "why"), [(1.5, "was not warm"), (0.7, "gets slower by what it has served")]
)
def test_who_is_at_another_level_at_the_end_of_a_block_has_no_verdict(
    tmp_path: Path, times: float, why: str
) -> None:
    result = of(with_second_half(times), tmp_path)
    assert broken(result, "fast") == {"drift"} and broken(result, "slow") == set()
    assert result.verdicts[0].verdict == "invalid"
    assert why in of_verdict(result.verdicts[0])


def test_what_hardly_drifts_has_a_verdict(tmp_path: Path) -> None:
    """By less than a tenth, or by nobody knows how much."""
    assert broken(of(with_second_half(1.05), tmp_path), "fast") == set()


@pytest.mark.parametrize("name", [name for name in AROUND if name != "frequency"])
def test_a_disturbance_of_the_machine_trips_its_gate_and_no_other(tmp_path: Path, name: str) -> None:
    fault, advised = AROUND[name]
    result = derived(tmp_path, around=fault)
    (gate,) = [gate for gate in result.gates if not gate.ok]
    assert gate.name == name and advised in str(advice(gate))
    assert [verdict.verdict for verdict in result.verdicts] == ["invalid"]
    assert of_verdict(result.verdicts[0]).startswith(f"{name}: ")


def test_a_cpu_that_slows_down_between_blocks_is_seen(tmp_path: Path) -> None:
    seen = [
        o.model_copy(update={"frequency_mhz": 2000.0}) if isinstance(o, Interference) and o.block > 2 else o
        for o in observations(race())
    ]
    (gate,) = [gate for gate in of(seen, tmp_path).gates if not gate.ok]
    assert gate.name == "frequency" and AROUND["frequency"][1] in str(advice(gate))


def test_a_contender_that_runs_while_frozen_is_seen(tmp_path: Path) -> None:
    result = derived(tmp_path, ended={"fast": {"frozen_cpu_ns": 11_000_000}})
    assert broken(result, "fast") == {"frozen"} and broken(result, "slow") == set()
    assert result.verdicts[0].verdict == "invalid"


@pytest.mark.parametrize(
    ("disturbed", "others", "seen_as"),
    [(1, 0.02, set()), (3, 0.02, {"runqueue-wait"}), (3, 0.005, set()), (8, 0.02, set())],
)
def test_waiting_for_the_cpu_now_and_then_is_a_neighbour(
    tmp_path: Path, disturbed: int, others: float, seen_as: set[str]
) -> None:
    """In 3 of 8 rounds it is somebody else, where there is anybody: else, and all the time, it is the
    server's own threads."""

    def waits(o: Observation) -> Observation:
        if isinstance(o, Slice) and o.entry == "fast" and o.round < disturbed:
            return o.model_copy(update={"server_runqueue_wait_ns": COUNTED_NS})
        if isinstance(o, Interference):
            return o.model_copy(update={"others_ns": round(others * o.wall_ns * len(o.cpus))})
        return o

    assert broken(of([waits(o) for o in observations(race())], tmp_path), "fast") == seen_as


@pytest.mark.parametrize(("share", "seen_as"), [(0.03, set()), (0.4, {"runqueue-wait"})])
def test_a_server_of_16_processes_waits_16_times_for_a_neighbour(
    tmp_path: Path, share: float, seen_as: set[str]
) -> None:
    """They wait 15 times the slice for each other: 3% more or less of that is no neighbour, who makes each of
    them wait, be it for 40% of a slice."""
    whole_ns = LEAD_IN_NS + COUNTED_NS

    def waits(o: Observation) -> Observation:
        if isinstance(o, Slice) and o.entry == "fast":
            more = share if o.round < 3 else 0
            return o.model_copy(update={"server_runqueue_wait_ns": round((15 + 16 * more) * whole_ns)})
        if isinstance(o, Interference):
            return o.model_copy(update={"others_ns": round(0.015 * o.wall_ns * len(o.cpus))})
        return o

    assert broken(of([waits(o) for o in observations(race())], tmp_path), "fast") == seen_as


def test_too_short_a_race_says_nothing_of_other_processes(tmp_path: Path) -> None:
    """Their CPU time is counted in ticks: a second of it would be a matter of luck."""
    result = derived(tmp_path, around={"wall_ns": 10**9, "others_ns": 10**9, "steal_ns": 0})
    assert "other-cpu" not in {gate.name for gate in result.gates}


def test_a_journal_of_before_interference_was_kept_has_no_such_gates(tmp_path: Path) -> None:
    seen = [o for o in observations(race()) if not isinstance(o, Interference)]
    result = of(seen, tmp_path)
    assert {gate.name for gate in result.gates} == {"enough-blocks", "null-pair"}
    assert result.verdicts[0].verdict == "faster"


def test_what_a_machine_does_not_tell_is_no_gate(tmp_path: Path) -> None:
    untold = {"swapped_in_bytes": None, "swapped_out_bytes": None, "throttled": None}
    result = derived(tmp_path, around={**untold, "throttled_ns": None, "frequency_mhz": None})
    assert {gate.name for gate in result.gates} == {
        "enough-blocks",
        "null-pair",
        "steal",
        "other-cpu",
        "clock-steps",
    }


def test_interference_around_a_block_that_was_cut_off_does_not_count(tmp_path: Path) -> None:
    noisy = [
        o.model_copy(update={"steal_ns": WALL_NS}) if isinstance(o, Interference) and o.block == 5 else o
        for o in observations(race())
        if not (isinstance(o, BlockEnded) and o.block == 5)
    ]
    assert all(gate.ok for gate in of(noisy, tmp_path).gates)


def with_starts(rising: Sequence[bool], working: Sequence[bool] = (False,) * 6) -> list[Observation]:
    """A clean race whose fast one was loaded for 30 s at each start, and was or was not still rising, or at
    work with nothing to answer."""
    starts = [
        WarmedUp(
            race=race().key, block=block, entry="fast", loaded_s=30, needed_s=20, rising=one, working=works
        )
        for block, (one, works) in enumerate(zip(rising, working, strict=True))
    ]
    return [*observations(race()), *starts]


NEVER, ONCE, ALWAYS = (False,) * 6, (True, *[False] * 5), (True,) * 6


@pytest.mark.parametrize(
    ("rising", "working", "ok"),
    [
        (NEVER, NEVER, True),
        (ONCE, ONCE, True),
        (ALWAYS, NEVER, False),
        (NEVER, ALWAYS, False),  # flat, at the level of what its compiler has not got to
    ],
)
def test_a_server_that_never_gets_steady_has_no_verdict(
    tmp_path: Path, rising: Sequence[bool], working: Sequence[bool], ok: bool
) -> None:
    plan_ = plan(race(), suite(tmp_path))
    result = derive.results(plan_, {}, with_starts(rising, working)).workloads[0]
    assert broken(result, "fast") == (set() if ok else {"steady"})
    assert broken(result, "slow") == set()


@pytest.mark.parametrize(("left", "enough"), [(2, False), (5, True)])
def test_disturbed_blocks_do_not_count_and_are_told(tmp_path: Path, left: int, enough: bool) -> None:
    """With fewer than enough left there is no verdict, and the gate says who it was."""
    by = Disturbance(by="other programs", share=0.31, limit=0.03, who=("cargo (pid 812)",))
    seen = [
        o.model_copy(update={"disturbed": by}) if isinstance(o, BlockEnded) and o.block >= left else o
        for o in observations(race())
    ]
    result = derive.results(plan(race(), suite(tmp_path)), {}, seen).workloads[0]
    assert result.blocks == left
    (reported,) = [one for one in result.findings if isinstance(one, DisturbedBlocks)]
    assert reported.worst == by
    gate = next(gate for gate in result.gates if gate.name == "enough-blocks")
    assert gate.ok == enough
    if not enough:
        assert "too busy" in str(advice(gate)) and "cargo (pid 812)" in str(advice(gate))
