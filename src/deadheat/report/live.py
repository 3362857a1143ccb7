"""What is on the screen while a race runs: a table that narrows on a terminal, plain lines elsewhere.

Nothing here runs on a timer: a view draws only when the runner calls it, between slices, so that
drawing never takes CPU from a measurement.
"""

import time
from collections.abc import Callable
from typing import Protocol

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from deadheat.model.plan import WorkloadPlan
from deadheat.model.result import ContenderResult, WorkloadResult
from deadheat.report import words

PLAIN_EVERY_S = 10.0
DRAW_EVERY_S = 0.2
BAR_WIDTH = 12


class View(Protocol):
    """What the runner tells whoever watches."""

    def note(self, text: str) -> None:
        """Something done, worth a line that stays."""

    def warn(self, text: str) -> None:
        """Something wrong that the race survives."""

    def race(self, race: WorkloadPlan, estimated_s: float) -> None:
        """A race begins."""

    def state(self, entry: str, state: str) -> None:
        """What an entry is doing: building, checking, starting, warming, racing, frozen, failed."""

    def progress(self, block: int, done: float) -> None:
        """The block under way, and how much of the race is done (0 to 1)."""

    def interim(self, result: WorkloadResult) -> None:
        """The verdicts so far."""

    def close(self) -> None:
        """Nothing more comes."""


class NoView:
    """Nobody watches."""

    def note(self, text: str) -> None: ...
    def warn(self, text: str) -> None: ...
    def race(self, race: WorkloadPlan, estimated_s: float) -> None: ...
    def state(self, entry: str, state: str) -> None: ...
    def progress(self, block: int, done: float) -> None: ...
    def interim(self, result: WorkloadResult) -> None: ...
    def close(self) -> None: ...


class _State:
    """What both views remember of the race under way."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.plan: WorkloadPlan | None = None
        self.result: WorkloadResult | None = None
        self.states: dict[str, str] = {}
        self.block = 0
        self.done = 0.0
        self.began = clock()
        self.estimated_s = 0.0

    def race(self, race: WorkloadPlan, estimated_s: float) -> None:
        self.plan, self.result, self.block, self.done = race, None, 0, 0.0
        self.began, self.estimated_s = self.clock(), estimated_s
        self.states = {entry.id: "waiting" for entry in race.entries}

    def left(self) -> str:
        """`1:12 left`: from the plan's estimate at first, then from the pace."""
        gone = self.clock() - self.began
        total = self.estimated_s if self.done < 0.1 else gone / self.done
        left = max(0, round(total - gone))
        return f"{left // 60}:{left % 60:02d} left"

    def heading(self) -> str:
        assert self.plan is not None
        return f"{self.plan.key}   block {self.block + 1} of {self.plan.blocks}"


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

    def race(self, race: WorkloadPlan, estimated_s: float) -> None:
        self._state.race(race, estimated_s)
        self._print(f"{race.key}: {len(race.entries)} entries, about {estimated_s:.0f} s")

    def state(self, entry: str, state: str) -> None:
        self._state.states[entry] = state
        self._tick()

    def progress(self, block: int, done: float) -> None:
        self._state.block, self._state.done = block, done
        self._tick()

    def interim(self, result: WorkloadResult) -> None:
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

    def race(self, race: WorkloadPlan, estimated_s: float) -> None:
        self._state.race(race, estimated_s)
        if not self._live.is_started:
            self._live.start()
        self._draw(at_once=True)

    def state(self, entry: str, state: str) -> None:
        self._state.states[entry] = state
        # Waits that are seen at once; racing and frozen alternate too fast to be read.
        self._draw(at_once=state not in ("racing", "frozen"))

    def progress(self, block: int, done: float) -> None:
        self._state.block, self._state.done = block, done
        self._draw()

    def interim(self, result: WorkloadResult) -> None:
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

    def _table(self, plan: WorkloadPlan) -> Table:
        rows = {row.id: row for row in self._state.result.contenders} if self._state.result else {}
        best = max((_speed(row) for row in rows.values()), default=0.0)
        table = Table(box=None, padding=(0, 2), header_style="dim")
        table.add_column("contender", no_wrap=True)
        table.add_column(words.unit(plan.metric, plan.kind), justify="right")
        table.add_column("", no_wrap=True, width=BAR_WIDTH)
        table.add_column(f"against {escape(plan.reference)}")
        table.add_column("state", style="dim")
        for entry in plan.entries:
            row = rows.get(entry.id)
            amount = words.amount(plan.metric, words.own_measure(plan.metric, row)) if row else ""
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
    """1.26 (1.15 to 1.36): not ±, since the interval of few blocks is far from even on both sides."""
    return words.ratio(ratio) + (f" ({words.interval(ci)})" if ci is not None else "")
