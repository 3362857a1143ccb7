"""Results in a notebook: of each race who is faster, and what the gates say."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from deadheat.model.result import RaceResult, Results
from deadheat.report import gates, verdicts, words


def html(results: Results) -> str:
    """A fragment without style or script of its own. Names are escaped: they are other people's text."""
    return "".join(part for race in results.workloads for part in _race(race, results.margin))


def _race(race: RaceResult, margin: float) -> Iterator[str]:
    yield f"<h4>{escape(verdicts.headline(race))}</h4><table><tbody>"
    for row in race.contenders:
        amount = words.amount(race.judged, words.own_measure(race.judged, row))
        cells = (row.id, amount, verdicts.standing(race, row, margin))
        yield f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
    yield "</tbody></table>"
    for _, sentence in verdicts.beside_the_table(race, margin):
        yield f"<p>{escape(sentence)}</p>"
    yield f"<p>{escape(gates.summary(race))}</p>"
