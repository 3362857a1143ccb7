"""The network between machines of a race, as it was before the race."""

from typing import Literal

from deadheat.model.base import Record


class NetworkFloor(Record):
    """From a host that load comes from, or that services run on (`role`), to the servers': the median and the
    99th percentile of there and back, seconds, of single bytes while nothing else goes on; and bytes a second
    one way. No answer from there can come sooner, and no more can cross."""

    type: Literal["network"] = "network"
    host: str
    role: Literal["load", "services"] = "load"
    rtt_s: float
    rtt_p99_s: float
    bytes_per_s: float
