"""Right answers before any timing: cases, and what a wrong answer is."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from deadheat.run.check import Check, Headers


@dataclass(frozen=True)
class Remark:
    """A right answer that is unlike what most give: how, in a clause."""

    text: str


@dataclass(frozen=True)
class Agreed:
    """What a handshake of TLS came to: the version, and the ciphers."""

    text: str


Case = Callable[[], Headers | Remark | Agreed | None]


class Wrong(Exception):
    """A wrong answer: what was wrong in a clause, and the whole exchange."""

    def __init__(self, reason: str, exchange: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.exchange = exchange


def run(cases: Iterable[Case]) -> Check:
    """Ask case after case; stop at the first wrong answer, or what is wrong between two of them."""
    done, headers, agreed = 0, None, None
    remarks: list[str] = []
    try:
        for case in cases:
            done += 1
            reported = case()
            if isinstance(reported, Remark):
                remarks.append(reported.text)
            elif isinstance(reported, Agreed):
                agreed = reported.text
            else:
                headers = headers or reported
    except Wrong as wrong:
        return Check(False, done, wrong.reason, wrong.exchange)
    return Check(True, done, headers=headers or (), remarks=tuple(remarks), agreed=agreed)
