"""What a broken gate means and what to do about it, a sentence each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from deadheat.model.gate import GateResult
from deadheat.model.result import NullPair, RaceResult
from deadheat.report import words

# A null pair that would not have seen even this bias says nothing of it.
BLIND = 2.0
# A request that waited for so much of a turn was begun with it, and hardly came to an end in it.
WHOLE_TURN = 0.9


def advice(gate: GateResult) -> str | None:
    """What does not hold and what to do; None of a gate that holds."""
    if "note" in gate.facts:
        return str(gate.facts["note"])
    if gate.ok and not gate.facts.get("server_limited"):
        return None
    worded = ADVICE.get(gate.name)
    return worded(gate) if worded is not None else f"its limit is {gate.limit}"


def broken(gate: GateResult) -> str:
    """A broken gate by name: `steal: another machine had 12% of these CPUs' time...`."""
    return f"{gate.name}: {advice(gate)}"


def summary(result: RaceResult) -> str:
    """`gates: 14 of 14 hold · null pair 1.00 (0.98 to 1.02) · the best is at 49% of the ceiling`."""
    # The ceiling is where the generator is the limit: that is what it is for.
    rivals = [row for row in result.contenders if row.class_ != "ceiling" and row.status == "measured"]
    gates = [*result.gates, *(gate for row in rivals for gate in row.gates)]
    parts = [f"gates: {sum(gate.ok for gate in gates)} of {len(gates)} hold"]
    if result.method == "as-published":
        parts.append("one figure of each: no null pair, no verdict")
    elif result.null_pair is None:
        parts.append("no null pair yet")
    else:
        null = result.null_pair
        parts.append(f"null pair {words.ratio(null.ratio)} ({words.of_race(null.ci, result)})")
        parts += [said for said in (null_pair_power(null),) if said]
    shares = [row.figures.of_ceiling for row in rivals if row.figures.of_ceiling is not None]
    if shares:
        parts.append(f"the best is at {max(shares):.0%} of this machine's ceiling")
    return " · ".join(parts)


def null_pair_power(null: NullPair) -> str:
    """`could have seen a bias of 6%; of 40 earlier ones 2 excluded 1`; empty where neither is known."""
    said = []
    if null.detectable is not None and null.detectable < BLIND:
        said.append(f"could have seen a bias of {words.excess(null.detectable)}")
    elif null.detectable is not None:
        said.append("too short to see a bias below 100%")
    if null.pooled:
        said.append(f"of {null.pooled} earlier ones here {null.pooled_excluding} excluded 1")
    return "; ".join(said)


def all_broken(result: RaceResult) -> Iterator[tuple[str, str]]:
    """Whose gate is broken (`race`, or a contender), and its sentence. The ceiling's are left out: it is
    there to meet the generator's limit. So are those of a contender whose row says why it is not measured."""
    for gate in result.gates:
        if not gate.ok:
            yield "race", broken(gate)
    for row in result.contenders:
        for gate in row.gates:
            if not gate.ok and row.class_ != "ceiling" and row.status == "measured":
                yield row.id, broken(gate)


def _share(gate: GateResult, fact: str | None = None, digits: int = 0) -> str:
    return f"{_number(gate, fact):.{digits}%}"


def _number(gate: GateResult, fact: str | None = None) -> float:
    """A fact, or the gate's own value, as a number; 0 where it is not known."""
    value = gate.value if fact is None else gate.facts.get(fact)
    return float(value) if value is not None else 0.0


def _errors(gate: GateResult) -> str:
    facts = gate.facts
    if (tool := facts.get("tool")) is not None:
        wrong = f"{tool} counted {_number(gate):,.0f} errors in {_number(gate, 'requests'):,.0f} requests"
        return f"{wrong}: {facts.get('kinds')}"
    first = facts.get("first_error") or "no detail"
    return f"{_number(gate):.0f} requests went wrong under load; the first: {first}"


