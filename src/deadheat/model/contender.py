"""A contender: one implementation of a workload, and its variants."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from deadheat.model.base import Record
from deadheat.model.workload import Preset

Class = Literal["idiomatic", "tuned", "ceiling"]
# Services that a gRPC server has beside its own.
Offer = Literal["health", "reflection"]


class LargestN(Record):
    """The largest n that a slow program takes in each preset's time."""

    quick: int
    standard: int
    thorough: int

    def at(self, preset: Preset) -> int:
        return int(getattr(self, preset))


class Recipe(Record):
    """What a variant may change. All of it is optional; what is absent is the contender's."""

    title: str | None = None
    language: str | None = None
    class_: Class | None = Field(default=None, alias="class")
    needs: tuple[str, ...] | None = None
    build: str | None = None
    artifact: str | None = None
    run: str | None = None
    env: dict[str, str] | None = None
    default: bool = False
    max_n: int | LargestN | None = None
    why: str | None = None


class ContenderFile(Record):
    """`contender.toml` as it is written. What a gRPC server `offers` is checked with its answers."""

    title: str
    language: str
    class_: Class = Field(alias="class")
    needs: tuple[str, ...] = ()
    build: str | None = None
    artifact: str | None = None
    run: str
    env: dict[str, str] = {}
    offers: tuple[Offer, ...] = ()
    default: bool = False
    max_n: int | LargestN | None = None
    why: str | None = None
    variants: dict[str, Recipe] = {}


class Contender(Record):
    """One entry of a race: a contender, or one of its variants, with everything resolved.

    `folder` is where its sources are; `build`, `artifact` and `run` are relative to a copy of it.
    """

    workload: str
    name: str
    variant: str | None = None
    title: str
    language: str
    class_: Class = Field(alias="class")
    needs: tuple[str, ...]
    build: str | None
    artifact: str | None
    run: str
    env: dict[str, str]
    offers: tuple[Offer, ...] = ()
    default: bool
    max_n: int | LargestN | None
    why: str | None
    folder: Path

    def largest_n(self, preset: Preset) -> int | None:
        """The largest n that it takes, where it states one."""
        return self.max_n.at(preset) if isinstance(self.max_n, LargestN) else self.max_n

    @property
    def id(self) -> str:
        return self.name if self.variant is None else f"{self.name}:{self.variant}"


def resolve(workload: str, folder: Path, file: ContenderFile) -> tuple[Contender, ...]:
    """The contender itself, then each variant with what it changes."""
    own = file.model_dump(by_alias=True, exclude={"variants"})
    own |= {"workload": workload, "name": folder.name, "folder": folder}
    contenders = [Contender.model_validate(own)]
    for variant, recipe in file.variants.items():
        changed = recipe.model_dump(by_alias=True, exclude_none=True)
        title = changed.pop("title", f"{file.title}, {variant}")
        # A variant is raced by default only where it says so itself.
        merged = {**own, **changed, "title": title, "default": recipe.default}
        contenders.append(Contender.model_validate({**merged, "variant": variant}))
    return tuple(contenders)
