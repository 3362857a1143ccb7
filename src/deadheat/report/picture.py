"""One picture of a run, for a post: the question, the verdict, the forest plot, how to repeat it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap

from jinja2 import Environment

from deadheat.errors import UserError
from deadheat.model.result import RaceResult, Results
from deadheat.report import words
from deadheat.report.html import text
from deadheat.report.html.evidence import Evidence
from deadheat.report.html.hardened import hardened
from deadheat.report.html.race_view import RaceView, RowView, race_view
from deadheat.report.html.sources import Sources
from deadheat.util.files import write_whole

WIDTH, EDGE = 1200, 64
PLOT_LEFT, PLOT_WIDTH = 440, 420
ROW, AXIS = 44, 34
# Characters of the verdict on a line, at its size, in a wide typeface: which one is there nobody knows.
VERDICT_COLUMNS, VERDICT_LINE, COMMAND_COLUMNS = 64, 42, 104
# More rows than these would make letters too small to read in a post: the rest is said in words.
MOST_ROWS = 10
LIGHT = {
    "paper": "#fcfbf8", "ink": "#1a1a18", "quiet": "#5d5b55", "rule": "#dedbd2", "band": "#d9e6d8",
    "accent": "#0b5c8f", "good": "#1d6b3a", "raised": "#f4f2ec",
    "tints": ["#0072b2", "#b34a00", "#00775a", "#a3417a", "#7d5a00", "#4a4a4a", "#6150b5", "#1f7a94"],
}  # fmt: skip
DARK = {
    "paper": "#161615", "ink": "#ecebe6", "quiet": "#a5a29a", "rule": "#3a3935", "band": "#26382a",
    "accent": "#7cc0f0", "good": "#76cf94", "raised": "#20201e",
    "tints": ["#6fb9ec", "#ff9d5c", "#52cfa6", "#eb9fca", "#e2b54a", "#c9c8c4", "#b8adf5", "#7fd0e8"],
}  # fmt: skip


@dataclass(frozen=True)
class Panel:
    """A race in the picture, `top` pixels from its upper edge."""

    race: RaceView
    top: int
    verdict: tuple[str, ...]
    left_out: int

    @property
    def plot_top(self) -> int:
        return self.top + 40 + VERDICT_LINE * len(self.verdict) + 34

    @property
    def height(self) -> int:
        rows = len(self.rows) + (self.race.null_bar is not None)
        return self.plot_top - self.top + AXIS + ROW * rows + (30 if self.left_out else 0) + 34

    @property
    def is_ranked(self) -> bool:
        return any(row.place for row in self.rows)

    @property
    def names_left(self) -> int:
        return EDGE + 40 * self.is_ranked

    @property
    def rows(self) -> list[RowView]:
        return [row for row in self.race.rows if row.bar or row.reference][:MOST_ROWS]


def svg(results: Results, workload: str | None = None, *, dark: bool = False) -> str:
    """The picture, 1,200 wide. Raises UserError where there is nothing to draw or no such race."""
    races = [r for r in results.workloads if r.method == "deadheat" and workload in (None, r.name)]
    if workload is not None and not races:
        named = ", ".join(dict.fromkeys(r.name for r in results.workloads))
        raise UserError(f'no race of this run is called "{workload}"', hint=named)
    panels = _panels(results, races)
    if not panels:
        raise UserError("nothing was compared in this run: there is no picture of it", hint="deadheat show")
    bottom = panels[-1].top + panels[-1].height
    command = wrap(_again(results), COMMAND_COLUMNS) or [""]
    return _environment().get_template("picture.svg.j2").render(
        results=results, panels=panels, colours=DARK if dark else LIGHT, width=WIDTH, edge=EDGE,
        left=PLOT_LEFT, plot=PLOT_WIDTH, row=ROW, axis=AXIS, line=VERDICT_LINE, bottom=bottom,
        height=bottom + 92 + 24 * len(command), command=command, machine=_machine(results),
    )  # fmt: skip


def save(results: Results, path: Path, workload: str | None = None, *, dark: bool = False) -> None:
    """As FILE.png or FILE.svg, written beside and renamed. Raises UserError."""
    if path.suffix not in (".png", ".svg"):
        raise UserError(f"{path}: a picture ends in .png or .svg", hint="--image race.png")
    drawn = svg(results, workload, dark=dark)
    write_whole(path, png(drawn) if path.suffix == ".png" else drawn, "--image names another file")


def png(drawn: str, scale: float = 1.6) -> bytes:
    """The same as pixels, `scale` for each unit."""
    import vl_convert

    pixels: bytes = vl_convert.svg_to_png(drawn, scale=scale)
    return pixels


def _panels(results: Results, races: Sequence[RaceResult]) -> list[Panel]:
    panels, top = [], 104
    for number, result in enumerate(races):
        race = race_view(number, result, results.margin, Evidence(), {}, Sources())
        if race.forest is None:
            continue
        compared = sum(1 for row in race.rows if row.bar or row.reference)
        verdict = tuple(wrap(text.visible(race.verdict), VERDICT_COLUMNS))
        panels.append(Panel(race, top, verdict, max(0, compared - MOST_ROWS)))
        top += panels[-1].height
    return panels


def _again(results: Results) -> str:
    command = " ".join(results.command)
    return command if "--seed" in results.command else f"{command} --seed {results.seed}"


def _machine(results: Results) -> str:
    cores, model = results.machine.get("cores"), results.machine.get("cpu_model")
    parts = [str(model)] if model else []
    parts += [f"{cores} cores"] if cores else []
    parts += [str(results.machine["system"])] if results.machine.get("system") else []
    return ", ".join([*parts, results.started[:10], f"Deadheat {results.version}"])


def _environment() -> Environment:
    environment = hardened("deadheat.report.html")
    environment.filters |= {"short": text.short, "ratio": words.ratio}
    return environment
