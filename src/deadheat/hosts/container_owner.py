"""Whose a container is: what its label says of the process of ours that has started it."""

from __future__ import annotations

import os
from pathlib import Path

from deadheat.hosts import tree


def owner() -> str:
    """Which process of ours: of which boot, in which numbering, and when it was born."""
    pid = os.getpid()
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    numbering = str(Path("/proc/self/ns/pid").readlink()).strip("pid:[]")
    return f"{boot}.{numbering}.{pid}.{tree.stat(pid)[tree.STARTED]}"


def is_left(of: str) -> bool:
    """Whether that process is gone, and what it started is nobody's; what another numbering has is let be."""
    boot, numbering, pid, born = of.split(".")
    own_boot, own_numbering, _, _ = owner().split(".")
    if boot != own_boot:
        return True
    return numbering == own_numbering and not tree.lives(int(pid), born)
