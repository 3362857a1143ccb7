"""What is built is what is there: every source is copied, and whatever changes a build changes its key."""

from __future__ import annotations

from pathlib import Path

import pytest

from deadheat.build.builder import Builder
from deadheat.build.built import Build
from deadheat.build.sources import sources
from deadheat.hosts.local import LocalHost
from deadheat.model.contender import Contender, ContenderFile, resolve
from deadheat.util.interrupt import Stop


def written(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


def found(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in sources(folder)}


def test_what_tools_leave_beside_their_manifest_is_left_out(tmp_path: Path) -> None:
    kept = ("Cargo.toml", "mix.exs", "package.json", "src/main.rs")
    left = ("target/release/x", "deps/plug/mix.exs", "_build/x", "node_modules/x/index.js", ".git/HEAD")
    written(tmp_path, *kept, *left, "contender.toml", ".gitignore", "__pycache__/x.pyc")
    assert found(tmp_path) == set(kept)


def test_folders_of_those_names_elsewhere_are_sources(tmp_path: Path) -> None:
    """Rust's include_str!, Go's go:embed, and a package that is called target."""
    kept = ("go.mod", "target/target.go", "deps/list.txt", "docs/page.md", "README.md", "web/_build/a.js")
    written(tmp_path, *kept)
    assert found(tmp_path) == set(kept)


@pytest.fixture
def contender(tmp_path: Path) -> Contender:
    """Its artifact is made of a page in Markdown and of the flags it is built with."""
    folder = tmp_path / "workload" / "good"
    written(folder, "deps/page.md", "README.md")
    keys = {
        "title": "Good",
        "language": "Shell",
        "class": "idiomatic",
        "build": 'cat deps/page.md > out; echo "$RUSTFLAGS" >> out',
        "artifact": "out",
        "run": "true",
    }
    return resolve("workload", folder, ContenderFile.model_validate(keys))[0]


def build(contender: Contender, tmp_path: Path) -> Build:
    with LocalHost() as host:
        made = Builder(host, Stop(), tmp_path / "cache").build(contender)
    assert made.record.status == "ready", made.record
    return made


def artifact(made: Build) -> str:
    assert made.folder is not None
    return (made.folder / "out").read_text()


def test_a_page_that_is_built_in_is_there_and_counts(contender: Contender, tmp_path: Path) -> None:
    first = build(contender, tmp_path)
    assert artifact(first).startswith("deps/page.md")
    (contender.folder / "deps" / "page.md").write_text("another")
    second = build(contender, tmp_path)
    assert artifact(second).startswith("another")
    assert first.record.key != second.record.key


def test_flags_of_the_environment_are_part_of_the_key(
    contender: Contender, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RUSTFLAGS", raising=False)
    plain = build(contender, tmp_path)
    monkeypatch.setenv("RUSTFLAGS", "-Ctarget-cpu=native")
    native = build(contender, tmp_path)
    assert "native" in artifact(native) and "native" not in artifact(plain)
    assert native.record.key != plain.record.key
    monkeypatch.delenv("RUSTFLAGS")
    again = build(contender, tmp_path)
    assert again.record.cached and again.record.key == plain.record.key


def test_the_rest_of_the_environment_and_a_readme_build_nothing_anew(
    contender: Contender, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = build(contender, tmp_path)
    monkeypatch.setenv("SOMEBODYS_SESSION", "1")
    monkeypatch.setenv("CARGO_BUILD_BUILD_DIR", str(tmp_path / "elsewhere"))
    (contender.folder / "README.md").write_text("mended")
    assert build(contender, tmp_path).record.key == first.record.key
    assert first.folder is not None and (first.folder / "README.md").exists()
