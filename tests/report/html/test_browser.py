"""The page in a real browser: silent, alone, as wide as its screen, usable by all; richer with its script."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from deadheat.report.html import page as report
from tests.made.pages import Opened, Scheme, too_wide, unusable
from tests.made.runs import Made, renamed

ROWS = "#race-0 table.forest tbody tr[data-k]:not(.off)"
NAMES = f"[...document.querySelectorAll('{ROWS}')].map(row => row.dataset.name)"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("suite") / "suite", workloads=2, blocks=6)


@pytest.fixture(scope="module")
def path(made: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("page") / "report.html"
    found.write_text(report.render(made.results(), made.observations, made.suite))
    return found


@pytest.fixture(scope="module")
def hostile(made: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    name = "W" * 10_000
    results = renamed(made.results(), {"c1": name}, title=name, language=name)
    found = tmp_path_factory.mktemp("hostile") / "report.html"
    found.write_text(report.render(results, made.observations, made.suite, warnings=[name]))
    return found


def names(page: Page) -> list[str]:
    found: list[str] = page.evaluate(NAMES)
    return found


def heads(page: Page, name: str) -> None:
    page.locator("#race-0 table.forest thead th", has_text=name).locator("button").click()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 820, 1400])
def test_no_wider_than_the_screen(opened: Opened, path: Path, width: int, scheme: Scheme) -> None:
    page = opened.open(path, width=width, scheme=scheme)
    assert not too_wide(page)


@pytest.mark.parametrize("width", [768, 900, 1000])
def test_names_are_not_broken_where_they_are_short(opened: Opened, path: Path, width: int) -> None:
    """Between a phone and a wide screen the table once squeezed its names to a few letters a line."""
    page = opened.open(path, width=width)
    heights = page.locator("#race-0 table.forest tbody .name").evaluate_all(
        "all => all.map(one => one.getClientRects().length)"
    )
    assert len(heights) >= 6 and set(heights) == {1}


def test_a_name_of_ten_thousand_characters_fits_a_phone(opened: Opened, hostile: Path) -> None:
    page = opened.open(hostile, width=360)
    assert not too_wide(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_use_it(opened: Opened, path: Path, scheme: Scheme) -> None:
    page = opened.open(path, scheme=scheme)
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert unusable(page) == []


def test_dark_is_dark(opened: Opened, path: Path) -> None:
    def paper(scheme: Scheme) -> str:
        page = opened.open(path, scheme=scheme)
        colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return colour

    assert paper("light") == "rgb(252, 251, 248)"
    assert paper("dark") == "rgb(22, 22, 21)"


def test_sorted_by_a_click_and_back_by_the_third(opened: Opened, path: Path) -> None:
    page = opened.open(path)
    before = names(page)
    heads(page, "contender")
    assert names(page) == sorted(before)
    heads(page, "contender")
    assert names(page) == sorted(before, reverse=True)
    heads(page, "contender")
    assert names(page) == before
    heads(page, "requests/s")
    assert names(page) == ["c5", "c4", "c3", "c2", "c1", "c0"]
    assert page.locator("#race-0 th[aria-sort=descending]").count() == 1


def test_costs_are_sorted_apart(opened: Opened, path: Path) -> None:
    page = opened.open(path)
    page.locator("#race-0 table.costs thead th", has_text="CPU a request").first.locator("button").click()
    first = page.locator("#race-0 table.costs tbody tr").first
    assert first.get_attribute("data-name") == "c0"
    assert names(page)[0] == "c5"


def test_filtered_by_language_and_class(opened: Opened, path: Path) -> None:
    page = opened.open(path)
    page.select_option("[name=language]", "Go")
    assert names(page) == ["c1"]
    assert page.locator("#shown").inner_text() == "2 of 12 rows"
    assert page.locator("#race-0 .end:visible").count() == 2  # its latencies, its point
    page.select_option("[name=language]", "")
    page.select_option("[name=class]", "tuned")
    assert set(names(page)) == {"c2", "c5"}
    page.click("#reset")
    assert len(names(page)) == 6


def test_a_row_is_hidden_by_its_letter(opened: Opened, path: Path) -> None:
    page = opened.open(path)
    letter = page.locator("#race-0 .legend button").first
    letter.press("Enter")
    assert len(names(page)) == 5
    assert letter.get_attribute("aria-pressed") == "false"
    assert page.locator("#race-1 table.forest tr.off").count() == 0
    letter.press("Enter")
    assert len(names(page)) == 6


def test_another_reference_is_described_and_not_judged(opened: Opened, path: Path) -> None:
    page = opened.open(path)
    row = page.locator('#race-0 table.forest tr[data-name="c0"]')
    other = page.locator('#race-0 table.forest tr[data-name="c5"]')
    third = page.locator('#race-0 table.forest tr[data-name="c1"]')
    reported, word = float(other.locator(".ratio").inner_text()), other.locator(".c-word").inner_text()
    ends = other.locator(".ci-text").inner_text().split(" to ")
    page.locator("#race-0 [name=reference]").select_option(label="c5")
    assert float(row.locator(".ratio").inner_text()) == pytest.approx(1 / reported, abs=0.02)
    # The pair of both references was judged, and keeps its interval; no other with c5 was.
    if len(ends) == 2:
        low, high = map(float, row.locator(".ci-text").inner_text().split(" to "))
        assert (low, high) == pytest.approx((1 / float(ends[1]), 1 / float(ends[0])), abs=0.02)
    assert row.locator(".c-word").inner_text() == {"faster": "slower", "slower": "faster"}.get(word, word)
    low, high = map(float, third.locator(".ci-text").inner_text().split(" to "))
    assert low <= float(third.locator(".ratio").inner_text()) <= high
    assert third.locator(".c-word").inner_text() == "not judged"
    assert other.locator(".c-word").inner_text() == "chosen"
    page.locator("#race-0 [name=reference]").select_option(label="c0")
    assert float(other.locator(".ratio").inner_text()) == reported
    assert other.locator(".c-word").inner_text() in ("faster", "not settled")


def test_linear_moves_the_points(opened: Opened, path: Path) -> None:
    page = opened.open(path)
    point = page.locator('#race-0 table.forest tr[data-name="c0"] .one')
    before = point.get_attribute("x1")
    page.select_option("[name=scale]", "linear")
    assert point.get_attribute("x1") != before
    assert page.locator("#race-0 path.lin").first.is_visible()
    assert not page.locator("#race-0 path.log").first.is_visible()


def test_a_view_is_in_its_address(opened: Opened, path: Path) -> None:
    page = opened.open(path)
    page.select_option("[name=language]", "Go")
    page.select_option("[name=scale]", "linear")
    page.locator("#race-0 [name=reference]").select_option(label="c5")
    fragment = page.evaluate("location.hash")
    again = opened.open(path, fragment)
    assert names(again) == ["c1"]
    assert again.locator("[name=scale]").input_value() == "linear"
    assert again.locator("#race-0 .ref-name").first.inner_text() == "c5"


@pytest.mark.parametrize(
    "fragment", ["#view:", "#view:hide=%E0%A4%A;sort.race-0=9:x:y;ref.race-0=<b>;x", "#race-1"]
)
def test_an_address_that_makes_no_sense_does_no_harm(opened: Opened, path: Path, fragment: str) -> None:
    assert len(names(opened.open(path, fragment))) == 6


def test_readable_without_a_script(opened: Opened, path: Path) -> None:
    page = opened.open(path, java_script_enabled=False)
    shown = page.locator("body").inner_text()
    for said in (
        "Who answers fastest?",
        "times as fast as",
        "faster",
        "What it costs",
        "deadheat race --seed 41",
    ):
        assert said in shown, said
    assert page.locator("#controls").is_hidden()
    assert page.locator("#race-0 svg.bar .dot").count() == 7
    page.locator("summary", has_text="Gates:").first.click()
    assert page.locator("text=littles-law").first.is_visible()


def test_prints_without_controls_with_gates(opened: Opened, path: Path) -> None:
    page = opened.open(path, scheme="dark")
    page.emulate_media(media="print")
    assert page.locator("#controls").is_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert len(page.pdf()) > 10_000


def test_sixty_contenders_in_five_workloads(opened: Opened, tmp_path: Path) -> None:
    made = Made(tmp_path / "suite", workloads=5, contenders=60, blocks=2, rounds=1)
    path = tmp_path / "report.html"
    path.write_text(report.render(made.results(), made.observations, made.suite))
    page = opened.open(path, width=360)
    assert page.locator("table.forest tbody tr[data-k]").count() == 300
    assert not too_wide(page)
    page.select_option("[name=language]", "Go")
    assert page.locator("table.forest tbody tr[data-k]:not(.off)").count() == 60
