"""Whether something else got in between: gates on what the machine did around and within the blocks."""

from collections.abc import Iterable, Sequence

import numpy as np

from deadheat.gate import gate_result
from deadheat.model.observation import Slice, Surroundings
from deadheat.model.result import GateResult
from deadheat.tally import Tally

STEAL_LIMIT = 0.10
THROTTLED_LIMIT = 0.01
OTHERS_LIMIT = 0.20
SWAPPED_LIMIT_BYTES = 2**20
FREQUENCY_LIMIT = 1.25
CLOCK_STEP_LIMIT_MS = 50.0
# CPU time of others is counted in ticks of the scheduler: over less than this it says nothing.
LEAST_WATCHED_S = 10.0
FROZEN_LIMIT_MS = 10.0
# A slice is disturbed where the server waited for its CPU for this share of it longer than it usually does
# (its own threads wait for each other all the time), or the generator stood still for this share of it.
WAITED_SHARE, WAITED_LIMIT = 0.25, 0.25
DELAY_SHARE, DELAY_LIMIT = 0.10, 0.10


def of_race(tally: Tally) -> tuple[GateResult, ...]:
    """Of the blocks that count. None of journals of before these counters were kept."""
    around = tally.surroundings
    if not around:
        return ()
    gates = [steal(around), clock_steps(around)]
    gates += [gate for gate in (throttling(around), swap(around), frequency(around)) if gate is not None]
    if sum(one.wall_ns for one in around) >= LEAST_WATCHED_S * 1e9:
        gates.append(other_cpu(around))
    return tuple(gates)


def of_contender(tally: Tally, entry: str) -> tuple[GateResult, ...]:
    """Of one contender's own slices."""
    slices = tally.slices(entry)
    frozen = [e.frozen_cpu_ns for e in tally.ended.get(entry, ()) if e.frozen_cpu_ns is not None]
    gates = [loop_delay(slices)] if slices else []
    waits = [s for s in slices if s.server_runqueue_wait_ns is not None]
    if waits:
        gates.append(runqueue_wait(waits))
    if frozen:
        gates.append(frozen_idle(frozen))
    return tuple(gates)


def steal(around: Sequence[Surroundings]) -> GateResult:
    """The hypervisor gave the CPUs to us and not to other machines."""
    share = _share((one.steal_ns for one in around), around)
    return _at_most(
        "steal",
        share,
        STEAL_LIMIT,
        f"another machine had {share:.0%} of these CPUs' time: race at a quieter hour, or on a machine "
        "with CPUs of its own",
    )


def throttling(around: Sequence[Surroundings]) -> GateResult | None:
    """No quota of CPU time was used up: it would stop the fastest most."""
    known = [one for one in around if one.throttled_ns is not None]
    if not known:
        return None
    share = sum(one.throttled_ns or 0 for one in known) / sum(one.wall_ns for one in known)
    times = sum(one.throttled or 0 for one in known)
    return _at_most(
        "throttling",
        share,
        THROTTLED_LIMIT,
        f"the cgroup's CPU quota stopped us {times:,} times, {share:.1%} of the time: bind CPUs instead of a "
        "quota (docker run --cpuset-cpus), or raise it",
    )


def swap(around: Sequence[Surroundings]) -> GateResult | None:
    """Memory stayed in memory; bytes a block."""
    known = [one for one in around if one.swapped_in_bytes is not None]
    if not known:
        return None
    swapped = sum((one.swapped_in_bytes or 0) + (one.swapped_out_bytes or 0) for one in known) / len(known)
    ok = swapped <= SWAPPED_LIMIT_BYTES
    advice = (
        f"{swapped / 2**20:,.0f} MB a block went to swap or came back: stop what needs the memory, race "
        "fewer contenders at once, or swapoff -a"
    )
    return gate_result("swap", ok, swapped, f"at most {SWAPPED_LIMIT_BYTES / 2**20:.0f} MB a block", advice)


def other_cpu(around: Sequence[Surroundings]) -> GateResult:
    """The CPUs of servers and generator were theirs; work of lower priority than ours is left out."""
    share = _share((one.others_ns for one in around), around)
    cpus = ", ".join(map(str, around[0].cpus))
    return _at_most(
        "other-cpu",
        share,
        OTHERS_LIMIT,
        f"other processes used {share:.0%} of CPUs {cpus}: stop them (top shows which), run them with nice, "
        "or keep them off these CPUs (taskset)",
    )


