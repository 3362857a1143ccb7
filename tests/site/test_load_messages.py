"""Every message that a user of deadheat-load can meet is in docs/load.md, with what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
MADE = re.compile(
    r'(?:Error::usage\(|Error::new\(\s*Kind::\w+,|Err\()\s*(?:format!\(\s*)?"((?:[^"\\]|\\.)*)"', re.DOTALL
)
# What has fewer letters would fit anything.
FEWEST_LETTERS = 4
# Whoever drives the engine is a program: docs/engine-protocol.md.
NOT_OF_THE_PAGE = "engine/src/drive"


def messages() -> Iterator[tuple[str, str]]:
    """Each with its file; what is filled in is X. Without those that only put a name before another one."""
    for file in sorted((ROOT / "engine/src").rglob("*.rs")):
        code = file.read_text().partition("#[cfg(test)]")[0]
        for found in MADE.finditer(code):
            text = re.sub(r"\\\n\s*", "", found[1])
            text = re.sub(r"\{[^{}]*\}", "X", re.sub(r"\{[^{}]*\?\}", '"X"', text)).replace("\\\\", "\\")
            place = str(file.relative_to(ROOT))
            if len(re.findall("[a-z]", text)) >= FEWEST_LETTERS and not place.startswith(NOT_OF_THE_PAGE):
                yield place, text


def documented() -> list[re.Pattern[str]]:
    page = (ROOT / "docs/load.md").read_text()
    section = page.partition("\n## Messages\n")[2].partition("\n## ")[0]
    entries = re.findall(r"`([^`]+)`", section)
    patterns = [".*".join(map(re.escape, entry.replace("FILE", "...").split("..."))) for entry in entries]
    return [re.compile(p) for p in patterns if len(re.findall("[a-z]", p)) >= FEWEST_LETTERS]


def test_every_message_is_on_the_page() -> None:
    patterns, all_ = documented(), [*messages()]
    assert len(all_) > 80
    missing = [
        f"{file}: {text}" for file, text in all_ if not any(pattern.search(text) for pattern in patterns)
    ]
    assert missing == []
