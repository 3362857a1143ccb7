"""Answers that were right, kept beside the build that gave them: it is asked everything once. Under load its
replies are looked at in every race, each of them."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from pydantic import ValidationError

from deadheat.model.judged import without_judged
from deadheat.model.observation import Checked
from deadheat.run import kept
from deadheat.run.check import Check
from deadheat.run.kind import Stage
from deadheat.util.paths import PACKAGE

FILE = "right-answers.json"


def known(stage: Stage, entry: str) -> Checked | None:
    """What an earlier run was answered by this very build, if all of it was right; `run` says which run."""
    if not _lasts(stage, entry):
        return None
    found = kept.read(stage.build(entry), FILE).get(_key(stage, entry))
    try:
        return None if found is None else Checked.model_validate_json(json.dumps(found))
    except ValidationError:
        return None


def observed(stage: Stage, entry: str, check: Check, *, run: str) -> Checked:
    """What became of a check, which is kept where all was right, and where not, nothing is of before."""
    contender = stage.build(entry).contender.id
    checked = Checked(workload=stage.race.workload, contender=contender, **asdict(check))
    if _lasts(stage, entry):
        value = checked.replaced(run=run).model_dump(mode="json") if check.ok else None
        kept.keep(stage.build(entry), FILE, _key(stage, entry), value)
    return checked


def _lasts(stage: Stage, entry: str) -> bool:
    """Whether it is the same program the next time: that is known of what is built here alone. A command or a
    script may call what has changed, and somebody's own database too is as it is today."""
    contender = stage.build(entry).contender
    return contender.build is not None and not contender.runs_already and stage.db_url is None


def _key(stage: Stage, entry: str) -> str:
    """Of whatever else could make an answer wrong: what is asked and by whom, and how it is run."""
    build, race = stage.build(entry), stage.race
    of = {
        "build": [build.record.key, build.record.image],
        "contender": build.contender.model_dump(mode="json", exclude={"folder"}),
        "workload": stage.workload.model_dump(mode="json"),
        "files": _digest(path for path in stage.workload_folder.glob("*") if path.is_file()),
        "asked": [race.protocol, without_judged(race.setting), sorted(race.values.items())],
        "by": _our_code(),
    }
    return hashlib.sha256(json.dumps(of, sort_keys=True, default=str).encode()).hexdigest()


@functools.cache
def _our_code() -> str:
    return _digest(PACKAGE.rglob("*.py"))


def _digest(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(f"{path.name}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return digest.hexdigest()
