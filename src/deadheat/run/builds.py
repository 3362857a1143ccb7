"""The builds of a run: those of a workload just before its first race, never while anything is measured."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from deadheat.build.builder import Builder
from deadheat.build.built import Build, not_ready
from deadheat.model.http_protocol import why_not
from deadheat.model.observation import Built
from deadheat.model.plan import Plan, contenders_of
from deadheat.run.progress import View
from deadheat.suite.suite import Suite
from deadheat.util.interrupt import Stop


@dataclass(frozen=True)
class Builds:
    """Of the contenders that a plan races, in the suite's order."""

    plan: Plan
    suite: Suite
    builder: Builder
    view: View
    stop: Stop

    def again(self, of: Collection[tuple[str, str]]) -> list[Built]:
        """What builds of these workloads and contenders are today."""
        return [self._build(*one).record for one in self._contenders() if one in of]

    def of_workload(self, workload: str, observe: Callable[[Built], None]) -> dict[str, Build]:
        """All that a workload races; each is observed as soon as it is there."""
        ids = [id_ for name, id_ in self._contenders() if name == workload]
        names = list(contenders_of(self.plan.workloads))
        later = sum(names.index(name) > names.index(workload) for name, _ in self._contenders())
        after = f"; {later} more for later races" if later else ""
        built = {}
        for number, id_ in enumerate(ids, 1):
            built[id_] = self._build(workload, id_, f" ({number} of {len(ids)}{after})")
            observe(built[id_].record)
            self._warn(built[id_].record)
        ready = [build for build in built.values() if build.folder is not None]
        cached = sum(build.record.cached for build in ready)
        self.view.note(f"✓ {workload:<14} {len(ready)} contenders ready ({cached} built before)")
        return built

    def _contenders(self) -> Iterator[tuple[str, str]]:
        """Workload and id of each that is raced."""
        for name, ids in contenders_of(self.plan.workloads).items():
            yield from (
                (name, contender.id) for contender in self.suite.contenders[name] if contender.id in ids
            )

    def _build(self, workload: str, id_: str, which: str = "") -> Build:
        self.stop.check()
        contender = self.suite.contender(workload, id_)
        # All races of a workload in a run are over one.
        protocol = next(race.protocol for race in self.plan.workloads if race.workload == workload)
        if protocol is not None:
            speaking = contender.speaking(protocol)
            if speaking is None:
                return not_ready(contender, "unavailable", why_not(protocol))
            contender = speaking
        return self.builder.build(
            contender, lambda what: self.view.note(f"  {workload}/{id_}: {what}{which}")
        )

    def _warn(self, record: Built) -> None:
        """Of one that cannot race."""
        if record.status == "ready":
            return
        state = "failed" if record.status == "failed" else "is unavailable"
        said = "".join(f"\n    {line}" for line in record.tail)
        self.view.warn(f"{record.workload}/{record.contender} {state}: {record.reason}{said}")
