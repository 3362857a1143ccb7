"""A folder of workloads, read and checked."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from deadheat.errors import UserError
from deadheat.model.claim import Study, metrics_of
from deadheat.model.contender import Contender, ContenderFile, resolve
from deadheat.model.workload import Workload
from deadheat.suite import toml_file, values_file

WORKLOAD_FILE = "workload.toml"
CONTENDER_FILE = "contender.toml"


@dataclass(frozen=True)
class Suite:
    """Workloads by name, and the contenders of each in order of their names."""

    folder: Path
    workloads: dict[str, Workload]
    contenders: dict[str, tuple[Contender, ...]]
    studies: dict[str, Study]

    def workload(self, name: str) -> Workload:
        return self.workloads[_known(name, self.workloads, "workload", self.folder)]

    def named(self, name: str) -> tuple[str, ...]:
        """The workload of that name, or all that share the folder of contenders of that name."""
        family = tuple(w.name for w in self.workloads.values() if w.contenders == name)
        return family or (self.workload(name).name,)

    def study(self, name: str) -> Study:
        return self.studies[_known(name, self.studies, "study", self.folder)]

    def contender(self, workload: str, id_: str) -> Contender:
        by_id = {contender.id: contender for contender in self.contenders[workload]}
        return by_id[_known(id_, by_id, f"contender of {workload}", self.folder)]

    def values_of(self, workload: str) -> tuple[values_file.Row, ...]:
        """The rows that its requests are drawn from; none where it has no file of them. Raises UserError."""
        file = self.workloads[workload].values
        return () if file is None else values_file.read(self.folder / workload / file)

    def find(self, id_: str, workloads: Iterable[str]) -> list[Contender]:
        """The contenders of that id in these workloads; an error when none has it."""
        pool = [contender for name in workloads for contender in self.contenders[name]]
        _known(id_, {contender.id for contender in pool}, "contender", self.folder)
        return [contender for contender in pool if contender.id == id_]


def load(folder: Path) -> Suite:
    """Every workload below `folder`, and every contender below each. Raises UserError."""
    if not folder.is_dir():
        raise UserError(f"{folder}: no such suite", hint="--suite names a folder of workloads")
    workloads: dict[str, Workload] = {}
    contenders: dict[str, tuple[Contender, ...]] = {}
    for file in sorted(folder.glob(f"*/{WORKLOAD_FILE}")):
        name = file.parent.name
        workloads[name] = toml_file.read(file, Workload, name=name)
        contenders[name] = tuple(_contenders(file, workloads[name]))
        if (values := workloads[name].values) is not None and not (file.parent / values).is_file():
            line = toml_file.line_of(file, "values")
            raise UserError(f'{file}:{line}: its folder has no file "{values}"')
        if workloads[name].reference:
            _check_reference(file, workloads[name], contenders[name])
        elif contenders[name]:
            workloads[name] = workloads[name].replaced(reference=first_of(contenders[name]))
        _check_networks(workloads[name], contenders[name])
        if workloads[name].traits.serves:
            _check_ports(contenders[name])
    if not workloads:
        raise UserError(f"{folder}: holds no workload", hint=f"a workload is a folder with a {WORKLOAD_FILE}")
    _check_serves(folder, workloads)
    return Suite(folder, workloads, contenders, _studies(folder, workloads, contenders))


def first_of(contenders: Iterable[Contender]) -> str:
    """Who is the reference where nobody says: the first of the list, variants and a ceiling last."""
    return min(contenders, key=lambda c: (c.class_ == "ceiling", c.variant is not None)).id


def _studies(
    folder: Path, workloads: dict[str, Workload], contenders: dict[str, tuple[Contender, ...]]
) -> dict[str, Study]:
    """The published studies whose claims are checked, every name in them known."""
    studies = {}
    for file in sorted(folder.glob("claims/*.toml")):
        study = toml_file.read(file, Study)
        for place, shape in enumerate(study.shape):
            if shape.workload not in workloads or not workloads[shape.workload].traits.serves:
                line = toml_file.line_of(file, "shape", place, "workload")
                raise UserError(f'{file}:{line}: "{shape.workload}" is no workload with servers to load')
        for place, claim in enumerate(study.claim):
            if claim.workload not in workloads:
                line = toml_file.line_of(file, "claim", place, "workload")
                near = _near(claim.workload, workloads)
                raise UserError(f'{file}:{line}: no workload is called "{claim.workload}"{near}')
            kind = workloads[claim.workload].kind
            if claim.metric not in metrics_of(kind):
                line = toml_file.line_of(file, "claim", place, "metric")
                known = ", ".join(metrics_of(kind))
                raise UserError(
                    f'{file}:{line}: a workload of kind {kind} has no metric "{claim.metric}"; it has {known}'
                )
            ids = [contender.id for contender in contenders[claim.workload]]
            for key in ("a", "b"):
                if (name := getattr(claim, key)) not in ids:
                    line = toml_file.line_of(file, "claim", place, key)
                    raise UserError(f'{file}:{line}: no contender is called "{name}"{_near(name, ids)}')
        studies[study.study] = study
    return studies


def _contenders(file: Path, workload: Workload) -> Iterable[Contender]:
    """Those of its own folder; those of a shared one that say they serve it."""
    shared = workload.contenders is not None
    folder = file.parent.parent / workload.contenders if workload.contenders else file.parent
    if not folder.is_dir():
        line = toml_file.line_of(file, "contenders")
        raise UserError(f'{file}:{line}: the suite has no folder "{workload.contenders}"')
    for manifest in sorted(folder.glob(f"*/{CONTENDER_FILE}")):
        read = toml_file.read(manifest, ContenderFile)
        if not shared and read.serves:
            line = toml_file.line_of(manifest, "serves")
            raise UserError(
                f"{manifest}:{line}: serves is for a folder that workloads share",
                hint=f'{WORKLOAD_FILE} of {workload.name} would name it: contenders = "FOLDER"',
            )
        if not shared or workload.name in read.serves:
            yield from resolve(workload.name, manifest.parent, read)


def _check_serves(folder: Path, workloads: dict[str, Workload]) -> None:
    """A contender in a shared folder serves one of the workloads that share it, and none that does not."""
    for shared in sorted({w.contenders for w in workloads.values() if w.contenders is not None}):
        family = [w.name for w in workloads.values() if w.contenders == shared]
        for manifest in sorted((folder / shared).glob(f"*/{CONTENDER_FILE}")):
            serves = toml_file.read(manifest, ContenderFile).serves
            if not serves:
                raise UserError(
                    f"{manifest}: serves none of {', '.join(family)}", hint=f"[serves.{family[0]}]"
                )
            for name in serves:
                if name not in family:
                    line = toml_file.line_of(manifest, "serves", name)
                    raise UserError(
                        f'{manifest}:{line}: no workload of {shared} is called "{name}"{_near(name, family)}'
                    )


def _check_reference(file: Path, workload: Workload, contenders: tuple[Contender, ...]) -> None:
    ids = [contender.id for contender in contenders]
    if workload.reference not in ids:
        line = toml_file.line_of(file, "reference")
        raise UserError(
            f'{file}:{line}: reference "{workload.reference}" is no contender{_near(workload.reference, ids)}'
        )


def _check_ports(contenders: tuple[Contender, ...]) -> None:
    """A server that does not get its port would listen where the next one does too."""
    for contender in contenders:
        where = () if contender.variant is None else ("variants", contender.variant)
        ways: list[tuple[Contender | None, tuple[str, ...]]] = [(contender, where)]
        ways += [(contender.speaking(name), (*where, "protocols", name)) for name in contender.protocols]
        for way, place in ways:
            if way is None or way.runs_already or way.contained or way.port or _gets_its_port(way):
                continue
            file = contender.folder / CONTENDER_FILE
            raise UserError(
                f"{file}:{toml_file.line_of(file, *place, 'run')}: {contender.id} does not get its port",
                hint='each server gets one of its own: write {port} in run, or env = { PORT = "{port}" }, or '
                "port = 8080 for one that listens there whatever it is told",
            )


def _check_networks(workload: Workload, contenders: tuple[Contender, ...]) -> None:
    """What is in a container is a server, and so is what has a port of its own, which is in a network of its
    own: where no services are, and checks of gRPC come only through an engine's forwarding."""
    for contender in contenders:
        if contender.contained and not workload.traits.serves:
            place = _place(contender, "image" if contender.image is not None else "containerfile")
            raise UserError(
                f"{place}: {contender.id} is in a container, and "
                f"{workload.name} races programs that run to their end",
                hint="how an engine starts a container would be in their times: give it a run line",
            )
        if contender.port is None:
            continue
        place = f"{_place(contender, 'port')}: {contender.id}"
        if not workload.traits.serves:
            raise UserError(f"{place} runs to its end, and listens nowhere")
        away = None
        if workload.services:
            away = "in which it does not reach the services of its workload"
        elif workload.kind == "grpc" and contender.fixed_port is not None:
            away = "which checks of gRPC do not enter"
        if away is not None:
            raise UserError(
                f"{place} has a network of its own, {away}", hint="leave port out, and let it listen at PORT"
            )


def _place(contender: Contender, key: str) -> str:
    """Where its manifest says that."""
    file = contender.folder / CONTENDER_FILE
    where = () if contender.variant is None else ("variants", contender.variant)
    return f"{file}:{toml_file.line_of(file, *where, key)}"


def _gets_its_port(contender: Contender) -> bool:
    return any("{port}" in text for text in (contender.run, *contender.env.values()))


def _known(name: str, known: Iterable[str], what: str, folder: Path) -> str:
    names = list(known)
    if name in names:
        return name
    hint = _near(name, names) or f"; deadheat list shows what {folder} holds"
    raise UserError(f'no {what} is called "{name}"{hint}')


def _near(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(names), n=1)
    return f'; did you mean "{near[0]}"?' if near else ""
