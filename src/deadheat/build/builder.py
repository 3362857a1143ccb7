"""A contender's folder becomes an artifact, out of tree, once for each state of its sources.

The key of a build is a hash of the contender's files, its workload's own files, its build line, the versions
of the toolchains it needs and what of the environment compilers read. A build that was cut off leaves no
`built.json`, so the next one starts over from a clean folder.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deadheat.build import artifact, container_image, runtime_size, sources, toolchain
from deadheat.build import environment as building
from deadheat.build.cache import note_use
from deadheat.build.command import fill, path
from deadheat.build.container_image import Image
from deadheat.errors import UserError
from deadheat.hosts import Host, wait
from deadheat.hosts.cpus import all_of
from deadheat.hosts.program import Spec
from deadheat.model.artifact import Binary, BuildTimes
from deadheat.model.contender import Contender
from deadheat.model.observation import Built
from deadheat.util.files import explained, write_whole
from deadheat.util.interrupt import Stop
from deadheat.util.paths import cache_folder

# Raised when what a build does changes, so that older builds are not taken for current.
FORMAT = 2
UNAVAILABLE = 69  # EX_UNAVAILABLE of sysexits.h: the build says why on its last line of stderr
TIME_LIMIT_S = 1800.0
LOG_LIMIT_BYTES = 16 << 20
NO_REASON = "its build says so"
TAIL_LINES = 20
LINE_LIMIT = 120
POLL_S = 0.1
# A build that takes longer says what it is at: after so long, then after twice, four times as long.
SAY_AFTER_S = 5.0
MARKER, TIMES = "built.json", "times.json"
ELSEWHERE = "DEADHEAT_CACHE names another folder for builds"


@dataclass(frozen=True)
class Build:
    """A contender, the folder it is run in (None where it is not ready), and what became of it."""

    contender: Contender
    folder: Path | None
    record: Built


class Builder:
    """Builds contenders, one at a time."""

    def __init__(
        self,
        host: Host,
        stop: Stop,
        cache: Path | None = None,
        time_limit_s: float = TIME_LIMIT_S,
        environment: Mapping[str, str] | None = None,
        without: tuple[str, ...] = (),
    ) -> None:
        """`environment` is what builds have beside the user's own, of which they have nothing that begins
        with any of `without`."""
        self._cpus = frozenset(all_of(host.cores()))
        self._host = host
        self._stop = stop
        self._cache = cache or cache_folder()
        self._time_limit_s = time_limit_s
        self._environment = environment or {}
        self._without = without

    def build(self, contender: Contender, say: Callable[[str], None] = lambda _: None) -> Build:
        """Build what is not built yet; `say` is called when a build really begins, and where it takes long
        again, with its last line."""
        problem = toolchain.missing(self._host, contender.needs, contender.folder)
        if problem is not None:
            return not_ready(contender, "unavailable", problem)
        if contender.contained:
            try:
                return self._image(contender, say)
            except UserError as error:
                reason = f"{error.message}; {error.hint}" if error.hint else error.message
                return not_ready(contender, "unavailable", reason)
        versions = _versions(self._host, contender)
        slot = self._slot(contender, versions)
        folder = slot / contender.folder.name
        if contender.build is None:
            return self._unbuilt(contender, slot, versions)
        marker = slot / MARKER
        if not marker.exists():
            with self._alone(slot):
                if not marker.exists():
                    say("building")
                    return self._run(contender, slot, versions, say)
        note_use(marker)
        return Build(contender, folder, _recorded(marker, contender, cached=True))

    def _image(self, contender: Contender, say: Callable[[str], None]) -> Build:
        """The image that is there, or is built. Raises UserError."""
        if contender.image is not None:
            there = container_image.there(self._host, contender.image)
            record = Built(workload=contender.workload, contender=contender.id, status="ready")
            return _of_image(Build(contender, contender.folder, record), there)
        assert contender.containerfile is not None
        engine = self._host.container_engine()
        # What decides is the recipe without the name of what it makes, which has its key in it.
        recipe = contender.replaced(build=container_image.build_line(engine, "", contender.containerfile))
        slot = self._slot(recipe, {engine.name: engine.version})
        tag = container_image.tag_of(contender.name, slot.name)
        marker = slot / MARKER
        with self._alone(slot):
            image = container_image.built(self._host, tag) if marker.exists() else None
            if image is None:
                say("building")
                line = container_image.build_line(engine, tag, contender.containerfile)
                made = self._run(contender.replaced(build=line), slot, {engine.name: engine.version}, say)
                if made.folder is None:
                    return Build(contender, None, made.record)
                image = container_image.there(self._host, tag)
                return _of_image(Build(contender, made.folder, made.record), image)
        note_use(marker)
        known = Build(contender, slot / contender.folder.name, _recorded(marker, contender, cached=True))
        return _of_image(known, image)

    def _given(self) -> dict[str, str]:
        """The environment of a build, the user's own with what this builder changes in it."""
        own = {name: value for name, value in os.environ.items() if not name.startswith(self._without)}
        return {**own, **self._environment}

    def _slot(self, contender: Contender, versions: dict[str, str]) -> Path:
        return _slot(self._cache, contender, versions, self._given())

    @contextlib.contextmanager
    def _alone(self, slot: Path) -> Iterator[None]:
        """Hold a slot: another deadheat may be building the same just now, and then we take what it built."""
        with explained(slot, ELSEWHERE):
            slot.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(slot.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            while not _locked(file):
                self._stop.check()
                time.sleep(POLL_S)
            yield
        finally:
            os.close(file)

    def _unbuilt(self, contender: Contender, slot: Path, versions: dict[str, str]) -> Build:
        """Nothing to build: the copy alone, so that a run never writes into the sources."""
        marker = slot / MARKER
        if not marker.exists():
            with self._alone(slot):
                if not marker.exists():
                    self._copy_alone(contender, slot, versions)
        note_use(marker)
        return Build(contender, slot / contender.folder.name, _recorded(marker, contender, cached=False))

    def _copy_alone(self, contender: Contender, slot: Path, versions: dict[str, str]) -> None:
        _copy(contender, slot)
        record = Built(
            workload=contender.workload,
            contender=contender.id,
            status="ready",
            artifact_bytes=_artifact_bytes(contender, slot / contender.folder.name),
            toolchains=versions,
        )
        write_whole(slot / MARKER, record.model_dump_json())

    def again(self, build: Build) -> Build:
        """Build once more in the same place, as if every source had just been written."""
        assert build.folder is not None
        for file in sources.sources(build.contender.folder):
            (build.folder / file.relative_to(build.contender.folder)).touch()
        with self._alone(build.folder.parent):
            return self._make(build.contender, build.folder.parent, build.record.toolchains)

    def _run(
        self, contender: Contender, slot: Path, versions: dict[str, str], say: Callable[[str], None]
    ) -> Build:
        _copy(contender, slot)
        return self._make(contender, slot, versions, say)

    def _make(
        self,
        contender: Contender,
        slot: Path,
        versions: dict[str, str],
        say: Callable[[str], None] = lambda _: None,
    ) -> Build:
        assert contender.build is not None
        folder, log = slot / contender.folder.name, slot / "build.log"
        line = fill(contender, contender.build, {"workload": slot})
        spec = Spec(
            argv=("sh", "-c", f"exec 2>&1\n{line}"),
            cwd=folder,
            # A build may need whatever the user's own builds do: proxies, registries, caches.
            env={**self._given(), "PATH": path()},
            cpus=self._cpus,
            stdout=log,
            output_limit_bytes=LOG_LIMIT_BYTES,
            time_limit_s=self._time_limit_s,
        )
        began = time.monotonic()
        handle = self._host.start(spec)
        exit_ = wait(self._host, handle, self._stop, _following(log, say))
        build_s = time.monotonic() - began
        tail = _tail(log)
        if exit_.code == UNAVAILABLE:
            return not_ready(contender, "unavailable", tail[-1] if tail else NO_REASON, log)
        if exit_.code != 0:
            return not_ready(contender, "failed", f"its build {exit_.describe()}; the log: {log}", log, tail)
        if contender.artifact is not None and not (folder / contender.artifact).exists():
            return not_ready(
                contender, "failed", f"its build left no {contender.artifact}; the log: {log}", log, tail
            )
        record = Built(
            workload=contender.workload,
            contender=contender.id,
            status="ready",
            key=slot.name,
            build_s=build_s,
            artifact_bytes=_artifact_bytes(contender, folder),
            runtime_bytes=runtime_size.needed_by(contender.needs),
            binary=_binary(contender, folder),
            toolchains=versions,
            log=str(log),
        )
        write_whole(slot / MARKER, record.model_dump_json())
        return Build(contender, folder, record)


def _of_image(build: Build, image: Image) -> Build:
    """A build that made it, or found it; its size is the image's."""
    record = build.record.replaced(image=image.id, artifact_bytes=image.bytes)
    return Build(build.contender, build.folder, record)


def _following(log: Path, say: Callable[[str], None]) -> Callable[[], None]:
    """What tells, now and then while a build runs, how long it has and its last line."""
    began, due_s = time.monotonic(), SAY_AFTER_S

    def tell() -> None:
        nonlocal due_s
        so_far_s = time.monotonic() - began
        if so_far_s < due_s:
            return
        due_s = max(2 * due_s, so_far_s)
        last = _tail(log)[-1:]
        say("".join([f"building for {so_far_s:.0f} s", *(f": {line[:LINE_LIMIT]}" for line in last)]))

    return tell


def key(contender: Contender, versions: dict[str, str], environment: Mapping[str, str]) -> str:
    """Changes whenever a build could come out differently; `environment` is the whole of what it is given."""
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


def _locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _copy(contender: Contender, slot: Path) -> None:
    with explained(slot, ELSEWHERE):
        shutil.rmtree(slot, ignore_errors=True)
        # A contender may be its manifest alone: there is still a folder to run in.
        (slot / contender.folder.name).mkdir(parents=True)
        for file in sources.shared(contender.folder.parent):
            shutil.copy2(file, slot / file.name)
        for file in sources.sources(contender.folder):
            to = slot / contender.folder.name / file.relative_to(contender.folder)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, to)


