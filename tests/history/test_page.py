"""The trend page in a real browser: it asks for nothing, fits a phone, is usable, and names are only text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from deadheat.history import foreign, listing, page, store
from deadheat.history.database import FILE, open_

from .made_up import results

GOLDEN = Path(__file__).parents[1] / "generators" / "golden"
HOSTILE = '<script>document.title = "hacked"</script>"\' \u202egnp.exe ' + "x" * 300


def written(folder: Path, runs: Sequence[float], commit: str = "c") -> Path:
    """A page of that many runs, rust so many times as fast as go in each."""
    with open_(folder / FILE) as history:
        for n, rust in enumerate(runs):
            run = results(
                f"run-{n:02}",
                {"rust": rust},
                started=f"2026-01-{n + 1:02}T03:04:05Z",
                commit=f"{commit}{n:03}",
            )
            store.record(history, run, folder)
        store.add_context(
            history, foreign.read(GOLDEN / "wrk-4.1.0-latency.txt"), folder / "wrk", "http-hello", "rust"
        )
        series = listing.series_of(history, "http-hello", "rust")
        context = listing.context_of(history, "http-hello", "rust")
    file = folder / "trend.html"
    file.write_text(page.render("http-hello rust", series, context), encoding="utf-8")
    return file


def opened(browser: Browser, file: Path, width: int = 1200, scheme: str = "light") -> tuple[Page, list[str]]:
    """The page, and all that it complained of or asked for."""
    shown = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
    seen: list[str] = []
    shown.on("console", lambda message: seen.append(message.text))
    shown.on("pageerror", lambda error: seen.append(str(error)))
    shown.on("request", lambda request: seen.append(request.url))
    shown.goto(file.as_uri())
    return shown, [what for what in seen if what not in (file.as_uri(), "data:,")]


def test_it_tells_of_the_change_and_its_commit(browser: Browser, tmp_path: Path) -> None:
    shown, complaints = opened(browser, written(tmp_path, [1.5] * 8 + [2.0] * 4))
    assert complaints == []
    assert shown.locator("tr.changed").count() == 1
    assert "commit c008" in shown.locator("tr.changed").inner_text()
    # The newest run is first, so that the mark lies between its level and the one before.
    around = shown.evaluate(
        "(c => [c.previousElementSibling.innerText, c.nextElementSibling.innerText])"
        "(document.querySelector('tr.changed'))"
    )
    assert "2026-01-09 03:04" in around[0] and "run-08" in around[0] and "run-07" in around[1]
    assert "the level changed last with run-08, commit c008" in shown.locator("p.verdict").inner_text()
    # Between two changes all runs have one level, and each its own ratio.
    levels = shown.evaluate("[...document.querySelectorAll('line.level')].map(l => l.getAttribute('x1'))")
    assert len(set(levels)) == 2 and len(levels) == 12
    assert "no part of any verdict" in shown.locator("main").inner_text()
    shown.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1600])
def test_it_fits_and_is_usable(browser: Browser, tmp_path: Path, width: int, scheme: str) -> None:
    shown, complaints = opened(browser, written(tmp_path, [1.5] * 8 + [2.0] * 4), width, scheme)
    assert complaints == []
    assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
    bars = shown.evaluate(
        "[...document.querySelectorAll('svg.bar')].map(b => b.getBoundingClientRect().width)"
    )
    assert min(bars) > 100
    found = Axe().run(shown).response["violations"]
    assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == []
    shown.close()


def test_hostile_names_are_text(browser: Browser, tmp_path: Path) -> None:
    shown, complaints = opened(browser, written(tmp_path, [1.5] * 3, commit=HOSTILE), 360)
    assert complaints == []
    assert shown.title() == "Deadheat: http-hello rust over runs"
    assert shown.locator("script").count() == 0
    assert "<script>" in shown.locator("main").inner_text()
    assert "\u202e" not in shown.content()
    assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shown.close()


def test_few_runs_are_said_to_be_few(browser: Browser, tmp_path: Path) -> None:
    shown, _ = opened(browser, written(tmp_path, [1.5]))
    assert "from 8 runs on" in shown.locator("main").inner_text()
    assert "no change" not in shown.locator("p.verdict").inner_text()
    shown.close()
