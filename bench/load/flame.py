"""A flame graph as SVG, from the output of `perf script`."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

WIDTH = 1200.0
ROW = 16
NARROWEST = 1.0
LETTER = 6.6


@dataclass
class Frame:
    """A function in its place in the stack, and how many samples were in it or below."""

    samples: int = 0
    callees: dict[str, Frame] = field(default_factory=dict)


def stacks(lines: Iterable[str]) -> Iterator[list[str]]:
    """The stacks of `perf script`, outermost function first."""
    stack: list[str] = []
    for line in lines:
        if line.startswith(("\t", " ")) and line.strip():
            words = line.split(maxsplit=1)
            if len(words) == 2:
                name = words[1].rsplit(" (", 1)[0].split("+0x")[0]
                stack.append(name)
        elif stack:
            yield stack[::-1]
            stack = []
    if stack:
        yield stack[::-1]


def fold(all_stacks: Iterable[list[str]]) -> Frame:
    """All stacks as one tree."""
    root = Frame()
    for stack in all_stacks:
        frame = root
        frame.samples += 1
        for name in stack:
            frame = frame.callees.setdefault(name, Frame())
            frame.samples += 1
    return root


def depth(frame: Frame, scale: float) -> int:
    """Rows that a frame and what is wide enough of all it calls need."""
    wide = [c for c in frame.callees.values() if c.samples * scale >= NARROWEST]
    return 1 + max((depth(callee, scale) for callee in wide), default=0)


def boxes(frame: Frame, x: float, row: int, scale: float, bottom: int) -> Iterator[str]:
    """The callees of a frame as rectangles with their names, widest first."""
    for name, callee in sorted(frame.callees.items(), key=lambda item: -item[1].samples):
        width = callee.samples * scale
        if width >= NARROWEST:
            y = bottom - (row + 1) * ROW
            hue = 10 + sum(name.encode()) % 45
            letters = int(width / LETTER)
            label = html.escape(name[:letters]) if letters > 3 else ""
            share = callee.samples * scale / WIDTH
            yield (
                f'<g><title>{html.escape(name)} ({share:.1%})</title>'
                f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 1}" '
                f'fill="hsl({hue},80%,65%)"/>'
                f'<text x="{x + 2:.1f}" y="{y + 12}">{label}</text></g>'
            )  # fmt: skip
            yield from boxes(callee, x, row + 1, scale, bottom)
        x += width


def svg(root: Frame, title: str) -> str:
    """The whole picture."""
    scale = WIDTH / max(root.samples, 1)
    height = (depth(root, scale) + 2) * ROW
    shapes = "\n".join(boxes(root, 0, 0, scale, height))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {height}" '
        f'font-family="monospace" font-size="11">\n'
        f'<text x="4" y="12">{html.escape(title)}: {root.samples} samples</text>\n'
        f"{shapes}\n</svg>\n"
    )
