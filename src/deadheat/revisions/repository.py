"""The repository that a user stands in, and the revisions of it that are compared."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from deadheat.errors import UserError
from deadheat.revisions.git import Git, GitError

WORKING_TREE = "."
SHORT = 7
# Nobody's: a commit that no branch leads to, and that git throws away by and by.
_AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (
        ("NAME", "deadheat"),
        ("EMAIL", "deadheat@localhost"),
        ("DATE", "2000-01-01T00:00:00Z"),
    )
}


@dataclass(frozen=True)
class Revision:
    """A state of the sources. `label` is for people: `main@3f2c1a9`, `the working tree`.

    `commit` can be checked out; of a working tree it is one that no branch leads to. `tree` names the files.
    `changed`: how many files of a working tree are not as they were committed.
    """

    label: str
    commit: str
    tree: str
    working: bool = False
    changed: int = 0


@dataclass(frozen=True)
class Repository:
    """`top` is its uppermost folder, `inside` the way from there to where the user stands, empty or `a/b`."""

    git: Git
    top: Path
    inside: str

    @property
    def name(self) -> str:
        return self.top.name or "repository"

    def text(self, revision: Revision, path: str) -> str | None:
        """A file of a revision; None where it has none."""
        return self.git.found("show", f"{revision.tree}:{path}")

    def names(self, revision: Revision, folder: str) -> frozenset[str]:
        """What lies in a folder of a revision."""
        listed = self.git.found("ls-tree", "--name-only", "-z", f"{revision.tree}:{folder}")
        return frozenset((listed or "").split("\0")) - {""}


def repository(folder: Path) -> Repository:
    """The one that a folder is in. Raises UserError where it is in none, and where nothing is committed."""
    git = Git(folder)
    try:
        top = Path(git("rev-parse", "--show-toplevel"))
        inside = git("rev-parse", "--show-prefix").rstrip("/")
    except GitError as error:
        raise UserError(
            f"{folder}: no working tree of a git repository: {error}",
            hint="deadheat ab compares revisions; deadheat race compares commands",
        ) from error
    if git.found("rev-parse", "--verify", "--quiet", "HEAD") is None:
        raise UserError(f"{top}: nothing is committed yet", hint="there is no revision to compare with")
    return Repository(Git(top), top, inside)


def revision(repo: Repository, name: str) -> Revision:
    """What a name (a branch, a tag, a commit) stands for; `.` is the working tree. Raises UserError."""
    if name == WORKING_TREE:
        return working_tree(repo)
    commit = repo.git.found("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if commit is None:
        raise UserError(f'no revision is called "{name}"', hint=_where_it_may_be(repo, name))
    return _committed(repo, commit, name)


def default_base(repo: Repository) -> Revision:
    """Where the branch left the default branch (its merge base with HEAD). Raises UserError."""
    branch = _default_branch(repo)
    commit = repo.git.found("merge-base", branch, "HEAD")
    if commit is None:
        shallow = repo.git.found("rev-parse", "--is-shallow-repository") == "true"
        raise UserError(
            f"no commit that {branch} and HEAD have in common is here"
            + (": this clone is shallow" if shallow else ""),
            hint="git fetch --unshallow (in CI: fetch-depth: 0), or name the base: deadheat ab HEAD~1"
            if shallow
            else "name the base: deadheat ab BASE",
        )
    return _committed(repo, commit, branch.removeprefix("origin/"))


def working_tree(repo: Repository) -> Revision:
    """The files as they are, but for ignored ones: by an index of our own, the user's stays as it is."""
    changed = len((repo.git("status", "--porcelain", "--untracked-files=all") or "").splitlines())
    head = repo.git("rev-parse", "HEAD")
    if not changed:
        return Revision("the working tree", head, _tree_of(repo, head), working=True)
    with tempfile.TemporaryDirectory(prefix="deadheat-index-") as folder:
        index = Path(folder) / "index"
        own = Path(repo.git("rev-parse", "--path-format=absolute", "--git-path", "index"))
        if own.exists():
            shutil.copyfile(own, index)
        env = {"GIT_INDEX_FILE": str(index)}
        try:
            repo.git("add", "--all", env=env)
            tree = repo.git("write-tree", env=env)
        except GitError as error:
            raise UserError(f"the working tree cannot be taken as it is: {error}") from error
    commit = repo.git("commit-tree", tree, "-p", head, "-m", "the working tree", env=_AUTHOR)
    return Revision("the working tree", commit, tree, working=True, changed=changed)


def _committed(repo: Repository, commit: str, name: str) -> Revision:
    label = commit[:SHORT] if commit.startswith(name) else f"{name}@{commit[:SHORT]}"
    return Revision(label, commit, _tree_of(repo, commit))


def _tree_of(repo: Repository, commit: str) -> str:
    return repo.git("rev-parse", f"{commit}^{{tree}}")


def _default_branch(repo: Repository) -> str:
    """That of the remote, where it is known here; else main or master. Raises UserError."""
    remote = repo.git.found("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
    own = repo.git.found("config", "init.defaultBranch")
    for name in (remote, "origin/main", "origin/master", "main", "master", own):
        if name and repo.git.found("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"):
            return name
    raise UserError(
        "which branch is the default one is not known here", hint="name the base: deadheat ab BASE"
    )


def _where_it_may_be(repo: Repository, name: str) -> str:
    if repo.git.found("rev-parse", "--is-shallow-repository") == "true":
        return "this clone is shallow: git fetch --unshallow (in CI: fetch-depth: 0)"
    if repo.git.found("rev-parse", "--verify", "--quiet", f"origin/{name}^{{commit}}"):
        return f"did you mean origin/{name}?"
    return "a branch, a tag or a commit; . is the working tree"
