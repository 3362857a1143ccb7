"""System calls by name: strace attached to the server's whole tree while it is loaded."""

from __future__ import annotations

from deadheat.explain import strace
from deadheat.explain.instruments.base import Bench, Tooled
from deadheat.explain.reading import InstrumentError, Reading
from deadheat.explain.serving import serving
from deadheat.explain.tracing import tracing


class SystemCalls(Tooled):
    """`strace -f -c`. It stops the server twice a call: batches and sleeps are not quite those of a race."""

    name = "strace"
    title = "system calls by name (strace -f -c)"

    def observe(self, bench: Bench, entry: str) -> Reading:
        output = bench.file(entry, "-strace.txt")
        with serving(bench.stage, entry, self.name) as server:
            pids = server.usage().pids
            argv = ["strace", "-f", "-c", "-o", str(output)]
            for pid in pids:
                argv += ["-p", str(pid)]

            def attached(said: str) -> bool:
                return all(f"Process {pid} attached" in said for pid in pids)

            try:
                with tracing(bench.stage, argv, output, attached):
                    loaded = server.load(bench.seconds, lead_in_ms=0)
            except InstrumentError as error:
                raise InstrumentError(_advised(str(error))) from error
        calls = strace.parse(output.read_text())
        per_request = {name: count / loaded.requests for name, count in calls.items()}
        return Reading(
            values={"system_calls": sum(per_request.values())},
            calls=per_request,
            throughput_rps=loaded.throughput_rps,
        )


def _advised(message: str) -> str:
    if "Operation not permitted" in message:
        return f"{message}: sysctl kernel.yama.ptrace_scope=0, or run as root"
    return message
