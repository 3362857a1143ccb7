"""`runs/<id>/`: where a run keeps what it did and what it found."""

import contextlib
import errno
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from deadheat import journal
from deadheat.errors import ExitCode, UserError
from deadheat.model.observation import Observation
from deadheat.model.plan import Plan
from deadheat.model.result import Results

LATEST = "latest"
# Of results.json and plan.json (docs/schema).
SCHEMA = 1
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
        return _load(self.path / "plan.json", Plan)

    def results(self) -> Results:
        return _load(self.results_file, Results)

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
    raise UserError(f'no run is called "{name}" in {out}', hint=f"deadheat runs --out {out} lists them")


def all_runs(out: Path) -> list[RunFolder]:
    """Every run, the oldest first."""
    found = (path.parent for path in sorted(out.glob("*/plan.json")))
    return [RunFolder(path) for path in found if not path.is_symlink()]


def point_latest(out: Path, run: str) -> None:
    """Make `latest` point to a run."""
    beside = out / f".{LATEST}-{os.getpid()}"
    with explained(out):
        beside.symlink_to(run)
        beside.replace(out / LATEST)


def write_whole(path: Path, content: str | bytes, elsewhere: str = "--out names another folder") -> Path:
    """Write a file beside and rename it into place. Raises UserError, with what was there untouched."""
    beside = path.with_name(f".{path.name}-{os.getpid()}")
    with explained(path, elsewhere):
        try:
            if isinstance(content, bytes):
                beside.write_bytes(content)
            else:
                beside.write_text(content, encoding="utf-8")
            beside.replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                beside.unlink()
            raise
    return path


@contextlib.contextmanager
def explained(path: Path, elsewhere: str = "--out names another folder") -> Iterator[None]:
    """An OSError while writing becomes a sentence with the file and what to do."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        raise UserError(
            f"{path}: cannot be written: {error.strerror}",
            hint="make room and run it again" if full else elsewhere,
            code=ExitCode.NOTHING_MEASURED if full else ExitCode.USAGE,
        ) from error


def _load(path: Path, type_: type[M]) -> M:
    try:
        text = path.read_bytes()
        found = type_.model_validate_json(text)
    except OSError as error:
        raise UserError(
            f"{path}: cannot be read: {error.strerror}", hint="deadheat report RUN derives results again"
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise _of_another_version(path, _other_schema(text) or f"{where}: {first['msg']}") from error
    # One of another schema may happen to have the same fields, and mean something else by them.
    if (why := _other_schema(text)) is not None:
        raise _of_another_version(path, why)
    return found


def _of_another_version(path: Path, why: str) -> UserError:
    return UserError(
        f"{path}: not of this version: {why}",
        hint="deadheat report RUN derives results again from the journal",
    )


def _other_schema(text: bytes) -> str | None:
    """Which schema a file says it has, where it is not ours, and who wrote it."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    about = found if isinstance(found, dict) else {}
    if (schema := about.get("schema", SCHEMA)) == SCHEMA:
        return None
    wrote = f" (Deadheat {about['version']} wrote it)" if "version" in about else ""
    return f"schema {schema}, and {SCHEMA} is read here{wrote}"
