"""A contender's folder becomes an artifact, out of tree, once for each state of its sources."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from deadheat.build import container_image, sources, toolchain
from deadheat.build.built import Build, not_ready
from deadheat.build.cache import note_use
from deadheat.build.command import fill, path
from deadheat.build.container_image import Image
from deadheat.build.slot import Slot, toolchains
from deadheat.errors import UserError
from deadheat.hosts import Host, wait
from deadheat.hosts.cpus import all_of
from deadheat.hosts.program import Spec
from deadheat.model.artifact import BuildTimes
from deadheat.model.contender import Contender
from deadheat.model.observation import Built
from deadheat.util.interrupt import Stop
from deadheat.util.paths import cache_folder

UNAVAILABLE = 69  # EX_UNAVAILABLE of sysexits.h: the build says why on its last line of stderr
TIME_LIMIT_S = 1800.0
LOG_LIMIT_BYTES = 16 << 20
NO_REASON = "its build says so"
TAIL_LINES = 20
LINE_LIMIT = 120
# A build that takes longer says what it is at: after so long, then after twice, four times as long.
SAY_AFTER_S = 5.0

Say = Callable[[str], None]


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

    def build(self, contender: Contender, say: Say = lambda _: None) -> Build:
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
        slot = self._slot(contender, toolchains(self._host, contender))
        if not slot.marker.exists():
            with slot.alone(self._stop):
                if not slot.marker.exists():
                    if contender.build is not None:
                        say("building")
                        slot.copy()
                        return self._make(slot, say)
                    # The copy alone, so that a run never writes into the sources.
                    slot.copy()
                    slot.finish()
        note_use(slot.marker)
        return Build(contender, slot.folder, slot.recorded(cached=contender.build is not None))

    def again(self, build: Build) -> Build:
        """Build once more in the same place, as if every source had just been written."""
        assert build.folder is not None
        for file in sources.sources(build.contender.folder):
            (build.folder / file.relative_to(build.contender.folder)).touch()
        slot = Slot(build.contender, build.folder.parent, build.record.toolchains)
        with slot.alone(self._stop):
            return self._make(slot)

    def keep_times(self, contender: Contender, times: BuildTimes) -> None:
        """Put timed builds beside the build that races use."""
        self._slot(contender, toolchains(self._host, contender)).keep_times(times)

    def _image(self, contender: Contender, say: Say) -> Build:
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
        tag = container_image.tag_of(contender.name, slot.path.name)
        with slot.alone(self._stop):
            image = container_image.built(self._host, tag) if slot.marker.exists() else None
            if image is None:
                say("building")
                line = container_image.build_line(engine, tag, contender.containerfile)
                slot.copy()
                made = self._make(replace(slot, contender=contender.replaced(build=line)), say)
                if made.folder is None:
                    return Build(contender, None, made.record)
                image = container_image.there(self._host, tag)
                return _of_image(Build(contender, made.folder, made.record), image)
        note_use(slot.marker)
        return _of_image(Build(contender, slot.folder, slot.recorded(cached=True)), image)

    def _given(self) -> dict[str, str]:
        """The environment of a build, the user's own with what this builder changes in it."""
        own = {name: value for name, value in os.environ.items() if not name.startswith(self._without)}
        return {**own, **self._environment}

    def _slot(self, contender: Contender, versions: dict[str, str]) -> Slot:
        return Slot.of(self._cache, contender, versions, self._given())

    def _make(self, slot: Slot, say: Say = lambda _: None) -> Build:
        contender, log = slot.contender, slot.log
        assert contender.build is not None
        line = fill(contender, contender.build, {"workload": slot.path})
        spec = Spec(
            argv=("sh", "-c", f"exec 2>&1\n{line}"),
            cwd=slot.folder,
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
        if contender.artifact is not None and not (slot.folder / contender.artifact).exists():
            return not_ready(
                contender, "failed", f"its build left no {contender.artifact}; the log: {log}", log, tail
            )
        return Build(contender, slot.folder, slot.finish(build_s))


def _of_image(build: Build, image: Image) -> Build:
    """A build that made it, or found it; its size is the image's."""
    record = build.record.replaced(image=image.id, artifact_bytes=image.bytes)
    return Build(build.contender, build.folder, record)


def _following(log: Path, say: Say) -> Callable[[], None]:
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


def _tail(log: Path) -> list[str]:
    try:
        lines = log.read_text(errors="replace").splitlines()
    except OSError:
        return []
    return [line for line in lines if line.strip()][-TAIL_LINES:]
