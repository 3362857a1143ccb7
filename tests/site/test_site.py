"""The site: built without a warning, nothing fetched, its search finds, at every width, in both colours."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Request

from deadheat.cli.app import VERBS
from deadheat.report import gates
from tests.made.once import Once

pytest.importorskip("material", reason="mkdocs-material not installed: make setup does")

ROOT = Path(__file__).parents[2]
WIDTHS = (360, 800, 1300)
LOOKED_AT = (
    "index",
    "tutorials/first-race",
    "reference/cli",
    "reference/results",
    "explanation/why-interleave",
)


@pytest.fixture(scope="session")
def site(once: Once) -> Path:
    return once("site", _built)


def _built(folder: Path) -> Path:
    """Strict: a link or an anchor that leads nowhere, or a page in no menu, is an error."""
    ran = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder / "site")],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return folder / "site"


def test_no_page_asks_for_anything_outside(site: Path) -> None:
    asked = re.compile(
        r'<(?:script|img|iframe|source)\b[^>]*\bsrc="(?:https?:)?//|<link\b[^>]*\bhref="(?:https?:)?//|'
        r"@import|url\((?:https?:)?//"
    )
    pages = [*site.rglob("*.html"), *site.rglob("*.css")]
    assert len(pages) > 40
    assert [str(page.relative_to(site)) for page in pages if asked.search(page.read_text())] == []


def test_the_reference_is_whole(site: Path) -> None:
    cli = (site / "reference" / "cli.html").read_text()
    assert [verb for verb in VERBS if f">deadheat {verb}<" not in cli] == []
    reported = (site / "reference" / "gates.html").read_text()
    assert [name for name in gates.ADVICE if f"<code>{name}</code>" not in reported] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_their_width_and_fetch_nothing(site: Path, browser: Browser, scheme: str) -> None:
    fetched: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            fetched.append(request.url)

    for width in WIDTHS:
        page = browser.new_page(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
        )
        page.on("request", note)
        for name in LOOKED_AT:
            page.goto((site / f"{name}.html").as_uri())
            beyond = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert beyond <= 0, (width, name)
            assert page.evaluate("document.body.dataset.mdColorScheme") == (
                "slate" if scheme == "dark" else "default"
            )
        page.close()
    assert fetched == []


def test_the_search_finds_from_disk(site: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.goto((site / "index.html").as_uri())
    page.locator("input.md-search__input").click()
    page.keyboard.type("null pair")
    page.locator(".md-search-result__item").first.wait_for(timeout=60_000)
    assert page.locator(".md-search-result__item a[href*='interval-over-blocks']").count() > 0
    page.close()
