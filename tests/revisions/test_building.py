"""Revisions built: at one path, once, with submodules and ignored files, and nothing left behind."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from deadheat.errors import UserError
from deadheat.hosts.local import LocalHost
from deadheat.revisions import building
from deadheat.revisions.building import BuildFailedError, Recipe, Workshop
from deadheat.revisions.checkout import ignored_files
from deadheat.revisions.repository import repository, revision
from deadheat.util.interrupt import InterruptedRunError, Stop
from tests.made.repository import ENVIRONMENT, Made, made

# As compilers do, it leaves in the program where it was built.
BUILD = "mkdir -p out && { cat a; pwd; } > out/app && echo built >> built"
RECIPE = Recipe(build=BUILD, artifact="out/app")


@pytest.fixture(autouse=True)
def nobodys_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def mine(tmp_path: Path) -> Made:
    mine = made(tmp_path / "mine", {"a": "1\n", ".gitignore": ".env\ngen/\nout/\n"})
    mine.commit({"a": "2\n"})
    return mine


@pytest.fixture
def workshop(mine: Made, tmp_path: Path) -> Iterator[Workshop]:
    with LocalHost() as host:
        yield Workshop(repository(mine.path), tmp_path / "cache", host, Stop(), pytest.fail)


def test_built_at_one_path_and_kept(mine: Made, workshop: Workshop) -> None:
    said: list[str] = []
    old, new = (
        workshop.build(revision(workshop.repo, name), RECIPE, said.append) for name in ("HEAD~1", "HEAD")
    )
    texts = [(one.folder / "out/app").read_text().splitlines() for one in (old, new)]
    assert [text[0] for text in texts] == ["1", "2"]
    assert texts[0][1] == texts[1][1]
    assert len(str(old.folder)) == len(str(new.folder))
    assert said == ["building", "building"]
    assert mine.worktrees() == 1 and mine.git("status", "--porcelain") == ""
    again = workshop.build(revision(workshop.repo, "HEAD"), RECIPE, pytest.fail)
    assert again.record.cached and again.folder == new.folder
    assert old.digest() != new.digest()


def test_the_same_sources_make_the_same_program(mine: Made, workshop: Workshop) -> None:
    mine.commit({"README": "words\n"})
    built = [
        workshop.build(revision(workshop.repo, name), RECIPE, lambda _: None) for name in ("HEAD~1", "HEAD")
    ]
    assert built[0].record.key != built[1].record.key
    assert built[0].digest() == built[1].digest()


def test_what_a_build_depends_on_is_in_its_key(
    mine: Made, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine.write({".env": "x=1\n"})
    head = revision(workshop.repo, "HEAD")

    def key(recipe: Recipe) -> str | None:
        return workshop.build(head, recipe, lambda _: None).record.key

    copied = replace(RECIPE, copied=(".env",))
    keys = [
        key(RECIPE),
        key(copied),
        key(replace(RECIPE, build=f"{BUILD} #")),
        key(replace(RECIPE, inside=".")),
    ]
    keys.append(key(replace(RECIPE, env=(("CFLAGS", "-O3"),))))
    mine.write({".env": "x=2\n"})
    keys.append(key(copied))
    monkeypatch.setenv("GOFLAGS", "-race")
    keys.append(key(RECIPE))
    assert len(set(keys)) == len(keys)
    monkeypatch.setenv("EDITOR", "ed")
    assert key(RECIPE) == keys[-1]


def test_ignored_files_that_are_listed_are_there(mine: Made, workshop: Workshop) -> None:
    mine.write({".env": "x=1\n", "gen/deep/b": "b\n", "gen/c": "c\n"})
    recipe = Recipe(build="cat .env gen/deep/b gen/c > all", artifact="all", copied=(".env", "gen"))
    built = workshop.build(revision(workshop.repo, "HEAD~1"), recipe, lambda _: None)
    assert (built.folder / "all").read_text() == "x=1\nb\nc\n"


@pytest.mark.parametrize(
    ("pattern", "said"), [("../x", "leads out"), ("/etc/passwd", "leads out"), ("none", "names no file")]
)
def test_files_that_cannot_be_copied(workshop: Workshop, pattern: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        ignored_files(workshop.repo, [pattern])


def test_a_build_that_fails(mine: Made, workshop: Workshop) -> None:
    with pytest.raises(BuildFailedError, match=r"does not build: its build exited with status 3.*\n    why"):
        workshop.build(revision(workshop.repo, "HEAD"), Recipe("echo why; exit 3", None), lambda _: None)
    with pytest.raises(BuildFailedError, match="left no app"):
        workshop.build(revision(workshop.repo, "HEAD"), Recipe("true", "app"), lambda _: None)
    assert mine.worktrees() == 1
    # It is no build that anybody could be given.
    with pytest.raises(BuildFailedError, match="left no app"):
        workshop.build(revision(workshop.repo, "HEAD"), Recipe("true", "app"), lambda _: None)


@pytest.mark.parametrize("words", ["{there}", "env MODE=fast {there} --port {{port}}", "sh -c '{there}"])
def test_what_is_run_is_not_outside_of_what_is_built(
    mine: Made, workshop: Workshop, tmp_path: Path, words: str
) -> None:
    there = tmp_path / "bin" / "app"
    there.parent.mkdir()
    there.write_text("of before")
    recipe = Recipe(f"cp a {there}", None, runs=words.format(there=there))
    with pytest.raises(BuildFailedError, match="outside of its sources") as raised:
        workshop.build(revision(workshop.repo, "HEAD"), recipe, lambda _: None)
    assert str(there) in raised.value.message and mine.worktrees() == 1
    # What only lies there is nobody's doing: an interpreter, say.
    os.utime(there, (0, 0))
    workshop.build(revision(workshop.repo, "HEAD"), replace(recipe, build="true"), lambda _: None)


def test_a_stop_during_a_build_leaves_no_worktree(mine: Made, workshop: Workshop, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    os.mkfifo(begun)
    recipe = Recipe(f"echo > {begun}; exec sleep 3600", None)

    def stop() -> None:
        begun.read_text()
        workshop.stop.requested = True

    watcher = threading.Thread(target=stop)
    watcher.start()
    with pytest.raises(InterruptedRunError):
        workshop.build(revision(workshop.repo, "HEAD"), recipe, lambda _: None)
    watcher.join()
    assert mine.worktrees() == 1


def test_what_a_killed_one_left_is_in_nobodys_way(mine: Made, workshop: Workshop) -> None:
    at = workshop.cache / building.ROOM / workshop._called / building.TREE
    at.parent.mkdir(parents=True)
    mine.git("worktree", "add", "--quiet", "--detach", str(at), "HEAD")
    workshop.build(revision(workshop.repo, "HEAD~1"), RECIPE, lambda _: None)
    assert mine.worktrees() == 1


def test_files_of_git_lfs_without_git_lfs_are_told(
    mine: Made, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine.commit({".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "a.bin": "a pointer\n"})
    which = shutil.which
    monkeypatch.setattr(
        shutil, "which", lambda name, **how: None if name == "git-lfs" else which(name, **how)
    )
    told: list[str] = []
    replace(workshop, warn=told.append).build(
        revision(workshop.repo, "HEAD"), Recipe("cat a.bin > all", "all"), lambda _: None
    )
    assert len(told) == 1 and "git-lfs" in told[0]


def test_submodules_come_from_the_users_own_copy(mine: Made, workshop: Workshop, tmp_path: Path) -> None:
    part = made(tmp_path / "part", {"p": "pushed\n"})
    mine.git("submodule", "--quiet", "add", str(part.path), "part")
    own = Made(mine.path / "part")
    own.commit({"p": "not pushed\n"})
    mine.commit({})
    part.path.rename(tmp_path / "gone")
    before = mine.git("config", "--list", "--local")
    built = workshop.build(revision(workshop.repo, "HEAD"), Recipe("cp part/p all", "all"), lambda _: None)
    assert (built.folder / "all").read_text() == "not pushed\n"
    assert mine.git("config", "--list", "--local") == before
    assert mine.worktrees() == 1
