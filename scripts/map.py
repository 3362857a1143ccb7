"""The rooms of src/deadheat and their imports as a picture: `make map` writes docs/images/rooms.svg.

The order of the rooms is that of import-linter's layers in pyproject.toml, the arrows are read from the code
by grimp, and a room is described by the beginning of its docstring. An arrow that follows from others
(a -> b -> c makes a -> c needless) is left out.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from html import escape
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "rooms.svg"
# Pixels.
ROW, TOP, BOX, LEFT, WIDTH = 34, 16, 108, 190, 960
BOTTOM = ("errors",)


def layers() -> list[list[str]]:
    """The rooms from the top floor down; those of one list know nothing of each other."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (contract,) = (c for c in settings["contracts"] if c["type"] == "layers")
    return [layer.split(" | ") for layer in contract["layers"]]


def arrows() -> set[tuple[str, str]]:
    """Which room imports which: (importer, imported)."""
    graph = grimp.build_graph("deadheat", exclude_type_checking_imports=True, cache_dir=None)
    found = {
        (_room(module), _room(imported))
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
    }
    return {(importer, imported) for importer, imported in found if importer != imported}


def reduced(found: Collection[tuple[str, str]]) -> list[tuple[str, str]]:
    """Arrows without a circle, less those that follow from others, sorted."""
    below: dict[str, set[str]] = {}
    for importer, imported in found:
        below.setdefault(importer, set()).add(imported)

    def reach(room: str) -> set[str]:
        return below.get(room, set()).union(*map(reach, below.get(room, ())))

    return sorted(
        (importer, imported)
        for importer, imported in found
        if not any(imported in reach(other) for other in below[importer] - {imported})
    )


def draw() -> str:
    """The SVG."""
    rooms = [room for layer in layers() for room in layer if room not in BOTTOM]
    found = {pair for pair in arrows() if set(pair) <= set(rooms)}
    at = {room: TOP + ROW * place for place, room in enumerate(rooms)}
    height = 2 * TOP + ROW * len(rooms)
    return "\n".join([*_head(height), *_arcs(found, at), *_boxes(found, at), "</svg>", ""])


def _room(module: str) -> str:
    """`report` of deadheat.report.html.page; empty of the package itself."""
    return module.split(".")[1] if "." in module else ""


def _purpose(room: str) -> str:
    """The beginning of a package's docstring: up to a full stop or a colon."""
    source = ROOT / "src" / "deadheat" / room / "__init__.py"
    said = ast.get_docstring(ast.parse(source.read_text())) or ""
    return re.split(r"[.:](?: |$)", " ".join(said.split("\n\n")[0].split()))[0]


def _head(height: int) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="system-ui, sans-serif" font-size="13">'
    )
    yield "<title>The rooms of src/deadheat and which imports which</title>"
    yield f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>'
    yield (
        '<marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0 8 4 0 8z" fill="#356"/></marker>'
    )


def _arcs(found: Collection[tuple[str, str]], at: Mapping[str, int]) -> Iterator[str]:
    """An arrow a pair, bulging to the left by how far apart the two are; what leads up is red."""
    down = {(importer, imported) for importer, imported in found if at[importer] < at[imported]}
    for importer, imported in [*reduced(down), *sorted(set(found) - down)]:
        start, end = at[importer] + ROW / 2 - 1, at[imported] + ROW / 2 - 7
        out = LEFT - 26 - 13 * abs(end - start) / ROW
        colour = "#356" if start < end else "#c22"
        yield (
            f'<path d="M{LEFT} {start:g}C{out:g} {start:g} {out:g} {end:g} {LEFT} {end:g}" fill="none" '
            f'stroke="{colour}" stroke-opacity="0.8" marker-end="url(#tip)">'
            f"<title>{importer} imports {imported}</title></path>"
        )


def _boxes(found: Collection[tuple[str, str]], at: Mapping[str, int]) -> Iterator[str]:
    for room, y in at.items():
        imports = ", ".join(other for other in at if (room, other) in found) or "nothing of ours"
        yield (
            f'<g><title>{room} imports {imports}</title><rect x="{LEFT}" y="{y}" width="{BOX}" '
            f'height="{ROW - 8}" rx="4" fill="#e8f0f4" stroke="#356"/><text x="{LEFT + 10}" y="{y + 18}" '
            f'font-weight="600" fill="#123">{room}/</text></g>'
        )
        yield f'<text x="{LEFT + BOX + 14}" y="{y + 18}" fill="#333">{escape(_purpose(room))}</text>'


if __name__ == "__main__":
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(draw())
    print(PICTURE.relative_to(ROOT))
