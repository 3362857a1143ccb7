"""What the suite said when a run was planned: all that its results say beside what was measured.

A plan holds it, so that results depend on the run alone: whoever mends a title, a claim or a class later, or
takes a contender out, changes no finished run.
"""

import hashlib
from typing import Annotated

from pydantic import Field

from deadheat.model.base import Record
from deadheat.model.claim import Study
from deadheat.model.contender import Class, Contender, Offer
from deadheat.model.workload import Workload


class ContenderFacts(Record):
    """A contender's manifest, as far as results tell it; `digest` is of all of it, for a resume."""

    name: str
    variant: str | None = None
    title: str
    language: str
    class_: Annotated[Class, Field(alias="class")]
    offers: tuple[Offer, ...] = ()
    digest: str

    @property
    def id(self) -> str:
        return self.name if self.variant is None else f"{self.name}:{self.variant}"


class WorkloadFacts(Record):
    """A workload's manifest, as far as results tell it, and the contenders raced.

    `messages`: of one call. `digest` is of the whole manifest, for a resume. `shared`: the folder that it has
    its contenders from, where that is not its own.
    """

    title: str
    question: str
    messages: int = 1
    shared: str | None = None
    digest: str
    contenders: tuple[ContenderFacts, ...]

    def contender(self, id_: str) -> ContenderFacts:
        """Raises KeyError."""
        for one in self.contenders:
            if one.id == id_:
                return one
        raise KeyError(id_)


class SuiteFacts(Record):
    """Workloads by name, and the published studies that are about one of them."""

    workloads: dict[str, WorkloadFacts] = {}
    studies: tuple[Study, ...] = ()

    def study(self, name: str) -> Study | None:
        return next((study for study in self.studies if study.study == name), None)


def workload_facts(workload: Workload, raced: tuple[Contender, ...]) -> WorkloadFacts:
    """Of a workload's manifest and those of the contenders raced."""
    return WorkloadFacts(
        title=workload.title,
        question=workload.question,
        messages=workload.grpc.messages if workload.grpc is not None else 1,
        shared=workload.contenders,
        digest=_digest(workload.model_dump_json()),
        contenders=tuple(
            ContenderFacts(
                name=one.name,
                variant=one.variant,
                title=one.title,
                language=one.language,
                class_=one.class_,
                offers=one.offers,
                digest=_digest(_manifest(one)),
            )
            for one in raced
        ),
    )


def _manifest(contender: Contender) -> str:
    """All that it says; what it leaves out of a key that is newer than a run takes no run from its resume."""
    without = {"folder"} if contender.protocols else {"folder", "protocols"}
    return contender.model_dump_json(exclude=without)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
