"""A race of servers that is judged by another figure than its own."""

from __future__ import annotations

import io
import math
import random
from pathlib import Path

import pytest
from rich.console import Console

from deadheat.errors import UserError
from deadheat.model.choices import JudgedBy
from deadheat.model.measured import InvocationPlan
from deadheat.model.observation import BlockEnded, Ended, Invocation, Observation, Started
from deadheat.model.result import RaceResult, Results
from deadheat.report import csv_table, curve, markdown, terminal
from deadheat.report.html import page
from deadheat.results import claimed, derive, past
from deadheat.results.tally import tallied
from deadheat.results.why import follow
from tests.made.observed import COUNTED_NS, observations, plan, race, suite
from tests.results.test_equal_load import turn, waits


def results(folder: Path, by: JudgedBy) -> Results:
    """`fast` serves 1.3 times the requests of `slow`; of all else `slow` takes less: CPU time a request 1.6
    times, memory twice, startup four times."""
    of = race(setting=f"by={by}").replaced(judged_by=by)
    busy = {"server_cpu_ns": COUNTED_NS * 9 // 10}
    little = {"server_cpu_ns": int(COUNTED_NS * 9 / 10 / 1.3 / 1.6)}
    rng = random.Random(2)
    seen = [
        o.model_copy(update={"peak_memory_bytes": _near(4e6 if o.entry == "fast" else 2e6, rng)})
        if isinstance(o, Ended)
        else o
        for o in observations(of, changed={"fast": busy, "slow": little, "slow'": little})
    ]
    took_ms = {"fast": 80.0, "ceiling": 5.0}
    seen += [
        Started(
            race=of.key,
            block=block,
            entry=entry.id,
            first_response_ms=_near(took_ms.get(entry.id, 20.0) * 1e3, rng) / 1e3,
        )
        for block in range(of.blocks)
        for entry in of.entries
    ]
    return derive.results(plan(of, suite(folder)), {}, seen)


def _near(value: float, rng: random.Random) -> int:
    """Within about a percent of it: what never varies has no interval."""
    return round(value * math.exp(rng.gauss(0, 0.005)))


def judged(folder: Path, by: JudgedBy) -> RaceResult:
    [found] = results(folder, by).workloads
    return found


@pytest.mark.parametrize(
    ("by", "metric", "ratio"),
    [
        ("cpu", "cpu_us_per_request", 1.6),
        ("memory", "peak_memory_bytes", 2.0),
        ("startup", "first_response_ms", 4.0),
    ],
)
def test_the_verdict_is_about_that_figure(tmp_path: Path, by: JudgedBy, metric: str, ratio: float) -> None:
    found = judged(tmp_path, by)
    verdict = next(one for one in found.verdicts if {one.a, one.b} == {"slow", "fast"})
    assert (found.judged, verdict.metric, verdict.verdict, verdict.a) == (metric, metric, "faster", "slow")
    assert verdict.ratio == pytest.approx(ratio, rel=0.05)
    assert found.null_pair is not None and found.null_pair.ok
    assert found.null_pair.ratio == pytest.approx(1, rel=0.05)
    fast = next(row for row in found.contenders if row.id == "fast")
    assert fast.against_reference is not None
    assert fast.against_reference.ratio == pytest.approx(1 / ratio, rel=0.05)


def test_by_its_own_figure_the_other_one_is_faster(tmp_path: Path) -> None:
    verdict = judged(tmp_path, "throughput").verdicts[0]
    assert (verdict.a, verdict.metric) == ("fast", "throughput_rps")


@pytest.mark.parametrize(
    ("by", "headline", "sentence", "amount"),
    [
        ("cpu", "CPU a request", "times as good as fast by CPU time", " µs"),
        ("memory", "memory", "times as good as fast by memory", " MB"),
        ("startup", "time to the first answer", "times as good as fast by time to the first answer", " ms"),
    ],
)
def test_every_report_names_it(
    tmp_path: Path, by: JudgedBy, headline: str, sentence: str, amount: str
) -> None:
    found = results(tmp_path, by)
    console = Console(record=True, width=120, file=io.StringIO())
    terminal.show(found, console)
    text = console.export_text()
    assert f"echo [by={by}] · {headline}, 64 connections" in text
    assert amount in text and "worse fast" in text
    shown = markdown.render(found)
    assert sentence in shown
    assert f"| {headline} |" in shown and "| requests/s |" in shown
    assert f"{found.workloads[0].judged}," in csv_table.render(found)


def test_a_percentile_is_judged_at_equal_load(tmp_path: Path) -> None:
    """`fast` serves more, and at one rate half of its clients wait twice as long."""
    of = race(setting="by=p50", loads=(0.5,), open_loop_ms=300).replaced(judged_by="p50")
    seen = observations(of)
    for block in range(of.blocks):
        for number, entry in enumerate(of.entries):
            median_ms = 2.0 if entry.id == "fast" else 1.0
            made = waits(median_ms, seed=10 * block + number)
            seen.append(turn(entry.id, block, made, race=of.key))
    found = derive.results(plan(of, suite(tmp_path)), {}, seen)
    verdict = next(one for one in found.workloads[0].verdicts if {one.a, one.b} == {"slow", "fast"})
    assert (verdict.a, verdict.verdict, verdict.metric) == ("slow", "faster", "latency_p50_at_load_ms")
    assert verdict.ratio == pytest.approx(2, rel=0.1)
    null = found.workloads[0].null_pair
    assert null is not None and null.ok and null.ratio == pytest.approx(1, rel=0.1)
    text = markdown.render(found)
    assert "slow is " in text and "times as good as fast by p50 (95% CI" in text
    assert "| p50 at equal load |" in text


def test_several_loads_are_told_in_its_words(tmp_path: Path) -> None:
    of = [
        race(setting=setting, connections=connections).replaced(judged_by="cpu")
        for setting, connections in (("by=cpu", 64), ("connections=10 by=cpu", 10))
    ]
    busy = {"fast": {"server_cpu_ns": COUNTED_NS * 9 // 10}, "slow": {"server_cpu_ns": COUNTED_NS // 10}}
    busy["slow'"] = busy["slow"]
    seen = [o for one in of for o in observations(one, changed=busy)]
    whole = plan(of[0], suite(tmp_path)).model_copy(update={"workloads": tuple(of)})
    ((title, table, _),) = curve.tables(derive.results(whole, {}, seen))
    assert title == "echo · CPU a request (times as good as slow)"
    assert next(row[-1] for row in table if row[0] == "fast") == "worse"


def test_the_page_has_its_words(tmp_path: Path) -> None:
    found = results(tmp_path, "memory")
    text = page.render(found)
    assert "times as good as" in text and "by memory" in text
    assert ">worse<" in text and ">slower<" not in text
    assert "Right of 1 is better." in text


def test_a_null_pair_of_another_figure_stays_out_of_the_pool(tmp_path: Path) -> None:
    by, folders = dict[str, bool | None](), iter([tmp_path / "a", tmp_path / "b"])
    for word in ("throughput", "cpu"):
        of = race(setting=None).replaced(judged_by=word)
        planned, seen = plan(of, suite(next(folders))), observations(of)
        (left,) = past.of_run(planned, derive.results(planned, {}, seen), seen, "here")
        by[word] = left.excludes
    assert by == {"throughput": False, "cpu": None}


def test_why_does_not_follow_what_turns_have_not(tmp_path: Path) -> None:
    of = race(setting="by=memory").replaced(judged_by="memory")
    with pytest.raises(UserError, match="is judged by memory, which single turns do not have"):
        follow(plan(of, suite(tmp_path)), observations(of), None, ("fast", "slow"))


def test_why_follows_what_turns_have(tmp_path: Path) -> None:
    of = race(setting="by=cpu").replaced(judged_by="cpu")
    planned, seen = plan(of, suite(tmp_path)), observations(of)
    why = follow(planned, seen, None, ("fast", "slow"))
    assert why.estimate.ratio == pytest.approx(why.verdict.ratio if why.verdict else None)


@pytest.mark.parametrize(("told", "lost"), [(("slow", "fast"), 0), (("slow",), 1)])
def test_memory_that_was_not_looked_for_is_not_lost(told: tuple[str, ...], lost: int) -> None:
    """Programs tell theirs in some blocks: of four here two do, the second by those named."""
    of = race(blocks=4, rounds=1).replaced(kind="program", metric="wall_s", measured=InvocationPlan(n=9))
    peaks = {"slow": 3 * 10**6, "fast": 2 * 10**6}
    seen = list[Observation]()
    for block, tells in enumerate([tuple(peaks), told, (), ()]):
        seen += [invocation(of.key, block, entry, peaks[entry]) for entry in tells]
        seen += [invocation(of.key, block, entry, None) for entry in peaks]
        seen.append(BlockEnded(race=of.key, block=block))
    found = claimed.compare_blocks(tallied(of, seen), "fast", "slow", "peak_memory_bytes")
    assert found.rounds_lost == lost and found.ratio == pytest.approx(1.5)


def invocation(key: str, block: int, entry: str, peak: int | None) -> Invocation:
    """One that tells its memory is a warm-up."""
    return Invocation(
        race=key, block=block, round=0, turn=0, entry=entry, warm_up=peak is not None, n=9, at_ns=1,
        wall_s=0.1, user_s=0.1, system_s=0.0, peak_memory_bytes=peak,
    )  # fmt: skip
