"""What became of a contender before any timing: its build, its check, and whom it is held against."""

from typing import Literal

from deadheat.model.artifact import Binary, BuildTimes
from deadheat.model.base import Record


class Built(Record):
    """A contender after its build: `ready`, or why it does not race. Bytes and seconds.

    `key`: of its sources, its build line, its toolchains and the compilers' part of the environment; two
    builds of one key are the same build.
    `tail`: the last lines that a failed build said; all of them are in `log`. `runtime_bytes`: what must be
    shipped beside the artifact, of runtimes that it does not bring itself. `image`: of one in a container the
    id of what is raced; its bytes are then the image's.
    """

    type: Literal["built"] = "built"
    workload: str
    contender: str
    status: Literal["ready", "unavailable", "failed"]
    reason: str | None = None
    key: str | None = None
    cached: bool = False
    build_s: float | None = None
    artifact_bytes: int | None = None
    runtime_bytes: int | None = None
    binary: Binary | None = None
    times: BuildTimes | None = None
    toolchains: dict[str, str] = {}
    log: str | None = None
    tail: tuple[str, ...] = ()
    image: str | None = None


class Checked(Record):
    """Full conformance, once a build: `exchange` is what was asked and answered where it went wrong;
    `headers` are those of the first right answer, where answers have such; `remarks` say what is right, but
    unlike what most answer; `agreed`: the version and the ciphers of TLS, where the race is over it. `run`:
    the earlier run in which it was asked, where that was of the same build; of `deadheat check` its name."""

    type: Literal["checked"] = "checked"
    workload: str
    contender: str
    ok: bool
    cases: int
    reason: str | None = None
    exchange: str | None = None
    headers: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    agreed: str | None = None
    run: str | None = None


class ReferenceReplaced(Record):
    """From here on `reference` is what a workload's contenders are held against: `was` cannot race."""

    type: Literal["reference-replaced"] = "reference-replaced"
    workload: str
    reference: str
    was: str
    why: str
