"""Where the CPU time goes: perf samples stacks by the software clock, with the runtime's own symbols."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from deadheat.explain import inferno, piping, stacks
from deadheat.explain.instruments.base import Bench, tool
from deadheat.explain.reading import InstrumentError, Missing, Reading
from deadheat.explain.serving import serving
from deadheat.explain.stacks import Folded
from deadheat.explain.tracing import tracing
from deadheat.hosts.meter import between

SAMPLES_PER_S = 499
# Stacks by frame pointers where they are kept; where not, from copies of 16 kB of each stack.
POINTERS, COPIES = "fp", "dwarf,16384"
FEWEST_SAMPLES = 20
# Where perf looks for the symbols of code made at run time (tools/perf/Documentation/jit-interface.txt).
MAPS = Path("/tmp")


@dataclass(frozen=True)
class Symbols:
    """What a language needs so that its stacks can be read."""

    call_graph: str = POINTERS
    env: Mapping[str, str] = field(default_factory=dict)
    jcmd: bool = False


BY_LANGUAGE: dict[str, Symbols] = {
    "javascript": Symbols(env={"NODE_OPTIONS": "--perf-basic-prof --interpreted-frames-native-stack"}),
    "java": Symbols(env={"JAVA_TOOL_OPTIONS": "-XX:+PreserveFramePointer"}, jcmd=True),
    "elixir": Symbols(env={"ERL_AFLAGS": "+JPperf map"}),
    "rust": Symbols(COPIES),
    "crystal": Symbols(COPIES),
    "c": Symbols(COPIES),
    "c++": Symbols(COPIES),
}
ALSO = {"typescript": "javascript", "kotlin": "java", "scala": "java", "erlang": "elixir", "gleam": "elixir"}


class Profile:
    """`perf record`; the stacks stay in the page's folder, folded, in nanoseconds a request."""

    name = "perf"
    title = f"stacks, {SAMPLES_PER_S} times a second (perf record)"

    def missing(self, bench: Bench, entry: str) -> Missing | None:
        if (lack := tool("perf") or inferno.missing()) is not None:
            return lack
        return None if inferno.find() else Missing("inferno could not be installed", inferno.INSTALL)

    def observe(self, bench: Bench, entry: str) -> Reading:
        symbols = of(bench.stage.build(entry).contender.language)
        data = bench.file(entry, ".perf")
        pids: tuple[int, ...] = ()
        try:
            with serving(bench.stage, entry, self.name, symbols.env) as server:
                before = server.usage()
                pids = before.pids
                argv = [*record(symbols, data), "-p", ",".join(map(str, pids))]
                with tracing(bench.stage, argv, data, lambda _: data.exists()):
                    loaded = server.load(bench.seconds)
                spent = between(before, server.usage())
                if symbols.jcmd:
                    _java_symbols(bench, pids, data)
                folded = fold(bench, data)
        finally:
            data.unlink(missing_ok=True)
            _clean(pids, bench.stage.build(entry).folder)
        per_request = folded.scaled(spent.cpu.total_ns / loaded.requests)
        folded_file(bench.folder, entry).write_text(per_request.text())
        return Reading(
            functions={name: ns / 1e3 for name, ns in per_request.functions().items()},
            facts={"note jcmd": f"Java methods have no names: {lack}"}
            if symbols.jcmd and (lack := tool("jcmd"))
            else {},
            throughput_rps=loaded.throughput_rps,
        )


def of(language: str) -> Symbols:
    """The symbols of a language; frame pointers where nothing else is known."""
    return BY_LANGUAGE.get(ALSO.get(language.lower(), language.lower()), Symbols())


def folded_file(folder: Path, entry: str) -> Path:
    """Where the stacks of a contender are."""
    return folder / f"{entry.replace(':', '+')}.folded"


def fold(bench: Bench, data: Path) -> Folded:
    """What perf recorded, as stacks. Raises InstrumentError where there is too little of it."""
    tools = inferno.find()
    assert tools is not None, "installed before the first look"
    script, folded = data.with_suffix(".script"), data.with_suffix(".folded-raw")
    try:
        piping.run(bench.stage, ["perf", "script", "--no-inline", "--force", "-i", str(data)], script)
        piping.run(bench.stage, [str(tools / "inferno-collapse-perf"), "--all", str(script)], folded)
        found = stacks.parse(folded.read_text(errors="replace"))
        samples = script.read_text(errors="replace").count("cpu-clock")
    finally:
        script.unlink(missing_ok=True)
        folded.unlink(missing_ok=True)
    if samples < FEWEST_SAMPLES:
        raise InstrumentError(f"perf took {samples} samples only: a longer run may give more (--seconds)")
    return found


def record(symbols: Symbols, data: Path) -> list[str]:
    """The command line, but for whom to look at."""
    return [
        *("perf", "record", "-q", "-N", "-e", "cpu-clock", "-F", str(SAMPLES_PER_S)),
        *("--call-graph", symbols.call_graph, "-o", str(data)),
    ]


def _java_symbols(bench: Bench, pids: Sequence[int], data: Path) -> None:
    """A JDK of 17 or newer writes its map when asked. Without it the stacks only lack names."""
    if tool("jcmd"):
        return
    for pid in pids:
        with contextlib.suppress(InstrumentError):
            output = data.with_suffix(".jcmd")
            piping.run(bench.stage, ["jcmd", str(pid), "Compiler.perfmap"], output, time_limit_s=20)


def _clean(pids: Sequence[int], build: Path | None) -> None:
    """What runtimes leave: maps of symbols, and V8's log beside the program."""
    for pid in pids:
        (MAPS / f"perf-{pid}.map").unlink(missing_ok=True)
        for log in build.glob(f"isolate-*-{pid}-v8.log") if build else ():
            log.unlink(missing_ok=True)
