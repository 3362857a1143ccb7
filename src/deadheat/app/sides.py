"""The two sides of a comparison: which revision each is, and how it is built, run and asked."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from pydantic import ValidationError

from deadheat.errors import UserError
from deadheat.model.ab import Side as SideRecord
from deadheat.model.bench import BenchCall, BenchCommands, BenchFile, BenchRequest, BenchService
from deadheat.model.json_answer import schema_text
from deadheat.model.known_services import KNOWN
from deadheat.model.login import Login
from deadheat.model.observation import Built
from deadheat.model.service import Service
from deadheat.results.deciding import BASE, HEAD
from deadheat.revisions import repository
from deadheat.revisions.building import BuiltRevision, Recipe
from deadheat.revisions.repository import Repository, Revision
from deadheat.suite import bench_file, values_file
from deadheat.suite.ad_hoc import (
    ANSWER,
    CONNECTIONS,
    AdHoc,
    Beside,
    Call,
    Command,
    Commands,
    Config,
    Mix,
    Part,
    Request,
    slug,
    words_of,
)

# On the command line BASE is A and HEAD is B.
Letter = Literal["A", "B"]
NAMES: dict[Letter, str] = {"A": BASE, "B": HEAD}
# Whoever says one of these on a command line says all of it, and the file counts for nothing.
WHAT_IS_RUN = {"run", "program", "containerfile"}
EXAMPLE = "deadheat ab --build 'make' --command './app {port}' --path /users"


@dataclass(frozen=True)
class Setting:
    """What is set for one side alone: `A.env.GOGC=off`, `B.build=make fast`."""

    letter: Letter
    key: str
    value: str


@dataclass(frozen=True)
class Side:
    """A revision and its bench file, with what was set for it alone; `inside` is where its commands run, from
    the repository's top."""

    name: str
    revision: Revision
    bench: BenchFile
    inside: str
    set_: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """For people; without values, which may be secrets."""
        return self.revision.label + (f" with {', '.join(self.set_)}" if self.set_ else "")

    def sketched(self) -> Side:
        """As it can be planned, before there is any checkout of it."""
        requests = tuple(each.replaced(values=None) for each in self.bench.request)
        return replace(self, bench=self.bench.replaced(request=requests))

    def unbuilt(self) -> BuiltRevision:
        """For a plan alone."""
        image = self.label if self.bench.contained else None
        record = Built(workload="ab", contender=self.name, status="ready", image=image)
        return BuiltRevision(self.revision, Path(), None, record)

    def recipe(self, repo: Repository) -> Recipe:
        return Recipe(
            build=self.bench.build,
            artifact=self.bench.artifact or _made(self, repo),
            image=self.bench.image,
            containerfile=self.bench.containerfile,
            inside=self.inside,
            needs=self.bench.needs,
            copied=self.bench.copied,
            env=tuple(self.bench.env.items()),
            runs=self.bench.line,
        )

    def record(self, built: BuiltRevision | None = None) -> SideRecord:
        return SideRecord(
            label=self.label,
            commit=self.revision.commit,
            tree=self.revision.tree,
            working=self.revision.working,
            changed=self.revision.changed,
            set=self.set_,
            build_s=built.record.build_s if built is not None else None,
            cached=built is not None and built.record.cached,
        )


