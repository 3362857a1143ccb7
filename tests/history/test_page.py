"""The trend page in a real browser: it asks for nothing, fits a phone, is usable, and names are only text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from deadheat.history import foreign, listing, page, store
from deadheat.history.database import FILE, open_
from tests.made.pages import Opened, Scheme, too_wide, unusable

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


def test_it_tells_of_the_change_and_its_commit(opened: Opened, tmp_path: Path) -> None:
    shown = opened.open(written(tmp_path, [1.5] * 8 + [2.0] * 4))
    # All of it is in one file.
    assert opened.files == [shown.url]
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1600])
def test_it_fits_and_is_usable(opened: Opened, tmp_path: Path, width: int, scheme: Scheme) -> None:
    shown = opened.open(written(tmp_path, [1.5] * 8 + [2.0] * 4), width=width, scheme=scheme)
    assert not too_wide(shown)
    bars = shown.evaluate(
        "[...document.querySelectorAll('svg.bar')].map(b => b.getBoundingClientRect().width)"
    )
    assert min(bars) > 100
    assert unusable(shown) == []


def test_hostile_names_are_text(opened: Opened, tmp_path: Path) -> None:
    shown = opened.open(written(tmp_path, [1.5] * 3, commit=HOSTILE), width=360)
    assert shown.title() == "Deadheat: http-hello rust over runs"
    assert shown.locator("script").count() == 0
    assert "<script>" in shown.locator("main").inner_text()
    assert "\u202e" not in shown.content()
    assert not too_wide(shown)


def test_few_runs_are_said_to_be_few(opened: Opened, tmp_path: Path) -> None:
    shown = opened.open(written(tmp_path, [1.5]))
    assert "from 8 runs on" in shown.locator("main").inner_text()
    assert "no change" not in shown.locator("p.verdict").inner_text()
