"""The matrix of application workloads: a run's results are kept, and their table written to docs/app.md.

python -m bench.app_matrix RUN [--out runs]     # keeps what that run found
python -m bench.app_matrix                      # writes the table of what is kept anew

A page of it, of which scripts/pictures.py makes README's picture, is written to target/matrix.html.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench import kept_results
from bench.load import page
from deadheat.errors import UserError
from deadheat.model.result import Results
from deadheat.report import matrix, verdicts
from deadheat.report.html.page import render
from deadheat.storage import run_folder
from deadheat.util.files import write_whole

NAME = "app"
PAGE = kept_results.ROOT / "docs" / "app.md"
DRAWN = kept_results.ROOT / "target" / "matrix.html"


def table(results: Results) -> Iterator[str]:
    """Lines of Markdown: the matrix, then how its cells are settled."""
    (found,) = matrix.tables(results)
    yield f"{found.title[0].upper()}{found.title[1:]}"
    yield ""
    yield from page.table(matrix.Matrix.grouped(found.table))
    yield ""
    yield settled(results)


def settled(results: Results) -> str:
    """`Of 66 cells 60 are settled, 4 not, 2 without a verdict`, with the gates of those that have none."""
    words: Counter[str] = Counter()
    whys = []
    for race in results.workloads:
        for row in race.contenders:
            if row.id == race.reference or row.class_ == "ceiling":
                continue
            verdict = verdicts.verdict_of(race, row)
            word = "invalid" if verdict is None else verdict.verdict
            words[word] += 1
            if word == "invalid":
                gates = [gate.name for gate in row.gates if not gate.ok]
                whys.append(f"{row.id} of {race.name}: {', '.join(gates) or row.status}")
    said = (
        f"Of {words.total()} cells {words['faster'] + words['dead heat']} are settled, "
        f"{words['inconclusive']} not, {words['invalid']} without a verdict"
    )
    return said + (f" ({'; '.join(whys)})." if whys else ".")


def main() -> int:
    """Keeps, and writes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", nargs="?", metavar="RUN", help="a run's id, its folder, or latest")
    parser.add_argument("--out", type=Path, default=Path("runs"), metavar="DIR", help="where runs are")
    asked = parser.parse_args()
    try:
        if asked.run is not None:
            kept_results.keep(NAME, run_folder.find(asked.out, asked.run))
        results = kept_results.results(NAME)
    except UserError as error:
        print(f"app_matrix: {error}", file=sys.stderr)
        return 2
    page.put("python -m bench.app_matrix", list(table(results)), PAGE)
    DRAWN.parent.mkdir(exist_ok=True)
    write_whole(DRAWN, render(results).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
