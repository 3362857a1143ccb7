"""A contender: one implementation of a workload, and its variants."""

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from deadheat.model import container
from deadheat.model.address import Address
from deadheat.model.base import Record
from deadheat.model.http_protocol import OVER_TLS, HttpProtocol
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


class Spoken(Record):
    """How a contender is built and run to speak a protocol; what is absent is the contender's own. `env` is
    in its environment beside what always is.

    Over TLS its certificate and the key of that are files (PEM): `{tls_cert}` and `{tls_key}`.
    """

    build: str | None = None
    artifact: str | None = None
    run: str | None = None
    env: dict[str, str] = {}

    @property
    def texts(self) -> str:
        """Where placeholders may stand."""
        return "\n".join((self.run or "", *self.env.values()))


class Recipe(Record):
    """What a variant may change. All of it is optional; what is absent is the contender's, but that a variant
    with an image has no build and no run line, and the other way round.

    `protocols`: where it has none, those of the contender, but for those whose build or run line it has
    another of.
    """

    title: str | None = None
    language: str | None = None
    class_: Class | None = Field(default=None, alias="class")
    needs: tuple[str, ...] | None = None
    build: str | None = None
    artifact: str | None = None
    run: str | None = None
    image: str | None = None
    containerfile: str | None = None
    args: str | None = None
    port: int | None = Field(default=None, ge=1, le=65535)
    env: dict[str, str] | None = None
    default: bool = False
    max_n: int | LargestN | None = None
    why: str | None = None
    protocols: dict[HttpProtocol, Spoken] | None = None


class Serves(Record):
    """How a contender of several workloads does one of them: `by` which of its libraries, and what is in its
    environment then, beside what always is."""

    by: str
    env: dict[str, str] = {}


class ContenderFile(Record):
    """`contender.toml` as it is written. What a gRPC server `offers` is checked with its answers.

    `serves`: by workload, of a contender in a folder that several workloads share. `protocols`: what an HTTP
    server can speak beside HTTP/1.1 in the clear, and how it is run then.
    `listens`: the port of a server that runs already, which is neither started nor ended, and has no `run`;
    `freezes`: whether it is stopped while others have their turn. `at`: where one that runs already is asked,
    where that is not 127.0.0.1 and its port; without `listens` it runs elsewhere, and nobody here meters it.
    `image`: a server in a container, in the place of build and run line; or `containerfile`, of which the
    image is built. `args`: what the image is given, which may say `{port}`, as PORT does. `port`: where it
    listens, if that is a port of its own: it has a network of its own then, of a container with that port
    published, of a run line a namespace that load and checks enter, which takes root.
    """

    title: str
    language: str
    class_: Class = Field(alias="class")
    needs: tuple[str, ...] = ()
    build: str | None = None
    artifact: str | None = None
    run: str = ""
    image: str | None = None
    containerfile: str | None = None
    args: str | None = None
    port: int | None = Field(default=None, ge=1, le=65535)
    listens: int | None = Field(default=None, ge=1, le=65535)
    freezes: bool = True
    at: Address | None = None
    env: dict[str, str] = {}
    offers: tuple[Offer, ...] = ()
    default: bool = False
    max_n: int | LargestN | None = None
    why: str | None = None
    serves: dict[str, Serves] = {}
    protocols: dict[HttpProtocol, Spoken] = {}
    variants: dict[str, Recipe] = {}

    @model_validator(mode="after")
    def _is_run_or_runs_already(self) -> Self:
        contained = container.is_contained(self, fixed_port=True)
        if bool(self.run) + contained + (self.listens is not None or self.at is not None) != 1:
            raise ValueError("a contender has a run line, an image, or listens already: one of these")
        if self.port is not None and not (self.run or contained):
            raise ValueError("port is of a server that is started: one that runs already listens already")
        if contained and self.protocols:
            raise ValueError("protocols are of a run line: what an image speaks is its own")
        for recipe in self.variants.values():
            if container.is_contained(recipe, fixed_port=True) and recipe.run is not None:
                raise ValueError("a variant has a run line or an image, not both")
        return self

    @model_validator(mode="after")
    def _is_told_its_certificate(self) -> Self:
        for protocols in (self.protocols, *(recipe.protocols or {} for recipe in self.variants.values())):
            for name, how in protocols.items():
                told = [word for word in ("{tls_cert}", "{tls_key}") if word in how.texts]
                if name in OVER_TLS and len(told) < 2:
                    raise ValueError(
                        f"protocols.{name} needs its certificate: {{tls_cert}} and {{tls_key}} in run or env"
                    )
                if name not in OVER_TLS and told:
                    raise ValueError(f"protocols.{name} is without TLS, and has no {told[0]}")
        return self


