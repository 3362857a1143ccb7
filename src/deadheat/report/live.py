"""What is on the screen while a race runs: a table that narrows on a terminal, plain lines elsewhere.

Nothing here runs on a timer: a view draws only when the runner calls it, between slices, so that
drawing never takes CPU from a measurement.
"""

import time
from collections.abc import Callable

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from deadheat.model.observation import Disturbance
from deadheat.model.plan import RacePlan
from deadheat.model.progress import Progress
from deadheat.model.result import ContenderResult, RaceResult
from deadheat.report import disturbance, words

PLAIN_EVERY_S = 10.0
DRAW_EVERY_S = 0.2
BAR_WIDTH = 12


class _State:
    """What both views remember of the race under way."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.plan: RacePlan | None = None
        self.result: RaceResult | None = None
        self.states: dict[str, str] = {}
        self.so_far: Progress | None = None
        self.reported = clock()
        self.estimated_s = 0.0

    def race(self, race: RacePlan, estimated_s: float) -> None:
        self.plan, self.result, self.so_far = race, None, None
        self.reported, self.estimated_s = self.clock(), estimated_s
        self.states = {entry.id: "waiting" for entry in race.entries}

    def progress(self, so_far: Progress) -> None:
        self.so_far, self.reported = so_far, self.clock()

    @property
    def done(self) -> float:
        """The share of the race's time that has passed, 0 to 1."""
        return self.so_far.done if self.so_far is not None else 0.0

    def left(self) -> str:
        """`1:12 left`: from the plan's estimate at first, then from the pace, with blocks to be repeated."""
        then = self.estimated_s if self.so_far is None else self.so_far.left_s
        left = max(0, round(then - (self.clock() - self.reported)))
        return f"{left // 60}:{left % 60:02d} left"

    def heading(self) -> str:
        """`http-hello   block 3 of 6, 2 more do not count, 1 more had too short a lead-in`: blocks that count
        for all, of those planned."""
        assert self.plan is not None
        if self.so_far is None:
            return f"{self.plan.key}   block 1 of {self.plan.blocks}"
        block, uncounted = min(self.so_far.clean + 1, self.so_far.planned), self.so_far.uncounted
        beside = f", {uncounted} more {'does' if uncounted == 1 else 'do'} not count" if uncounted else ""
        if outgrown := self.so_far.outgrown:
            beside += f", {outgrown} more had too short a lead-in"
        return f"{self.plan.key}   block {block} of {self.so_far.planned}{beside}"