@dataclass(frozen=True)
class Given:
    """What a command line says instead of a bench file, or beside it: fields of it by name."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    settings: Sequence[Setting] = ()


def both(repo: Repository, base: str | None, head: str, given: Given) -> tuple[Side, Side]:
    """BASE and HEAD. Raises UserError for one that is not there, and where nothing says what to race."""
    revisions = (
        repository.default_base(repo) if base is None else repository.revision(repo, base),
        repository.revision(repo, head),
    )
    of_head = _of_revision(repo, revisions[1]) or _of_folder(repo)
    sides = []
    for letter, revision in zip(NAMES, revisions, strict=True):
        own = of_head if revision is revisions[1] else _of_revision(repo, revision) or of_head
        bench, inside = _as_given(own, given, repo)
        if of_head is not None and not given.fields.keys() & WHAT_IS_RUN:
            # Both are asked what HEAD is, beside the same services.
            asked = _as_given(of_head, given, repo)[0]
            bench = bench.replaced(
                login=asked.login,
                request=asked.request,
                call=asked.call,
                redis=asked.redis,
                services=asked.services,
            )
        mine = [one for one in given.settings if one.letter == letter]
        names = tuple(one.key.removeprefix("env.") for one in mine)
        sides.append(Side(NAMES[letter], revision, _set(bench, mine), inside, names))
    return sides[0], sides[1]


def to_race(sides: tuple[Side, Side], built: tuple[BuiltRevision, BuiltRevision]) -> list[AdHoc]:
    """A workload for each request of HEAD's, or one of its program, commands run where they were built."""
    base, head = sides
    services = tuple(beside(each, built[1].folder) for each in head.bench.services)
    commands = tuple(
        Command(
            side.bench.line,
            side.name,
            made.folder,
            side.label,
            tuple(side.bench.env.items()),
            made.artifact,
            image=made.record.image,
            port=side.bench.port,
            config=_config(side, made),
        )
        for side, made in zip(sides, built, strict=True)
    )
    title = head.bench.title or f"{base.label} against {head.label}"
    if not head.bench.serves:
        return [AdHoc(commands, None, head.bench.shell, "program", title, services=services)]
    return [
        AdHoc(
            commands,
            asked,
            head.bench.shell,
            name,
            title,
            head.bench.connections or (CONNECTIONS if isinstance(asked, Request | Mix) else None),
            head.bench.streams,
            services=services,
            login=head.bench.login,
        )
        for name, title, asked in _loads(head.bench, built[1].folder)
    ]


def _config(side: Side, made: BuiltRevision) -> Config | None:
    """Each side's own. Raises UserError."""
    template = side.bench.config_template
    return None if template is None else Config.read(made.folder / template)


def _loads(bench: BenchFile, folder: Path) -> Iterator[tuple[str, str, Request | Mix | Call | Commands]]:
    """A workload's name and title and what it asks, of each; of a mix one. Raises UserError."""
    if bench.mix:
        mix = mix_of(bench.request, folder)
        yield "mix", bench.title or f"{len(mix.parts)} requests, by weight", mix
        return
    names: list[str] = []
    for asked in bench.asked:
        name = slug(asked.title)
        names.append(name if name not in names else f"{name}-{len(names) + 1}")
        yield names[-1], asked.title, _asked(asked, folder, bench.login)


def load_of(requests: Sequence[BenchRequest], folder: Path) -> Request | Mix:
    """What servers are asked by one, or by several in one load. Raises UserError."""
    return mix_of(requests, folder) if len(requests) > 1 else request_of(requests[0], folder)


def mix_of(requests: Sequence[BenchRequest], folder: Path) -> Mix:
    """One load of them, whose own files are in this folder. Raises UserError."""
    return Mix(tuple(_part(each, folder) for each in requests))


def _part(asked: BenchRequest, folder: Path) -> Part:
    # No values: these are of a request that is a race of its own.
    return Part(asked.title, 1.0 if asked.weight is None else asked.weight, request_of(asked, folder))


def _asked(
    asked: BenchRequest | BenchCall | BenchCommands, folder: Path, login: Login | None
) -> Request | Call | Commands:
    """With what its files in this folder say. Raises UserError."""
    if isinstance(asked, BenchCommands):
        return Commands(asked.lines)
    if isinstance(asked, BenchCall):
        return Call(folder / asked.proto, asked.call, asked.data)
    if asked.values is None:
        return request_of(asked, folder)
    taken = (ANSWER, *(login.take if login is not None else ()))
    return request_of(asked, folder, values_file.read(folder / asked.values, also_taken=taken))


def request_of(asked: BenchRequest, folder: Path, rows: tuple[values_file.Row, ...] = ()) -> Request:
    """As it is asked, its own files in this folder, with these rows of values. Raises UserError."""
    return Request(
        method=asked.method,
        path=asked.path,
        headers=asked.headers,
        body=asked.body,
        status=asked.status,
        answer=asked.answer,
        masks=asked.masks,
        values=rows,
        json_fields=asked.json_fields,
        json_schema=None if asked.json_schema is None else _schema(folder / asked.json_schema),
    )


