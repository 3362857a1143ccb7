"""A revision's files in a folder of their own, as a worktree of git's that is gone when it is done with."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from deadheat.errors import UserError
from deadheat.revisions.git import Git, GitError
from deadheat.revisions.repository import Repository, Revision

_LFS = "filter=lfs"


@contextlib.contextmanager
def checked_out(
    repo: Repository, revision: Revision, folder: Path, ignored: Sequence[Path], warn: Callable[[str], None]
) -> Iterator[Path]:
    """The revision in `folder`, submodules with it, and these ignored files of the user's own working tree.

    Whoever takes the folder away (renames it) may keep it: what git knows of the worktree is gone at the end
    in any case, and so is whatever is still there. Raises UserError.
    """
    _remove(repo, folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        try:
            repo.git("worktree", "add", "--quiet", "--force", "--detach", str(folder), revision.commit)
            _submodules(repo, Git(folder))
        except GitError as error:
            raise UserError(f"{revision.label} cannot be checked out: {error}") from error
        _needs_lfs(folder, warn)
        for file in ignored:
            to = folder / file
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(repo.top / file, to)
        yield folder
    finally:
        _remove(repo, folder)


def ignored_files(repo: Repository, patterns: Sequence[str]) -> list[Path]:
    """The files that patterns name below the uppermost folder, in order. Raises UserError for one that names
    none, or that leads out of the repository."""
    found: dict[Path, None] = {}
    for pattern in patterns:
        if Path(pattern).is_absolute() or ".." in Path(pattern).parts:
            raise UserError(
                f'"{pattern}" leads out of the repository', hint="write it from the repository's top"
            )
        files = [file for file in sorted(repo.top.glob(pattern)) if file.is_file()]
        files += [
            file for folder in sorted(repo.top.glob(pattern)) if folder.is_dir() for file in _all_of(folder)
        ]
        if not files:
            raise UserError(f'"{pattern}" names no file to copy', hint=f"it is looked for below {repo.top}")
        found.update((file.relative_to(repo.top), None) for file in files)
    return list(found)


def _all_of(folder: Path) -> list[Path]:
    return [file for file in sorted(folder.rglob("*")) if file.is_file()]


def _submodules(repo: Repository, git: Git) -> None:
    """Each from the user's own copy where there is one: nothing is fetched that is here, and commits that
    were pushed nowhere are found. The user's configuration is left as it is."""
    if not (git.folder / ".gitmodules").exists():
        return
    listed = git.found("config", "--file", ".gitmodules", "--get-regexp", r"^submodule\..*\.url$") or ""
    modules = Path(repo.git("rev-parse", "--path-format=absolute", "--git-common-dir")) / "modules"
    settings = ["-c", "submodule.active=."]
    for line in listed.splitlines():
        key, _, url = line.partition(" ")
        own = modules / key.removeprefix("submodule.").removesuffix(".url")
        settings += ["-c", f"{key}={own if own.is_dir() else url}"]
    git(*settings, "submodule", "--quiet", "update", "--recursive")


def _needs_lfs(folder: Path, warn: Callable[[str], None]) -> None:
    attributes = folder / ".gitattributes"
    if (
        shutil.which("git-lfs") is None
        and attributes.exists()
        and _LFS in attributes.read_text(errors="replace")
    ):
        warn("files kept by Git LFS are pointers here, not the files: apt-get install git-lfs")


def _remove(repo: Repository, folder: Path) -> None:
    """The files and what git knows of them; also of one that was killed."""
    shutil.rmtree(folder, ignore_errors=True)
    # Git knows of none there, mostly.
    with contextlib.suppress(GitError):
        repo.git("worktree", "remove", "--force", "--force", str(folder))
