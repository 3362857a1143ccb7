"""The pictures of docs/reports.md: parts of a real run's report.html as Chromium draws them.

python scripts/pictures.py [RUN] [--out runs] [--race http-hello]
python scripts/pictures.py [RUN] --matrix: of a run of several workloads the table of all
python scripts/pictures.py target/matrix.html --matrix: README's, of what python -m bench.app_matrix leaves
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from deadheat.storage import run_folder

IMAGES = Path(__file__).parents[1] / "docs" / "images"
WIDTH = 1100
# A column a workload.
WIDE, TALL, MATRIX = 1500, 1600, "section:has(#workloads-h)"
# What is drawn, and what of the page it is: the race's section is marked before.
PARTS = {
    "forest": ".pictured table.forest",
    "latency": ".pictured figure:has(.with-ends)",
    "cpu": ".pictured figure:not(.wide):not(:has(.with-ends))",
    "turns": ".pictured figure.wide",
    "costs": ".pictured table.costs",
    "gates": ".pictured details.gates",
    "claims": "#claims table.claim-table",
}


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("run", nargs="?", default="latest")
    arguments.add_argument("--out", type=Path, default=Path("runs"))
    arguments.add_argument("--race", default="http-hello")
    arguments.add_argument("--matrix", action="store_true")
    asked = arguments.parse_args()
    chromium = shutil.which("chromium")
    if chromium is None:
        print("chromium not found: apt-get install chromium", file=sys.stderr)
        return 2
    if asked.run.endswith(".html"):
        report = Path(asked.run).resolve()
    else:
        report = run_folder.find(asked.out, asked.run).path / "report.html"
    IMAGES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        size = (WIDE, TALL) if asked.matrix else (WIDTH, 900)
        page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        page.goto(report.as_uri())
        if asked.matrix:
            # What follows a reader down the page would lie over the table.
            page.locator("#controls").evaluate("controls => controls.remove()")
            _draw(page, "matrix", MATRIX)
            return 0
        _mark(page, asked.race)
        for name, part in PARTS.items():
            _draw(page, name, part)
        phone = browser.new_page(viewport={"width": 360, "height": 740}, color_scheme="dark")
        phone.goto(report.as_uri())
        _mark(phone, asked.race)
        phone.locator(".pictured").evaluate("section => section.scrollIntoView({ behavior: 'instant' })")
        phone.screenshot(path=IMAGES / "phone.png")
        browser.close()
    return 0


def _mark(page: Page, race: str) -> None:
    """The race's first section of its own method; its gates unfolded."""
    page.evaluate(
        """name => {
            const sections = [...document.querySelectorAll("section.race")];
            const found = sections.find(s => s.querySelector(".eyebrow").textContent === name) ?? sections[0];
            found.classList.add("pictured");
            found.querySelector("details.gates").open = true;
        }""",
        race,
    )


def _draw(page: Page, name: str, part: str) -> None:
    found = page.locator(part).first
    if found.count() == 0:
        print(f"{name}: this run has none", file=sys.stderr)
        return
    found.screenshot(path=IMAGES / f"{name}.png")
    print(IMAGES.name, f"{name}.png")


if __name__ == "__main__":
    sys.exit(main())