def _littles_law(gate: GateResult) -> str:
    facts = gate.facts
    if (tool := facts.get("tool")) is None:
        longest_ms, turn_ms = facts.get("longest_ms"), _number(gate, "turn_ms")
        if isinstance(longest_ms, float) and _number(gate) < 1 and longest_ms > WHOLE_TURN * turn_ms:
            return (
                f"some requests waited {words.seconds(longest_ms / 1000)} in turns of "
                f"{words.seconds(turn_ms / 1000)}: this server leaves connections waiting while it serves "
                "others, and what is not answered within a turn has no latency; race it with no more "
                "connections than it serves at once (--connections)"
            )
        return "latencies and requests in flight contradict each other: report this as a bug"
    if facts.get("in_flight") is None:
        return f"{tool} reports no mean latency"
    in_flight, asked = _number(gate, "in_flight"), _number(gate, "asked")
    said = f"{in_flight:,.0f} requests were in flight by its own figures, not the {asked:,.0f} asked for"
    if facts.get("opened") is not None:
        said += f": {_number(gate, 'opened'):,.0f} is how many connections {tool} had"
    elif facts.get("corrected"):
        said += f": after a stall {tool} adds latencies of requests that it never sent"
    return said


def _generator_cpu(gate: GateResult) -> str:
    if gate.value is None:
        return "no slice has a counted part: report this run's journal"
    generator, server = _share(gate, "generator"), _share(gate, "server")
    if (tool := gate.facts.get("tool")) is not None:
        return (
            f"generator-limited: {tool} used {generator} of a CPU and left the server {server}, of "
            f"{gate.facts.get('cpus')} that both share: the figure says more of {tool} than of the server"
        )
    beside = f" and the server {server} of its" if gate.facts.get("server") is not None else ""
    return (
        f"generator-limited: the generator used {generator} of its core{beside}: "
        "the figure is a lower bound; lower --connections, or give the generator another core"
    )


def _database_statements(g: GateResult) -> str:
    if "at_most" in g.facts:
        return _read_once(g)
    statements = _number(g, "per_reply") or 1
    # Older runs know of no other.
    rows = _number(g, "rows_per_reply") or statements
    if "written" in g.facts:
        return (
            f"its database counted {_number(g, 'statements'):,.0f} reading statements, "
            f"{_number(g, 'rows'):,.0f} rows read and {_number(g, 'written'):,.0f} written for "
            f"{_number(g, 'replies'):,.0f} replies: {statements:.0f}, {rows:.0f} and "
            f"{_number(g, 'written_per_reply'):.0f} for each is what they need; {_number(g, 'unasked'):,.0f} "
            "rows had a value at the end that no request said"
        )
    return (
        f"its database counted {_number(g, 'statements'):,.0f} statements and {_number(g, 'rows'):,.0f} rows "
        f"for {_number(g, 'replies'):,.0f} replies: {statements:.0f} and {rows:.0f} for each is what they "
        "need (is something kept, read ahead or asked twice?)"
    )


def _read_once(g: GateResult) -> str:
    if not _number(g, "rows"):
        return "its database counted no row that it read: by what statement does it know its values?"
    return (
        f"its database gave it {_number(g, 'rows'):,.0f} rows in {_number(g, 'of_blocks'):.0f} blocks, for "
        f"{_number(g, 'replies'):,.0f} replies of {_number(g, 'per_reply'):.0f}: a cache reads each of "
        f"{_number(g, 'at_most'):,.0f} rows once a start (does it forget some, or read what another request "
        "is reading?)"
    )


def _database_sessions(g: GateResult) -> str:
    said = (
        (
            "sessions_begun",
            "sessions began in counted slices (a pool that opens late, or closes what is idle)",
        ),
        ("unsettled", "times a session was busy when all was answered (a reply before its commit?)"),
        ("deadlocks", "deadlocks (write rows in the order of their ids)"),
    )
    return "; ".join(f"{_number(g, name):,.0f} {what}" for name, what in said if _number(g, name))


def _services_cpu(gate: GateResult) -> str:
    if not _number(gate, "generator"):
        return (
            f"limited by its services, which used {_share(gate, 'services')} of their CPUs: the figure is a "
            "lower bound; judge by CPU a request (--metric cpu), or give them a machine with more cores"
        )
    return (
        f"limited by its services: they used {_share(gate, 'services')} and the generator "
        f"{_share(gate, 'generator')} of the CPUs that they share: the figure is a lower bound; judge by CPU "
        "a request (--metric cpu), or race on a machine with more cores"
    )


