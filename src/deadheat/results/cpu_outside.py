"""What a server does where nobody counts: in lead-ins, drains, and until it is frozen."""

from collections.abc import Sequence

from deadheat.model.observation import Slice


def cpu_outside(slices: Sequence[Slice]) -> float | None:
    """CPU a request of a server outside of the counted parts of its turns, over that in them; None where it
    is not known, or where no reply came outside of them."""
    known = [s for s in slices if s.turn_cpu_ns is not None and s.server_cpu_ns]
    inside_ns = sum(s.server_cpu_ns or 0 for s in known)
    outside_ns = sum(s.turn_cpu_ns or 0 for s in known) - inside_ns
    inside, outside = sum(s.replies for s in known), sum(s.replies_all - s.replies for s in known)
    if inside <= 0 or outside <= 0 or inside_ns <= 0:
        return None
    return (outside_ns / outside) / (inside_ns / inside)