def frequency(around: Sequence[Surroundings]) -> GateResult | None:
    """The CPUs kept their speed: the fastest block's mean frequency over the slowest's."""
    known = [one.frequency_mhz for one in around if one.frequency_mhz]
    if not known:
        return None
    ratio = max(known) / min(known)
    advice = (
        f"the CPUs ran at {min(known):,.0f} to {max(known):,.0f} MHz: cpupower frequency-set -g performance, "
        "switch boost off, and let the machine cool"
    )
    ok = ratio <= FREQUENCY_LIMIT
    limit = f"at most {FREQUENCY_LIMIT:g} between blocks"
    return gate_result("frequency", ok, ratio, limit, advice)


def clock_steps(around: Sequence[Surroundings]) -> GateResult:
    """No step of the wall clock, which also tells a machine that was suspended or moved; milliseconds."""
    # A clock that is being set right is slewed by up to 0.05% of the time that passes, which is no step.
    steps = [max(0.0, abs(one.clock_step_ns) - 0.0005 * one.wall_ns) / 1e6 for one in around]
    worst = max(steps)
    ok = worst <= CLOCK_STEP_LIMIT_MS
    block = around[int(np.argmax(steps))].block + 1
    advice = (
        f"the clock stepped by {worst:,.0f} ms in block {block}: was this machine suspended, moved, or its "
        "time set? race again, with the time service slewing only"
    )
    return gate_result("clock-steps", ok, worst, f"at most {CLOCK_STEP_LIMIT_MS:.0f} ms a block", advice)


def frozen_idle(frozen_ns: Sequence[int]) -> GateResult:
    """A frozen contender used no CPU, but for a tick: milliseconds of the worst block."""
    worst = max(frozen_ns) / 1e6
    ok = worst <= FROZEN_LIMIT_MS
    advice = (
        f"it used {worst:,.0f} ms of CPU while it was frozen, at the others' expense: something of it runs "
        "outside its process tree; report this run's journal"
    )
    limit = f"at most {FROZEN_LIMIT_MS:.0f} ms a block"
    return gate_result("frozen", ok, worst, limit, advice)


def loop_delay(slices: Sequence[Slice]) -> GateResult:
    """The generator always got round to its replies: the share of slices in which it stood still."""
    share = float(np.mean([s.loop_delay_max_ns > DELAY_SHARE * s.counted_s * 1e9 for s in slices]))
    return _at_most(
        "loop-delay",
        share,
        DELAY_LIMIT,
        f"in {share:.0%} of the slices the generator left replies unread for {DELAY_SHARE:.0%} of the time "
        "or longer: something else ran on its CPU; give it one of its own (--generator-cpus)",
        of="of slices",
    )


def runqueue_wait(slices: Sequence[Slice]) -> GateResult:
    """The server did not wait for its CPU behind others: the share of slices that were disturbed."""
    waits = np.array([_waited(s) for s in slices])
    share = float(np.mean(waits > np.median(waits) + WAITED_SHARE))
    return _at_most(
        "runqueue-wait",
        share,
        WAITED_LIMIT,
        f"in {share:.0%} of its slices this server waited for its CPU far longer than in the others: "
        "something else ran there; keep it off (--server-cpus, taskset)",
        of="of slices",
    )


def _waited(turn: Slice) -> float:
    """Run-queue wait of all the server's threads over the slice's length."""
    return (turn.server_runqueue_wait_ns or 0) / max(1, turn.drained_ns - turn.started_ns)


def _share(spent_ns: Iterable[int], around: Sequence[Surroundings]) -> float:
    """Of the time of all CPUs watched."""
    return sum(spent_ns) / sum(one.wall_ns * len(one.cpus) for one in around)


def _at_most(name: str, share: float, limit: float, advice: str, of: str = "") -> GateResult:
    ok = share <= limit
    text = f"at most {limit:.0%}" + (f" {of}" if of else "")
    return gate_result(name, ok, share, text, advice)
