"""Whether something else got in between: gates on what the machine did around and within the blocks."""

from collections.abc import Iterable, Sequence

import numpy as np

from deadheat.model.gate import Fact, GateResult
from deadheat.model.observation import Ended, Interference, Slice
from deadheat.results.gates.gate import gate_result

STEAL_LIMIT = 0.10
THROTTLED_LIMIT = 0.01
OTHERS_LIMIT = 0.20
SWAPPED_LIMIT_BYTES = 2**20
FREQUENCY_LIMIT = 1.25
CLOCK_STEP_LIMIT_MS = 50.0
# CPU time of others is counted in ticks of the scheduler: over less than this it says nothing.
LEAST_WATCHED_S = 10.0
FROZEN_LIMIT_MS = 10.0
# A slice is disturbed where each of the server's threads that compete for its CPU waited for this share of it
# longer than it usually does, or the generator stood still for this share of it.
WAITED_SHARE, WAITED_LIMIT = 0.25, 0.25
# Where others used less than this of a block's CPUs there was nobody to wait for but the server's own
# threads: a compiler's, a collector's. An idle machine's own housekeeping is some 0.6%.
NOBODY = 0.01
DELAY_SHARE, DELAY_LIMIT = 0.10, 0.10


def steal(around: Sequence[Interference]) -> GateResult:
    """The hypervisor gave the CPUs to us and not to other machines."""
    share = _share((one.steal_ns for one in around), around)
    return _at_most("steal", share, STEAL_LIMIT)


def throttling(around: Sequence[Interference]) -> GateResult | None:
    """No quota of CPU time was used up: it would stop the fastest most."""
    known = [one for one in around if one.throttled_ns is not None]
    if not known:
        return None
    share = sum(one.throttled_ns or 0 for one in known) / sum(one.wall_ns for one in known)
    times = sum(one.throttled or 0 for one in known)
    return _at_most("throttling", share, THROTTLED_LIMIT, times=times)


def swap(around: Sequence[Interference]) -> GateResult | None:
    """Memory stayed in memory; bytes a block."""
    known = [one for one in around if one.swapped_in_bytes is not None]
    if not known:
        return None
    swapped = sum((one.swapped_in_bytes or 0) + (one.swapped_out_bytes or 0) for one in known) / len(known)
    ok = swapped <= SWAPPED_LIMIT_BYTES
    return gate_result("swap", ok, swapped, f"at most {SWAPPED_LIMIT_BYTES / 2**20:.0f} MB a block")


def other_cpu(around: Sequence[Interference]) -> GateResult | None:
    """The CPUs of servers and generator were theirs: nobody else used them, of whatever priority.

    Over the blocks of which that is known: under much steal it is not.
    """
    around = [one for one in around if one.others_known]
    if sum(one.wall_ns for one in around) < LEAST_WATCHED_S * 1e9:
        return None
    share = _share((one.others_used_ns for one in around), around)
    cpus = ", ".join(map(str, around[0].cpus))
    return _at_most("other-cpu", share, OTHERS_LIMIT, "", cpus=cpus, **_most_of_it(around))


def _most_of_it(around: Sequence[Interference]) -> dict[str, Fact]:
    """Who used most of it, by name and process id, where journals name anybody."""
    used: dict[tuple[str, int], int] = {}
    for process in (process for one in around for process in one.busiest):
        who = (process.name, process.pid)
        used[who] = used.get(who, 0) + process.cpu_ns
    if not used:
        return {}
    name, pid = max(used, key=lambda who: used[who])
    return {"busiest": name, "busiest_pid": pid}


def frequency(around: Sequence[Interference]) -> GateResult | None:
    """The CPUs kept their speed: the fastest block's mean frequency over the slowest's."""
    known = [one.frequency_mhz for one in around if one.frequency_mhz]
    if not known:
        return None
    ratio = max(known) / min(known)
    ok = ratio <= FREQUENCY_LIMIT
    limit = f"at most {FREQUENCY_LIMIT:g} between blocks"
    return gate_result("frequency", ok, ratio, limit, least_mhz=min(known), most_mhz=max(known))


def stepped_ns(around: Interference) -> float:
    """By how much the wall clock stepped in a block, either way."""
    # A clock that is being set right is slewed by up to 0.05% of the time that passes, which is no step.
    return max(0.0, abs(around.clock_step_ns) - 0.0005 * around.wall_ns)


def clock_steps(around: Sequence[Interference]) -> GateResult:
    """No step of the wall clock, which also tells a machine that was suspended or moved; milliseconds."""
    steps = [stepped_ns(one) / 1e6 for one in around]
    worst = max(steps)
    ok = worst <= CLOCK_STEP_LIMIT_MS
    block = around[int(np.argmax(steps))].block + 1
    limit = f"at most {CLOCK_STEP_LIMIT_MS:.0f} ms a block"
    return gate_result("clock-steps", ok, worst, limit, block=block)


def frozen_idle(ended: Iterable[Ended]) -> GateResult | None:
    """A frozen contender used no CPU, but for a tick: milliseconds of the worst block."""
    frozen_ns = [one.frozen_cpu_ns for one in ended if one.frozen_cpu_ns is not None]
    if not frozen_ns:
        return None
    worst = max(frozen_ns) / 1e6
    ok = worst <= FROZEN_LIMIT_MS
    return gate_result("frozen", ok, worst, f"at most {FROZEN_LIMIT_MS:.0f} ms a block")


def loop_delay(slices: Sequence[Slice]) -> GateResult:
    """The generator always got round to its replies: the share of slices in which it stood still."""
    share = float(np.mean([s.loop_delay_max_ns > DELAY_SHARE * s.counted_s * 1e9 for s in slices]))
    return _at_most("loop-delay", share, DELAY_LIMIT, " of slices", late=DELAY_SHARE)


def runqueue_wait(slices: Sequence[Slice], around: Sequence[Interference]) -> GateResult | None:
    """The server did not wait for its CPU behind others: the share of slices that were disturbed.

    In blocks in which others used next to nothing, a server waits for its own threads alone. `around`: what
    is known of the blocks; of one that it says nothing of (in journals of before) any wait counts.

    Threads of a server wait for each other all the time: n that compete for a core wait n - 1 times as long
    as the slice, together. Somebody else makes each of them wait.
    """
    slices = [s for s in slices if s.server_runqueue_wait_ns is not None]
    if not slices:
        return None
    alone = {one.block for one in around if one.others_known and _share([one.others_used_ns], [one]) < NOBODY}
    waits = np.array([_waited(s) for s in slices])
    beside = np.array([s.block not in alone for s in slices])
    usual = np.median(waits)
    share = float(np.mean(beside & (waits > usual + WAITED_SHARE * (1 + usual))))
    return _at_most("runqueue-wait", share, WAITED_LIMIT, " of slices")


def _waited(turn: Slice) -> float:
    """Run-queue wait of all the server's threads over the slice's length."""
    return (turn.server_runqueue_wait_ns or 0) / max(1, turn.took_ns)


def _share(spent_ns: Iterable[int], around: Sequence[Interference]) -> float:
    """Of the time of all CPUs watched."""
    return sum(spent_ns) / sum(one.wall_ns * len(one.cpus) for one in around)


def _at_most(name: str, share: float, limit: float, of: str = "", **facts: Fact) -> GateResult:
    return gate_result(name, share <= limit, share, f"at most {limit:.0%}{of}", **facts)
