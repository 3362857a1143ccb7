"""What `import deadheat` offers: races planned, run and read from Python."""

from deadheat.library.races import Options, planned, race
from deadheat.library.run import Run, read
from deadheat.library.table import Table

__all__ = ["Options", "Run", "Table", "planned", "race", "read"]