def _recorded(marker: Path, contender: Contender, *, cached: bool) -> Built:
    """What an earlier build left on record, in the name of the contender that uses it now."""
    record = Built.model_validate_json(marker.read_bytes())
    if record.binary is None and (sizes := _binary(contender, marker.parent / contender.folder.name)):
        # Built before sizes were taken.
        record = record.model_copy(update={"binary": sizes})
        write_whole(marker, record.model_dump_json())
    own = {
        "workload": contender.workload,
        "contender": contender.id,
        "cached": cached,
        "key": marker.parent.name,
        "runtime_bytes": runtime_size.needed_by(contender.needs),
    }
    return record.model_copy(update=own | {"times": _times(marker.parent)})


def keep_times(host: Host, contender: Contender, times: BuildTimes) -> None:
    """Put timed builds beside the build that races use."""
    slot = _slot(cache_folder(), contender, _versions(host, contender), os.environ)
    with explained(slot, ELSEWHERE):
        slot.mkdir(parents=True, exist_ok=True)
        write_whole(slot / TIMES, times.model_dump_json())


def _times(slot: Path) -> BuildTimes | None:
    file = slot / TIMES
    return BuildTimes.model_validate_json(file.read_bytes()) if file.exists() else None


def _versions(host: Host, contender: Contender) -> dict[str, str]:
    found = (toolchain.probe(host, need, contender.folder) for need in contender.needs)
    return {need.name: need.version or "?" for need in found}


