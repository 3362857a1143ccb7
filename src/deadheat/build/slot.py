"""Where a build lies: a folder of the cache for each state of a contender's sources.

Its name is a hash of the contender's files, its workload's own files, its build line, the versions of the
toolchains it needs and what of the environment compilers read. A build that was cut off leaves no
`built.json`, so the next one starts over from a clean folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from deadheat.build import artifact, runtime_size, sources, toolchain
from deadheat.build import environment as building
from deadheat.hosts import Host
from deadheat.model.artifact import Binary, BuildTimes
from deadheat.model.contender import Contender
from deadheat.model.observation import Built
from deadheat.util.files import explained, write_whole
from deadheat.util.interrupt import Stop
from deadheat.util.locks import locked

# Raised when what a build does changes, so that older builds are not taken for current.
FORMAT = 2
POLL_S = 0.1
MARKER, TIMES = "built.json", "times.json"
ELSEWHERE = "DEADHEAT_CACHE names another folder for builds"


@dataclass(frozen=True)
class Slot:
    """`path` holds a copy of the contender and of what its workload shares, the log of its build and what
    was found of it; `versions` are those of the toolchains, by their names."""

    contender: Contender
    path: Path
    versions: dict[str, str]

    @classmethod
    def of(
        cls, cache: Path, contender: Contender, versions: dict[str, str], environment: Mapping[str, str]
    ) -> Self:
        """In the cache, for builds that are given this whole environment."""
        # Neither the workload nor the variant is in the path: who builds the same shares the build.
        name = _key(contender, versions, environment)
        return cls(contender, cache / "builds" / contender.name / name, versions)

    @property
    def folder(self) -> Path:
        """The contender's own, in which it is built and run."""
        return self.path / self.contender.folder.name

    @property
    def log(self) -> Path:
        """What its build said."""
        return self.path / "build.log"

    @property
    def marker(self) -> Path:
        """There once the build is whole, with its record."""
        return self.path / MARKER

    @contextlib.contextmanager
    def alone(self, stop: Stop) -> Iterator[None]:
        """Hold it: another deadheat may be building the same just now, and then we take what it built."""
        with explained(self.path, ELSEWHERE):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(self.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            while not locked(file):
                stop.check()
                time.sleep(POLL_S)
            yield
        finally:
            os.close(file)

    def copy(self) -> None:
        """A fresh copy of the sources, and nothing else."""
        of = self.contender.folder
        with explained(self.path, ELSEWHERE):
            shutil.rmtree(self.path, ignore_errors=True)
            # A contender may be its manifest alone: there is still a folder to run in.
            self.folder.mkdir(parents=True)
            for file in sources.shared(of.parent):
                shutil.copy2(file, self.path / file.name)
            for file in sources.sources(of):
                to = self.folder / file.relative_to(of)
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file, to)

    def finish(self, build_s: float | None = None) -> Built:
        """Put on record what was built, in `build_s`; without any it is the copy alone."""
        record = Built(
            workload=self.contender.workload,
            contender=self.contender.id,
            status="ready",
            key=self.path.name,
            build_s=build_s,
            artifact_bytes=self._artifact_bytes(),
            runtime_bytes=runtime_size.needed_by(self.contender.needs),
            binary=self._binary(),
            toolchains=self.versions,
            log=None if build_s is None else str(self.log),
        )
        write_whole(self.marker, record.model_dump_json())
        return record

    def recorded(self, *, cached: bool) -> Built:
        """What an earlier build left on record, in the name of the contender that uses it now."""
        record = Built.model_validate_json(self.marker.read_bytes())
        if record.binary is None and (sizes := self._binary()):
            # Built before sizes were taken.
            record = record.model_copy(update={"binary": sizes})
            write_whole(self.marker, record.model_dump_json())
        times = self.path / TIMES
        own = {
            "workload": self.contender.workload,
            "contender": self.contender.id,
            "cached": cached,
            "key": self.path.name,
            "runtime_bytes": runtime_size.needed_by(self.contender.needs),
            "times": BuildTimes.model_validate_json(times.read_bytes()) if times.exists() else None,
        }
        return record.model_copy(update=own)

    def keep_times(self, times: BuildTimes) -> None:
        """Put timed builds beside the build that races use."""
        with explained(self.path, ELSEWHERE):
            self.path.mkdir(parents=True, exist_ok=True)
            write_whole(self.path / TIMES, times.model_dump_json())

    def _binary(self) -> Binary | None:
        made = self.contender.artifact
        return artifact.binary(self.folder / made) if made is not None else None

    def _artifact_bytes(self) -> int | None:
        if self.contender.artifact is None:
            return None
        made = self.folder / self.contender.artifact
        if made.is_file():
            return made.stat().st_size
        return sum(one.stat().st_size for one in made.rglob("*") if one.is_file() and not one.is_symlink())


def toolchains(host: Host, contender: Contender) -> dict[str, str]:
    """Of the toolchains that it needs, by their names."""
    found = (toolchain.probe(host, need, contender.folder) for need in contender.needs)
    return {need.name: need.version or "?" for need in found}


def _key(contender: Contender, versions: dict[str, str], environment: Mapping[str, str]) -> str:
    """Changes whenever a build could come out differently."""
    digest = hashlib.sha256()
    recipe: dict[str, object] = {
        "format": FORMAT,
        "build": contender.build,
        "artifact": contender.artifact,
        "versions": versions,
    }
    if contender.build is not None and (flags := building.deciding(environment)):
        recipe["environment"] = flags
    digest.update(json.dumps(recipe, sort_keys=True).encode())
    for file in sources.deciding(contender.folder.parent, contender.folder):
        content = file.read_bytes()
        mode = "x" if os.access(file, os.X_OK) else "-"
        digest.update(f"{file.relative_to(contender.folder.parent)}\0{mode}{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]
