"""Results and every report of a run, derived from its journal and written into its folder."""

import json
from collections.abc import Sequence
from pathlib import Path

from deadheat import derive
from deadheat.model.observation import Built, Observation
from deadheat.model.result import Results
from deadheat.report import csv_table, markdown
from deadheat.run_folder import RunFolder
from deadheat.suite import Suite, load


def write(folder: RunFolder, suite: Suite, observations: Sequence[Observation]) -> Results:
    """Derive results and write them in every form."""
    results = derive.results(folder.plan(), suite, folder.machine(), observations)
    builds = [o.model_dump(mode="json") for o in observations if isinstance(o, Built)]
    folder.write("builds.json", _as_json(builds))
    for o in observations:
        if o.type == "ended" and o.hdr:
            name = f"{o.workload} {o.block} {o.entry}".replace("/", "_").replace(":", "+").replace(" ", "-")
            (folder.path / "histograms").mkdir(exist_ok=True)
            folder.write(f"histograms/{name}.hdr", o.hdr + "\n")
    folder.write("results.json", results.model_dump_json(by_alias=True, indent=2) + "\n")
    folder.write("results.csv", csv_table.render(results))
    folder.write("report.md", markdown.render(results))
    return results


def derive_again(folder: RunFolder) -> tuple[Results, list[str]]:
    """All of it once more from the journal, and warnings about what was not whole there."""
    observations, torn = folder.observations()
    suite = load(Path(folder.plan().suite))
    return write(folder, suite, observations), [torn] if torn else []


def _as_json(rows: Sequence[object]) -> str:
    return json.dumps(rows, indent=2) + "\n"
