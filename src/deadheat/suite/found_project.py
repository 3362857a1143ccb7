"""What the files of a service's own folder say of it: its language, how it is built, started and asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from deadheat.suite import project_files
from deadheat.suite.project_files import PORT, Project, text_of

# So much of a project is looked through for its port and its routes.
MOST_FILES, MOST_BYTES = 400, 1 << 18
# Folders of what others made, and tools, and those with other sources than the service's.
MADE = ("node_modules", "target", "build", "dist", "vendor", "deps", "_build", "venv", "local", "bin", "obj")
OTHERS = frozenset((*MADE, "test", "tests", "spec", "bench"))
# A port out of the environment, in any language: os.Getenv("PORT"), process.env.PORT, $ENV{PORT}.
_READS_PORT = re.compile(r"""["'.{\[(]PORT\b["'}\])]?""")
# A number beside the words for listening.
_LISTENS_AT = re.compile(
    r"""(?:listen|serve|bind|port|addr|run)\w*\W{1,12}(?:["'][\w.*\[\]]*:)?(\d{4,5})\b""",
    re.IGNORECASE,
)
# The route of a GET without parameters: app.get("/users"), get '/' do, @GetMapping("/x"), HandleFunc("/x".
_ROUTE = re.compile(
    r"""(?:\bget|\bGET|HandleFunc|GetMapping|\broute)\W{0,3}\(?\s*["'](?:GET )?(/[\w./-]*)["']"""
)


def found(folder: Path) -> Project | None:
    """The project of this folder, by the first of its files that tells; None where none does."""
    for name, (endings, read) in READERS.items():
        if (file := next(iter(sorted(folder.glob(name))), None)) is not None:
            return _with_sources(read(folder, file), folder, endings)
    return None


def _with_sources(project: Project, folder: Path, endings: tuple[str, ...]) -> Project:
    """With the port and the routes that its sources name."""
    texts = list(_sources(folder, endings))
    routes = dict.fromkeys(route for _, text in texts for route in _ROUTE.findall(text))
    project = replace(project, routes=tuple(routes))
    if PORT in (project.run or "") or any(PORT in value for _, value in project.env):
        return replace(project, port=True)
    if any(_READS_PORT.search(text) for _, text in texts):
        return replace(project, port=True)
    for name, text in texts:
        if match := _LISTENS_AT.search(text):
            line = text.count("\n", 0, match.start(1)) + 1
            return replace(project, fixed=int(match[1]), fixed_at=f"{name}:{line}")
    return project


def _sources(folder: Path, endings: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Names and texts, those nearest to the top first."""
    left, seen = [folder], 0
    while left and seen < MOST_FILES:
        here = left.pop(0)
        for path in sorted(here.iterdir()):
            if path.is_symlink() or path.name.startswith("."):
                continue
            if path.is_dir():
                left += [path] if path.name not in OTHERS else []
            elif path.suffix in endings and seen < MOST_FILES and path.stat().st_size <= MOST_BYTES:
                seen += 1
                yield str(path.relative_to(folder)), text_of(path)


Reader = Callable[[Path, Path], Project]
#: By a pattern of a file's name: the endings of its language's sources, and who reads it. The first counts.
READERS: dict[str, tuple[tuple[str, ...], Reader]] = {
    "go.mod": ((".go",), project_files.go),
    "Cargo.toml": ((".rs",), project_files.rust),
    "shard.yml": ((".cr",), project_files.crystal),
    "mix.exs": ((".ex", ".exs"), project_files.elixir),
    "pom.xml": ((".java", ".kt"), project_files.maven),
    "build.gradle*": ((".java", ".kt"), project_files.gradle),
    "*.csproj": ((".cs",), project_files.dotnet),
    "cpanfile": ((".pl", ".pm"), project_files.perl),
    "composer.json": ((".php",), project_files.php),
    "Gemfile": ((".rb",), project_files.ruby),
    "requirements.txt": ((".py",), project_files.python),
    "pyproject.toml": ((".py",), project_files.python),
    "package.json": ((".js", ".mjs", ".cjs", ".ts"), project_files.javascript),
}
