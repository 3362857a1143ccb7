"""Every block of commands on the site's own pages is run, as a reader would, from top to bottom.

A block whose title says `Not run by a test` is not. Commands within sentences, on every page, have verbs and
options that exist.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from deadheat.cli import manual
from deadheat.cli.app import VERBS
from tests.end_to_end.bench import IMPATIENT

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    page for folder in ("tutorials", "how-to", "explanation") for page in (DOCS / folder).glob("*.md")
)
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LIMIT_S = 600
# Of a race and what looks at it: settled, or not on a machine that does much else meanwhile.
FINE = (0, 4)


@dataclass(frozen=True)
class Block:
    language: str
    title: str
    text: str

    @property
    def commands(self) -> list[str]:
        return [line.removeprefix("$ ") for line in self.text.splitlines() if line.startswith("$ ")]


def blocks(page: Path) -> Iterator[Block]:
    for language, info, text in FENCE.findall(page.read_text()):
        found = re.search(r'title="([^"]*)"', info)
        yield Block(language, found[1] if found else "", text)


def to_run(page: Path) -> list[Block]:
    return [block for block in blocks(page) if not block.title.startswith("Not run by a test")]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(b.commands for b in to_run(page))], ids=lambda p: p.stem
)
def test_commands(page: Path, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "DEADHEAT_LOCK": str(tmp_path / "lock"),
        "DEADHEAT_CACHE": str(tmp_path / "cache"),
        "DEADHEAT_RUNS": str(tmp_path / "runs"),
        "DEADHEAT_SUITE": str(ROOT / "suite"),
        "COLUMNS": "160",
    }
    here = tmp_path / "here"
    here.mkdir()
    for block in to_run(page):
        if block.title:
            file = here / block.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text)
        for command in block.commands:
            words = shlex.split(command)
            assert words[0] == "deadheat", command
            ran = subprocess.run(
                [sys.executable, IMPATIENT, *words[1:]],
                env=environment,
                cwd=here,
                capture_output=True,
                text=True,
                timeout=LIMIT_S,
                check=False,
            )
            assert ran.returncode in FINE, f"{command}\n{ran.stdout}\n{ran.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_what_is_typed_is_a_block_of_commands(page: Path) -> None:
    """A block in another language has no command that nobody runs."""
    assert [b.text for b in blocks(page) if b.language != "console" and b.commands] == []


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda p: str(p.relative_to(DOCS)))
def test_verbs_and_options_exist(page: Path) -> None:
    wrong = []
    for words in _mentioned(page.read_text()):
        if len(words) < 2 or not re.fullmatch(r"[a-z]+", words[1]):
            continue
        if words[1] not in VERBS:
            wrong.append(" ".join(words))
            continue
        known = {
            name.split("=")[0]
            for option in manual.page(words[1]).options
            for name in re.findall(r"--?[a-z][a-z0-9-]*", option.names)
        } | EARLIER
        wrong += [
            " ".join(words)
            for word in words[2:]
            if re.match(r"--?[a-z]", word) and word.split("=")[0] not in known
        ]
    assert wrong == []


# Options of earlier versions: pages of studies say the commands that their runs were made with.
EARLIER = {"--rounds", "--pipeline-depth"}


def _mentioned(text: str) -> Iterator[list[str]]:
    """Each `deadheat ...` in code, as words."""
    for code in re.findall(r"`(deadheat [^`\n]*)`", text) + re.findall(
        r"^ *\$ (deadheat .*)$", text, re.MULTILINE
    ):
        for command in code.split("|"):
            try:
                words = shlex.split(command.strip().rstrip(",.;"))
            except ValueError:  # a quote that is not closed: prose
                words = command.split()
            if words[:1] == ["deadheat"]:
                yield words
