"""What else the blocks of a race tell, at the terminal: sentences under its verdicts."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from deadheat.model.result import WorkloadResult

WIDTH = 78


def lines(result: WorkloadResult) -> Iterator[str]:
    """Variance that is between starts, warm-up, drift, carry-over, unequal work: where there is any."""
    for finding in result.findings:
        yield from textwrap.wrap(
            finding, WIDTH, initial_indent="· ", subsequent_indent="  ", break_on_hyphens=False
        )
