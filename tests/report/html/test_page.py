"""The page as text: hostile names stay names, nothing asks a network, what is missing is said."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from deadheat.model.observation import Built, Ended, Stopped
from deadheat.report.html import page, text
from tests.made.runs import Made, renamed

HOSTILE = [
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "</title></style></script><svg onload=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)",
    "\u202egnp.exe\u2066",
    "a\x00b\x1bc",
    "x" * 10_000,
    "&lt;b&gt;",
]
# What may never be in a page, whatever elements there are.
ASKS = {"src", "srcset", "action", "formaction", "data", "poster", "background"}
MEBIBYTES_3 = 3 * 10**6


class Parsed(HTMLParser):
    """Elements with their attributes, and all text outside of scripts and styles."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.titles = 0
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.elements and self.elements[-1][0] not in ("script", "style"):
            self.text += data

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.elements)


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path / "suite")


def test_all_parts_are_there(made: Made) -> None:
    parsed = Parsed(page.render(made.results(), made.observations, made.suite))
    for said in (
        "Who answers fastest?", "times as fast as", "null pair", "Throughput against CPU", "Latency",
        "Every turn, over time", "What it costs", "peak memory", "artifact", "first response", "Gates:",
        "littles-law", "gcc 12.2.0", "make CFLAGS=-O2 <server>", "server.c", "deadheat race --seed 41",
        "abc1234-dirty", "A CPU", "8.59 GB",
    ):  # fmt: skip
        assert said in parsed.text, said


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_stays_text(made: Made, name: str) -> None:
    plain = Parsed(page.render(made.results(), made.observations, made.suite, warnings=["plain"]))
    results = renamed(made.results(), {"c1": name}, title=name, language=name, reason=name)
    results = results.model_copy(update={"stopped": name, "machine": {name: name}, "command": (name,)})
    markup = page.render(results, made.observations, made.suite, warnings=[name])
    parsed = Parsed(markup)
    kinds = {tag for tag, _ in plain.elements} | {"option"}
    assert {tag for tag, _ in parsed.elements} <= kinds
    assert parsed.count("script") == plain.count("script") == 1
    assert not any(
        attribute.startswith("on") for _, attributes in parsed.elements for attribute in attributes
    )
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00\x1b]", markup)
    assert len(markup) < MEBIBYTES_3


def test_hostile_titles_questions_and_sources(tmp_path: Path) -> None:
    made = Made(tmp_path / "suite", title=HOSTILE[0], question=HOSTILE[1])
    parsed = Parsed(page.render(made.results(), made.observations, made.suite))
    assert parsed.count("script") == 1
    assert parsed.count("img") == 0
    assert HOSTILE[1] in parsed.text
    assert "</pre><script>boo()</script>" in parsed.text


def test_nothing_is_asked_of_a_network(made: Made) -> None:
    markup = page.render(made.results(), made.observations, made.suite)
    for tag, attributes in Parsed(markup).elements:
        assert not ASKS & attributes.keys(), tag
        assert "style" not in attributes, "the policy would not let it act"
        target = attributes.get("href")
        assert target is None or target.startswith("#") or target == "data:,"
    assert "@import" not in markup
    assert "url(" not in markup
    assert "default-src &#39;none&#39;" in markup


def test_sixty_contenders_in_five_workloads(tmp_path: Path) -> None:
    made = Made(tmp_path / "suite", workloads=5, contenders=60, blocks=2, rounds=2)
    markup = page.render(made.results(), made.observations, made.suite)
    parsed = Parsed(markup)
    rows = [a for tag, a in parsed.elements if tag == "tr" and "data-place" in a]
    assert len(rows) == 60 * 5
    lines = [a for tag, a in parsed.elements if tag == "path" and (a["class"] or "").startswith("line log")]
    assert len(lines) == 60 * 5
    assert len(markup) < MEBIBYTES_3


def test_a_run_cut_off_is_marked(made: Made) -> None:
    half = [o for o in made.observations if getattr(o, "block", 0) < 2]
    half.append(Stopped(why="Ctrl-C"))
    said = Parsed(page.render(made.results(half), half, made.suite)).text
    assert "stopped before its plan's end (Ctrl-C)" in said
    assert "2 blocks of 4" in said


def test_a_run_of_nothing(made: Made) -> None:
    nothing = [Built(workload="w0", contender=f"c{c}", status="failed", reason="no gcc") for c in range(6)]
    said = Parsed(page.render(made.results(nothing), nothing, made.suite)).text
    assert "Nothing was raced" in said
    assert said.count("failed: no gcc") == 6


def test_without_histograms_the_rest_stays(made: Made) -> None:
    without = [o.model_copy(update={"hdr": None}) if isinstance(o, Ended) else o for o in made.observations]
    said = Parsed(page.render(made.results(without), without, made.suite)).text
    assert "share of requests answered within" not in said
    assert "Every turn, over time" in said
    assert "No latency histogram" in said


def test_without_a_journal_and_a_suite_the_figures_stay(made: Made) -> None:
    said = Parsed(page.render(made.results(), (), None)).text
    assert "The journal is not at hand" in said
    assert "times as fast as" in said
    assert "What it costs" in said


def test_the_interval_shown_is_the_one_judged_by(made: Made) -> None:
    results = made.results()
    found = results.workloads[0].verdicts[0]
    assert found.ci is not None
    markup = page.render(results, made.observations, made.suite)
    low, high = (1 / found.ci[1], 1 / found.ci[0]) if found.a == "c0" else found.ci
    other = found.b if found.a == "c0" else found.a
    row = re.search(rf'<tr[^>]* data-name="{other}"[^>]*>', markup)
    assert row is not None
    assert f'data-low="{low}"' in row[0]
    assert f'data-high="{high}"' in row[0]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("plain", "plain"),
        ("a\u202eb", "a\\u202eb"),
        ("a\x1b[31m", "a\\x1b[31m"),
        ("line\nline\ttab", "line\nline\ttab"),
        ("crème, 速度", "crème, 速度"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(given: str, shown: str) -> None:
    assert text.visible(given) == shown
