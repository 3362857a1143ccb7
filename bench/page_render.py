"""How long a large report takes: to be written, and to be shown by a browser.

    python -m bench.page_render [--contenders 60] [--workloads 5]

The run is made up (tests/made/runs.py). A browser's time is from the address to the load event and the
next frame after it, medians of five.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from deadheat.report.html import page

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.made.runs import Made

TIMES = 5
ARGUMENTS = ["--no-sandbox", "--disable-gpu"]
FRAME = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--contenders", type=int, default=60)
    parser.add_argument("--workloads", type=int, default=5)
    asked = parser.parse_args()
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("chromium not found: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder:
        made = Made(
            Path(folder) / "suite", workloads=asked.workloads, contenders=asked.contenders, blocks=2, rounds=2
        )
        results = made.results()
        written_s = []
        for _ in range(TIMES):
            began = time.perf_counter()
            text = page.render(results, made.observations, made.suite)
            written_s.append(time.perf_counter() - began)
        file = Path(folder) / "report.html"
        file.write_text(text, encoding="utf-8")
        shown_s = []
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
            for _ in range(TIMES):
                opened = browser.new_page()
                began = time.perf_counter()
                opened.goto(file.as_uri())
                opened.evaluate(FRAME)
                shown_s.append(time.perf_counter() - began)
                opened.close()
            browser.close()
        print(
            f"{asked.contenders} contenders by {asked.workloads} workloads: "
            f"{len(text.encode()) / 1e6:.1f} MB, "
            f"written in {statistics.median(written_s):.2f} s, shown in {statistics.median(shown_s):.2f} s"
        )


if __name__ == "__main__":
    main()