def _server_limited(gate: GateResult) -> str:
    said = f"server-limited: the server used {_share(gate)} of its core, so wall time is the server's; "
    held = "the verdict is on CPU time"
    return said + (held if gate.ok else "race against the sink, or judge CPU time")


def _null_pair(gate: GateResult) -> str:
    if gate.value is None:
        return "in no block did the reference have a value both times it was entered"
    return (
        "the reference differs from itself: something favours a place in the order; report this run's journal"
    )


def _asked_rate(gate: GateResult) -> str:
    if gate.facts.get("unsent") or gate.facts.get("wrong"):
        unsent, due, wrong = (_number(gate, name) for name in ("unsent", "due", "wrong"))
        said = f"{unsent:,.0f} of {due:,.0f} were not sent and {wrong:,.0f} went wrong"
        first = gate.facts.get("first_error")
        return said + (f" ({first}): no latency" if first else ": no latency")
    if gate.facts.get("due") == 0:
        return "not one request was due at so low a rate: no latency, race longer"
    return f"{_share(gate)} of the asked rate was reached: waits that only grow are no latency of this load"


def _slices_agree(gate: GateResult) -> str:
    low, high = _number(gate, "low"), _number(gate, "high")
    return (
        f"in turns of seconds without a break its ratio to the reference is {words.ratio(gate.value or 0)} "
        f"({words.interval((low, high))}) times that of its slices: it works while nothing is counted (a "
        "collector, a compiler, work put off), or gets slower the longer it is loaded"
    )


def _other_cpu(gate: GateResult) -> str:
    facts = gate.facts
    most = f", {facts['busiest']} (pid {facts['busiest_pid']}) most" if "busiest" in facts else ""
    return (
        f"other processes used {_share(gate)} of CPUs {facts.get('cpus')}{most}: stop them, or keep them off "
        "these CPUs (taskset)"
    )


def _enough_blocks(gate: GateResult) -> str:
    if not gate.facts.get("disturbed"):
        return "race longer: --budget, or deadheat race --resume"
    disturbed = f"{_number(gate, 'disturbed'):.0f}"
    blocks = "1 block does not count" if disturbed == "1" else f"{disturbed} blocks do not count"
    return f"this machine is too busy: {blocks}, as {_disturber(gate)}"


def _drift(gate: GateResult) -> str:
    ratio = gate.value or 0.0
    why = (
        "it was not warm when its slices began"
        if ratio > 1
        else "it gets slower by what it has served (or the reference was not warm)"
    )
    return (
        f"against {gate.facts.get('reference')} its second half of a block is {words.ratio(ratio)} times its "
        f"first: {why}, so its figure is of no steady state"
    )


def _disturber(gate: GateResult) -> str:
    """Who got into the worst of the blocks that do not count, and what to do about it."""
    share = f"up to {_share(gate, 'share')} of the time of the race's CPUs"
    match gate.facts.get("by"):
        case "another machine":
            return (
                f"another machine on the same hardware had {share}: race at a quieter hour, or on a machine "
                "with CPUs of its own"
            )
        case "a clock step":
            return (
                f"the wall clock stepped by up to {_number(gate, 'share'):.2f} s: let whoever sets it (NTP) "
                "slew it while a race is on"
            )
        case "a late generator":
            return (
                f"a generator was up to {_share(gate, 'share')} of the lead-in behind: deadheat cluster "
                "doctor looks at its host"
            )
        case "throttling":
            return f"a CPU quota took {share}: bind CPUs instead of a quota, or raise it"
    who = gate.facts.get("who")
    if who is None:
        return (
            f"programs that nobody saw (brief, or of another container) had {share}: race at a quieter hour"
        )
    more = " and others" if _number(gate, "others") or "others" not in gate.facts else ""
    return f"{who}{more} had {share}: stop them, or race at a quieter hour"


