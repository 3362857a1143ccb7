"""One picture for a post: well-formed whatever the names are, written whole or not at all."""

from __future__ import annotations

import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest

from deadheat.errors import UserError
from deadheat.report import picture
from tests.made.runs import Made, renamed

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path / "suite", workloads=2)


def _text(drawn: str) -> str:
    return " ".join("".join(node.itertext()) for node in ElementTree.fromstring(drawn).iter(f"{SVG}text"))


def test_it_says_what_a_post_needs(made: Made) -> None:
    said = _text(picture.svg(made.results()))
    for part in (
        "Who answers fastest?",
        "times as fast as",
        "null pair",
        "A CPU, 2 cores",
        "2026-01-02",
        "--seed 41",
    ):
        assert part in said, part


@pytest.mark.parametrize("name", ["<script>&\"'", "\u202egnp", "\x00\x1b[2J", "W" * 10_000, "]]>"])
def test_hostile_names_leave_it_well_formed(made: Made, name: str) -> None:
    drawn = picture.svg(renamed(made.results(), {"c1": name}))
    assert "script" not in {node.tag.removeprefix(SVG) for node in ElementTree.fromstring(drawn).iter()}
    assert len(drawn) < 100_000


def test_one_workload_of_several(made: Made) -> None:
    one, both = picture.svg(made.results(), "w1"), picture.svg(made.results())
    heights = [int(ElementTree.fromstring(drawn).attrib["height"]) for drawn in (one, both)]
    assert heights[0] < heights[1]
    with pytest.raises(UserError, match='no race of this run is called "nobody"'):
        picture.svg(made.results(), "nobody")


def test_many_contenders_are_cut_and_counted(tmp_path: Path) -> None:
    made = Made(tmp_path / "many", contenders=14)
    assert "and 4 more, in the report" in _text(picture.svg(made.results()))


@pytest.mark.parametrize("dark", [False, True])
def test_a_png_of_the_same_shape(made: Made, tmp_path: Path, dark: bool) -> None:
    path = tmp_path / "race.png"
    picture.save(made.results(), path, "w0", dark=dark)
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    drawn = ElementTree.fromstring(picture.svg(made.results(), "w0"))
    assert width == 1.6 * float(drawn.attrib["width"])
    assert height == pytest.approx(1.6 * float(drawn.attrib["height"]), abs=1)


def test_nothing_compared_is_no_picture(made: Made) -> None:
    with pytest.raises(UserError, match="nothing was compared"):
        picture.svg(made.results([]))


def test_what_is_there_stays_where_it_cannot_be_written(made: Made, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be written"):
        picture.save(made.results(), tmp_path / "nowhere" / "race.png")
    with pytest.raises(UserError, match=r"ends in \.png or \.svg"):
        picture.save(made.results(), tmp_path / "race.gif")
    assert [path.name for path in tmp_path.iterdir()] == ["suite"]
