"""Runs made up, as large and as hostile as a page may have to bear."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from hdrh.histogram import HdrHistogram

from deadheat.model.histogram import DIGITS, HIGHEST_NS, LOWEST_NS
from deadheat.model.measured import SlicePlan
from deadheat.model.observation import (
    BlockEnded,
    BlockStarted,
    Built,
    Checked,
    Ended,
    Observation,
    Started,
)
from deadheat.model.plan import Entry, Plan, RacePlan, contenders_of
from deadheat.model.result import Results
from deadheat.results import derive
from deadheat.storage.journal import Journal
from deadheat.suite.facts import facts_of
from deadheat.suite.suite import Suite, load

from .slices import COUNTED_NS, made_slice

LANGUAGES = ("C", "Go", "Rust", "Elixir", "C#")
WORKLOAD = """\
title = {title}
question = {question}
kind = "http"
metric = "throughput_rps"
reference = "c0"
[request]
path = "/{{token}}"
[[conformance]]
path = "/{{token}}"
body = "{{token}}"
"""
CONTENDER = """\
title = {title}
language = {language}
class = "{class_}"
run = "./server {{port}}"
build = "make CFLAGS=-O2 <server>"
"""


class Made:
    """A suite, and a run of it that never was."""

    def __init__(
        self,
        folder: Path,
        workloads: int = 1,
        contenders: int = 6,
        blocks: int = 4,
        rounds: int = 4,
        title: str = "A title",
        question: str = "Who answers fastest?",
    ) -> None:
        self.blocks, self.rounds = blocks, rounds
        for w in range(workloads):
            for c in range(contenders):
                home = folder / f"w{w}" / f"c{c}"
                home.mkdir(parents=True)
                (home / "server.c").write_text(
                    "int main(void) { return 0; } /* </pre><script>boo()</script> */\n"
                )
                (home / "contender.toml").write_text(
                    CONTENDER.format(
                        title=_toml(title),
                        language=_toml(LANGUAGES[c % len(LANGUAGES)]),
                        class_="tuned" if c % 3 == 2 else "idiomatic",
                    )
                )
            manifest = WORKLOAD.format(title=_toml(title), question=_toml(question))
            (folder / f"w{w}" / "workload.toml").write_text(manifest)
        self.suite: Suite = load(folder)
        races = tuple(self._race(w, contenders) for w in range(workloads))
        self.plan = Plan(
            run="20260102-030405-quick",
            version="0",
            started="2026-01-02T03:04:05Z",
            command=("deadheat", "race"),
            suite=str(folder),
            preset="quick",
            seed=41,
            margin=0.02,
            server_cpus=(0,),
            generator_cpus=(1,),
            commit="abc1234-dirty",
            workloads=races,
            facts=facts_of(self.suite, contenders_of(races)),
        )
        self.machine = {"cpu_model": "A CPU", "cores": 2, "memory_bytes": 2**33, "activity": {"steal": 0.01}}
        self.observations = [o for race in self.plan.workloads for o in self._observe(race)]

    def results(self, observations: Sequence[Observation] | None = None) -> Results:
        seen = self.observations if observations is None else observations
        return derive.results(self.plan, self.machine, seen)

    def save(self, folder: Path) -> Path:
        """As a run's folder: a plan, a machine, a journal."""
        folder.mkdir()
        (folder / "plan.json").write_text(self.plan.model_dump_json(by_alias=True))
        (folder / "machine.json").write_text('{"cores": 2}')
        with Journal(folder / "journal.jsonl") as journal:
            for observation in self.observations:
                journal.append(observation)
        return folder

    def _race(self, w: int, contenders: int) -> RacePlan:
        entries = tuple(Entry(id=f"c{c}", contender=f"c{c}") for c in range(contenders))
        return RacePlan(
            workload=f"w{w}",
            kind="http",
            metric="throughput_rps",
            reference="c0",
            entries=(*entries, Entry(id="c0'", contender="c0", null=True)),
            blocks=self.blocks,
            rounds=self.rounds,
            measured=SlicePlan(connections=64),
        )

    def _observe(self, race: RacePlan) -> list[Observation]:
        rng = random.Random(1)
        key, seen = race.key, list[Observation]()
        for entry in race.entries:
            if not entry.null:
                name = entry.contender
                built = {"artifact_bytes": 1000, "build_s": 1.0, "toolchains": {"gcc": "12.2.0"}}
                seen.append(
                    Built.model_validate({"workload": key, "contender": name, "status": "ready", **built})
                )
                seen.append(Checked(workload=key, contender=name, ok=True, cases=12))
        at = 0
        for block in range(race.blocks):
            order = tuple(entry.id for entry in race.entries)
            seen.append(BlockStarted(race=key, block=block, order=order, at="2026-01-02T03:04:05Z"))
            for name in order:
                seen.append(Started(race=key, block=block, entry=name, first_response_ms=3.0))
            for round_ in range(race.rounds):
                for turn, name in enumerate((*order, *reversed(order))):
                    speed = 1 + 0.1 * int(name.strip("c'"))
                    replies = round(3000 * speed * 2.718 ** rng.gauss(0, 0.01))
                    seen.append(made_slice(key, block, round_, turn, name, replies, started_ns=at))
                    at += COUNTED_NS * 3 // 2
            seen += [_ended(key, block, name, rng) for name in order]
            seen.append(BlockEnded(race=key, block=block))
        return seen


def _ended(key: str, block: int, entry: str, rng: random.Random) -> Ended:
    histogram = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)
    for _ in range(50):
        histogram.record_value(round(rng.lognormvariate(14, 1)), 200)
    return Ended(
        race=key,
        block=block,
        entry=entry,
        memory_bytes=10**7,
        peak_memory_bytes=2 * 10**7,
        threads=2,
        hdr=histogram.encode().decode(),
    )


def _toml(text: str) -> str:
    escaped = "".join(f"\\u{ord(c):04x}" if not c.isprintable() or c in '"\\' else c for c in text)
    return f'"{escaped}"'


def renamed(results: Results, names: dict[str, str], **more: str) -> Results:
    """Contenders called otherwise, wherever they are named; `more`: fields of each row."""
    reported = results.model_dump(mode="json", by_alias=True)

    def walk(value: object) -> object:
        if isinstance(value, dict):
            return {key: walk(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [walk(inner) for inner in value]
        return names.get(value, value) if isinstance(value, str) else value

    changed = walk(reported)
    assert isinstance(changed, dict)
    for workload in changed["workloads"]:
        for row in workload["contenders"]:
            row.update(more)
    return Results.model_validate(changed)
