"""What each tool and runtime prints, from real outputs kept in golden/."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from deadheat.explain import callgrind, sockets, strace
from deadheat.explain.collectors import crystal, go, java, node
from deadheat.explain.collectors.base import Garbage, snapshots
from deadheat.explain.reading import InstrumentError

GOLDEN = Path(__file__).parent / "golden"
MB = 1 << 20


def golden(name: str) -> str:
    return (GOLDEN / name).read_text()


def test_strace() -> None:
    calls = strace.parse(golden("strace.txt"))
    assert calls["write"] == 35245
    assert calls["read"] == 58474  # with its 23055 errors, a column of its own
    assert calls["getsockname"] == 64
    assert sum(calls.values()) == 96929


def test_strace_of_nothing() -> None:
    assert strace.parse("") == {}


def test_strace_cut_off() -> None:
    whole = golden("strace.txt")
    with pytest.raises(InstrumentError, match="cut off"):
        strace.parse(whole[: whole.rindex("------")])


def test_strace_that_does_not_add_up() -> None:
    with pytest.raises(InstrumentError, match="96929 calls in all"):
        strace.parse(golden("strace.txt").replace("35245", "35246"))


def test_strace_unknown_line() -> None:
    with pytest.raises(InstrumentError, match="cannot be read"):
        strace.parse(golden("strace.txt").replace("12     35245", "twelve 35245"))


def test_go() -> None:
    """528 to 529 grew from 2 to 4 MB, and so on: each starts at 4 MB from a live heap of 2 MB."""
    lines = golden("gctrace.txt").splitlines(keepends=True)
    found = go.read(lines[0], "".join(lines[1:]))
    assert found.collections == len(lines) - 1
    collections = list(go.collections("".join(lines)))
    assert collections[0].before_bytes == 4 * MB
    assert collections[0].after_bytes == 2 * MB
    assert collections[0].pause_s == pytest.approx(17e-6)
    grown = [b.before_bytes - a.after_bytes for a, b in pairwise(collections)]
    assert found.allocated_bytes == sum(grown) > 0


def test_node() -> None:
    lines = golden("trace-gc.txt").splitlines(keepends=True)
    found = node.read(lines[0], "".join(lines[1:]))
    assert found.collections == 12  # eleven scavenges, one mark-compact
    [collections] = node.collections("".join(lines)).values()
    assert collections[-1].before_bytes == pytest.approx(56.6 * MB)
    assert found.pause_s == pytest.approx(sum(c.pause_s for c in collections[1:]))


def test_node_workers_have_heaps_of_their_own() -> None:
    line = "[%d:0x1]  10 ms: Scavenge %s (9.0) -> %s (9.0) MB, 1.00 / 0.00 ms  (average mu = 1) task;\n"
    log = line % (1, "4.0", "2.0") + line % (2, "8.0", "7.0")
    during = line % (1, "4.0", "2.0") + line % (2, "8.0", "7.0")
    assert node.read(log, during).allocated_bytes == pytest.approx(3 * MB)


def test_java() -> None:
    text = golden("xlog-gc.txt")
    found = java.read("", text)
    assert found.collections == text.count("Pause Young") + text.count("Pause Full") > 5
    last = list(java.collections(text))[-1]
    assert (last.before_bytes, last.after_bytes) == (44 * MB, 34 * MB)
    assert last.pause_s == pytest.approx(414e-6)


def test_crystal() -> None:
    """The collector tells bytes exactly, so they are taken as told."""
    text = golden("gc-print-stats.txt")
    found = crystal.read("", text)
    assert found.collections == 4
    assert found.allocated_bytes == 515456 + 515968 + 515440 + 515984
    # The first line is the end of a collection that began before.
    assert found.pause_s == pytest.approx((128282 + 131322 + 121219 + 138198 + 162688) / 1e9)


def test_snapshots_of_two_processes() -> None:
    before = "ready\ndeadheat-gc pid=1 runs=10 bytes=800\n\ndeadheat-gc pid=2 runs=1 bytes=80\n"
    during = (
        "deadheat-gc pid=1 runs=12 bytes=900\nnoise\ndeadheat-gc pid=1 runs=15 bytes=1000\n"
        "deadheat-gc pid=2 runs=1 bytes=80\ndeadheat-gc pid=3 runs=2 bytes=20\n"
    )
    assert snapshots(before, during) == Garbage(5 + 0 + 2, 200 + 0 + 20, None, None)


def test_no_snapshot() -> None:
    with pytest.raises(InstrumentError, match="reported nothing"):
        snapshots("deadheat-gc pid=1 runs=10\n", "")


def test_sockets() -> None:
    found = sockets.parse(golden("ss.txt"))
    assert found["127.0.0.1:18080 127.0.0.1:40706"]["data_segs_out"] == 4964
    assert len(found) == 4


def test_traffic_between() -> None:
    before = golden("ss.txt")
    after = before.replace("data_segs_out:4964", "data_segs_out:5064").replace(
        "bytes_sent:526184", "bytes_sent:536184"
    )
    traffic = sockets.between(before, after)
    assert traffic is not None
    assert (traffic.data_segs_out, traffic.bytes_sent, traffic.segs_in) == (100, 10_000, 0)


def test_traffic_of_a_connection_that_is_gone() -> None:
    """Its counts went with it."""
    before = golden("ss.txt")
    assert sockets.between(before, "".join(before.splitlines(keepends=True)[1:])) is None
    assert sockets.between("", "") is None


def test_callgrind() -> None:
    """fib(16) without optimisation: 2 F(17) - 1 = 3193 calls, fib(0) one."""
    start, whole = (callgrind.parse(golden(f"callgrind-c-{n}.out")) for n in (0, 16))
    assert whole.calls["fib"] == 3193
    assert start.calls["fib"] == 1
    instructions, calls, most = callgrind.between(start, whole)
    assert most == "fib"
    assert 3192 <= calls < 3300
    assert instructions == whole.instructions - start.instructions


def test_callgrind_cut_off() -> None:
    text = golden("callgrind-c-0.out")
    with pytest.raises(InstrumentError, match="cut off"):
        callgrind.parse(text[: text.index("summary")])
