"""Comments on pull requests of GitHub's and merge requests of GitLab's, by their HTTP interfaces."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from deadheat.errors import UserError
from deadheat.revisions import ci

PAGE = 100
MOST_PAGES = 30
TIMEOUT_S = 30.0
# What a token that may only read is answered; 404 where it may not even see the place.
NOT_ALLOWED = (401, 403, 404)


class NotAllowedError(Exception):
    """The token may not do this, as that of a fork may not."""


@dataclass(frozen=True)
class Comment:
    """One on a page, by the service's own number of it."""

    id: int
    body: str


@dataclass(frozen=True)
class Forge:
    """The comments of one pull request or merge request: `one` is the address below which each is, `link`
    that of the job that found what is commented."""

    api: str
    all: str
    one: str
    headers: Mapping[str, str]
    update: str
    link: str | None

    def comments(self) -> Iterator[Comment]:
        """All of them, page by page. Raises NotAllowedError, and UserError."""
        for page in range(1, MOST_PAGES + 1):
            found = _asked(f"{self.api}{self.all}?per_page={PAGE}&page={page}", self.headers)
            yield from (Comment(int(one["id"]), str(one.get("body") or "")) for one in found)
            if len(found) < PAGE:
                return

    def write(self, body: str, over: Comment | None) -> None:
        """A new one, or over one of before. Raises NotAllowedError, and UserError."""
        if over is None:
            _asked(f"{self.api}{self.all}", self.headers, "POST", {"body": body})
        else:
            _asked(f"{self.api}{self.one}/{over.id}", self.headers, self.update, {"body": body})


def forge(environment: Mapping[str, str], pull_request: int, head: str) -> Forge:
    """That of the service that this runs in. Raises UserError outside of any, and in a workflow_run that is
    not about this commit."""
    if environment.get("GITHUB_ACTIONS"):
        return _github(environment, pull_request, head)
    if environment.get("GITLAB_CI"):
        return _gitlab(environment, pull_request)
    raise UserError("comments are for GitHub Actions and GitLab CI, and this is neither")


def _github(environment: Mapping[str, str], pull_request: int, head: str) -> Forge:
    name = _of(environment, "GITHUB_REPOSITORY")
    token = _of(environment, "GITHUB_TOKEN")
    api = environment.get("GITHUB_API_URL", "https://api.github.com")
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": "2022-11-28",
    }
    run = environment.get("GITHUB_RUN_ID")
    if environment.get("GITHUB_EVENT_NAME") == "workflow_run":
        # The number was written by the pull request's own job, which may have written any.
        about = ci.event(environment).get("workflow_run") or {}
        run = str(about.get("id"))
        known = _asked(f"{api}/repos/{name}/pulls/{pull_request}", headers)
        if not about.get("head_sha") == known["head"]["sha"] == head:
            raise UserError(f"#{pull_request} is at another commit than these results are of")
    server = environment.get("GITHUB_SERVER_URL", "https://github.com")
    return Forge(
        api=api,
        all=f"/repos/{name}/issues/{pull_request}/comments",
        one=f"/repos/{name}/issues/comments",
        headers=headers,
        update="PATCH",
        link=f"{server}/{name}/actions/runs/{run}" if run and run.isdecimal() else None,
    )


def _gitlab(environment: Mapping[str, str], merge_request: int) -> Forge:
    project = _of(environment, "CI_PROJECT_ID")
    # A job's own token may not comment there.
    token = environment.get("DEADHEAT_TOKEN")
    if not token:
        raise NotAllowedError("DEADHEAT_TOKEN, a project's token with the scope api, is not there")
    notes = f"/projects/{project}/merge_requests/{merge_request}/notes"
    return Forge(
        api=_of(environment, "CI_API_V4_URL"),
        all=notes,
        one=notes,
        headers={"PRIVATE-TOKEN": token},
        update="PUT",
        link=environment.get("CI_JOB_URL"),
    )


def _of(environment: Mapping[str, str], name: str) -> str:
    if not (value := environment.get(name)):
        raise UserError(f"{name} is not set", hint="docs/how-to/ci.md shows the step that sets it")
    return value


def _asked(url: str, headers: Mapping[str, str], method: str = "GET", body: object = None) -> Any:
    """The answer as JSON. Raises NotAllowedError, and UserError for all else that went wrong."""
    data = None if body is None else json.dumps(body).encode()
    given = {**headers, "User-Agent": "deadheat", "Content-Type": "application/json"}
    request = urllib.request.Request(url, data=data, method=method, headers=given)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        said = error.read(300).decode(errors="replace").strip()
        if error.code in NOT_ALLOWED:
            raise NotAllowedError(f"{method} {url}: {error.code} {said}") from error
        raise UserError(f"{method} {url}: {error.code} {said}") from error
    except (OSError, ValueError) as error:
        raise UserError(f"{method} {url}: {error}") from error
