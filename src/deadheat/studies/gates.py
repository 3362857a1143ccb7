"""Checks on a run of somebody else's load generator, the same that published figures are held against."""

from deadheat.model.gate import Fact, GateResult
from deadheat.model.observation import OutsideRun
from deadheat.results.gates.gate import gate_result
from deadheat.results.gates.limits import GENERATOR_CPU, LITTLES_LAW


def of_run(run: OutsideRun) -> tuple[GateResult, ...]:
    """What a run must hold. Ours of every reply (`gates.errors`) is stricter: these tools check no body."""
    return (errors(run), *_if_asked(run), generator_cpu(run))


def errors(run: OutsideRun) -> GateResult:
    """Socket errors, timeouts and bad statuses all count, in whatever part of the output they stand."""
    total = sum(run.errors.values())
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in run.errors.items())
    facts: dict[str, Fact] = {"tool": run.tool, "requests": run.requests, "kinds": kinds}
    return gate_result("errors", total == 0, float(total), "0", **facts)


def littles_law(run: OutsideRun, asked: int) -> GateResult:
    """Requests in flight = throughput x mean latency (Little 1961), held against what was asked for."""
    mean_ms = run.latency_ms.get("mean")
    limit = f"1 +-{LITTLES_LAW:.0%}"
    if mean_ms is None:
        return gate_result("littles-law", False, None, limit, tool=run.tool)
    in_flight = run.throughput_rps * mean_ms / 1000
    ratio = in_flight / asked
    facts: dict[str, Fact] = {"tool": run.tool, "in_flight": in_flight, "asked": asked}
    ok = abs(ratio - 1) <= LITTLES_LAW
    opened = asked - run.errors.get("connect", 0)
    if run.threads:
        opened = run.threads * (asked // run.threads) - run.errors.get("connect", 0)
    if not ok and opened != asked and abs(in_flight / opened - 1) <= LITTLES_LAW:
        facts["opened"] = opened
    elif not ok and run.tool == "wrk" and in_flight > asked:
        # stats_correct of wrk's stats.c: closed-loop samples that nobody measured.
        facts["corrected"] = True
    return gate_result("littles-law", ok, ratio, limit, **facts)


def generator_cpu(run: OutsideRun) -> GateResult:
    """Whether the race was about the server.

    Nothing is pinned, so generator and server share CPUs. Broken where the generator is at the end of its
    own threads, or where a request costs more in it than in the server: then most of what is measured is
    the generator, however busy the machine.
    """
    own = min(run.threads or run.cpus, run.cpus)
    used = run.generator_cpu_s / run.wall_s
    server = (run.server_cpu_s or 0.0) / run.wall_s
    ok = used < GENERATOR_CPU * own and used <= server
    limit = f"below {GENERATOR_CPU:.0%} of its threads, and at most what the server uses"
    facts: dict[str, Fact] = {"tool": run.tool, "generator": used, "server": server, "cpus": run.cpus}
    return gate_result("generator-cpu", ok, used / run.cpus, limit, **facts)


def _if_asked(run: OutsideRun) -> tuple[GateResult, ...]:
    return () if run.in_flight is None else (littles_law(run, run.in_flight),)
