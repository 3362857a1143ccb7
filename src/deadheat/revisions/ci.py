"""What a CI service wants compared: of its environment and event, two commits of the clone that it made."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deadheat.errors import UserError
from deadheat.revisions.repository import Repository

# What services send where there was no commit before.
_NONE = "0" * 40
DEEPER = "GitHub: actions/checkout with fetch-depth: 2; GitLab: GIT_DEPTH: 0"


@dataclass(frozen=True)
class Change:
    """Two commits: `head` is compared with `base`. `pull_request`: its number, where it is one's; `known_as`:
    the commit that its author pushed, where `head` is the service's merge of it."""

    base: str
    head: str
    pull_request: int | None
    known_as: str


def change(repo: Repository, environment: Mapping[str, str]) -> Change:
    """Of the service that this runs in. Raises UserError outside of any, and where the clone lacks it."""
    if environment.get("GITHUB_ACTIONS"):
        return _of_github(repo, event(environment))
    if environment.get("GITLAB_CI"):
        return _of_gitlab(repo, environment)
    raise UserError(
        "--ci is for GitHub Actions and GitLab CI, and this is neither",
        hint="elsewhere name the revisions: deadheat ab BASE HEAD",
    )


def event(environment: Mapping[str, str]) -> Mapping[str, Any]:
    """GitHub's, of its file. Raises UserError."""
    try:
        read = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_bytes())
    except (KeyError, OSError, ValueError) as error:
        raise UserError(
            f"no event of GitHub can be read: {error}", hint="GITHUB_EVENT_PATH names it"
        ) from None
    return read if isinstance(read, dict) else {}


def _of_github(repo: Repository, event: Mapping[str, Any]) -> Change:
    head, parents = _commit(repo, "HEAD"), _parents(repo, "HEAD")
    pull = event.get("pull_request")
    if pull is None:
        return Change(_before(repo, event.get("before"), parents), head, None, head)
    number, own = int(pull["number"]), str(pull["head"]["sha"])
    if len(parents) > 1:
        # The merge that actions/checkout takes. The event's own base is older than this merge's, and what was
        # merged in between would be blamed on the pull request.
        return Change(_there(repo, parents[0]), head, number, own)
    base = repo.git.found("merge-base", "HEAD", str(pull["base"]["sha"]))
    if base is None:
        raise UserError("no commit that the pull request and its base have in common is here", hint=DEEPER)
    return Change(base, head, number, own)


def _of_gitlab(repo: Repository, environment: Mapping[str, str]) -> Change:
    head, parents = _commit(repo, "HEAD"), _parents(repo, "HEAD")
    number = environment.get("CI_MERGE_REQUEST_IID")
    if number is None:
        return Change(_before(repo, environment.get("CI_COMMIT_BEFORE_SHA"), parents), head, None, head)
    own = environment.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") or head
    if (
        environment.get("CI_MERGE_REQUEST_EVENT_TYPE") in ("merged_result", "merge_train")
        and len(parents) > 1
    ):
        return Change(_there(repo, parents[0]), head, int(number), own)
    base = environment.get("CI_MERGE_REQUEST_DIFF_BASE_SHA")
    if not base:
        raise UserError(
            "this merge request has no CI_MERGE_REQUEST_DIFF_BASE_SHA", hint="name the base: BASE"
        )
    return Change(_there(repo, base), head, int(number), own)


def _before(repo: Repository, before: object, parents: Sequence[str]) -> str:
    """Of a push what the branch was, where that is here; else the first parent."""
    if isinstance(before, str) and before != _NONE and _is_here(repo, before):
        return before
    if not parents:
        raise UserError("HEAD is the first commit: there is nothing to compare it with")
    return _there(repo, parents[0])


def _there(repo: Repository, commit: str) -> str:
    if not _is_here(repo, commit):
        raise UserError(
            f"{commit[:7]}, what HEAD is compared with, is not in this clone: it is shallow", hint=DEEPER
        )
    return commit


def _is_here(repo: Repository, commit: str) -> bool:
    return (
        repo.git.found("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{tree}}")
        is not None
    )


def _commit(repo: Repository, name: str) -> str:
    return repo.git("rev-parse", name)


def _parents(repo: Repository, name: str) -> list[str]:
    """As the commit says them: a shallow clone has commits whose parents it lacks."""
    head = repo.git("cat-file", "-p", name).partition("\n\n")[0]
    return [line.split()[1] for line in head.splitlines() if line.startswith("parent ")]
