"""What a measurement runs stops with it, and loses nothing"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from bench.programs import ended


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_runs_is_told_to_stop_and_has_its_time_to_end(tmp_path: Path, number: signal.Signals) -> None:
    """And what it runs. What it had begun is not lost, nothing of it stays, and nothing follows it."""
    source = f"""
import os, pathlib, signal, sys, time
told = []
signal.signal({int(number)}, lambda *_: told.append(1))
child = os.fork()
pathlib.Path('ready' if child else 'child-ready').touch()
while not told: time.sleep(0.01)
if child: os.waitpid(child, 0)
pathlib.Path('ended' if child else 'child-ended').touch()
sys.exit(7)
"""
    ready = [tmp_path / "ready", tmp_path / "child-ready"]

    def ask() -> None:
        while not all(one.exists() for one in ready):
            time.sleep(0.01)
        os.kill(os.getpid(), number)

    asking = threading.Thread(target=ask)
    asking.start()
    before = signal.getsignal(number)
    program = f"import os; os.chdir({str(tmp_path)!r})\n{source}"
    with pytest.raises(KeyboardInterrupt):
        ended([sys.executable, "-c", program])
    asking.join()
    assert (tmp_path / "ended").exists() and (tmp_path / "child-ended").exists()
    assert ended([sys.executable, "-c", "import sys; sys.exit(7)"]) == 7
    assert signal.getsignal(number) is before


def test_what_takes_too_long_is_told_to_stop() -> None:
    """And is gone then: who runs it waits for its end."""
    with pytest.raises(subprocess.TimeoutExpired):
        ended([sys.executable, "-c", "import time; time.sleep(600)"], timeout_s=0.1)
