"""Results and every report of a run, derived from its journal and written into its folder."""

import json
from collections.abc import Sequence
from pathlib import Path

from deadheat.errors import UserError
from deadheat.model.observation import Built, Observation
from deadheat.model.result import Results
from deadheat.report import csv_table, markdown
from deadheat.results import derive
from deadheat.results import why as follow
from deadheat.storage import checksum
from deadheat.storage.run_folder import RunFolder
from deadheat.studies.registry import DERIVERS
from deadheat.suite.suite import Suite, load


def write(
    folder: RunFolder,
    suite: Suite | None,
    observations: Sequence[Observation],
    warnings: Sequence[str] = (),
) -> Results:
    """Derive results and write them in every form.

    `suite` is for the sources that the page shows, no figure and no verdict rests on it. `warnings`: what
    was not whole, shown on the page.
    """
    results = derive.results(folder.plan(), folder.machine(), observations, DERIVERS)
    builds = [o.model_dump(mode="json") for o in observations if isinstance(o, Built)]
    folder.write("builds.json", _as_json(builds))
    for o in observations:
        if o.type == "ended" and o.hdr:
            name = f"{o.race} {o.block} {o.entry}".replace("/", "_").replace(":", "+").replace(" ", "-")
            (folder.path / "histograms").mkdir(exist_ok=True)
            folder.write(f"histograms/{name}.hdr", o.hdr + "\n")
    shown = (*warnings, *checksum.keep_edited(folder))
    folder.write("results.json", results.model_dump_json(by_alias=True, indent=2) + "\n")
    checksum.write(folder)
    _write_reports(folder, results, suite, observations, shown)
    return results


def derive_again(folder: RunFolder) -> tuple[Results, list[str]]:
    """All of it once more from the journal, and warnings about what was not whole there.

    Without a journal results.json is shown as it stands, and said to be no evidence.
    """
    if not folder.journal.exists() and folder.results_file.exists():
        results = folder.results()
        warnings = ["The journal is missing: these figures are those of results.json, and cannot be checked."]
        warnings += checksum.complaints(folder)
        _write_reports(folder, results, None, (), warnings)
        return results, warnings
    observations, torn = folder.observations()
    warnings = ["The journal ended in a torn line, which is left out."] if torn else []
    results = write(folder, _suite(folder), observations, warnings)
    return results, [*([torn] if torn else []), *checksum.complaints(folder)]


def why(folder: RunFolder, pair: tuple[str, str], workload: str | None) -> follow.Why:
    """What the verdict on a pair rests on, from the journal alone; results.json is only held against it."""
    plan = folder.plan()
    results = folder.results() if folder.results_file.exists() else None
    observations, _ = folder.observations()
    return follow.follow(plan, observations, results, pair, workload)


def _suite(folder: RunFolder) -> Suite | None:
    """The suite as it is now, None where it is no longer there or no longer whole."""
    try:
        return load(Path(folder.plan().suite))
    except UserError:
        return None


def _write_reports(
    folder: RunFolder,
    results: Results,
    suite: Suite | None,
    observations: Sequence[Observation],
    warnings: Sequence[str],
) -> None:
    # Here, since templates and the like are not needed before a race has ended.
    from deadheat.report.html import page

    folder.write("results.csv", csv_table.render(results))
    folder.write("report.md", markdown.render(results))
    folder.write("report.html", page.render(results, observations, suite, warnings))


def _as_json(rows: Sequence[object]) -> str:
    return json.dumps(rows, indent=2) + "\n"