class Contender(Record):
    """One entry of a race: a contender, or one of its variants, with everything resolved.

    `folder` is where its sources are; `build`, `artifact` and `run` are relative to a copy of it. `by`: of
    one that does several workloads, the libraries by which it does this one. Of one in a container `run` is
    what its image is given.
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
    image: str | None = None
    containerfile: str | None = None
    port: int | None = None
    listens: int | None = None
    freezes: bool = True
    at: Address | None = None
    env: dict[str, str]
    offers: tuple[Offer, ...] = ()
    default: bool
    max_n: int | LargestN | None
    why: str | None
    by: str | None = None
    protocols: dict[HttpProtocol, Spoken] = {}
    folder: Path

    def largest_n(self, preset: Preset) -> int | None:
        """The largest n that it takes, where it states one."""
        return self.max_n.at(preset) if isinstance(self.max_n, LargestN) else self.max_n

    @property
    def id(self) -> str:
        return self.name if self.variant is None else f"{self.name}:{self.variant}"

    def speaking(self, protocol: HttpProtocol) -> Self | None:
        """As it is built and run to speak that; None where it does not."""
        how = self.protocols.get(protocol)
        if how is None:
            return None
        changed = how.model_dump(exclude={"env"}, exclude_none=True)
        return self.replaced(**changed, env=self.env | how.env)

    @property
    def contained(self) -> bool:
        """In a container."""
        return self.image is not None or self.containerfile is not None

    @property
    def fixed_port(self) -> int | None:
        """Where it listens whatever it is told, outside of any container: in a network of its own then."""
        return None if self.contained else self.port

    @property
    def runs_already(self) -> bool:
        """Neither started nor ended by us."""
        return self.listens is not None or self.at is not None

    @property
    def elsewhere(self) -> bool:
        """It runs already, and nobody here can meter or freeze it."""
        return self.at is not None and self.listens is None


def resolve(workload: str, folder: Path, file: ContenderFile) -> tuple[Contender, ...]:
    """The contender itself, then each variant with what it changes, as they do this workload."""
    own: dict[str, Any] = file.model_dump(by_alias=True, exclude={"variants", "serves"})
    own |= {"workload": workload, "name": folder.name, "folder": folder}
    serves = file.serves.get(workload)
    here = serves.env if serves is not None else {}
    own["by"] = serves.by if serves is not None else None
    contenders = [_resolved(own, here)]
    for variant, recipe in file.variants.items():
        changed = recipe.model_dump(by_alias=True, exclude_none=True)
        title = changed.pop("title", f"{file.title}, {variant}")
        changed.setdefault("protocols", _still_spoken(file, recipe))
        # A variant is raced by default only where it says so itself.
        merged = {**own, **changed, "title": title, "default": recipe.default, "variant": variant}
        contenders.append(_resolved(_of_one_way(merged, recipe), here))
    return tuple(contenders)


def _of_one_way(merged: dict[str, Any], recipe: Recipe) -> dict[str, Any]:
    """Without what the contender has for the other way of running it."""
    if recipe.image is not None or recipe.containerfile is not None:
        other = "image" if recipe.image is None else "containerfile"
        return merged | dict.fromkeys(("build", "artifact", other)) | {"run": "", "protocols": {}}
    if recipe.run is not None:
        return merged | dict.fromkeys(("image", "containerfile", "args")) | {"port": recipe.port}
    return merged


def _resolved(of: dict[str, Any], env: dict[str, str]) -> Contender:
    args = of["args"]
    facts = {name: value for name, value in of.items() if name != "args"}
    return Contender.model_validate({**facts, "run": of["run"] or args or "", "env": of["env"] | env})


def _still_spoken(file: ContenderFile, recipe: Recipe) -> dict[HttpProtocol, Spoken]:
    """Of the contender's protocols those that a variant speaks as the contender does."""
    return {
        name: how
        for name, how in file.protocols.items()
        if not (how.run and recipe.run) and not (how.build and recipe.build)
    }
