"""A program in a container: what manifests may say of it, and how it was contained."""

from typing import Literal

from deadheat.model.base import Record

# By which it was frozen while others had their turn: None where it was idle then, and ran.
FrozenBy = Literal["cgroup v1", "cgroup v2", "SIGSTOP"]
# By which its CPU time was metered: of its cgroup as a whole, or of its living processes.
MeteredBy = Literal["cgroup v1", "cgroup v2", "processes"]


class Contained(Record):
    """A program in a container of `engine` (with version and runtime). `published`: it was reached through a
    port that the engine forwards; else it had the host's own network."""

    engine: str
    published: bool
    frozen_by: FrozenBy | None
    metered_by: MeteredBy


def is_contained(said: Record, *, fixed_port: bool = False) -> bool:
    """Whether what a manifest says is an image's; `fixed_port`: a run line may listen at a port of its own
    too. Raises ValueError for keys that do not go together."""

    def given(name: str) -> bool:
        return getattr(said, name, None) is not None

    contained = given("image") or given("containerfile")
    if given("image") and given("containerfile"):
        raise ValueError("image or containerfile, not both: one is there, the other is built")
    key = "image" if given("image") else "containerfile"
    for name in ("build", "artifact"):
        if contained and given(name):
            raise ValueError(f"{name} or {key}, not both: what an image consists of is in it")
    for name in ("args",) if fixed_port else ("args", "port"):
        if not contained and given(name):
            raise ValueError(f"{name} is of an image: a run line says all of it by itself")
    return contained
