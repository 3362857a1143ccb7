"""The lead-in of a race grows by itself where the counted part of its slices is not flat."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from deadheat.model.observation import BlockEnded, LeadInGrown, Observation, Slice
from deadheat.model.plan import RacePlan
from deadheat.model.result import RaceResult
from deadheat.plan import lead_in
from deadheat.report.findings import sentences
from deadheat.report.reasons import of_verdict
from deadheat.results import derive
from deadheat.run.kind import Stage
from deadheat.storage.journal import whole_blocks
from deadheat.suite.suite import Suite
from tests.made import playing
from tests.made.observed import facts, observations, plan, race, suite

LATE = (*[100] * 20, *[200] * 10, 0)
SLOPING = {"fast": {"bins": LATE}}


def asked(blocks: int = 8, lead_in_ms: int = 50) -> RacePlan:
    return race(blocks, lead_in_ms=lead_in_ms, counted_ms=100)


def after(blocks: int, tmp_path: Path, **how: Any) -> RaceResult:
    seen = observations(race(blocks), noise=0.6, **how)
    return derive.workload(asked(), facts(suite(tmp_path)), 0.02, list(whole_blocks(seen)))


EACH = {entry: [50.0] * 3 for entry in ("slow", "fast", "ceiling", "slow'")}


def test_it_doubles_at_the_first_look_and_names_whom_it_is_for(tmp_path: Path) -> None:
    of_many = race_of_rivals()
    longer = lead_in.grown(asked(), of_many, EACH | {"other": [50.0] * 3}, 3)
    assert [(one.entries, one.lead_in_ms, one.from_block) for one in longer] == [(("fast",), 100, 3)]
    assert longer[0].why == "the counted part of the slices of fast was not flat after 50 ms"


def test_where_most_slope_it_is_the_reference_and_all_get_longer_ones(tmp_path: Path) -> None:
    longer = lead_in.grown(asked(), after(3, tmp_path, changed=SLOPING), EACH, 3)
    assert [one.entries[0] for one in longer] == list(EACH)
    assert {one.lead_in_ms for one in longer} == {100}


def test_one_that_its_latency_made_longer_is_doubled_from_there(tmp_path: Path) -> None:
    longer = lead_in.grown(asked(), race_of_rivals(), EACH | {"fast": [390.0, 400.0, 410.0]}, 3)
    assert [one.lead_in_ms for one in longer] == [820]


def test_one_whose_latency_made_it_a_second_is_not_made_two(tmp_path: Path) -> None:
    """Its slices take as long as everybody's else together, and are no flatter."""
    assert not lead_in.grown(asked(), race_of_rivals(), EACH | {"fast": [2700.0, 2800.0, 2800.0]}, 3)


@pytest.mark.parametrize(
    ("blocks", "who", "lead_in_ms"),
    [(3, None, 50), (4, "fast", 50), (2, "fast", 50), (3, "ceiling", 50), (3, "fast", 200), (3, "fast", 0)],
    ids=["flat", "later than the first look", "earlier", "the ceiling alone", "at the most", "no slices"],
)
def test_it_does_not_grow(tmp_path: Path, blocks: int, who: str | None, lead_in_ms: int) -> None:
    result = after(blocks, tmp_path, changed={who: {"bins": LATE}} if who else {})
    each = {entry: [50.0] * blocks for entry in EACH}
    assert not lead_in.grown(asked(lead_in_ms=lead_in_ms), result, each, blocks)


def race_of_rivals() -> RaceResult:
    """A race of three rivals, in which the slices of one are not flat."""
    with TemporaryDirectory() as folder:
        result = after(3, Path(folder), changed=SLOPING)
    fast = next(row for row in result.contenders if row.id == "fast")
    flat = fast.replaced(name="other", gates=())
    return result.replaced(contenders=(*result.contenders, flat, flat.replaced(name="another")))


def test_a_race_of_one_look_has_no_blocks_to_spare(tmp_path: Path) -> None:
    assert not lead_in.grown(asked(3), after(3, tmp_path, changed=SLOPING), EACH, 3)


class Sloping(playing.Playing):
    """A kind whose slices are flat from a lead-in of so many milliseconds on."""

    def __init__(self, flat_from_ms: int) -> None:
        super().__init__()
        self.flat_from_ms = flat_from_ms
        self.lead_ins: list[int] = []

    def changed(self, stage: Stage) -> dict[str, dict[str, Any]]:
        self.lead_ins.append(stage.race.lead_in_of("fast"))
        return SLOPING if stage.race.lead_in_of("fast") < self.flat_from_ms else {}


def run(tmp_path: Path, kind: Sloping, seen: list[Observation]) -> list[Observation]:
    """A whole run with this kind, as a journal has it."""
    return playing.run(tmp_path, plan(asked(), playing.suite_in(tmp_path)), kind, seen)


def load_again(tmp_path: Path) -> Suite:
    return playing.suite_in(tmp_path)


def grown_in(observed: list[Observation]) -> Iterator[LeadInGrown]:
    return (o for o in observed if isinstance(o, LeadInGrown))


def test_a_slope_at_the_first_look_starts_the_blocks_anew(tmp_path: Path) -> None:
    kind = Sloping(flat_from_ms=100)
    observed = run(tmp_path, kind, [])
    assert kind.lead_ins == [50] * 3 + [100] * 8
    assert {o.from_block for o in grown_in(observed)} == {3}
    counting = list(whole_blocks(observed))
    assert sorted({o.block for o in counting if isinstance(o, Slice)}) == list(range(3, 11))
    result = derive.results(plan(asked(), load_again(tmp_path)), {}, observed).workloads[0]
    assert (result.blocks, result.blocks_planned) == (8, 8)
    assert all(gate.ok for row in result.contenders for gate in row.gates if gate.name == "flat")
    assert any("so from block 4 on it has 100 ms" in finding for finding in sentences(result))


def test_the_next_race_of_the_same_build_begins_with_what_this_one_learnt(tmp_path: Path) -> None:
    run(tmp_path, Sloping(flat_from_ms=100), [])
    (tmp_path / "run" / "journal.jsonl").unlink()
    kind = Sloping(flat_from_ms=100)
    observed = run(tmp_path, kind, [])
    assert set(kind.lead_ins) == {100}
    assert {(o.from_block, o.lead_in_ms) for o in grown_in(observed)} == {(0, 100)}
    counting = list(whole_blocks(observed))
    assert min(o.block for o in counting if isinstance(o, Slice)) == 0
    result = derive.results(plan(asked(), load_again(tmp_path)), {}, observed).workloads[0]
    assert "lead-in of fast: 100 ms, as an earlier race here found" in sentences(result)


def test_what_no_lead_in_makes_flat_has_no_verdict(tmp_path: Path) -> None:
    kind = Sloping(flat_from_ms=10_000)
    observed = run(tmp_path, kind, [])
    assert kind.lead_ins == [50] * 3 + [100] * 3 + [200] * 8
    result = derive.results(plan(asked(), load_again(tmp_path)), {}, observed).workloads[0]
    assert of_verdict(result.verdicts[0]).startswith("flat: ")


def test_a_resumed_run_goes_on_with_the_longer_lead_in(tmp_path: Path) -> None:
    observed = run(tmp_path, Sloping(flat_from_ms=100), [])
    ends = [place for place, o in enumerate(observed) if isinstance(o, BlockEnded)]
    kept = observed[: ends[5] + 1]
    (tmp_path / "run" / "journal.jsonl").unlink()
    kind = Sloping(flat_from_ms=100)
    run(tmp_path, kind, list(kept))
    assert kind.lead_ins == [100] * 5
