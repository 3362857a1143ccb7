"""What a protocol adds to a server under load: one question, what the load generator opens, and what is asked
at last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from deadheat.kinds.conformance import Case
from deadheat.model.address import Address
from deadheat.run.kind import Stage

# One request to a server, with a token. Raises Wrong, or OSError where nobody answers.
Ask = Callable[[Stage, Address, str], None]
# What the generator is told to open: the protocol's own fields.
Target = Callable[[Stage, Address], Mapping[str, Any]]
# What a server of this entry is asked once it has been loaded, before it is stopped.
AtLast = Callable[[Stage, str, Address], Iterable[Case]]


@dataclass(frozen=True)
class ServerProtocol:
    """How servers of a kind are asked, and how the generator loads them."""

    ask: Ask
    target: Target
    at_last: AtLast | None = None
