"""What earlier races on this machine left for later ones: null pairs, starts, and that they were run."""

from typing import Literal

from deadheat.model.base import Record
from deadheat.model.kinds.registry import Kind

# What became of a race: `begun` and nothing since, so it was cut off; `stopped` by hand; all pairs `settled`;
# some pair left `open`.
Outcome = Literal["begun", "stopped", "settled", "open"]


class Variances(Record):
    """Of one contender's log level, squared log units: from start to start, and from round to round."""

    starts: float
    rounds: float


class PastRace(Record):
    """A line of the ledger: one race by our own method, written when it began, its outcome when it ended.

    `machine`: what ratios depend on, in words. `cold`: its servers were loaded from their start on.
    `contenders`: who raced, `outcome`: what became of it; not known of lines of before these were kept.
    `excludes`: whether the 95% interval of its null pair excluded 1; null where it had none. `starts`: of
    each contender the log level of each start, less what its block shared and less its own mean over
    the race; `spread`: its own variances in the race, where there were blocks and rounds enough to tell.
    `needed_s`: for how long those of its starts that were watched were loaded until they were at their level;
    `rests`: whether they were left alone between turns of load, `compilers_apart`: whether what translates
    hot code had CPUs beside theirs meanwhile; without either it was another time.
    `overrun`: how many times as long as planned, with warm-ups as these, its blocks took; null where none was
    whole.
    """

    run: str
    started: str
    machine: str
    workload: str
    setting: str | None = None
    kind: Kind
    method_version: int
    cold: bool = False
    contenders: tuple[str, ...] = ()
    outcome: Outcome | None = None
    excludes: bool | None = None
    starts: dict[str, tuple[float, ...]] = {}
    spread: dict[str, Variances] = {}
    needed_s: dict[str, tuple[float, ...]] = {}
    rests: bool = False
    compilers_apart: bool = False
    overrun: float | None = None


class Past(Record):
    """What was known of earlier races when a race was planned, so that its results can be made again.

    `null_pairs` of the last races of this kind, method and machine, and how many of them, `excluding`, were
    told apart at 95%. `starts`: the last of each contender in this workload, each over
    how starts differed in its race. `today`: races of this workload
    and setting that were begun here on the same day and had a pair in common with this one; `outcomes`: how
    many of them ended how, as far as known. `spread`: of each contender of which enough starts are known its
    own variances, by which the race has its blocks and rounds; `warm_up_s`: for how long each is loaded until
    it is at its level, the median of so many starts that were `watched`; `overrun`: how many times as long as
    planned blocks of this race took, at least 1.
    """

    null_pairs: int = 0
    excluding: int = 0
    starts: dict[str, tuple[float, ...]] = {}
    today: int = 0
    outcomes: dict[Outcome, int] = {}
    spread: dict[str, Variances] = {}
    warm_up_s: dict[str, float] = {}
    watched: dict[str, int] = {}
    overrun: float = 1.0
