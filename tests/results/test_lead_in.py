"""The lead-in of a race grows by itself where the counted part of its slices is not flat."""

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from deadheat import derive, lead_in
from deadheat.build import Build
from deadheat.conformance import Check
from deadheat.interrupt import Stop
from deadheat.journal import read, whole_blocks
from deadheat.kinds.base import Stage
from deadheat.model.contender import Contender
from deadheat.model.observation import (
    BlockEnded,
    BlockStarted,
    Built,
    LeadInGrown,
    Observation,
    Slice,
    Surroundings,
)
from deadheat.model.plan import WorkloadPlan
from deadheat.model.result import WorkloadResult
from deadheat.report.live import NoView
from deadheat.run_folder import RunFolder
from deadheat.runner import Runner
from deadheat.schedule import Block

from .observed import observations, plan, race, suite

LATE = (*[100] * 20, *[200] * 10, 0)
SLOPING = {"fast": {"bins": LATE}}


def asked(blocks: int = 8) -> WorkloadPlan:
    return race(blocks).model_copy(update={"lead_in_ms": 50, "counted_ms": 100})


def after(blocks: int, tmp_path: Path, **how: Any) -> WorkloadResult:
    seen = observations(race(blocks), noise=0.6, **how)
    return derive.workload(asked(), suite(tmp_path), 0.02, list(whole_blocks(seen)))


def test_it_doubles_at_the_first_look_and_names_whom_it_is_for(tmp_path: Path) -> None:
    longer = lead_in.grown(asked(), after(3, tmp_path, changed=SLOPING), 3)
    assert longer is not None and (longer.lead_in_ms, longer.from_block) == (100, 3)
    assert longer.why == "the counted part of the slices of fast was not flat after 50 ms"


@pytest.mark.parametrize(
    ("blocks", "who", "lead_in_ms"),
    [(3, None, 50), (4, "fast", 50), (2, "fast", 50), (3, "ceiling", 50), (3, "fast", 200), (3, "fast", 0)],
    ids=["flat", "later than the first look", "earlier", "the ceiling alone", "at the most", "no slices"],
)
def test_it_does_not_grow(tmp_path: Path, blocks: int, who: str | None, lead_in_ms: int) -> None:
    result = after(blocks, tmp_path, changed={who: {"bins": LATE}} if who else {})
    assert lead_in.grown(asked().model_copy(update={"lead_in_ms": lead_in_ms}), result, blocks) is None


def test_a_race_of_one_look_has_no_blocks_to_spare(tmp_path: Path) -> None:
    assert lead_in.grown(asked(3), after(3, tmp_path, changed=SLOPING), 3) is None


class Sloping:
    """A kind whose slices are flat from a lead-in of so many milliseconds on."""

    def __init__(self, flat_from_ms: int) -> None:
        self.flat_from_ms = flat_from_ms
        self.lead_ins: list[int] = []

    def unavailable(self, race: WorkloadPlan) -> str | None:
        return None

    def check(self, stage: Stage, entry: str) -> Check:
        return Check(True, 12, None, None)

    def block(self, stage: Stage, block: Block) -> Generator[Observation]:
        self.lead_ins.append(stage.race.lead_in_ms)
        changed = SLOPING if stage.race.lead_in_ms < self.flat_from_ms else {}
        for o in observations(race(block.index + 1), noise=0.6, changed=changed):
            inner = not isinstance(o, BlockStarted | BlockEnded | Surroundings)
            if inner and getattr(o, "block", None) == block.index:
                yield o


class Ready:
    """Everything is built."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def build(self, contender: Contender, _say: object) -> Build:
        return Build(contender, self.folder, Built(workload="echo", contender=contender.id, status="ready"))


def run(tmp_path: Path, kind: Sloping, seen: list[Observation]) -> list[Observation]:
    """A whole run with this kind, as a journal has it."""
    folder = RunFolder(tmp_path / "run")
    folder.logs.mkdir(parents=True, exist_ok=True)
    loaded = suite(tmp_path / "suite") if not (tmp_path / "suite").exists() else load_again(tmp_path)
    with Stop() as stop:
        runner = Runner(
            plan(asked()),
            loaded,
            folder,
            {("http", "deadheat"): kind},
            None,  # type: ignore[arg-type]
            NoView(),
            stop,
            seen,
            Ready(tmp_path),  # type: ignore[arg-type]
        )
        runner.run()
    return read(folder.journal)[0]


def load_again(tmp_path: Path) -> Any:
    from deadheat.suite import load  # noqa: PLC0415

    return load(tmp_path / "suite")


def grown_in(observed: list[Observation]) -> Iterator[LeadInGrown]:
    return (o for o in observed if isinstance(o, LeadInGrown))


def test_a_slope_at_the_first_look_starts_the_blocks_anew(tmp_path: Path) -> None:
    kind = Sloping(flat_from_ms=100)
    observed = run(tmp_path, kind, [])
    assert kind.lead_ins == [50] * 3 + [100] * 8
    assert [o.from_block for o in grown_in(observed)] == [3]
    counting = list(whole_blocks(observed))
    assert sorted({o.block for o in counting if isinstance(o, Slice)}) == list(range(3, 11))
    result = derive.results(plan(asked()), load_again(tmp_path), {}, observed).workloads[0]
    assert (result.blocks, result.blocks_planned) == (8, 8)
    assert all(gate.ok for row in result.contenders for gate in row.gates if gate.name == "flat")
    assert any("so from block 4 on it has 100 ms" in finding for finding in result.findings)


def test_what_no_lead_in_makes_flat_has_no_verdict(tmp_path: Path) -> None:
    kind = Sloping(flat_from_ms=10_000)
    observed = run(tmp_path, kind, [])
    assert kind.lead_ins == [50] * 3 + [100] * 3 + [200] * 8
    result = derive.results(plan(asked()), load_again(tmp_path), {}, observed).workloads[0]
    assert str(result.verdicts[0].why).startswith("flat: ")


def test_a_resumed_run_goes_on_with_the_longer_lead_in(tmp_path: Path) -> None:
    observed = run(tmp_path, Sloping(flat_from_ms=100), [])
    ends = [place for place, o in enumerate(observed) if isinstance(o, BlockEnded)]
    kept = observed[: ends[5] + 1]
    (tmp_path / "run" / "journal.jsonl").unlink()
    kind = Sloping(flat_from_ms=100)
    run(tmp_path, kind, list(kept))
    assert kind.lead_ins == [100] * 5
