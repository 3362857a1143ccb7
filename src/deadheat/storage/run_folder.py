"""`runs/<id>/`: where a run keeps what it did and what it found."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from deadheat.errors import UserError
from deadheat.model.observation import Observation
from deadheat.model.plan import Plan
from deadheat.model.result import Results
from deadheat.storage import journal, migrate
from deadheat.util.files import explained, write_whole

LATEST = "latest"
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class RunFolder:
    """One run's folder. Everything but the journal can be derived again from it, the plan and the machine."""

    path: Path

    @property
    def journal(self) -> Path:
        return self.path / journal.FILE

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def results_file(self) -> Path:
        return self.path / "results.json"

    def plan(self) -> Plan:
        return _load(self.path / "plan.json", Plan, migrate.plan)

    def results(self) -> Results:
        return _load(self.results_file, Results, migrate.results)

    def machine(self) -> dict[str, Any]:
        try:
            found: dict[str, Any] = json.loads((self.path / "machine.json").read_text())
        except (OSError, ValueError):
            return {}
        return found

    def observations(self) -> tuple[list[Observation], str | None]:
        return journal.read(self.journal)

    def write(self, name: str, text: str) -> Path:
        """A file of the run, written beside and renamed, so that a full disk damages nothing."""
        return write_whole(self.path / name, text)


def results_of(text: bytes, path: Path) -> Results:
    """Of what a results.json says, which was kept in another form at this path. Raises UserError."""
    return _parsed(text, path, Results, migrate.results)


def create(out: Path, plan: Plan, machine: Mapping[str, Any]) -> RunFolder:
    """The folder of a new run, with its plan and machine. Raises UserError where it cannot be written."""
    folder = RunFolder(out / plan.run)
    with explained(out):
        folder.logs.mkdir(parents=True)
    folder.write("plan.json", plan.model_dump_json(by_alias=True, indent=2) + "\n")
    folder.write("machine.json", json.dumps(dict(machine), indent=2) + "\n")
    return folder


def find(out: Path, name: str) -> RunFolder:
    """A run by its id, a path, or `latest`. Raises UserError."""
    for path in (out / name, Path(name)):
        if (path / "plan.json").exists():
            return RunFolder(path.resolve())
    if name == LATEST and not all_runs(out):
        raise UserError(f"no run in {out} yet", hint="deadheat race makes one")
    raise UserError(f'no run is called "{name}" in {out}', hint=f"deadheat runs --out {out} lists them")


def all_runs(out: Path) -> list[RunFolder]:
    """Every run, the oldest first."""
    found = (path.parent for path in sorted(out.glob("*/plan.json")))
    return [RunFolder(path) for path in found if not path.is_symlink()]


def runs_below(out: Path) -> list[RunFolder]:
    """The same of a folder and of those in it: `make studies` keeps them below `target`, by study and by way
    of racing it."""
    folders = [out, *(folder for depth in ("*/", "*/*/", "*/*/*/") for folder in out.glob(depth))]
    found = [run for folder in folders if not folder.is_symlink() for run in all_runs(folder)]
    return sorted(found, key=lambda run: run.path.name)


def point_latest(out: Path, run: str) -> None:
    """Make `latest` point to a run."""
    beside = out / f".{LATEST}-{os.getpid()}"
    with explained(out):
        beside.symlink_to(run)
        beside.replace(out / LATEST)


def _load(path: Path, type_: type[M], migrated: Callable[[migrate.Json], migrate.Json]) -> M:
    try:
        text = path.read_bytes()
    except OSError as error:
        raise UserError(
            f"{path}: cannot be read: {error.strerror}", hint="deadheat report RUN derives results again"
        ) from error
    return _parsed(text, path, type_, migrated)


def _parsed(text: bytes, path: Path, type_: type[M], migrated: Callable[[migrate.Json], migrate.Json]) -> M:
    schema, version = _head(text)
    if schema not in migrate.READABLE:
        # It may happen to have the same fields, and mean something else by them.
        wrote = f" (Deadheat {version} wrote it)" if version else ""
        raise _of_another_version(path, f"schema {schema}, and {migrate.SCHEMA} is read here{wrote}")
    try:
        if schema != migrate.SCHEMA:
            text = json.dumps(migrated(json.loads(text))).encode()
        return type_.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise _of_another_version(path, f"{where}: {first['msg']}") from error


def _of_another_version(path: Path, why: str) -> UserError:
    return UserError(
        f"{path}: not of this version: {why}",
        hint="deadheat report RUN derives results again from the journal",
    )


def _head(text: bytes) -> tuple[object, object]:
    """The schema that a file says it has (today's where it says none), and the version that wrote it."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    about = found if isinstance(found, dict) else {}
    return about.get("schema", migrate.SCHEMA), about.get("version")
