"""The append-only record of a run: one observation a line, each with a checksum, flushed as it happens.

`kill -9` at any moment leaves at most one torn line, the last; reading drops it with a warning.
Anything else that is broken stops with file and line: a journal that was edited is no evidence.
"""

import errno
import json
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import ValidationError

from deadheat.errors import ExitCode, UserError
from deadheat.model.observation import OBSERVATION, BlockEnded, BlockStarted, LeadInGrown, Observation
from deadheat.storage import migrate

FILE = "journal.jsonl"
_SEAL = len(',"crc":"00000000"}')


class Journal:
    """Appends observations to a run's journal."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._drop_torn_line()
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)

    def append(self, observation: Observation) -> None:
        """Write one line. Raises UserError, with the journal whole up to the line before."""
        line = seal(OBSERVATION.dump_json(observation).decode())
        before = os.fstat(self._fd).st_size
        try:
            written = os.write(self._fd, line)
            if written != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if isinstance(observation, BlockEnded):
                os.fsync(self._fd)
        except OSError as error:
            os.ftruncate(self._fd, before)
            raise UserError(
                f"{self.path}: the journal cannot be written: {error.strerror}",
                hint="all up to here is kept: make room, then deadheat race --resume "
                + str(self.path.parent),
                code=ExitCode.NOTHING_MEASURED,
            ) from error

    def close(self) -> None:
        os.close(self._fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def _drop_torn_line(self) -> None:
        if not self.path.exists():
            return
        data = self.path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole != len(data):
            os.truncate(self.path, whole)


def seal(payload: str) -> bytes:
    """A JSON object as a line that carries its own checksum (CRC-32 of the object without it)."""
    return f'{payload[:-1]},"crc":"{zlib.crc32(payload.encode()):08x}"}}\n'.encode()


def read(path: Path) -> tuple[list[Observation], str | None]:
    """Every observation, and a warning where the last line was torn.

    Raises UserError with file and line for anything else that is broken.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(
            f"{path}: cannot be read: {error.strerror}", hint="deadheat runs lists the runs"
        ) from error
    lines = data.split(b"\n")
    torn = lines.pop()
    observations = [parse(path, number, line) for number, line in enumerate(lines, 1)]
    warning = f"{path}:{len(lines) + 1}: torn last line dropped ({len(torn)} bytes)" if torn else None
    return observations, warning


def parse(path: Path, number: int, line: bytes) -> Observation:
    """One line without its end. Raises UserError with file and line where it is not whole."""
    payload = line[:-_SEAL] + b"}"
    if seal(payload.decode(errors="replace")) != line + b"\n":
        raise UserError(
            f"{path}:{number}: the checksum does not fit the line", hint="this journal was damaged or edited"
        )
    try:
        return _observation(payload)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UserError(
            f"{path}:{number}: not an observation of this version: {where}: {first['msg']}"
        ) from error


def _observation(payload: bytes) -> Observation:
    try:
        return OBSERVATION.validate_json(payload)
    except ValidationError:
        # Only now: a journal of today pays nothing for those of older versions.
        found = json.loads(payload)
        if not isinstance(found, dict) or (older := migrate.observation(found)) == found:
            raise
        return OBSERVATION.validate_json(json.dumps(older))


def whole_blocks(observations: list[Observation]) -> Iterator[Observation]:
    """The observations that count: of a block that nobody got into only its last, completed try, and only
    with the last lead-in of its race or entry; of the rest everything."""
    done = {(o.race, o.block) for o in observations if isinstance(o, BlockEnded) and o.disturbed is None}
    last_try = {
        (o.race, o.block): place for place, o in enumerate(observations) if isinstance(o, BlockStarted)
    }
    since: dict[tuple[str, str | None], int] = {}
    for place, o in enumerate(observations):
        if isinstance(o, LeadInGrown):
            since.update({(o.race, entry): place for entry in o.entries or (None,)})
    for place, observation in enumerate(observations):
        block = getattr(observation, "block", None)
        if block is None or observation.type == "failed":
            yield observation
            continue
        race = getattr(observation, "race", "")
        key = (race, block)
        entry = getattr(observation, "entry", None)
        from_place = max(since.get((race, None), 0), since.get((race, entry), 0))
        if isinstance(observation, BlockEnded) and observation.disturbed is not None:
            yield observation  # that it was, and by whom, is worth knowing
        elif key in done and place >= max(last_try.get(key, 0), from_place):
            yield observation