def _slot(
    cache: Path, contender: Contender, versions: dict[str, str], environment: Mapping[str, str]
) -> Path:
    # Neither the workload nor the variant is in the path: who builds the same shares the build.
    return cache / "builds" / contender.name / key(contender, versions, environment)


def _binary(contender: Contender, folder: Path) -> Binary | None:
    return artifact.binary(folder / contender.artifact) if contender.artifact is not None else None


def _artifact_bytes(contender: Contender, folder: Path) -> int | None:
    if contender.artifact is None:
        return None
    made = folder / contender.artifact
    if made.is_file():
        return made.stat().st_size
    return sum(file.stat().st_size for file in made.rglob("*") if file.is_file() and not file.is_symlink())


def _tail(log: Path) -> list[str]:
    try:
        lines = log.read_text(errors="replace").splitlines()
    except OSError:
        return []
    return [line for line in lines if line.strip()][-TAIL_LINES:]


def not_ready(
    contender: Contender, status: str, reason: str, log: Path | None = None, tail: Sequence[str] = ()
) -> Build:
    """A contender that cannot race: `status` is `unavailable` or `failed`."""
    record = Built.model_validate(
        {
            "workload": contender.workload,
            "contender": contender.id,
            "status": status,
            "reason": reason,
            "log": str(log) if log else None,
            "tail": tail,
        }
    )
    return Build(contender, None, record)
