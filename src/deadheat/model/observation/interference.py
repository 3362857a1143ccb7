"""What else went on around a block, by the machine's own counters."""

from typing import Literal

from deadheat.model.base import Record


class OtherProcess(Record):
    """A process that was not ours, and the CPU time that it used during a block, whatever its priority.

    That of children which ended meanwhile is in it. `cpu`: the one that it is bound to; null where it may
    run on several, the race's among them.
    """

    pid: int
    name: str
    cpu_ns: int
    cpu: int | None = None


# More steal than this share of the time, and what others used is not known to within 2% of it.
BLURRING_STEAL = 0.05
# A CPU that goes to sleep and wakes takes time that no process has: up to 10% of it was measured.
UNSEEN_LIMIT = 0.15


class Interference(Record):
    """What else went on around a block, from before its first start to after its last stop.

    Differences of the machine's own counters over `wall_ns`, nanoseconds of CPU time summed over `cpus`
    (those of servers, generator and referee). `busy_ns` is what was neither idle nor stolen; `others_ns` is
    that less our own, of whatever priority, `others_by_cpu_ns` the same for each of `cpus` (a server's
    compilers, which have the generator's in warm-ups, as if on its own); both may be a little below zero, and
    far below where much was stolen (`others_known`).
    `busiest` names the processes that used most of it, and may run on these CPUs; `seen_ns` is what all of
    those used together, also on CPUs that are not the race's (null in older journals).
    `clock_step_ns` is how far the wall clock moved against the steady one. Bytes swapped and `throttled_ns`
    (by a cgroup's quota) are of the machine and of our cgroups. Null: this machine does not tell.
    `network_in_bytes` and `network_out_bytes` went through its interfaces, loopback left out.
    `host`: the address of a host that load came from, where it is not the servers' own.

    Journals before 0.2 count ticks, clip `others_ns` at zero, leave out of it work of lower priority than
    ours, which is their `lower_priority_ns`, and name nobody.
    """

    type: Literal["interference"] = "interference"
    race: str
    block: int
    cpus: tuple[int, ...]
    wall_ns: int
    busy_ns: int
    own_ns: int
    others_ns: int
    others_by_cpu_ns: tuple[int, ...] = ()
    seen_ns: int | None = None
    busiest: tuple[OtherProcess, ...] = ()
    lower_priority_ns: int | None = None
    steal_ns: int
    iowait_ns: int
    swapped_in_bytes: int | None = None
    swapped_out_bytes: int | None = None
    throttled: int | None = None
    throttled_ns: int | None = None
    frequency_mhz: float | None = None
    network_in_bytes: int | None = None
    network_out_bytes: int | None = None
    clock_step_ns: int = 0
    host: str | None = None

    @property
    def others_used_ns(self) -> int:
        """What others used, as far as it is sure.

        `others_ns` holds what it costs to send our own CPUs to sleep and to wake them, thousands of times a
        second where a generator waits for a slow server; what processes can be seen to have used does not.
        Only where much more went on than that (programs of another container) is it theirs.
        """
        if self.seen_ns is None:
            return self.others_ns
        unseen = self.others_ns - self.seen_ns
        if unseen > UNSEEN_LIMIT * self.wall_ns * len(self.cpus):
            return self.others_ns
        return min(self.others_ns, self.seen_ns)

    @property
    def others_known(self) -> bool:
        """Whether `others_ns` is what others used. It never is more than that.

        A CPU that has work again and waits for the hypervisor is still idle by the kernel's clock, and the
        wait is steal too: it is taken off what was busy twice. On the machine of docs/method.md that was a
        third of what was stolen; how much it is elsewhere, no counter tells.
        """
        return self.steal_ns <= BLURRING_STEAL * self.wall_ns * len(self.cpus)


class Disturbance(Record):
    """What the machine's counters say of a block that somebody else got into: by what, how much of the time
    of the CPUs watched (0 to 1), the limit that it is over, and who it was, busiest first.

    Of a clock step `share` and `limit` are seconds, of a late generator parts of the lead-in."""

    by: Literal["other programs", "another machine", "throttling", "a clock step", "a late generator"]
    share: float
    limit: float
    who: tuple[str, ...] = ()
