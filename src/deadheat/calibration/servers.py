"""The servers of a calibration: a suite of one workload whose contenders do a known amount of work."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from deadheat.suite.suite import Suite, load

WORKLOAD, PLAIN, TWIN = "burn", "plain", "twin"
#: A request's work beyond the serving itself, so that the server is the limit and not the generator.
BURN_US = 25.0
#: Iterations of the pilot's two servers: some 10 and 40 us on machines of today.
PILOT = (3_000, 12_000)
#: How much more the slower server of the long runs does: what one costs is known as well as that is seen.
MORE = 1.0
MANIFEST = """\
title = "Burn"
question = "Is a known difference found?"
kind = "http"
metric = "throughput_rps"
reference = "plain"
[request]
path = "/{token}"
[load]
connections = 32
[[conformance]]
path = "/{token}"
body = "Hello from {token}!"
"""
CONTENDER = """\
title = "{name}"
language = "Rust"
class = "idiomatic"
needs = ["deadheat-load"]
run = "deadheat-load serve http --host {{host}} --port {{port}} --burn-iters {iterations}"
default = true
"""


@dataclass(frozen=True)
class Cost:
    """What a counted iteration costs, as a share of the whole request of a server that does `plain` of them;
    with a 95% interval. Measured apart from the races whose truth is counted by it."""

    plain: int
    each: float
    each_ci: tuple[float, float]

    def truth(self, iterations: int) -> tuple[float, tuple[float, float]]:
        """How many times as dear a request of so many iterations is, with its interval."""
        more = iterations - self.plain
        low, high = sorted(1 + more * end for end in self.each_ci)
        return 1 + more * self.each, (low, high)


def cost(iterations: tuple[int, int], ratio: float, ci: tuple[float, float]) -> Cost:
    """Of two servers, the first of which is `ratio` times as fast. Raises ValueError where it shows none."""
    more = iterations[1] - iterations[0]
    if ci[0] <= 1:
        raise ValueError("more work took no more time in long runs: this machine is too noisy to plant it")
    low, high = ((end - 1) / more for end in ci)
    return Cost(iterations[0], (ratio - 1) / more, (low, high))


def slower(difference: float) -> str:
    """The name of the contender that needs so much more CPU a request."""
    return f"slower-{difference * 1000:.0f}"


def enough(few_us: float, many_us: float) -> int:
    """How many iterations burn `BURN_US`, from the CPU time a request of the pilot's two servers.

    Raises ValueError where the second was not the slower one.
    """
    each_us = (many_us - few_us) / (PILOT[1] - PILOT[0])
    if each_us <= 0:
        raise ValueError("the pilot's slower server used no more CPU than the other: nothing can be planted")
    return max(PILOT[0], round(BURN_US / each_us))


def more(iterations: int) -> int:
    """What the slower server of the long runs burns; both are the limit, and not the generator."""
    return round(iterations * (1 + MORE))


def planted(of: Cost, differences: Iterable[float]) -> dict[str, int]:
    """Iterations of each contender: those of the slower ones make a request so much dearer."""
    slow = {slower(d): of.plain + round(d / of.each) for d in differences}
    return {PLAIN: of.plain, TWIN: of.plain} | slow


def write(folder: Path, iterations: Mapping[str, int]) -> Suite:
    """The suite, written to a folder of its own and read back as any other is."""
    for name, count in iterations.items():
        contender = folder / WORKLOAD / name
        contender.mkdir(parents=True, exist_ok=True)
        (contender / "contender.toml").write_text(CONTENDER.format(name=name, iterations=count))
    (folder / WORKLOAD / "workload.toml").write_text(MANIFEST)
    return load(folder)
