"""A run: its plan, its results, and its tables."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from deadheat.export import source, tables
from deadheat.library.table import Table
from deadheat.model.plan import Plan
from deadheat.model.result import Results
from deadheat.report import notebook, terminal
from deadheat.storage import run_folder
from deadheat.storage.run_folder import RunFolder
from deadheat.util.paths import runs_folder


@dataclass(frozen=True)
class Run:
    """As its folder has it; shown, it is what `deadheat show` prints."""

    folder: Path

    @cached_property
    def _source(self) -> source.Source:
        return source.read(RunFolder(self.folder))

    @property
    def plan(self) -> Plan:
        return self._source.plan

    @property
    def results(self) -> Results:
        """What stands in results.json; of a run that was cut off, what its journal gives."""
        return self._source.results

    @property
    def warnings(self) -> tuple[str, ...]:
        """Of what was not whole in its folder."""
        return self._source.warnings

    @cached_property
    def _tables(self) -> tuple[Table, Table, Table]:
        slices, blocks, verdicts = map(Table, tables.tables(self._source))
        return slices, blocks, verdicts

    @property
    def slices(self) -> Table:
        """A row a slice, or an invocation of a program."""
        return self._tables[0]

    @property
    def blocks(self) -> Table:
        """A row a contender in a block."""
        return self._tables[1]

    @property
    def verdicts(self) -> Table:
        """A row a pair that was judged."""
        return self._tables[2]

    def __repr__(self) -> str:
        return terminal.text(self.results)

    def _repr_html_(self) -> str:
        return notebook.html(self.results)


def read(run: str | os.PathLike[str] = "latest", out: str | os.PathLike[str] | None = None) -> Run:
    """A run by its id or its folder, or the latest; `out` is where runs are kept. Raises UserError."""
    found = run_folder.find(Path(out) if out is not None else runs_folder(), os.fspath(run))
    return Run(Path(found.path))
