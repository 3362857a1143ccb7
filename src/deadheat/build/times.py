"""How long building takes: the same contenders built again and again by turns, cold and warm.

Cold is a fresh copy with the caches empty of those tools whose cache can be placed elsewhere; what was
downloaded stays (crates, modules, packages): the network is not what is measured. Warm is the same copy
once more after its sources were touched, with the caches that the cold build left.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from deadheat.build.builder import Builder
from deadheat.errors import ExitCode, UserError
from deadheat.hosts import Host
from deadheat.model.artifact import BuildTimes
from deadheat.model.contender import Contender
from deadheat.util import clock
from deadheat.util.interrupt import Stop

# Cargo's target folder is in the copy; what it may have been told to keep elsewhere is not.
CACHES = {
    "CARGO_BUILD_BUILD_DIR": "cargo",
    "GOCACHE": "go",
    "CRYSTAL_CACHE_DIR": "crystal",
    "CCACHE_DIR": "ccache",
    "SCCACHE_DIR": "sccache",
}
Say = Callable[[str], None]


def measure(
    contenders: Sequence[Contender], times: int, host: Host, stop: Stop, say: Say
) -> dict[str, BuildTimes]:
    """Each contender built `times` times cold and warm, in random order within a turn; kept with its build.

    By `workload/contender`. Raises UserError where a build fails.
    """
    builder = Builder(host, stop)
    for contender in contenders:
        builder.build(contender, lambda what, name=contender.id: say(f"{what} {name}"))  # type: ignore[misc]
    rng = random.Random()
    cold: dict[str, list[float]] = {}
    warm: dict[str, list[float]] = {}
    for turn in range(times):
        for contender in rng.sample(list(contenders), len(contenders)):
            name = f"{contender.workload}/{contender.id}"
            say(f"building {name}, {turn + 1} of {times}")
            first, again = _cold_and_warm(contender, host, stop)
            cold.setdefault(name, []).append(first)
            warm.setdefault(name, []).append(again)
    session = clock.stamp()
    found = {
        name: BuildTimes(session=session, cold_s=tuple(cold[name]), warm_s=tuple(warm[name])) for name in cold
    }
    for contender in contenders:
        builder.keep_times(contender, found[f"{contender.workload}/{contender.id}"])
    return found


def _cold_and_warm(contender: Contender, host: Host, stop: Stop) -> tuple[float, float]:
    """Seconds of the first build and of another in its place."""
    stop.check()
    with tempfile.TemporaryDirectory(prefix="deadheat-build-") as folder:
        builder = Builder(host, stop, Path(folder), environment=_empty_caches(Path(folder)))
        built = builder.build(contender)
        if built.record.status != "ready" or built.record.build_s is None:
            why = built.record.reason or "there is nothing to build"
            raise UserError(
                f"{contender.workload}/{contender.id} cannot be timed: {why}",
                hint="name the contenders to be timed: deadheat build --times 7 go crystal",
                code=ExitCode.NOTHING_MEASURED,
            )
        again = builder.again(built)
        if again.record.build_s is None:
            why = again.record.reason or ""
            raise UserError(
                f"{contender.workload}/{contender.id} does not build a second time: {why}",
                code=ExitCode.NOTHING_MEASURED,
            )
        return built.record.build_s, again.record.build_s


def _empty_caches(folder: Path) -> Mapping[str, str]:
    return {variable: str(folder / "caches" / name) for variable, name in CACHES.items()}
