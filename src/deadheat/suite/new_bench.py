"""The first draft of a user's own bench/deadheat.toml, from what the files of the project say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deadheat.suite.ad_hoc import CONNECTIONS
from deadheat.suite.bench_file import PLACE
from deadheat.suite.project_files import PORT, Project
from deadheat.util.files import write_new


@dataclass(frozen=True)
class Wanted:
    """What the file is to say; None where nobody knows."""

    build: str | None
    run: str | None
    paths: Sequence[str] = ("/",)
    connections: int = CONNECTIONS


def wanted(project: Project | None) -> Wanted:
    """As the project's files have it: its first route, where one was found."""
    if project is None:
        return Wanted(None, None)
    return Wanted(project.build, project.run, (*project.routes[:1],) or ("/",))


def write(folder: Path, text: str) -> Path:
    """Raises UserError where it is there already, or cannot be written."""
    return write_new(folder / PLACE, text, name=str(PLACE), there="deadheat check says whether it works")


def draft(wanted: Wanted, project: Project | None) -> str:
    """Its text: what is not known is a comment that says what to write."""
    by = f" Found by {project.file} ({project.language})." if project is not None else ""
    lines = [f"# How deadheat ab builds, runs and asks this service: docs/how-to/ab.md.{by}"]
    lines.append(
        f"build = {json.dumps(wanted.build)}"
        if wanted.build is not None
        else '# build = "make"   # a line for the shell, where the service has to be built'
    )
    lines.append(
        f"run = {json.dumps(wanted.run)}"
        if wanted.run is not None
        else f'# run = "./server --port {PORT}"   # how it is started: with {PORT}, or reading PORT'
    )
    # Of a line of somebody's own nothing more is known.
    found = project if project is not None and wanted.run == project.run else None
    if found is not None and found.artifact is not None:
        lines.append(f"artifact = {json.dumps(found.artifact)}")
    if found is not None and found.env:
        pairs = ", ".join(f"{name} = {json.dumps(value)}" for name, value in found.env)
        lines.append(f"env = {{ {pairs} }}")
    else:
        lines.append('# env = { NAME = "value" }')
    lines.append('# copy = [".env"]   # files that git ignores, and that it needs')
    lines.append(f"connections = {wanted.connections}")
    for path in wanted.paths:
        lines += ["", "[[request]]", f"path = {json.dumps(path)}"]
    return "\n".join(lines) + "\n" + _MORE


_MORE = """
# Each request is a race of its own. What the service answers at two starts is what is right, or say it:
# [[request]]
# method = "POST"
# path = "/api/items"
# headers = { Content-Type = "application/json" }
# body = '{"name": "one"}'
# status = 201
# answer = '{"id": 1}'

# What it talks to, one for each side and fresh in each block; it has DATABASE_URL, PGHOST, REDIS_URL, ...:
# [[services]]
# name = "postgres"   # or redis, valkey
# fixture = "psql -q -f db/schema.sql"
"""


def to_do(wanted: Wanted, project: Project | None) -> list[str]:
    """What is left to be written or looked at, a sentence each."""
    said: list[str] = []
    if project is None and wanted.run is None:
        said.append(
            "no file here tells its language (go.mod, package.json, ...): say how it is built and run"
        )
    if wanted.run is None:
        said.append(f"{PLACE}: write run, the line that starts the service, with {PORT} or reading PORT")
    if project is None or wanted.run != project.run:
        return said
    if not project.port and wanted.run is not None:
        fixed = f"{project.fixed_at} names port {project.fixed}" if project.fixed else None
        said.append(
            f"{fixed or 'no source here names PORT'}: let it listen on the port in its environment variable "
            f"PORT, or write {PORT} in run"
        )
    return [*said, *project.said]
