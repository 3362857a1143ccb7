"""docs/glossary.md, written from docs/glossary.toml: `make glossary`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
TERMS, PAGE = DOCS / "glossary.toml", DOCS / "glossary.md"


def render() -> str:
    """The page: a table of all terms, sorted, then what was called otherwise before."""
    return "\n".join(_lines(tomllib.loads(TERMS.read_text())["term"])) + "\n"


def _lines(terms: list[dict[str, object]]) -> Iterator[str]:
    yield "# Glossary"
    yield ""
    yield "The words of Deadheat, the same in code, command line, reports and documentation. Written from"
    yield "[glossary.toml](glossary.toml) by `make glossary`."
    yield ""
    yield "| term | meaning |"
    yield "| --- | --- |"
    for term in sorted(terms, key=lambda term: str(term["name"]).lower()):
        yield f"| **{term['name']}** | {term['meaning']} |"
    yield ""
    yield "Earlier versions had other words for some of them:"
    yield ""
    yield "| before | now |"
    yield "| --- | --- |"
    for term in terms:
        before = term.get("before", [])
        assert isinstance(before, list)
        for name in before:
            yield f"| {name} | {term['name']} |"


if __name__ == "__main__":
    PAGE.write_text(render())
    print(PAGE.relative_to(DOCS.parent))
