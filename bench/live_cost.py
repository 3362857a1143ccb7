"""What the live page costs a race: the same server against itself, with ten browsers attached and without.

    python -m bench.live_cost [--pairs 4] [--budget 40s] [--browsers 10] [--plain]

Races of http-hello's reference alone (its null pair is the A/A race), by turns with and without, each pair in
random order. Printed are every null pair with its interval, the throughput with against without over the
pairs (a t interval on the log ratios), and the same of the width of the null pairs' intervals. The page costs
nothing that this can see where both intervals cover 1.

`--plain`: clients that take the page and its events and draw nothing, which shows what our own process costs,
apart from browsers that draw on the measured machine.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
import select
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import httpx
import numpy as np
from playwright.sync_api import sync_playwright

from deadheat import stats

DEADHEAT = Path(sys.executable).parent / "deadheat"
REFERENCE, OTHER = "go-net-http", "ceiling"


@dataclass(frozen=True)
class Raced:
    """One race: the reference's requests a second, its null pair, and that pair's interval."""

    watched: bool
    throughput_rps: float
    null: float
    ci: tuple[float, float]

    @property
    def log_width(self) -> float:
        return math.log(self.ci[1] / self.ci[0])


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--pairs", type=int, default=4)
    arguments.add_argument("--budget", default="40s")
    arguments.add_argument("--browsers", type=int, default=10)
    arguments.add_argument("--plain", action="store_true")
    arguments.add_argument("--attach", help=argparse.SUPPRESS)
    asked = arguments.parse_args()
    if asked.attach:
        return (_attach_plain if asked.plain else _attach)(asked.attach, asked.browsers)
    raced: list[Raced] = []
    for pair in range(asked.pairs):
        for watched in random.sample([False, True], 2):
            raced.append(_race(asked.budget, asked.browsers if watched else 0, asked.plain))
            one = raced[-1]
            print(
                f"pair {pair + 1} {'with' if watched else 'without':7} {one.throughput_rps:10,.0f} requests/s"
                f"   null pair {one.null:.3f} ({one.ci[0]:.3f} to {one.ci[1]:.3f})",
                flush=True,
            )
    _tell("throughput, with against without", raced, lambda one: math.log(one.throughput_rps))
    _tell(
        "width of the null pair's interval, with against without", raced, lambda one: math.log(one.log_width)
    )
    return 0


def _tell(what: str, raced: Sequence[Raced], log: Callable[[Raced], float]) -> None:
    pairs = list(zip(raced[::2], raced[1::2], strict=True))
    differences = [(1 if a.watched else -1) * (log(a) - log(b)) for a, b in pairs]
    found = stats.estimate(np.array(differences))
    assert found.ratio is not None
    print(f"{what}: {found.ratio:.3f} ({math.exp(found.low):.3f} to {math.exp(found.high):.3f})")


def _race(budget: str, browsers: int, plain: bool) -> Raced:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        argv = [
            DEADHEAT,
            "race",
            "http-hello",
            "-c",
            REFERENCE,
            "-c",
            OTHER,
            "--budget",
            budget,
            "--out",
            out,
        ]
        argv += ["--live"] if browsers else []
        with subprocess.Popen(
            list(map(str, argv)), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
        ) as race:
            assert race.stderr is not None
            with _attached(race.stderr, browsers, plain):
                race.stderr.read()
        if race.returncode not in (0, 4):
            raise SystemExit(f"the race ended with {race.returncode}")
        told = json.loads((out / "latest" / "results.json").read_text())["workloads"][0]
    row = next(row for row in told["contenders"] if row["name"] == REFERENCE)
    null = told["null_pair"]
    return Raced(browsers > 0, row["throughput_rps"]["estimate"], null["ratio"], tuple(null["ci"]))


@contextmanager
def _attached(said: IO[bytes], browsers: int, plain: bool) -> Iterator[None]:
    """So many pages of Chromium on the live page, from a process of their own, as idle as the page's.

    A person's browser runs where the person sits; here it has the measured cores, so it must step aside.
    """
    if not browsers:
        yield
        return
    url = next(found[0] for line in said if (found := re.search(r"http://\S+/", line.decode())))
    argv = [sys.executable, "-m", "bench.live_cost", "--attach", url, "--browsers", str(browsers)]
    argv += ["--plain"] if plain else []
    with subprocess.Popen(argv, stdin=subprocess.PIPE) as attached:
        yield
        assert attached.stdin is not None
        attached.stdin.close()
    if attached.returncode:
        raise SystemExit("the browsers failed: nothing was compared")


def _attach_plain(url: str, clients: int) -> int:
    """The same without drawing: each takes every event, and the page whenever it is new."""
    _step_aside()
    seen: list[int] = []

    def watch() -> None:
        version = None
        with httpx.stream("GET", f"{url}events", timeout=None) as events:
            for line in events.iter_lines():
                told = json.loads(line.removeprefix("data: ")) if line.startswith("data: ") else {}
                if told.get("version", version) != version:
                    version = told["version"]
                    httpx.get(url, timeout=None)
        seen.append(1)

    threads = [threading.Thread(target=watch, daemon=True) for _ in range(clients)]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    for thread in threads:
        thread.join(15)
    print(f"  {len(seen)} of {clients} clients saw the race to its end", flush=True)
    return 0 if len(seen) == clients else 1


def _step_aside() -> None:
    os.nice(19)
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def _attach(url: str, browsers: int) -> int:
    """Until our standard input ends. Every page must have seen the race, or this was no comparison."""
    _step_aside()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        pages = [chromium.new_page() for _ in range(browsers)]
        for page in pages:
            page.goto(url, timeout=120_000)
        while not select.select([sys.stdin], [], [], 0)[0]:
            pages[0].wait_for_timeout(500)  # events are dealt with only inside of a call
        seen = sum(page.locator("section.race").count() > 0 for page in pages)
        chromium.close()
    print(f"  {seen} of {browsers} browsers saw the race", flush=True)
    return 0 if seen == browsers else 1


if __name__ == "__main__":
    sys.exit(main())
