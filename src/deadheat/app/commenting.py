"""One comment on a pull request, written by what a job left: what `deadheat comment` does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from deadheat.app.forge import NotAllowedError, forge
from deadheat.errors import UserError
from deadheat.model.choices import CommentWhen
from deadheat.model.ci import FILE, CiJob
from deadheat.report import comment

# Far more than any comparison: what a stranger's job left is not read to its end.
LONGEST_BYTES = 20_000_000


def write(folder: Path, environment: Mapping[str, str], id_: str, when: CommentWhen) -> str:
    """Write it, or say in a sentence why there is none. Raises UserError."""
    job = read(folder / FILE)
    if when == "never":
        return "no comment: --on never"
    if job.pull_request is None:
        return "no comment: this is no pull request"
    try:
        page = forge(environment, job.pull_request, job.head)
        first = comment.marker(id_)
        before = next((one for one in page.comments() if one.body.startswith(first)), None)
        if before is None and when == "change" and not comment.is_news(job):
            return "no comment: nothing is slower"
        body = before.body if before is not None else None
        page.write(comment.comment(job, id_, page.link, body), before)
    except NotAllowedError as error:
        return (
            f"no comment: not allowed ({error}). The token of a fork is read-only: the summary has it all, "
            "and docs/how-to/ci.md shows the workflow that comments for forks"
        )
    return f"#{job.pull_request}: the comment is {'written' if before is None else 'written anew'}"


def read(file: Path) -> CiJob:
    """What a job left; whatever it is, it is data. Raises UserError."""
    try:
        if file.stat().st_size > LONGEST_BYTES:
            raise UserError(f"{file}: too long")
        return CiJob.model_validate_json(file.read_bytes())
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}", hint="deadheat ab --ci FOLDER leaves it") from error
    except ValidationError as error:
        raise UserError(f"{file}: not what deadheat ab --ci leaves: {error.errors()[0]['msg']}") from error
