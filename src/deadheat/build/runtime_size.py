"""What must be shipped beside a contender that is no program by itself: the runtime it was raced on.

A Mix release and a compiled program bring their own. Of the others: the interpreter or virtual machine,
the libraries it was linked to but for those of the C compiler, which every system has, and its standard
library without what only developers need.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

from deadheat.build import command

TIME_LIMIT_S = 20
# Sources, tests and symbols for compilers; packages of this machine's own; what is made at the first use.
SPARE = {"src.zip", "ct.sym", "test", "site-packages", "dist-packages", "__pycache__"}
# Python's folder for those who compile extensions.
FOR_EXTENSIONS = "config-"
_OF_THE_SYSTEM = re.compile(r"^(lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)|ld-linux[\w-]*)\.so")
_LINKED = re.compile(r"^\s*\S+ => (/\S+) \(0x", re.MULTILINE)


@cache
def bytes_of(tool: str) -> int | None:
    """The size of the runtime that a need of this name asks for; None where it is none, or not here."""
    find = RUNTIMES.get(tool)
    paths = find() if find else None
    if not paths:
        return None
    files = {file.resolve() for path in paths for file in _files(path)}
    return sum(file.stat().st_size for file in files if file.is_file())


def needed_by(needs: Iterable[str]) -> int | None:
    """Of all runtimes among the needs of a contender (`node >= 18`); None where there is none."""
    names = [re.split(r"[\s<>=!~]", need.strip())[0] for need in needs]
    sizes = [size for name in names if (size := bytes_of(name)) is not None]
    return sum(sizes) if sizes else None


def _node() -> list[Path] | None:
    return _program(_says("node", "-p", "process.execPath"))


def _java() -> list[Path] | None:
    home = re.search(r"java\.home = (.+)", _says("java", "-XshowSettings:properties", "-version"))
    return [*(_program(f"{home[1]}/bin/java") or ()), Path(home[1]) / "lib"] if home else None


def _python() -> list[Path] | None:
    lines = _says(
        "python3", "-c",
        "import os, sys, sysconfig; print(os.path.realpath(sys.executable)); "
        "print(sysconfig.get_paths()['stdlib'])",
    ).splitlines()  # fmt: skip
    return [*(_program(lines[0]) or ()), Path(lines[1])] if len(lines) == 2 else None


def _ruby() -> list[Path] | None:
    lines = _says(
        "ruby", "-rrbconfig", "-e",
        "puts RbConfig.ruby; puts RbConfig::CONFIG.values_at('rubylibdir', 'rubyarchdir')",
    ).splitlines()  # fmt: skip
    return [*(_program(lines[0]) or ()), *map(Path, lines[1:])] if lines else None


def _perl() -> list[Path] | None:
    lines = _says(
        "perl", "-MConfig", "-e", r'print join "\n", $Config{perlpath}, @Config{qw(privlibexp archlibexp)}'
    ).splitlines()
    return [*(_program(lines[0]) or ()), *map(Path, lines[1:])] if len(lines) == 3 else None


def _php() -> list[Path] | None:
    lines = _says("php", "-r", 'echo PHP_BINARY, "\n", PHP_EXTENSION_DIR;').splitlines()
    return [*(_program(lines[0]) or ()), Path(lines[1])] if len(lines) == 2 else None


def _nginx() -> list[Path] | None:
    return _program(shutil.which("nginx", path=command.path()) or "")


RUNTIMES: dict[str, Callable[[], list[Path] | None]] = {
    "node": _node,
    "java": _java,
    "python": _python,
    "python3": _python,
    "perl": _perl,
    "php": _php,
    "ruby": _ruby,
    "nginx": _nginx,
}


def _program(path: str) -> list[Path] | None:
    """An executable and the libraries that it was linked to."""
    program = Path(path.strip()).resolve()
    if not path.strip() or not program.is_file():
        return None
    linked = map(Path, _LINKED.findall(_says("ldd", str(program))))
    return [program, *(library for library in linked if not _OF_THE_SYSTEM.match(library.name))]


def _says(*argv: str) -> str:
    """Its stdout and stderr; nothing where it cannot be run."""
    try:
        ran = subprocess.run(
            argv,
            env={"PATH": command.path()},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIME_LIMIT_S,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ran.stdout + ran.stderr


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    elif path.is_dir():
        for entry in path.iterdir():
            if entry.name not in SPARE and not entry.name.startswith(FOR_EXTENSIONS):
                yield from _files(entry)
