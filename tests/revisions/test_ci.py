"""Which commits a job of CI is about, in real clones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deadheat.errors import UserError
from deadheat.revisions.ci import Change, change
from deadheat.revisions.repository import repository
from tests.made.repository import Made, made


@pytest.fixture
def mine(tmp_path: Path) -> Made:
    """main with two commits and a branch of one."""
    found = made(tmp_path / "mine", {"a": "1"})
    found.git("checkout", "--quiet", "-b", "branch")
    found.commit({"b": "1"})
    found.git("checkout", "--quiet", "main")
    found.commit({"a": "2"})
    return found


def commit(mine: Made, name: str) -> str:
    return mine.git("rev-parse", name)


def of_github(mine: Made, event: dict[str, Any]) -> Change:
    file = mine.path.parent / "event.json"
    file.write_text(json.dumps(event))
    return change(repository(mine.path), {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": str(file)})


def of_gitlab(mine: Made, **environment: str) -> Change:
    return change(repository(mine.path), {"GITLAB_CI": "true", **environment})


def pull(mine: Made) -> dict[str, Any]:
    head, base = commit(mine, "branch"), commit(mine, "main~1")
    return {"pull_request": {"number": 3, "head": {"sha": head}, "base": {"sha": base}}}


def merged(mine: Made) -> str:
    mine.git("checkout", "--quiet", "--detach", "main")
    mine.git("merge", "--quiet", "-m", "merge", "branch")
    return commit(mine, "HEAD")


def test_a_merge_is_held_against_its_first_parent(mine: Made) -> None:
    merge = merged(mine)
    assert of_github(mine, pull(mine)) == Change(commit(mine, "main"), merge, 3, commit(mine, "branch"))
    for event in ("merged_result", "merge_train"):
        found = of_gitlab(
            mine,
            CI_MERGE_REQUEST_IID="3",
            CI_MERGE_REQUEST_EVENT_TYPE=event,
            CI_MERGE_REQUEST_SOURCE_BRANCH_SHA=commit(mine, "branch"),
            CI_MERGE_REQUEST_DIFF_BASE_SHA=commit(mine, "main~1"),
        )
        assert found == Change(commit(mine, "main"), merge, 3, commit(mine, "branch"))


def test_a_branch_checked_out_itself_is_held_against_where_it_began(mine: Made) -> None:
    mine.git("checkout", "--quiet", "branch")
    own, began = commit(mine, "branch"), commit(mine, "main~1")
    assert of_github(mine, pull(mine)) == Change(began, own, 3, own)
    found = of_gitlab(
        mine,
        CI_MERGE_REQUEST_IID="3",
        CI_MERGE_REQUEST_EVENT_TYPE="detached",
        CI_MERGE_REQUEST_DIFF_BASE_SHA=began,
    )
    assert found == Change(began, own, 3, own)


def test_a_push_is_held_against_what_was_there(mine: Made) -> None:
    mine.commit({"a": "3"})
    head, first = commit(mine, "HEAD"), commit(mine, "HEAD~2")
    assert of_github(mine, {"before": first}) == Change(first, head, None, head)
    # A new branch, one that was forced, and what nobody pushed.
    for event in ({"before": "0" * 40}, {"before": "d" * 40}, {}):
        assert of_github(mine, event) == Change(commit(mine, "HEAD~1"), head, None, head)
    assert of_gitlab(mine, CI_COMMIT_BEFORE_SHA=first) == Change(first, head, None, head)


def test_the_first_commit_has_nothing_before_it(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="HEAD is the first commit"):
        of_gitlab(made(tmp_path / "new", {"a": "1"}))


def test_neither_service(mine: Made) -> None:
    with pytest.raises(UserError, match="this is neither"):
        change(repository(mine.path), {})
