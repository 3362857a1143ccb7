"""Checks on a run of somebody else's load generator, the same that published figures are held against."""

from deadheat.gate import gate_result
from deadheat.model.observation import OutsideRun
from deadheat.model.result import GateResult

LITTLES_LAW_LIMIT = 0.05
GENERATOR_CPU_LIMIT = 0.85


def of_run(run: OutsideRun) -> tuple[GateResult, ...]:
    """What a run must hold. Ours of every reply (`gates.errors`) is stricter: these tools check no body."""
    return (errors(run), *_if_asked(run), generator_cpu(run))


def errors(run: OutsideRun) -> GateResult:
    """Socket errors, timeouts and bad statuses all count, in whatever part of the output they stand."""
    total = sum(run.errors.values())
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in run.errors.items())
    advice = f"{run.tool} counted {total:,} errors in {run.requests:,} requests: {kinds}"
    return gate_result("errors", total == 0, float(total), "0", advice)


def littles_law(run: OutsideRun, asked: int) -> GateResult:
    """Requests in flight = throughput x mean latency (Little 1961), held against what was asked for."""
    mean_ms = run.latency_ms.get("mean")
    if mean_ms is None:
        return _little(None, f"{run.tool} tells no mean latency")
    in_flight = run.throughput_rps * mean_ms / 1000
    ratio = in_flight / asked
    if abs(ratio - 1) <= LITTLES_LAW_LIMIT:
        return _little(ratio, None)
    advice = f"{in_flight:,.0f} requests were in flight by its own figures, not the {asked:,} asked for"
    opened = asked - run.errors.get("connect", 0)
    if run.threads:
        opened = run.threads * (asked // run.threads) - run.errors.get("connect", 0)
    if opened != asked and abs(in_flight / opened - 1) <= LITTLES_LAW_LIMIT:
        advice += f": {opened:,} is how many connections {run.tool} had"
    elif run.tool == "wrk" and in_flight > asked:
        # stats_correct of wrk's stats.c: closed-loop samples that nobody measured.
        advice += ": after a stall wrk adds latencies of requests that it never sent"
    return _little(ratio, advice)


def generator_cpu(run: OutsideRun) -> GateResult:
    """Whether the race was about the server.

    Nothing is pinned, so generator and server share CPUs. Broken where the generator is at the end of its
    own threads, or where a request costs more in it than in the server: then most of what is measured is
    the generator, however busy the machine.
    """
    own = min(run.threads or run.cpus, run.cpus)
    used = run.generator_cpu_s / run.wall_s
    server = (run.server_cpu_s or 0.0) / run.wall_s
    ok = used < GENERATOR_CPU_LIMIT * own and used <= server
    advice = (
        f"generator-limited: {run.tool} used {used:.0%} of a CPU and left the server {server:.0%}, of "
        f"{run.cpus} that both share: the figure says more of {run.tool} than of the server"
    )
    limit = f"below {GENERATOR_CPU_LIMIT:.0%} of its threads, and at most what the server uses"
    return gate_result("generator-cpu", ok, used / run.cpus, limit, advice)


def _if_asked(run: OutsideRun) -> tuple[GateResult, ...]:
    return () if run.in_flight is None else (littles_law(run, run.in_flight),)


def _little(value: float | None, advice: str | None) -> GateResult:
    limit = f"1 +-{LITTLES_LAW_LIMIT:.0%}"
    return gate_result("littles-law", advice is None, value, limit, advice)