class PlainView:
    """For logs and pipes: notes as they come, and a line every ten seconds."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._state = _State(clock)
        self._last = clock()

    def note(self, text: str) -> None:
        self._print(text)

    def warn(self, text: str) -> None:
        self._print(f"! {text}")

    def race(self, race: RacePlan, estimated_s: float) -> None:
        self._state.race(race, estimated_s)
        self._print(f"{race.key}: {len(race.entries)} entries, about {estimated_s:.0f} s")

    def state(self, entry: str, state: str) -> None:
        self._state.states[entry] = state
        self._tick()

    def progress(self, so_far: Progress) -> None:
        self._state.progress(so_far)
        self._tick()

    def disturbed(self, block: int, by: Disturbance) -> None:
        self.warn(disturbance.during(block, by))

    def interim(self, result: RaceResult) -> None:
        self._state.result = result

    def close(self) -> None:
        pass

    def _tick(self) -> None:
        now = self._state.clock()
        if now - self._last < PLAIN_EVERY_S or self._state.plan is None:
            return
        self._last = now
        self._print(f"{self._state.heading()} · {self._state.left()}{self._leaders()}")

    def _leaders(self) -> str:
        result = self._state.result
        if result is None:
            return ""
        rows = [f"{row.id} {_ratio(row)}" for row in result.contenders if row.against_reference is not None]
        return " · " + ", ".join(rows)

    def _print(self, text: str) -> None:
        self._console.print(Text(text), soft_wrap=True, highlight=False)


class LiveView:
    """For a terminal: a table of contenders, a bar, and the last warning."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._state = _State(clock)
        self._warning: str | None = None
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._drawn = 0.0

    def note(self, text: str) -> None:
        self._console.print(Text(text), soft_wrap=True, highlight=False)

    def warn(self, text: str) -> None:
        self._warning = text
        self._console.print(Text(f"! {text}", "yellow"), soft_wrap=True, highlight=False)

    def race(self, race: RacePlan, estimated_s: float) -> None:
        self._state.race(race, estimated_s)
        if not self._live.is_started:
            self._live.start()
        self._draw(at_once=True)

    def state(self, entry: str, state: str) -> None:
        self._state.states[entry] = state
        # Waits that are seen at once; racing and frozen alternate too fast to be read.
        self._draw(at_once=state not in ("racing", "frozen"))

    def progress(self, so_far: Progress) -> None:
        self._state.progress(so_far)
        self._draw()

    def disturbed(self, block: int, by: Disturbance) -> None:
        self.warn(disturbance.during(block, by))

    def interim(self, result: RaceResult) -> None:
        self._state.result = result
        self._draw(at_once=True)

    def close(self) -> None:
        self._live.stop()

    def _draw(self, at_once: bool = False) -> None:
        now = self._state.clock()
        if not self._live.is_started or (not at_once and now - self._drawn < DRAW_EVERY_S):
            return
        self._drawn = now
        self._live.update(self._picture(), refresh=True)

    def _picture(self) -> RenderableType:
        state = self._state
        assert state.plan is not None
        head = Table.grid(padding=(0, 2))
        head.add_row(
            Text(f"▶ {state.heading()}", "bold"),
            ProgressBar(total=1.0, completed=state.done, width=24),
            Text(state.left()),
        )
        parts: list[RenderableType] = [head, self._table(state.plan)]
        if self._warning:
            parts.append(Text(f"  ! {self._warning}", "yellow"))
        return Group(*parts)

    def _table(self, plan: RacePlan) -> Table:
        rows = {row.id: row for row in self._state.result.contenders} if self._state.result else {}
        best = max((_speed(row) for row in rows.values()), default=0.0)
        table = Table(box=None, padding=(0, 2), header_style="dim")
        table.add_column("contender", no_wrap=True)
        table.add_column(words.unit(plan.judged, plan.kind), justify="right")
        table.add_column("", no_wrap=True, width=BAR_WIDTH)
        table.add_column(f"against {escape(plan.reference)}")
        table.add_column("state", style="dim")
        for entry in plan.entries:
            row = rows.get(entry.id)
            amount = words.amount(plan.judged, words.own_measure(plan.judged, row)) if row else ""
            ratio = self._null_ratio() if entry.null else _ratio(row)
            label = f"{entry.contender} (null)" if entry.null else entry.id
            bar = _bar(row, best)
            table.add_row(Text(label), amount, bar, Text(ratio), self._state.states.get(entry.id, ""))
        return table

    def _null_ratio(self) -> str:
        pair = self._state.result.null_pair if self._state.result else None
        return _with_interval(pair.ratio, pair.ci) if pair else ""


def _ratio(row: ContenderResult | None) -> str:
    if row is None or row.against_reference is None:
        return "1" if row is not None and row.status == "measured" else ""
    return _with_interval(row.against_reference.ratio, row.against_reference.ci)


def _speed(row: ContenderResult) -> float:
    """How fast against the reference; 0 where it is not known or beside the question."""
    if row.class_ == "ceiling" or row.status != "measured":
        return 0.0
    return row.against_reference.ratio if row.against_reference is not None else 1.0


def _bar(row: ContenderResult | None, best: float) -> str:
    return "█" * round(BAR_WIDTH * _speed(row) / best) if row is not None and best > 0 else ""


def _with_interval(ratio: float, ci: tuple[float, float] | None) -> str:
    """1.26 (1.15 to 1.36): not ±, since the interval of few blocks is far from even on both sides. Where it
    says nothing yet, the ratio alone."""
    return words.ratio(ratio) + (f" ({words.interval(ci)})" if ci and words.is_interval(ci) else "")
