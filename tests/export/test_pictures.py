"""Charts as SVG and PNG: a real browser shows them, names in them are text, nothing comes from outside."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Browser, Page

from deadheat import export
from deadheat.errors import UserError
from deadheat.export import source
from deadheat.export.source import Source

from . import made_up

KINDS = {"echo-forest", "echo-throughput-cpu", "echo-latency", "echo-turns", "count-forest", "count-turns"}
HOSTILE = "<script>alert(1)</script>\"]}; \u202e {{x}} ' + alert(1) + '"


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Source:
    return source.read(made_up.run_folder(tmp_path_factory.mktemp("pictures")))


@pytest.fixture(scope="module")
def browser_page(browser: Browser) -> Page:
    return browser.new_page()


def svgs(read: Source) -> dict[str, str]:
    files = export.named("svg").render(read).files
    return {name.removesuffix(".svg"): content.decode() for name, content in files.items()}


def words(svg: str) -> str:
    return " ".join(filter(None, (element.text for element in ET.fromstring(svg).iter())))


def test_every_chart_of_every_race(read: Source) -> None:
    assert set(svgs(read)) == KINDS
    assert {name.removesuffix(".png") for name in export.named("png").render(read).files} == KINDS


def test_every_contender_is_named(read: Source) -> None:
    for name, svg in svgs(read).items():
        for contender in ("fast", "same-2"):
            assert contender in words(svg), name
    assert "null pair" in words(svgs(read)["echo-forest"])
    assert "times as fast as slow" in words(svgs(read)["echo-forest"])


def test_a_browser_shows_them(read: Source, browser_page: Page, tmp_path: Path) -> None:
    """An SVG that is broken, or a PNG, has no size in an <img>; a PNG has twice the SVG's."""
    requests: list[str] = []
    browser_page.on("request", lambda request: requests.append(request.url))
    sizes: dict[str, dict[str, list[int]]] = {}
    for kind in ("svg", "png"):
        for name, content in export.named(kind).render(read).files.items():
            (tmp_path / name).write_bytes(content)
            (tmp_path / "page.html").write_text(f'<img id="chart" src="{name}">')
            browser_page.goto((tmp_path / "page.html").as_uri(), wait_until="load")
            size = browser_page.evaluate("[chart.naturalWidth, chart.naturalHeight]")
            sizes.setdefault(name.rsplit(".", 1)[0], {})[kind] = size
    assert set(sizes) == KINDS
    for name, of in sizes.items():
        assert min(of["svg"]) > 100, name
        assert of["png"] == pytest.approx([2 * side for side in of["svg"]], abs=3), name
    assert all(url.startswith("file:") for url in requests)


def test_hostile_names_are_text(read: Source) -> None:
    def renamed(text: str) -> str:
        return HOSTILE if text == "fast" else text

    races = []
    for workload in read.results.workloads:
        rows = tuple(
            row.model_copy(update={"name": renamed(row.name), "title": HOSTILE})
            for row in workload.contenders
        )
        races.append(workload.model_copy(update={"contenders": rows}))
    results = read.results.model_copy(update={"workloads": tuple(races)})
    for name, svg in svgs(source.assemble(read.plan, results, read.observations)).items():
        root = ET.fromstring(svg)
        assert not [e for e in root.iter() if e.tag.endswith(("script", "foreignObject", "image"))], name
        assert not re.search(r"(href|on\w+)\s*=", re.sub(r">[^<]*<", "><", svg)), name
        if name in ("echo-forest", "echo-throughput-cpu"):
            assert "<script>" in words(svg), name


def test_half_done_is_in_the_picture(tmp_path: Path) -> None:
    folder = made_up.run_folder(tmp_path, ["count"], planned=10)
    for svg in svgs(source.read(folder)).values():
        assert "half-done: 6 of 10 blocks" in words(svg)


def test_nothing_to_draw(tmp_path: Path) -> None:
    read = source.read(made_up.run_folder(tmp_path, ["echo"]))
    workload = read.results.workloads[0].model_copy(update={"contenders": (), "null_pair": None})
    results = read.results.model_copy(update={"workloads": (workload,)})
    with pytest.raises(UserError, match="nothing to draw"):
        export.named("svg").render(source.assemble(read.plan, results, []))
