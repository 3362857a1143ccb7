"""Calls that a program really executes, counted by valgrind's callgrind: what an optimiser took out.

The program is run at two small n; of the calls of each the difference is taken, so that what a runtime
calls at its start is out of it, and so that no name of a function need be known.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

from deadheat.build import artifact
from deadheat.build.built import Build
from deadheat.hosts.program import Spec
from deadheat.kinds.conformance import Wrong
from deadheat.kinds.program import invocations
from deadheat.model.observation import CallCount
from deadheat.model.work.program import CallsWork
from deadheat.run.kind import Stage
from deadheat.util.files import write_whole

# Beside the build, which it is as good as: neither changes without the other.
KEPT = "calls.json"
_COUNT = "calls="


def observe(stage: Stage, block: int, entry: str, work: CallsWork, specs: tuple[Spec, Spec]) -> CallCount:
    """Counted once for each build; `specs` are the program at the smaller n and at the larger."""
    found = CallCount(race=stage.race.key, block=block, entry=entry, n=work.n, asked=work.asked)
    build = stage.build(entry)
    if (why := _unknown(build, specs[0])) is not None:
        return found.replaced(unknown=why)
    assert build.folder is not None
    kept = build.folder.parent / KEPT
    if (known := _kept(kept, work)) is not None:
        return found.replaced(executed=known)
    try:
        fewer, more = (_executed(stage, spec, stage.logs / "callgrind.out") for spec in specs)
    except Wrong as wrong:
        return found.replaced(unknown=wrong.reason)
    write_whole(kept, json.dumps({"n": work.n, "executed": more - fewer}))
    return found.replaced(executed=more - fewer)


def _unknown(build: Build, spec: Spec) -> str | None:
    """Why it cannot be known, or None."""
    made = build.contender.artifact
    assert build.folder is not None
    native = made is not None and artifact.is_elf(build.folder / made)
    if not native or (build.folder / spec.argv[0]).resolve() != (build.folder / str(made)).resolve():
        return "not native code"
    return None if shutil.which("valgrind") else "install valgrind"


def _kept(file: Path, work: CallsWork) -> int | None:
    if not file.exists():
        return None
    known = json.loads(file.read_bytes())
    return int(known["executed"]) if tuple(known["n"]) == work.n else None


def _executed(stage: Stage, spec: Spec, output: Path) -> int:
    """All calls of one run. Raises Wrong."""
    valgrind = shutil.which("valgrind")
    assert valgrind is not None
    exit_, _ = invocations.complete(
        stage,
        replace(
            spec,
            argv=(
                valgrind,
                "-q",
                "--tool=callgrind",
                f"--callgrind-out-file={output.absolute()}",
                "--",
                *spec.argv,
            ),
            # Go's runtime interrupts its threads by signals, which callgrind gets out of step with.
            env={**spec.env, "GODEBUG": "asyncpreemptoff=1", "GOMAXPROCS": "1"},
        ),
    )
    if not exit_.ok:
        raise Wrong(f"under callgrind it {exit_.describe()}", " ".join(spec.argv))
    text = output.read_text(errors="replace")
    output.unlink()
    return count(text)


def count(text: str) -> int:
    """The sum of the calls in a file of callgrind's: lines `calls=COUNT TARGET`."""
    lines = (line for line in text.splitlines() if line.startswith(_COUNT))
    return sum(int(line.removeprefix(_COUNT).split()[0]) for line in lines)
