"""Which revision is meant, and a working tree taken as it is without a trace in what is the user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from deadheat.errors import UserError
from deadheat.revisions.repository import default_base, repository, revision, working_tree
from tests.made.repository import ENVIRONMENT, Made, made


@pytest.fixture(autouse=True)
def nobodys_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def mine(tmp_path: Path) -> Made:
    return made(tmp_path / "mine", {"a": "1\n", ".gitignore": "secret\n"})


def test_a_dirty_tree_is_taken_as_it_is_and_left_as_it_was(mine: Made) -> None:
    mine.write({"a": "2\n"})
    mine.git("stash", "push", "--quiet")
    mine.write({"a": "staged\n"})
    mine.git("add", "a")
    mine.write({"a": "3\n", "sub/new ü": "new\n", "secret": "never\n"})
    before = mine.git("status", "--porcelain"), mine.git("stash", "list"), mine.git("ls-files", "--stage")
    repo = repository(mine.path)
    found = working_tree(repo)
    assert (found.working, found.changed) == (True, 2)
    assert repo.text(found, "a") == "3"
    assert repo.text(found, "sub/new ü") == "new"
    assert repo.text(found, "secret") is None
    after = mine.git("status", "--porcelain"), mine.git("stash", "list"), mine.git("ls-files", "--stage")
    assert after == before
    # The same files are the same tree, whenever they are taken.
    assert working_tree(repo).commit == found.commit


def test_a_clean_tree_is_its_commit(mine: Made) -> None:
    found = working_tree(repository(mine.path))
    assert (found.commit, found.changed) == (mine.git("rev-parse", "HEAD"), 0)


def test_the_base_is_where_the_branch_left_main(mine: Made) -> None:
    fork = mine.git("rev-parse", "HEAD")
    mine.git("switch", "--quiet", "--create", "feature/x")
    mine.commit({"a": "2\n"})
    mine.git("switch", "--quiet", "main")
    mine.commit({"b": "1\n"})
    mine.git("switch", "--quiet", "feature/x")
    found = default_base(repository(mine.path))
    assert (found.commit, found.label) == (fork, f"main@{fork[:7]}")


def test_the_remotes_default_branch_goes_first(mine: Made, tmp_path: Path) -> None:
    mine.git("branch", "--quiet", "--move", "main", "trunk")
    mine.git("clone", "--quiet", str(mine.path), str(tmp_path / "clone"))
    clone = Made(tmp_path / "clone")
    clone.git("branch", "--quiet", "main")
    clone.commit({"a": "2\n"})
    assert default_base(repository(clone.path)).label.startswith("trunk@")


def test_no_default_branch(mine: Made) -> None:
    mine.git("branch", "--quiet", "--move", "main", "elsewhere")
    with pytest.raises(UserError, match="which branch is the default one is not known"):
        default_base(repository(mine.path))


def test_a_shallow_clone(mine: Made, tmp_path: Path) -> None:
    mine.git("switch", "--quiet", "--create", "feature")
    mine.commit({"a": "2\n"})
    mine.git("switch", "--quiet", "main")
    mine.commit({"b": "2\n"})
    url = mine.path.as_uri()
    mine.git(
        "clone", "--quiet", "--depth=1", "--no-single-branch", "--branch=feature", url, str(tmp_path / "s")
    )
    with pytest.raises(UserError, match="this clone is shallow") as raised:
        default_base(repository(tmp_path / "s"))
    assert "--unshallow" in (raised.value.hint or "")
    with pytest.raises(UserError, match="no revision is called"):
        revision(repository(tmp_path / "s"), "HEAD~1")


def test_names(mine: Made) -> None:
    first = mine.git("rev-parse", "HEAD")
    mine.git("tag", "v1")
    repo = repository(mine.path)
    assert revision(repo, "v1").label == f"v1@{first[:7]}"
    assert revision(repo, first[:10]).label == first[:7]
    assert revision(repo, ".").working
    for no_revision in ("nowhere", "--help", "-x", "HEAD:a"):
        with pytest.raises(UserError, match="no revision is called"):
            revision(repo, no_revision)


def test_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    folder = tmp_path / "none"
    folder.mkdir()
    with pytest.raises(UserError, match="no working tree of a git repository"):
        repository(folder)


def test_nothing_committed(tmp_path: Path) -> None:
    Made(tmp_path).git("init", "--quiet")
    with pytest.raises(UserError, match="nothing is committed yet"):
        repository(tmp_path)


def test_where_the_user_stands(mine: Made) -> None:
    mine.commit({"services/api/x": ""})
    repo = repository(mine.path / "services" / "api")
    assert (repo.top, repo.inside) == (mine.path, "services/api")
    assert repo.names(working_tree(repo), repo.inside) == {"x"}
