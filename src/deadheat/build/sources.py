"""Which files of a contender are its sources: all, but for what a build in place leaves and our manifest."""

from collections.abc import Iterator
from pathlib import Path

# Never sources, wherever they are.
NEVER = {".git", ".venv", "__pycache__", ".shards"}
# What a tool makes beside its own manifest. Elsewhere a folder of that name is as good as any other: a Go
# package may be called `target`, and Rust may include a file of `deps`.
BESIDE = {
    "node_modules": ("package.json",),
    "target": ("Cargo.toml", "pom.xml"),
    "deps": ("mix.exs",),
    "_build": ("mix.exs", "rebar.config"),
}
NOT_BUILT = ("contender.toml", ".gitignore")
README = "README.md"


def sources(folder: Path) -> Iterator[Path]:
    """Every source of a contender's folder, in order."""
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and not entry.is_symlink():
            if not _left_over(entry):
                yield from sources(entry)
        elif entry.is_file() and entry.name not in NOT_BUILT:
            yield entry


def shared(workload: Path) -> Iterator[Path]:
    """The workload's own files, which contenders share: `../greeter.proto`. Its manifest is no source."""
    return (
        f
        for f in sorted(workload.iterdir())
        if f.is_file() and f.name not in NOT_BUILT and f.suffix != ".toml"
    )


def deciding(workload: Path, folder: Path) -> Iterator[Path]:
    """Those a build may come out differently for: all but the READMEs at the top of both folders.

    They are there for a build that includes them, but to mend one is no reason to build and measure anew.
    """
    return (
        f
        for f in (*shared(workload), *sources(folder))
        if not (f.name == README and f.parent in (workload, folder))
    )


def _left_over(folder: Path) -> bool:
    makers = BESIDE.get(folder.name, ())
    return folder.name in NEVER or any((folder.parent / maker).is_file() for maker in makers)
