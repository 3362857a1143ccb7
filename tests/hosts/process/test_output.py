"""What programs write is kept up to a limit, and never blocks them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .conftest import Start
from .watch import PATIENCE_S, python

MEGABYTE = 1 << 20


def test_a_flood_ends_in_a_file_of_the_limit(start: Start, tmp_path: Path) -> None:
    source = "[(os.write(1, b'o' * 65536), os.write(2, b'e' * 65536)) for _ in range(160)]"
    exit = start(python(source), output_limit_bytes=100_000).wait(PATIENCE_S)
    assert exit.ok
    assert (exit.stdout_bytes, exit.stderr_bytes) == (10 * MEGABYTE, 10 * MEGABYTE)
    assert (tmp_path / "out").read_bytes() == b"o" * 100_000
    assert (tmp_path / "err").read_bytes() == b"e" * 100_000


def test_output_without_a_file_is_counted(start: Start) -> None:
    exit = start(("sh", "-c", "echo four; echo five >&2"), stdout=None, stderr=None).wait(PATIENCE_S)
    assert (exit.stdout_bytes, exit.stderr_bytes) == (5, 5)


def test_the_last_words_of_a_crash_are_kept(start: Start, tmp_path: Path) -> None:
    start(python("os.write(1, b'x' * 50000); os.kill(os.getpid(), 9)")).wait(PATIENCE_S)
    assert (tmp_path / "out").stat().st_size == 50_000


def test_both_outputs_may_share_a_file(start: Start, tmp_path: Path) -> None:
    source = "[(os.write(1, b'out\\n'), os.write(2, b'err\\n')) for _ in range(100)]"
    start(python(source), stdout=tmp_path / "log", stderr=tmp_path / "log").wait(PATIENCE_S)
    lines = (tmp_path / "log").read_text().splitlines()
    assert (lines.count("out"), lines.count("err")) == (100, 100)


def test_a_file_of_an_earlier_run_is_replaced(start: Start, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("old\n" * 10)
    start(("echo", "new")).wait(PATIENCE_S)
    assert (tmp_path / "out").read_text() == "new\n"


@pytest.mark.skipif(not os.access("/dev/full", os.W_OK), reason="no /dev/full on this machine")
def test_a_full_disk_is_told_and_does_not_block_the_program(start: Start) -> None:
    exit = start(python("[os.write(1, b'x' * 65536) for _ in range(32)]"), stdout=Path("/dev/full")).wait(
        PATIENCE_S
    )
    assert exit.code == 0
    assert exit.stdout_bytes == 2 * MEGABYTE
    assert exit.output_error == "stdout: No space left on device"


def test_the_tail_is_of_stderr_and_else_of_stdout(start: Start) -> None:
    process = start(("sh", "-c", "seq 1 30; echo one >&2; echo two >&2"))
    process.wait(PATIENCE_S)
    assert process.output_tail(1) == "two"
    process = start(("seq", "1", "30"))
    process.wait(PATIENCE_S)
    assert process.output_tail(3) == "28\n29\n30"
    assert process.output_tail().count("\n") == 19
