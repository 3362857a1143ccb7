"""gRPC counts calls: in tables, on the page and in what is exported, and HTTP counts requests."""

from __future__ import annotations

from pathlib import Path

import pytest

from deadheat import export
from deadheat.export import source
from deadheat.report import markdown
from deadheat.report.html import page
from tests.export import made_up


def everything(tmp_path: Path, kind: str) -> dict[str, str]:
    """Every text that a run of that kind leaves: reports, exports, charts."""
    read = source.read(made_up.run_folder(tmp_path, ["echo"]))
    plan = read.plan.model_copy(
        update={"workloads": tuple(w.model_copy(update={"kind": kind}) for w in read.plan.workloads)}
    )
    results = read.results.model_copy(
        update={"workloads": tuple(w.model_copy(update={"kind": kind}) for w in read.results.workloads)}
    )
    made = source.assemble(plan, results, read.observations)
    texts = {
        "report.html": page.render(results, read.observations, None),
        "report.md": markdown.render(results),
    }
    for name in ("bencher", "github-action-benchmark", "junit", "gobench", "svg"):
        for file, content in export.named(name).render(made).files.items():
            texts[f"{name}: {file}"] = content.decode()
    return texts


SAID = {
    "http": ("requests/s", "a request", "req/s", "share of requests answered within"),
    "grpc": ("calls/s", "a call", "calls/s", "share of calls answered within"),
}


@pytest.mark.parametrize("kind", ["http", "grpc"])
def test_one_word_for_what_is_asked(tmp_path: Path, kind: str) -> None:
    texts = everything(tmp_path, kind)
    rate, each, short, share = SAID[kind]
    assert share in texts["report.html"]
    assert f"CPU {each}<" in texts["report.html"]
    assert f"µs CPU {each}" in texts["report.md"]
    for name in ("report.html", "report.md", "junit: junit.xml", "svg: echo-throughput-cpu.svg"):
        assert rate in texts[name], name
    assert f"Unit {short} better=higher" in texts["gobench: gobench.txt"]
    assert f" {short} " in texts["gobench: gobench.txt"]
    other = {"http": "calls/s", "grpc": "requests/s"}[kind]
    assert [name for name, text in texts.items() if other in text] == []
