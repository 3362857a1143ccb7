"""What a race costs beside the racing: seconds until it races, how long it takes, the referee's memory.

    python -m bench.race_costs http-hello             # until the first turn, then Ctrl-C
    python -m bench.race_costs http-hello --whole     # to its end

Run it twice: the first builds what is not built yet. Memory is the peak (VmHWM) of the referee itself, and
the sum of its and its helpers' peaks (engine, launcher); contenders are not in it.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

POLL_S = 0.02
# The kernel keeps 15 characters of a name.
HELPERS = ("deadheat-load", "deadheat-launch")
MB = 1e6


def peak_bytes(pid: int) -> int:
    """VmHWM; 0 of what is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0)


def helpers(pid: int) -> list[int]:
    """Children that are the referee's own programs."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            children = (task / "children").read_text().split()
            found += [int(c) for c in children if Path(f"/proc/{c}/comm").read_text().strip() in HELPERS]
        except OSError:
            continue
    return found


def journal(runs: Path) -> list[dict[str, object]]:
    """Every whole line of the one run in a folder."""
    lines = [line for file in runs.glob("2*/journal.jsonl") for line in file.read_bytes().split(b"\n")[:-1]]
    return [json.loads(line) for line in lines]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("workload")
    parser.add_argument("--whole", action="store_true", help="to its end, not only until it races")
    asked, more = parser.parse_known_args()
    deadheat = Path(sys.executable).parent / "deadheat"
    with tempfile.TemporaryDirectory(prefix="deadheat-bench-") as folder:
        runs = Path(folder)
        began = time.monotonic()
        argv = [str(deadheat), "race", asked.workload, "--out", folder, *more]
        with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as race:
            races_after_s: float | None = None
            referee, others = 0, dict[int, int]()
            while race.poll() is None:
                referee = max(referee, peak_bytes(race.pid))
                others |= {pid: peak for pid in helpers(race.pid) if (peak := peak_bytes(pid))}
                if races_after_s is None and any(line["type"] == "started" for line in journal(runs)):
                    races_after_s = time.monotonic() - began
                    if not asked.whole:
                        race.send_signal(signal.SIGINT)
                time.sleep(POLL_S)
            took_s = time.monotonic() - began
        if races_after_s is None:
            raise SystemExit(f"it never raced: {' '.join(argv)} ended with {race.returncode}")
        blocks = {line["block"] for line in journal(runs) if line["type"] == "block-ended"}
        print(f"the first server of the first block is ready {races_after_s:.1f} s after the start")
        print(f"peak memory: referee {referee / MB:.0f} MB, with engine and launcher "
              f"{(referee + sum(others.values())) / MB:.0f} MB")  # fmt: skip
        if asked.whole:
            print(f"{len(blocks)} blocks in {took_s:.0f} s, start and report included")


if __name__ == "__main__":
    main()
