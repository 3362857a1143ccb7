"""The journal: appended whole or not at all, a torn end dropped, anything else refused with its line."""

import resource
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deadheat.errors import UserError
from deadheat.model.observation import BlockEnded, BlockStarted, Failed, Invocation, Observation
from deadheat.storage.journal import Journal, read, seal, whole_blocks
from tests.made.cramped import UNMEASURED


def invocation(block: int, round_: int = 0) -> Invocation:
    return Invocation(
        race="fib", block=block, round=round_, turn=0, entry="go", n=5, at_ns=1,
        wall_s=0.25, user_s=0.2, system_s=0.01, peak_memory_bytes=None,
    )  # fmt: skip


def block(index: int) -> list[Observation]:
    return [
        BlockStarted(race="fib", block=index, order=("go",), at="2026-01-02T03:04:05Z"),
        invocation(index),
        BlockEnded(race="fib", block=index),
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def written(path: Path, observations: list[Observation]) -> bytes:
    with Journal(path) as journal:
        for observation in observations:
            journal.append(observation)
    return path.read_bytes()


def test_what_is_written_is_read(path: Path) -> None:
    written(path, block(0) + block(1))
    assert read(path) == (block(0) + block(1), None)


def test_cut_anywhere_only_the_torn_line_is_lost(path: Path) -> None:
    data = written(path, block(0))
    for cut in range(len(data)):
        path.write_bytes(data[:cut])
        observations, warning = read(path)
        assert observations == block(0)[: data[:cut].count(b"\n")]
        assert (warning is None) == (cut == 0 or data[cut - 1 : cut] == b"\n")


def test_appending_to_a_torn_journal_goes_on_after_the_last_whole_line(path: Path) -> None:
    data = written(path, block(0))
    path.write_bytes(data[:-7])
    written(path, [BlockEnded(race="fib", block=0)])
    assert read(path) == (block(0), None)


@given(data=st.data())
def test_any_changed_byte_is_noticed(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("journal") / "journal.jsonl"
    whole = written(path, block(0))
    place = data.draw(st.integers(0, whole.rindex(b"\n", 0, -1) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda b: b != whole[place]))
    path.write_bytes(whole[:place] + bytes([byte]) + whole[place + 1 :])
    with pytest.raises(UserError, match=r"journal\.jsonl:[12]: "):
        read(path)


def test_an_observation_of_another_version_is_refused_with_its_line(path: Path) -> None:
    path.write_bytes(seal('{"type":"block-ended","race":"fib","block":0}') + seal('{"type":"omen"}'))
    with pytest.raises(UserError, match=r"journal\.jsonl:2: not an observation of this version"):
        read(path)


def test_only_completed_blocks_count_and_only_their_last_try() -> None:
    again: list[Observation] = [
        BlockStarted(race="fib", block=1, order=("go",), at="x"),
        invocation(1, round_=1),
    ]
    cut_off = block(1)[:2]
    failed: Observation = Failed(race="fib", block=1, entry="go", reason="died")
    done = BlockEnded(race="fib", block=1)
    observations: list[Observation] = [*block(0), *cut_off, failed, *again, done, *block(2)[:2]]
    assert list(whole_blocks(observations)) == [*block(0), failed, *again, done]


def test_a_full_disk_is_one_clear_line_and_loses_nothing(path: Path, tmp_path: Path) -> None:
    # A file size limit is what an unprivileged test has of a full disk: the write fails half-way.
    script = textwrap.dedent(f"""
        import resource, signal, sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from pathlib import Path
        from deadheat.errors import UserError
        from deadheat.storage.journal import Journal
        from test_journal import block
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        journal = Journal(Path({str(path)!r}))
        for observation in block(0): journal.append(observation)
        resource.setrlimit(resource.RLIMIT_FSIZE, ({len(written(tmp_path / "size", block(0)))} + 40, -1))
        try:
            journal.append(block(1)[0])
        except UserError as error:
            print(error.message, "|", error.hint)
    """)
    ran = subprocess.run(
        [*UNMEASURED, sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "the journal cannot be written: " in ran.stdout
    assert "--resume" in ran.stdout
    assert read(path) == (block(0), None)
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    assert signal.getsignal(signal.SIGXFSZ) is not None
