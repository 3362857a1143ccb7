"""What a protocol adds to a server under load: one question, and what the load generator opens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from deadheat.model.address import Address
from deadheat.run.kind import Stage

# One request to a server, with a token. Raises Wrong, or OSError where nobody answers.
Ask = Callable[[Stage, Address, str], None]
# What the generator is told to open: the protocol's own fields.
Target = Callable[[Stage, Address], Mapping[str, Any]]


@dataclass(frozen=True)
class ServerProtocol:
    """How servers of a kind are asked, and how the generator loads them."""

    ask: Ask
    target: Target
