"""How long a large report takes to be written and shown by a browser, and a site of many runs.

    python -m bench.page_render [--contenders 60] [--workloads 5]
    python -m bench.page_render --site [--runs 200]

The runs are made up (tests/made/runs.py). A report's time is from the address to the load event and the next
frame after it. Of a site, of runs of two workloads with six contenders, it is the first contentful paint as
Chromium tells it, from the address on, of its largest page of each sort. Medians of five, each in a new tab.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from deadheat.report.html import page
from deadheat.site import places, write

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.made.runs import Made

TIMES = 5
ARGUMENTS = ["--no-sandbox", "--disable-gpu"]
FRAME = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
# It may be told only after the load event and a frame.
PAINT = """() => new Promise(done => new PerformanceObserver(list => list.getEntries().forEach(
    entry => entry.name === 'first-contentful-paint' && done(entry.startTime)
)).observe({type: 'paint', buffered: true}))"""
GOAL_MS, GOAL_MB = 300, 20


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--contenders", type=int, default=60)
    parser.add_argument("--workloads", type=int, default=5)
    parser.add_argument("--site", action="store_true", help="a site in place of a report")
    parser.add_argument("--runs", type=int, default=200, help="of the site")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if asked.site:
            site(Path(folder), asked.runs)
        else:
            report(Path(folder), asked.contenders, asked.workloads)


@contextmanager
def chromium() -> Iterator[Browser]:
    program = shutil.which("chromium")
    if program is None:
        raise SystemExit("chromium not found: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


def opened(browser: Browser, file: Path) -> Iterator[Page]:
    """In new tabs, one after the other, up to the first frame behind the load event."""
    for _ in range(TIMES):
        tab = browser.new_page()
        tab.goto(file.as_uri())
        tab.evaluate(FRAME)
        yield tab
        tab.close()


def report(folder: Path, contenders: int, workloads: int) -> None:
    made = Made(folder / "suite", workloads=workloads, contenders=contenders, blocks=2, rounds=2)
    results = made.results()
    written_s = []
    for _ in range(TIMES):
        began = time.perf_counter()
        text = page.render(results, made.observations, made.suite)
        written_s.append(time.perf_counter() - began)
    file = folder / "report.html"
    file.write_text(text, encoding="utf-8")
    shown_s = []
    with chromium() as browser:
        began = time.perf_counter()
        for _ in opened(browser, file):
            shown_s.append(time.perf_counter() - began)
            began = time.perf_counter()
    print(
        f"{contenders} contenders by {workloads} workloads: {len(text.encode()) / 1e6:.1f} MB, "
        f"written in {statistics.median(written_s):.2f} s, shown in {statistics.median(shown_s):.2f} s"
    )


def site(folder: Path, runs: int) -> None:
    one = Made(folder / "suite", workloads=2, contenders=6, blocks=10).results()
    many = [one.replaced(run=f"20260101-{n:06}-quick") for n in range(runs)]
    began = time.perf_counter()
    size = write.write(many, folder / "site", title="Ours", url=None, say=lambda _: None)
    written_s = time.perf_counter() - began
    print(f"{runs} runs: {size / 1e6:.1f} MB (at most {GOAL_MB}), written in {written_s:.1f} s")
    with chromium() as browser:
        for sort, file in largest(folder / "site"):
            paint_ms = statistics.median(tab.evaluate(PAINT) for tab in opened(browser, file))
            kb = file.stat().st_size / 1e3
            print(f"{sort}, {kb:.0f} kB: first paint after {paint_ms:.0f} ms (at most {GOAL_MS})")


def largest(site_folder: Path) -> Iterator[tuple[str, Path]]:
    """The index, and of each folder of the site its largest page."""
    yield "index", site_folder / places.INDEX
    for folder in sorted(one for one in site_folder.iterdir() if one.is_dir()):
        pages = list(folder.rglob("*.html"))
        if pages:
            yield folder.name, max(pages, key=lambda file: file.stat().st_size)


if __name__ == "__main__":
    main()
