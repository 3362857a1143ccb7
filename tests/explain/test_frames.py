"""HTTP/2 frames a call, from what the generator tells."""

from __future__ import annotations

import json

import pytest

from deadheat.explain import frames, page
from deadheat.explain.reading import InstrumentError

# As docs/load.md has it.
HTTP2 = {
    "requests_sent": 100,
    "frames_sent": {"DATA": 100, "HEADERS": 100, "WINDOW_UPDATE": 2},
    "frames_received": {"DATA": 100, "HEADERS": 200, "PING": 1},
}


def reported(**more: object) -> str:
    return json.dumps({"requests": 99, "throughput_rps": 5.0, "cpu_s": 0.1, **more})


def test_a_call() -> None:
    """Sides are the server's: what the generator received is what the server sent."""
    run, http2 = frames.parse(reported(http2=HTTP2))
    assert run.throughput_rps == 5.0
    assert (http2.received(), http2.sent()) == (2.02, 3.01)
    assert http2.by_type() == {
        "DATA sent": 1.0, "HEADERS sent": 2.0, "PING sent": 0.01,
        "DATA received": 1.0, "HEADERS received": 1.0, "WINDOW_UPDATE received": 0.02,
    }  # fmt: skip


def test_side_by_side_the_most_frequent_first() -> None:
    _, http2 = frames.parse(reported(http2=HTTP2))
    rows = page.by_name(http2.by_type(), {"DATA sent": 100.0})
    assert [(row.key, row.a, row.b) for row in rows[:2]] == [
        ("DATA sent", 1.0, 100.0), ("HEADERS sent", 2.0, 0.0)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("printed", "why"),
    [
        (reported(), "does not count frames: make setup"),
        (reported(http2=None), "does not count frames"),
        (reported(http2={**HTTP2, "requests_sent": 0}), "http2.requests_sent"),
        (json.dumps({"requests": 0, "throughput_rps": 0.0, "first_error": "refused"}), "no request: refused"),
        ('{"requests": 1', "cannot be read"),
        ("", "cannot be read"),
    ],
)
def test_no_frames(printed: str, why: str) -> None:
    with pytest.raises(InstrumentError, match=why):
        frames.parse(printed)
