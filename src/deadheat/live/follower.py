"""What a race has done so far, read from its journal as it grows."""

from dataclasses import dataclass, field
from pathlib import Path

from deadheat.model.observation import (
    BlockEnded,
    BlockStarted,
    Built,
    Checked,
    Failed,
    GoneOn,
    Invocation,
    LeadInGrown,
    Left,
    Observation,
    OpenLoop,
    RaceUnavailable,
    Resumed,
    Settled,
    Slice,
    Stopped,
)
from deadheat.report.html import page
from deadheat.results import derive
from deadheat.storage import journal
from deadheat.storage.run_folder import RunFolder
from deadheat.studies.registry import DERIVERS
from deadheat.suite.suite import Suite, load

LOG_LINES = 200


@dataclass
class Follower:
    """Reads whole lines only: a line that is still being written is read the next time."""

    folder: RunFolder
    observations: list[Observation] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    state: str = "waiting for the race to begin"
    version: int = 0
    _offset: int = 0

    def __post_init__(self) -> None:
        self.plan = self.folder.plan()
        self._suite: Suite = load(Path(self.plan.suite))

    def read(self) -> bool:
        """Take in what is new; whether there was anything."""
        try:
            with self.folder.journal.open("rb") as file:
                file.seek(self._offset)
                new = file.read()
        except FileNotFoundError:
            return False
        whole = new[: new.rfind(b"\n") + 1]
        first = len(self.observations) + 1
        for number, line in enumerate(whole.split(b"\n")[:-1], first):
            self._take(journal.parse(self.folder.journal, number, line))
        self._offset += len(whole)
        return bool(whole)

    def page(self) -> str:
        """The report so far; of the block that is under way only its state."""
        results = derive.results(self.plan, self.folder.machine(), self.observations, DERIVERS)
        live = page.Live(self.state, tuple(self.log[-LOG_LINES:]))
        return page.render(results, self.observations, self._suite, live=live)

    def _take(self, o: Observation) -> None:
        self.observations.append(o)
        # Figures change with whole blocks (or where those so far count no more), rows with builds and checks.
        if isinstance(o, Built | Checked | RaceUnavailable | Failed | BlockEnded | LeadInGrown | Stopped):
            self.version += 1
        self.state = self._state_after(o) or self.state
        if line := _line(o):
            self.log.append(line)

    def _state_after(self, o: Observation) -> str | None:
        match o:
            case Built():
                return f"building: {o.workload}/{o.contender} is {o.status}"
            case Checked():
                return f"checking answers: {o.workload}/{o.contender}"
            case BlockStarted():
                return f"{o.race}: block {o.block + 1}, starting {len(o.order)} entries"
            case Slice() | Invocation():
                race = next((race for race in self.plan.workloads if race.key == o.race), None)
                blocks = f" of {race.blocks}" if race else ""
                turn = "warming up" if o.warm_up else f"round {o.round + 1}"
                return f"{o.race}: block {o.block + 1}{blocks}, {turn}: {o.entry}"
            case OpenLoop():
                return f"{o.race}: block {o.block + 1}, latency at {o.load:.0%} load: {o.entry}"
            case Stopped():
                return f"stopped: {o.why}"
            case _:
                return None


def _line(o: Observation) -> str | None:
    """What is worth a line that stays."""
    match o:
        case Built():
            return f"{o.workload}/{o.contender}: {o.status}" + (f": {o.reason}" if o.reason else "")
        case Checked(ok=False):
            return f"{o.workload}/{o.contender}: wrong answers: {o.reason}"
        case RaceUnavailable():
            return f"{o.race}: unavailable: {o.reason}"
        case BlockStarted():
            return f"{o.at} {o.race}: block {o.block + 1} begins: {', '.join(o.order)}"
        case Failed():
            return f"{o.race}: {o.entry} leaves the race: {o.reason}"
        case BlockEnded():
            return f"{o.race}: block {o.block + 1} is whole"
        case LeadInGrown():
            return (
                f"{o.race}: a lead-in of {o.lead_in_ms} ms from block {o.from_block + 1} on, and blocks "
                f"{'of ' + ', '.join(o.entries) + ' ' if o.entries else ''}before it do not count: {o.why}"
            )
        case Left():
            return f"{o.race}: {o.entry} is no longer raced: {o.why}"
        case Settled():
            return f"{o.race}: settled after {o.blocks} blocks"
        case Stopped():
            return f"stopped: {o.why}"
        case GoneOn() | Resumed():
            return f"{o.at} resumed" if isinstance(o, Resumed) else f"{o.race}: up to {o.blocks} blocks"
        case _:
            return None
