"""Where a server is asked over HTTP."""

import ipaddress
from pathlib import Path

from deadheat.model.base import Record

LOCAL_HOST = "127.0.0.1"


def is_loopback(host: str) -> bool:
    """Whether a host can only be this machine, as the load generator sees it."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Address(Record):
    """`https`: over TLS, its certificate checked against the public authorities, or those in the PEM file
    `cacert`, or not at all (`insecure`). `http2`: HTTP/2 alone, agreed on by ALPN where there is TLS.
    `network`: the network namespace that it is an address of, this one where there is none."""

    host: str = LOCAL_HOST
    port: int
    https: bool = False
    insecure: bool = False
    cacert: Path | None = None
    http2: bool = False
    network: Path | None = None

    @property
    def url(self) -> str:
        """Without a path."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.https else 'http'}://{host}:{self.port}"

    @property
    def loopback(self) -> bool:
        return is_loopback(self.host)
