"""Whether a run may be taken up again: only where everything it races is what it was.

Blocks of two builds, two toolchains or two kernels are not blocks of one race, and nothing in the figures
would show that they were pooled.
"""

from collections.abc import Iterable, Mapping, Sequence

from deadheat.errors import UserError
from deadheat.model.observation import Built, Observation
from deadheat.model.suite_facts import SuiteFacts

ANEW = (
    "race anew: blocks of both would be pooled as if they were of one; deadheat report still reads this run"
)


def same_kernel(machine: Mapping[str, object], now: str) -> None:
    """`machine` is the run's own record. Raises UserError."""
    then = machine.get("kernel")
    if then != now:
        raise UserError(f"this run was begun on kernel {then}, and this is {now}", hint=ANEW)


def same_suite(then: SuiteFacts, now: SuiteFacts) -> None:
    """Raises UserError, naming the manifest that says something else now, or is gone."""
    for name, workload in then.workloads.items():
        today = now.workloads.get(name)
        if today is None or today.digest != workload.digest:
            raise _changed(f"{name}/workload.toml", gone=today is None)
        digests = {one.id: one.digest for one in today.contenders}
        for one in workload.contenders:
            if digests.get(one.id) != one.digest:
                manifest = f"{workload.shared or name}/{one.name}/contender.toml"
                raise _changed(manifest, gone=one.id not in digests)


def same_builds(observations: Iterable[Observation], builds: Sequence[Built]) -> None:
    """Hold builds against those that the journal has blocks of. Raises UserError, saying which and why."""
    then = {(o.workload, o.contender): o for o in observations if isinstance(o, Built)}
    for now in builds:
        was = then.get((now.workload, now.contender))
        if was is not None and was.status == "ready" and (why := _unlike(was, now)) is not None:
            raise UserError(f"{now.workload}/{now.contender} is not what this run raced: {why}", hint=ANEW)


def _unlike(was: Built, now: Built) -> str | None:
    """Why two builds are not the same, None where they are."""
    if now.status != "ready":
        return f"its build {'failed' if now.status == 'failed' else 'is unavailable'} now: {now.reason}"
    if was.key is None:
        return "its journal does not say which build it was (an older Deadheat began it)"
    if was.key == now.key:
        return None
    tools = sorted(was.toolchains.keys() | now.toolchains.keys())
    changed = [
        f"{tool} was {was.toolchains.get(tool, 'not needed')} and is {now.toolchains.get(tool, 'not needed')}"
        for tool in tools
        if was.toolchains.get(tool) != now.toolchains.get(tool)
    ]
    return "; ".join(changed) or "its sources, its build line or the compilers' flags have changed"


def _changed(file: str, *, gone: bool) -> UserError:
    what = "is no longer there" if gone else "says something else than when this run was planned"
    return UserError(f"{file} {what}", hint=ANEW)
