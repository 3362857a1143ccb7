"""Pages of ours in a real browser, opened from files: what they ask for, complain of, who can use them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Request

Scheme = Literal["light", "dark"]
# It would fetch the style by itself, which pages of several files forbid.
_OF_AXE = {"preload": False}


class Opened:
    """Pages, each in a context of its own, and what all of them said on the console, threw, or asked for
    from anywhere but a file."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._pages: list[Page] = []
        self.files: list[str] = []
        self.complaints: list[str] = []

    def open(
        self, path: Path, fragment: str = "", *, width: int = 1200, scheme: Scheme = "light", **context: Any
    ) -> Page:
        """`fragment`: of its address; `context`: as Playwright's `new_context` takes it."""
        screen = {"width": width, "height": 800}
        page = self._browser.new_page(viewport=screen, color_scheme=scheme, **context)  # type: ignore[arg-type]
        self._pages.append(page)
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", self._note)
        page.goto(path.as_uri() + fragment)
        return page

    def _note(self, request: Request) -> None:
        if request.url.startswith("file:"):
            self.files.append(request.url)
        elif not request.url.startswith("data:"):
            self.complaints.append(request.url)

    def close(self) -> None:
        for page in self._pages:
            page.close()


def too_wide(page: Page) -> bool:
    """Whether it is wider than its screen."""
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))


def unusable(page: Page) -> list[tuple[str, str]]:
    """What axe finds that keeps somebody from using it: the rule, and the first place."""
    found = Axe().run(page, options=_OF_AXE).response["violations"]
    return [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in ("serious", "critical")]
