"""A revision built, once for each tree, build line, toolchain and environment; both at one path.

Compilers leave paths in what they make, so that the same sources built in two folders differ. Every revision
of a repository is therefore checked out and built in the same folder, and then renamed into the cache, whose
folders have names of one length.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from deadheat.build import container_image, environment, toolchain
from deadheat.build.cache import BUILDS, MARKER, note_use
from deadheat.build.command import path
from deadheat.build.container_image import Image
from deadheat.errors import ExitCode, UserError
from deadheat.hosts import Host, wait
from deadheat.hosts.cpus import all_of
from deadheat.hosts.program import Spec
from deadheat.model.observation import Built
from deadheat.revisions.checkout import checked_out, ignored_files
from deadheat.revisions.repository import Repository, Revision
from deadheat.util.files import explained, write_whole
from deadheat.util.interrupt import Stop

# Raised when what a build does changes, so that older builds are not taken for current.
FORMAT = 1
TREE = "tree"
ROOM = "revisions"
ELSEWHERE = "DEADHEAT_CACHE names another folder for builds"
TIME_LIMIT_S = 1800.0
LOG_LIMIT_BYTES = 16 << 20
TAIL_LINES = 5
# Whose versions count where nobody says so: by what lies at the top of the sources.
BY_FILE = {
    "Cargo.toml": "cargo",
    "go.mod": "go",
    "package.json": "node",
    "shard.yml": "crystal",
    "mix.exs": "elixir",
    "pom.xml": "java",
    "Gemfile": "ruby",
    "pyproject.toml": "python",
    "CMakeLists.txt": "cmake",
    "Makefile": "gcc",
}


@dataclass(frozen=True)
class Recipe:
    """How a revision is built: the line (None: nothing is), what it makes, what it needs, files to copy that
    git ignores, and environment; `inside` is the folder it is built in, from the repository's top. `image`:
    one that is there, or `containerfile`, by which a revision's own is built. `runs`: the line that starts
    what was built."""

    build: str | None
    artifact: str | None
    inside: str = ""
    needs: tuple[str, ...] = ()
    copied: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    image: str | None = None
    containerfile: str | None = None
    runs: str = ""


@dataclass(frozen=True)
class BuiltRevision:
    """A revision as it can be run: `folder` is where its commands run, `artifact` what its build made."""

    revision: Revision
    folder: Path
    artifact: Path | None
    record: Built

    def size_bytes(self) -> int | None:
        """Of the artifact's files together, or the image; None where it is not known what it is."""
        if self.record.image is not None:
            return self.record.artifact_bytes
        return sum(file.stat().st_size for file in self._files()) if self.artifact is not None else None

    def digest(self) -> str | None:
        """Of the artifact's bytes, a folder's with its names; None where it is not known what it is."""
        if self.artifact is None:
            return None
        digest = hashlib.sha256()
        for file in self._files():
            name = "" if file == self.artifact else str(file.relative_to(self.artifact))
            digest.update(f"{name}\0{file.stat().st_size}\0".encode())
            digest.update(file.read_bytes())
        return digest.hexdigest()

    def _files(self) -> list[Path]:
        assert self.artifact is not None
        files = [self.artifact] if self.artifact.is_file() else sorted(self.artifact.rglob("*"))
        return [file for file in files if file.is_file()]


class BuildFailedError(UserError):
    """A revision that does not build."""


