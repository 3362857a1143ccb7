"""What must be shipped beside an interpreted contender."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from deadheat.build import runtime_size

MB = 1_000_000


@pytest.mark.parametrize(
    ("tool", "program"), [("node", "node"), ("java", "java"), ("ruby", "ruby"), ("python", "python3")]
)
def test_a_runtime_is_more_than_its_program_and_less_than_the_machine(tool: str, program: str) -> None:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    size = runtime_size.bytes_of(tool)
    assert size is not None
    assert 2 * MB < size < 500 * MB


def test_node_is_its_one_program_at_least() -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    reported = subprocess.run(["node", "-p", "process.execPath"], capture_output=True, text=True, check=True)
    size = runtime_size.bytes_of("node")
    assert size is not None
    assert size >= Path(reported.stdout.strip()).stat().st_size


@pytest.mark.parametrize("needs", [(), ("go >= 1.21",), ("crystal >= 1.0",), ("elixir >= 1.14", "mix")])
def test_what_brings_its_own_needs_none(needs: tuple[str, ...]) -> None:
    """A compiled program, and a Mix release."""
    assert runtime_size.needed_by(needs) is None


def test_needs_are_read_with_their_versions() -> None:
    assert runtime_size.needed_by(("node >= 18.14", "npm")) == runtime_size.bytes_of("node")


def test_what_only_developers_need_is_not_counted(tmp_path: Path) -> None:
    for name in ("os.py", "test/big.py", "config-3.11/libpython.a", "json/decoder.py", "__pycache__/os.pyc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    counted = {str(file.relative_to(tmp_path)) for file in runtime_size._files(tmp_path)}
    assert counted == {"os.py", "json/decoder.py"}
