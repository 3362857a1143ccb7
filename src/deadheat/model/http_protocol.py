"""What HTTP servers may speak beside HTTP/1.1 in the clear, by the names that ALPN and HTTP/2 have for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

# HTTP/1.1 over TLS; HTTP/2 over TLS, agreed on by ALPN; HTTP/2 in the clear, which the client has to know.
HttpProtocol = Literal["https", "h2", "h2c"]

OVER_TLS: tuple[HttpProtocol, ...] = ("https", "h2")
HTTP2: tuple[HttpProtocol, ...] = ("h2", "h2c")

# As sentences have them, and as the setting of a race has them: the options that asked for it.
NAMES: Mapping[HttpProtocol, str] = {
    "https": "HTTPS",
    "h2": "HTTP/2 over TLS",
    "h2c": "HTTP/2 in the clear",
}
SETTINGS: Mapping[HttpProtocol, str] = {"https": "tls", "h2": "tls http2", "h2c": "http2"}


def asked(*, tls: bool, http2: bool) -> HttpProtocol | None:
    """By what was asked for; None is HTTP/1.1 in the clear."""
    if tls:
        return "h2" if http2 else "https"
    return "h2c" if http2 else None


def why_not(protocol: HttpProtocol) -> str:
    """Of a contender that does not say that it speaks it."""
    return f"does not serve {NAMES[protocol]} (its contender.toml has no protocols.{protocol})"
