"""What is written of the structure is the structure: CONTRIBUTING's table, the picture, the paths named."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

import glossary  # noqa: E402
import map as rooms_map  # noqa: E402

ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text()


def test_contributing_names_the_rooms_in_the_order_of_the_layers() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    cells = re.findall(r"^\| ((?:`\w+/`(?:, )?)+) \|", text, re.MULTILINE)
    named = [re.findall(r"`(\w+)/`", cell) for cell in cells]
    layers = [layer for layer in rooms_map.layers() if layer != ["errors"]]
    floor = {room: number for number, layer in enumerate(layers) for room in layer}
    assert sorted(room for row in named for room in row) == sorted(floor)
    floors = [floor[room] for row in named for room in row]
    assert floors == sorted(floors)
    assert all(len({floor[room] for room in row}) == 1 for row in named)


def test_every_room_is_a_package_and_few_modules_lie_loose() -> None:
    package = ROOT / "src" / "deadheat"
    rooms = {room for layer in rooms_map.layers() for room in layer} - {"errors"}
    assert {path.parent.name for path in package.glob("*/__init__.py")} == rooms
    assert len(list(package.glob("*.py"))) <= 6


def test_the_picture_is_current() -> None:
    assert rooms_map.PICTURE.read_text() == rooms_map.draw(), "make map draws it again"


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:src|engine)/[\w./]+)`", ARCHITECTURE))))
def test_a_path_that_the_page_names_is_there(path: str) -> None:
    assert (ROOT / path).exists()


def test_the_smallest_examples_are_named_where_the_page_says() -> None:
    def read(path: str) -> str:
        return (ROOT / "src" / "deadheat" / path).read_text()

    assert "http" in read("kinds/registry.py") and "http" in read("model/kinds/registry.py")
    assert "def enough_blocks(" in read("results/gates/own.py")
    assert '"enough-blocks"' in read("report/gates.py")
    assert "parquet" in read("export/registry.py")
    assert "SystemCalls" in read("explain/instruments/registry.py")


def test_the_glossary_is_current_and_has_each_term_once() -> None:
    assert glossary.PAGE.read_text() == glossary.render(), "make glossary writes it again"
    names = re.findall(r'^name = "(.+)"$', glossary.TERMS.read_text(), re.MULTILINE)
    assert len(names) == len({name.lower() for name in names}) > 30


@pytest.mark.parametrize("former", ["surroundings", "contamination", "carry_over =", "twins"])
def test_no_module_uses_a_word_that_was_given_up(former: str) -> None:
    """But for what reads runs of schema 1, and English: a process has surroundings."""
    allowed = {"storage/migrate.py", "build/command.py"}
    package = ROOT / "src" / "deadheat"
    found = {
        str(path.relative_to(package)) for path in package.rglob("*.py") if former in path.read_text().lower()
    }
    assert found <= allowed
