"""What `import deadheat` offers: races planned, run and read from Python, and revisions compared."""

from deadheat.library.races import Options, planned, race
from deadheat.library.revisions import AbOptions, Bisected, Comparison, ab, bisect, comment
from deadheat.library.run import Run, read
from deadheat.library.table import Table

__all__ = [
    "AbOptions",
    "Bisected",
    "Comparison",
    "Options",
    "Run",
    "Table",
    "ab",
    "bisect",
    "comment",
    "planned",
    "race",
    "read",
]