@dataclass(frozen=True)
class Workshop:
    """Builds the revisions of one repository, one after the other."""

    repo: Repository
    cache: Path
    host: Host
    stop: Stop
    warn: Callable[[str], None]

    def build(self, revision: Revision, recipe: Recipe, say: Callable[[str], None]) -> BuiltRevision:
        """Out of the cache, or built now; `say` is called when a build begins. Raises UserError."""
        if (problem := toolchain.missing(self.host, recipe.needs)) is not None:
            raise UserError(problem, code=ExitCode.NOTHING_MEASURED)
        there = None if recipe.image is None else container_image.there(self.host, recipe.image)
        files = ignored_files(self.repo, recipe.copied)
        versions = self._versions(revision, recipe)
        slot = self.cache / BUILDS / self._called / self._key(revision, recipe, versions, files)
        marker = slot / MARKER
        line, tag = self._line(recipe, slot.name)
        if marker.exists() and (tag is None or container_image.built(self.host, tag) is not None):
            note_use(marker)
            record = Built.model_validate_json(marker.read_bytes()).replaced(cached=True)
            return self._built(revision, recipe, slot, _with_image(record, there))
        at = self.cache / ROOM / self._called / TREE
        with (
            explained(at, ELSEWHERE),
            checked_out(self.repo, revision, at, files, self.warn),
        ):
            if line is not None:
                say("building")
            began, began_at_s = time.monotonic(), time.time()
            if line is not None:
                self._run(revision, recipe, line, at)
                _refuse_outside(revision, recipe, at, began_at_s)
            build_s = time.monotonic() - began
            (at / ".git").unlink()
            shutil.rmtree(slot, ignore_errors=True)
            slot.mkdir(parents=True)
            at.rename(slot / TREE)
        folder = slot / TREE / recipe.inside
        if recipe.artifact is not None and not (folder / recipe.artifact).exists():
            raise BuildFailedError(
                f"the build of {revision.label} left no {recipe.artifact}", code=ExitCode.NOTHING_MEASURED
            )
        record = Built(
            workload="ab",
            contender=self.repo.name,
            status="ready",
            key=slot.name,
            build_s=build_s if line is not None else None,
            toolchains=versions,
        )
        record = _with_image(record, None if tag is None else container_image.there(self.host, tag))
        write_whole(marker, record.model_dump_json())
        return self._built(revision, recipe, slot, _with_image(record, there))

    def _line(self, recipe: Recipe, key: str) -> tuple[str | None, str | None]:
        """The build line, and of a Containerfile what its image is called. Raises UserError."""
        if recipe.containerfile is None:
            return recipe.build, None
        tag = container_image.tag_of(self.repo.name.lower(), key)
        return container_image.build_line(self.host.container_engine(), tag, recipe.containerfile), tag

    @property
    def _called(self) -> str:
        """A name that tells this repository's builds from another's of the same name."""
        return f"{self.repo.name}-{hashlib.sha256(str(self.repo.top).encode()).hexdigest()[:8]}"

    def _built(self, revision: Revision, recipe: Recipe, slot: Path, record: Built) -> BuiltRevision:
        folder = slot / TREE / recipe.inside
        return BuiltRevision(revision, folder, folder / recipe.artifact if recipe.artifact else None, record)

    def _versions(self, revision: Revision, recipe: Recipe) -> dict[str, str]:
        """Of what it needs, of the tools that the build line names, and of those that its files speak of."""
        if recipe.containerfile is not None:
            engine = self.host.container_engine()
            return {engine.name: engine.version}
        if recipe.build is None:
            return {}
        lying = self.repo.names(revision, recipe.inside)
        named = [Path(word).name for word in shlex.split(recipe.build, comments=True)]
        tools = [toolchain.probe(self.host, need).name for need in recipe.needs]
        tools += [name for name in named if name in toolchain.TOOLCHAINS]
        tools += [tool for file, tool in BY_FILE.items() if file in lying]
        return {name: toolchain.version_of(self.host, name) or "?" for name in dict.fromkeys(tools)}

    def _key(self, revision: Revision, recipe: Recipe, versions: Mapping[str, str], files: list[Path]) -> str:
        given = {**os.environ, **dict(recipe.env)}
        asked: dict[str, object] = {
            "format": FORMAT,
            "tree": revision.tree,
            "build": recipe.build,
            "artifact": recipe.artifact,
            "inside": recipe.inside,
            "versions": dict(versions),
            "environment": environment.deciding(given) if recipe.build is not None else {},
        }
        if recipe.containerfile is not None:
            asked |= {"containerfile": recipe.containerfile}
        digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode())
        for file in files:
            content = (self.repo.top / file).read_bytes()
            digest.update(f"{file}\0{len(content)}\0".encode())
            digest.update(content)
        return digest.hexdigest()[:16]

    def _run(self, revision: Revision, recipe: Recipe, line: str, at: Path) -> None:
        log = at.parent / "build.log"
        spec = Spec(
            argv=("sh", "-c", f"exec 2>&1\n{line}"),
            cwd=at / recipe.inside,
            # A build may need whatever the user's own builds do: proxies, registries, caches.
            env={**os.environ, **dict(recipe.env), "PATH": path()},
            cpus=frozenset(all_of(self.host.cores())),
            stdout=log,
            output_limit_bytes=LOG_LIMIT_BYTES,
            time_limit_s=TIME_LIMIT_S,
        )
        exit_ = wait(self.host, self.host.start(spec), self.stop)
        self.stop.check()
        if exit_.code != 0:
            lines = [text for text in log.read_text(errors="replace").splitlines() if text.strip()]
            tail = "".join(f"\n    {text}" for text in lines[-TAIL_LINES:])
            raise BuildFailedError(
                f"{revision.label} does not build: its build {exit_.describe()}; the log: {log}{tail}",
                code=ExitCode.NOTHING_MEASURED,
            )


def _refuse_outside(revision: Revision, recipe: Recipe, at: Path, since_s: float) -> None:
    """What is run has to be in the checkout: whatever a build writes elsewhere, the other's build writes too.
    `since_s` is on the clock of files. Raises BuildFailedError."""
    for word in _words(recipe.runs):
        file = (at / recipe.inside / word).resolve()
        if "/" not in word or file.is_relative_to(at.resolve()) or not file.is_file():
            continue
        if file.stat().st_mtime >= since_s:
            raise BuildFailedError(
                f"the build of {revision.label} writes {file}, outside of its sources, and that is what is "
                "run: both revisions would run the same file",
                hint="let it be made among the sources, and name it from there: ./app",
                code=ExitCode.NOTHING_MEASURED,
            )


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:  # of a shell's syntax, which the shell reads itself
        return [word.strip("'\"") for word in line.split()]


def _with_image(record: Built, image: Image | None) -> Built:
    return record if image is None else record.replaced(image=image.id, artifact_bytes=image.bytes)
