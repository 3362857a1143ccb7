"""Ten who watch a race's live page, from a process of their own: for bench.live_cost.

    python -m bench.live_watchers readers 10
    python -m bench.live_watchers browsers 10

`readers` take the page and its events as a browser does, and draw nothing: what is left is what our own
process costs. `browsers` are visible pages of Chromium. Both stand for people at other machines, so they step
aside (nice 19, SCHED_IDLE, off the contenders' CPUs); `browsers-own` are Chromium as it comes, at its own
priority on all CPUs. They say `ready` once they are started, so that starting them is no part of a race; then
the page's address is told on their standard input. All stay until that ends, and fail unless every one saw
the race under way.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress

import httpx
from playwright.sync_api import sync_playwright

from deadheat.hosts.cpus import default_cpus
from deadheat.hosts.held import this_host

# Without a buffer, so that `select` sees all that is there.
TOLD = open(0, "rb", buffering=0, closefd=False)  # noqa: SIM115
# Of the log of a block that is over: who has it saw the race under way, not only its beginning or its end.
WHOLE = "block 1 is whole"
KINDS = ("readers", "browsers", "browsers-own")


def main(argv: Sequence[str]) -> int:
    kind, count = argv[0], int(argv[1])
    if kind not in KINDS:
        raise SystemExit(f"{kind} is none of {', '.join(KINDS)}")
    if kind != "browsers-own":
        _step_aside()
    seen = _read(count) if kind == "readers" else _draw(count)
    print(f"{seen} of {count} {kind} saw the race", file=sys.stderr, flush=True)
    return 0 if seen == count else 1


def _step_aside() -> None:
    cpus = default_cpus(this_host().cores())
    os.sched_setaffinity(0, set(cpus.generators) - set(cpus.servers) or set(cpus.generators))
    os.nice(19)
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def _reported() -> str:
    print("ready", flush=True)
    return TOLD.readline().decode().strip()


def _read(clients: int) -> int:
    """Each takes every event, and the page whenever it is new; how many saw a block that was whole."""
    url = _reported()
    seen: set[int] = set()

    def watch(number: int) -> None:
        version = None
        with suppress(httpx.TransportError), httpx.stream("GET", f"{url}events", timeout=None) as events:
            for line in events.iter_lines():
                reported = json.loads(line.removeprefix("data: ")) if line.startswith("data: ") else {}
                if reported.get("version", version) != version:
                    version = reported["version"]
                    if WHOLE in httpx.get(url, timeout=None).text:
                        seen.add(number)

    threads = [threading.Thread(target=watch, args=(number,), daemon=True) for number in range(clients)]
    for thread in threads:
        thread.start()
    TOLD.read()
    for thread in threads:
        thread.join(20)
    return len(seen)


def _draw(browsers: int) -> int:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        pages = [chromium.new_page() for _ in range(browsers)]
        url = _reported()
        for page in pages:
            page.goto(url, timeout=120_000)
        seen: set[int] = set()
        while not select.select([TOLD], [], [], 0)[0]:
            pages[0].wait_for_timeout(2000)  # events are dealt with only inside of a call
            seen |= {n for n, page in enumerate(pages) if page.locator(".said", has_text=WHOLE).count()}
        chromium.close()
    return len(seen)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
