"""What `import deadheat` offers: races planned, run and read from Python, and revisions compared."""

from deadheat.library.races import Options, planned, race
from deadheat.library.revisions import AbOptions, Comparison, ab
from deadheat.library.run import Run, read
from deadheat.library.table import Table

__all__ = ["AbOptions", "Comparison", "Options", "Run", "Table", "ab", "planned", "race", "read"]