def _schema(file: Path) -> str:
    """Its text. Raises UserError for one that cannot be read, or is no JSON Schema."""
    try:
        return schema_text(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{file}: {error}", hint="json_schema names a file with a JSON Schema") from error


def beside(asked: BenchService, folder: Path) -> Beside:
    """A service of a bench file, whose own lines run in this folder."""
    known = KNOWN.get(asked.name) if asked.run is None else None
    if asked.image is not None:
        own = asked.model_dump(include={"name", "image", "args", "port", "env", "needs", "ready_within_s"})
        service = Service(**own, ready=asked.ready)
        told = tuple(known.env.items()) if known is not None else ()
        return Beside(service, folder, fixture=asked.fixture, env=told)
    if known is not None:
        return Beside(known.service, folder, fixture=asked.fixture, env=tuple(known.env.items()))
    assert asked.run is not None
    service = Service(
        name=asked.name,
        needs=asked.needs,
        run=asked.run,
        env=asked.env,
        ready=asked.ready,
        ready_within_s=asked.ready_within_s,
    )
    return Beside(service, folder, run=asked.run, fixture=asked.fixture)


def _of_revision(repo: Repository, revision: Revision) -> tuple[BenchFile, str] | None:
    """Its bench file, that of the user's own place before that of the top, and the folder it is for."""
    for inside in dict.fromkeys((repo.inside, "")):
        place = str(PurePosixPath(inside) / bench_file.PLACE)
        if (text := repo.text(revision, place)) is not None:
            shown = Path(place) if revision.working else Path(f"{revision.label}:{place}")
            return bench_file.parse(text, shown), inside
    return None


def _of_folder(repo: Repository) -> tuple[BenchFile, str] | None:
    """That of the user's own folder, where git ignores it or HEAD does not have it."""
    for inside in dict.fromkeys((repo.inside, "")):
        file = repo.top / inside / bench_file.PLACE
        if file.is_file():
            return bench_file.parse(file.read_text(encoding="utf-8"), file), inside
    return None


def _as_given(own: tuple[BenchFile, str] | None, given: Given, repo: Repository) -> tuple[BenchFile, str]:
    """The file with what the command line says; without the file where that says what is run."""
    if given.fields.keys() & WHAT_IS_RUN:
        with _explained():
            return BenchFile(**given.fields), repo.inside
    if own is None:
        raise UserError(
            f"nothing says what to race: there is no {bench_file.PLACE}, and no --command or --program",
            hint=EXAMPLE,
        )
    bench, inside = own
    with _explained():
        return bench.replaced(**given.fields), inside


@contextmanager
def _explained() -> Iterator[None]:
    """What the command line, with what the file says, makes no bench file. Raises UserError."""
    try:
        yield
    except ValidationError as error:
        raise UserError(error.errors()[0]["msg"].removeprefix("Value error, ")) from error


def _set(bench: BenchFile, settings: Sequence[Setting]) -> BenchFile:
    for one in settings:
        if one.key.startswith("env."):
            bench = bench.replaced(env={**bench.env, one.key.removeprefix("env."): one.value})
        else:
            bench = bench.replaced(**{one.key: one.value})
    return bench


def _made(side: Side, repo: Repository) -> str | None:
    """What the command line begins with, where the build made it: a path that is no file of the sources."""
    if side.bench.build is None or side.bench.shell or side.bench.contained:
        return None
    words = words_of(side.bench.line)
    program = next((word for word in words if "=" not in word.split("/")[0]), "")
    if "/" not in program or program.startswith("/"):
        return None
    path = str(PurePosixPath(program))
    source = str(PurePosixPath(side.inside) / path)
    return None if repo.text(side.revision, source) is not None else path


def same(sides: tuple[Side, Side], built: tuple[BuiltRevision, BuiltRevision]) -> str | None:
    """What is the same to the byte, where both sides run the same program the same way; else None."""
    base, head = sides
    if (base.bench.line, base.bench.env) != (head.bench.line, head.bench.env):
        return None
    if _config(base, built[0]) != _config(head, built[1]):
        return None
    if base.bench.contained or head.bench.contained:
        image = built[0].record.image
        return f"image {_short(image)}" if image is not None and image == built[1].record.image else None
    if built[0].record.key == built[1].record.key:
        return "every file"
    digests = [one.digest() for one in built]
    if digests[0] is None or digests[0] != digests[1] or built[0].artifact is None:
        return None
    return shlex.quote(str(built[0].artifact.relative_to(built[0].folder)))


def _short(image: str) -> str:
    """An id as engines show it."""
    return image.removeprefix("sha256:")[:12]
