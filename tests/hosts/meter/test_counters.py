"""Context switches and page faults, from a made-up /proc."""

from __future__ import annotations

from pathlib import Path

from deadheat.hosts import counters


def test_counters(tmp_path: Path) -> None:
    """Two threads, and a name with a bracket and blanks in it."""
    for thread, sleeps in (("7", 3), ("8", 4)):
        (tmp_path / "7" / "task" / thread).mkdir(parents=True)
        (tmp_path / "7" / "task" / thread / "status").write_text(
            f"Name:\tx\nvoluntary_ctxt_switches:\t{sleeps}\nnonvoluntary_ctxt_switches:\t1\n"
        )
    (tmp_path / "7" / "stat").write_text("7 (a) b) S 1 7 7 0 -1 4194304 111 0 22 0 5 6 0 0 20\n")
    assert counters.read([7, 99], tmp_path) == counters.Counters(7, 2, 111, 22)
