"""What became of a check of conformance."""

from dataclasses import dataclass

Headers = tuple[str, ...]


@dataclass(frozen=True)
class Check:
    """Whether all cases were answered right, and the first exchange that was not.

    `headers` are those of the first answer, where answers have such; `remarks` say what is unlike others.
    `agreed`: of TLS, the version and the ciphers that were agreed on.
    """

    ok: bool
    cases: int
    reason: str | None = None
    exchange: str | None = None
    headers: Headers = ()
    remarks: tuple[str, ...] = ()
    agreed: str | None = None
