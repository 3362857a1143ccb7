"""What this machine can settle: races of servers whose difference is known, and what they add up to."""

from typing import Literal

from pydantic import Field

from deadheat.model.base import Record

Interval = tuple[float, float]
RaceKind = Literal["pilot", "identical", "planted", "length"]


class MachineId(Record):
    """What a calibration holds for: elsewhere it is stale."""

    kernel: str
    cpu_model: str
    cores: int


class CalibrationRace(Record):
    """One race of `plain` against a server that does more work, or the same. One line of races.jsonl.

    `effects`: the log ratio of each block, how many times as fast plain is. `ratio`, `ci` and `verdict` are
    by the interval alone; `printed` is the verdict with the gates, `broken` the names of those that broke.
    `truth`: how many times as dear the other's request is, by counting: of the iterations of both and of what
    one costs, which long runs apart have measured, so that nothing of this race is in it; its interval is
    theirs. Null of those runs themselves. Where it is `truth_by` CPU, as in races of before, it is
    `cpu_ratio`: the ratio of the servers' own CPU time a request in this race, with its interval over blocks.
    `cpu_us` is that time of plain and of the other. Variances (squared log units) are those of the pair's
    ratio. `lead_in_bias`: what beginning to count after so many milliseconds would make of the log ratio,
    with its standard error.
    """

    step: str
    kind: RaceKind
    planted: float
    margin: float
    neighbour: bool
    lead_in_ms: int
    counted_ms: int
    blocks_planned: int
    rounds: int
    seed: int
    at: str
    seconds: float
    load_s: float
    iterations: tuple[int, int]
    effects: tuple[float, ...]
    start_variance: float
    slice_variance: float
    ratio: float
    ci: Interval | None
    verdict: str
    printed: str
    broken: tuple[str, ...] = ()
    truth: float | None
    truth_ci: Interval | None
    truth_by: Literal["cpu", "counting"] = "cpu"
    cpu_ratio: float | None = None
    cpu_ratio_ci: Interval | None = None
    cpu_us: tuple[float, float] | None
    lead_in_bias: dict[int, tuple[float, float]] = {}
    machine: MachineId

    @property
    def by_cpu(self) -> float | None:
        """How many times as dear the other's request was by CPU time in this race."""
        return self.truth if self.truth_by == "cpu" and self.cpu_ratio is None else self.cpu_ratio


class Found(Record):
    """The chance that a difference is called `faster` within a time, and how often it was in races."""

    difference: float
    margin: float
    chance: dict[int, float]
    raced: int
    found: int
    ratio: float | None
    truth: float | None


class Length(Record):
    """A length of slices: its ratio against that of the longest, and the error a minute of load leaves."""

    counted_ms: int
    ratio: float
    ci: Interval | None
    against_longest: Interval | None
    error_a_minute: float
    agrees: bool


class Calibration(Record):
    """`calibration.json`. Times of `chance` and `settles` are minutes of racing; shares are 0 to 1."""

    schema_: int = Field(default=1, alias="schema")
    id: str
    made: str
    machine: MachineId
    identical: int
    false_winners: int
    false_winner_rate: Interval
    found: tuple[Found, ...]
    settles: dict[int, float | None]
    lengths: tuple[Length, ...]
    lead_in_ms: int
    counted_ms: int
    start_variance: float
    slice_variance: float
    block_s: float
    round_s: float


class CalibrationCited(Record):
    """What a plan says of the calibration it was made under. `stale`: why it no longer holds, or null."""

    id: str
    made: str
    settles: dict[int, float | None]
    stale: str | None = None