ADVICE: Mapping[str, Callable[[GateResult], str]] = {
    "right-answers": lambda g: f"deadheat check {g.facts.get('contender')} shows the whole exchange",
    "errors": _errors,
    "littles-law": _littles_law,
    "generator-cpu": _generator_cpu,
    "generator-share": lambda g: (
        f"the load took {g.value or 0:.1%} of the {_number(g, 'cpus'):.0f} CPUs that it shares with the "
        f"servers, over {g.limit.removeprefix('at most ')}: it needs a core of its own, so a machine with "
        "more"
    ),
    "server-cpu-known": lambda g: "processes of this server come and go under load (a worker that dies?)",
    "services-cpu": _services_cpu,
    "services-network": lambda g: (
        f"{_number(g, 'crossed') / 1e6:,.0f} MB/s crossed the network to the services on "
        f"{g.facts.get('host')}, which carries {_number(g, 'room') / 1e6:,.0f}: the throughput is the "
        "network's, so only a lower bound"
    ),
    "database-statements": _database_statements,
    "database-sessions": _database_sessions,
    "server-limited": _server_limited,
    "below-ceiling": lambda g: "generator-limited: as fast as this machine's ceiling, so only a lower bound",
    "flat": lambda g: (
        "the counted part of the slices is not flat: at its first look a race takes a longer lead-in by "
        "itself; where that does not help, this server has no steady rate within a slice"
    ),
    "enough-blocks": _enough_blocks,
    "steady": lambda g: (
        f"{_share(g)} of its starts still got faster after {_number(g, 'seconds'):.0f} s of load, or were "
        "still at work with nothing to answer (a compiler): its figure is of no steady state"
    ),
    "drift": _drift,
    "null-pair": _null_pair,
    "null-pool": lambda g: (
        f"in {_number(g, 'excluding'):.0f} of the last {_number(g, 'pairs'):.0f} races of this kind here the "
        "reference differed from itself at 95%, as chance does in one of twenty: something favours a place "
        "in the order; once it is mended, forget them: past-races.jsonl in the cache (deadheat cache)"
    ),
    "asked-rate": _asked_rate,
    "steal": lambda g: (
        f"another machine had {_share(g)} of these CPUs' time: race at a quieter hour, or on a machine "
        "with CPUs of its own"
    ),
    "throttling": lambda g: (
        f"the cgroup's CPU quota stopped us {_number(g, 'times'):,.0f} times, {_share(g, digits=1)} of the "
        "time: bind CPUs instead of a quota (docker run --cpuset-cpus), or raise it"
    ),
    "swap": lambda g: (
        f"{_number(g) / 2**20:,.0f} MB a block went to swap or came back: stop what needs the memory, race "
        "fewer contenders at once, or swapoff -a"
    ),
    "other-cpu": _other_cpu,
    "frequency": lambda g: (
        f"the CPUs ran at {_number(g, 'least_mhz'):,.0f} to {_number(g, 'most_mhz'):,.0f} MHz: cpupower "
        "frequency-set -g performance, switch boost off, and let the machine cool"
    ),
    "clock-steps": lambda g: (
        f"the clock stepped by {_number(g):,.0f} ms in block {g.facts.get('block')}: was this machine "
        "suspended, moved, or its time set? race again, with the time service slewing only"
    ),
    "generators-together": lambda g: (
        f"the generators began up to {_share(g)} of the lead-in apart: deadheat cluster doctor shows clocks "
        "and network; a longer lead-in helps where the network is slow"
    ),
    "network-limited": lambda g: (
        f"{_number(g, 'crossed') / 1e6:,.0f} MB/s crossed a network that carries "
        f"{_number(g, 'room') / 1e6:,.0f}: the throughput is the network's, so only a lower bound"
    ),
    "frozen": lambda g: (
        f"it used {_number(g):,.0f} ms of CPU while it was frozen, at the others' expense: something of it "
        "runs outside its process tree; report this run's journal"
    ),
    "slices-agree": _slices_agree,
    "loop-delay": lambda g: (
        f"in {_share(g)} of the slices the generator left replies unread for {_share(g, 'late')} of the "
        "time or longer: something else ran on its CPU; give it one of its own (--generator-cpus)"
    ),
    "runqueue-wait": lambda g: (
        f"in {_share(g)} of its slices this server waited for its CPU far longer than in the others: "
        "something else ran there; keep it off (--server-cpus, taskset)"
    ),
}
