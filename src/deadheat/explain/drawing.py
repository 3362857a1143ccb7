"""Flame graphs: one of each contender, both in one, and where they differ."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from deadheat.explain import inferno, piping, stacks
from deadheat.explain.instruments.profile import folded_file
from deadheat.explain.page import Picture
from deadheat.explain.stacks import Folded
from deadheat.run.kind import Stage


def draw(stage: Stage, folder: Path, a: str, b: str, per: str) -> tuple[Picture, ...]:
    """From the stacks in the folder; nothing where there are none. Raises InstrumentError."""
    read = {entry: _read(folder, entry) for entry in (a, b)}
    of_a, of_b = read[a], read[b]
    if of_a is None or of_b is None:
        return tuple(_one(stage, folder, entry, f, per) for entry, f in read.items() if f is not None)
    return (
        _both(stage, folder, (a, of_a), (b, of_b), per),
        _difference(stage, folder, (a, of_a), (b, of_b), per),
        _one(stage, folder, a, of_a, per),
        _one(stage, folder, b, of_b, per),
    )


def _read(folder: Path, entry: str) -> Folded | None:
    file = folded_file(folder, entry)
    return stacks.parse(file.read_text()) if file.exists() else None


def _one(stage: Stage, folder: Path, entry: str, folded: Folded, per: str) -> Picture:
    file = f"{folded_file(folder, entry).stem}.svg"
    _flame(stage, folder, folded.text(), file, f"{entry}: CPU time {per}", "")
    return Picture(file, f"Flame graph of {entry}")


def _both(stage: Stage, folder: Path, a: tuple[str, Folded], b: tuple[str, Folded], per: str) -> Picture:
    """Two towers on one floor, each as wide as its CPU time: the narrower one is the cheaper one."""
    text = "".join(folded.renamed(_under(entry)).text() for entry, folded in (a, b))
    title = f"{a[0]} and {b[0]}: CPU time {per}"
    _flame(stage, folder, text, "both.svg", title, "each as wide as what it uses")
    return Picture("both.svg", f"Flame graph of both, each as wide as the CPU time it uses {per}")


def _under(root: str) -> Callable[[str], str]:
    return lambda stack: f"{root};{stack}"


def _difference(
    stage: Stage, folder: Path, a: tuple[str, Folded], b: tuple[str, Folded], per: str
) -> Picture:
    """Programs in different languages share no function but the kernel's: that has one place for both."""
    alike = stage.build(a[0]).contender.language == stage.build(b[0]).contender.language
    files = []
    for place, (_, folded) in enumerate((a, b)):
        file = folder / f".difference-{place}.folded"
        file.write_text((folded if alike else folded.renamed(stacks.by_side)).text())
        files.append(file)
    tools = inferno.find()
    assert tools is not None
    differ = folder / ".difference.folded"
    piping.run(stage, [str(tools / "inferno-diff-folded"), *map(str, files)], differ)
    _flame(
        stage,
        folder,
        differ.read_text(),
        "difference.svg",
        f"{b[0]} against {a[0]}: CPU time {per}",
        f"as wide as in {b[0]}; red: more than in {a[0]}, blue: less",
    )
    for file in (*files, differ):
        file.unlink()
    return Picture("difference.svg", f"Where {b[0]} uses more (red) or less (blue) than {a[0]}")


def _flame(stage: Stage, folder: Path, text: str, file: str, title: str, subtitle: str) -> None:
    tools = inferno.find()
    assert tools is not None
    stdin, output = folder / f".{file}.folded", folder / file
    stdin.write_text(text)
    argv = [str(tools / "inferno-flamegraph"), "--title", title, "--countname", "ns", "--hash"]
    if subtitle:
        argv += ["--subtitle", subtitle]
    piping.run(stage, [*argv, str(stdin)], output)
    stdin.unlink()
