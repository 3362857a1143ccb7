"""No report prints two intervals for one question: verdicts, rows, claims, pages and exports share one."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from deadheat import stats
from deadheat.export import openmetrics, source, tables
from deadheat.model.observation import Observation, Slice
from deadheat.model.plan import Plan
from deadheat.model.result import RaceResult, Results
from deadheat.report import csv_table, markdown, terminal
from deadheat.report.html import page
from deadheat.results import derive, judging
from deadheat.results.tally import tallied
from deadheat.results.values import cpu_us_per_request, throughput_rps
from tests.made import observed
from tests.made.observed import observations, plan, race, suite
from tests.made.suite import STUDY

CLAIMS = (
    ("throughput_rps", "fast", "slow", 1.3),
    ("throughput_rps", "slow", "fast", 0.8),
    ("throughput_rps", "fast", "mid", 1.1),
    ("cpu_us_per_request", "fast", "slow", 1.4),
    ("cpu_us_per_request", "slow", "fast", 0.7),
    ("cpu_us_per_request", "mid", "fast", 1.2),
    ("peak_memory_bytes", "fast", "slow", 1.2),
)
# Of the reference's CPU time in a slice: no two ratios of the race are to be alike.
SHARES = {"fast": 0.6, "mid": 0.4, "near": 0.5}
# A ratio, and in brackets its interval.
TOLD = re.compile(r"(\d[\d.,]*) \((?:95% CI )?(\d[\d.,]*) to (\d[\d.,]*)\)")
Interval = tuple[float, float]


@pytest.fixture(params=[False, True], ids=["against the reference", "ranked"])
def made(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Plan, Results, list[Observation]]:
    """A run with claims about its verdicts, about a pair of its own and about other figures, some twice."""
    for name, speed in (("mid", 1.17), ("near", 1.01), ("last", 0.8)):
        monkeypatch.setitem(observed.CLASSES, name, "idiomatic")
        monkeypatch.setitem(observed.SPEEDS, name, speed)
    (tmp_path / "claims").mkdir()
    one = "\n[[claim]]\n".join(
        f'where = "there"\nworkload = "echo"\nid = "c{n}"\nstatement = "claim {n}"\nmetric = "{metric}"\n'
        f'a = "{a}"\nb = "{b}"\npublished = {{ ratio = {ratio} }}\n'
        for n, (metric, a, b, ratio) in enumerate(CLAIMS)
    )
    (tmp_path / "claims" / "s.toml").write_text(
        STUDY.replace('where = "there"\nworkload = "echo"\n', "") + one
    )
    raced = race(blocks=8).model_copy(update={"ranked": bool(request.param)})
    planned = plan(raced, suite(tmp_path))
    seen = [_with_cpu(o) for o in observations(raced, noise=0.02)]
    return planned, derive.results(planned, {}, seen), seen


def _with_cpu(o: Observation) -> Observation:
    """CPU a request that differs by more than throughput does."""
    if not isinstance(o, Slice) or o.entry not in SHARES:
        return o
    assert o.server_cpu_ns is not None
    return o.model_copy(update={"server_cpu_ns": round(o.server_cpu_ns * SHARES[o.entry])})


def judged(result: RaceResult) -> dict[tuple[str, str], Interval]:
    found: dict[tuple[str, str], Interval] = {}
    for verdict in result.verdicts:
        assert verdict.ci is not None
        low, high = verdict.ci
        found[verdict.a, verdict.b], found[verdict.b, verdict.a] = (low, high), (1 / high, 1 / low)
    return found


def test_rows_and_claims_have_the_interval_that_was_judged(
    made: tuple[Plan, Results, list[Observation]],
) -> None:
    _, results, _ = made
    (result,) = results.workloads
    intervals = judged(result)
    for row in result.contenders:
        if row.id != result.reference and row.class_ != "ceiling":
            assert row.against_reference is not None
            assert row.against_reference.ci == pytest.approx(intervals[row.id, result.reference])
    own = [row for row in results.claims if row.method == "deadheat" and row.metric == result.metric]
    for claim, (_, a, b, _) in zip(own, CLAIMS, strict=False):
        assert claim.here is not None and claim.family is None
        assert claim.here["ci"] == pytest.approx(intervals[a, b])


def test_claims_about_other_figures_are_judged_together_each_question_once(
    made: tuple[Plan, Results, list[Observation]],
) -> None:
    planned, results, seen = made
    of = {row.id: row for row in results.claims if row.method == "deadheat"}
    # fast over slow and slow over fast is one question.
    assert [of[f"c{n}"].family for n in range(3, 7)] == [3, 3, 3, 3]
    first, again = of["c3"].here, of["c4"].here
    assert first is not None and again is not None
    assert isinstance(first["ci"], tuple) and isinstance(again["ci"], tuple)
    assert first["ci"] == pytest.approx((1 / again["ci"][1], 1 / again["ci"][0]))
    tally = tallied(planned.workloads[0], seen)
    plain = judging.compare(tally, "mid", "fast", cpu_us_per_request, "cpu_us_per_request")
    ci = of["c5"].here and of["c5"].here["ci"]
    assert isinstance(ci, tuple) and plain.ci is not None
    assert ci[0] < plain.ci[0] and ci[1] > plain.ci[1]


def test_cpu_time_over_the_references_has_the_interval_that_claims_were_judged_by(
    made: tuple[Plan, Results, list[Observation]],
) -> None:
    planned, results, seen = made
    used = {row.id: row.figures.cpu_against_reference for row in results.workloads[0].contenders}
    claim = {row.id: row for row in results.claims if row.method == "deadheat"}["c3"].here
    fast, mid = used["fast"], used["mid"]
    assert used["slow"] is None and fast is not None and mid is not None and claim is not None
    assert isinstance(claim["ci"], tuple) and isinstance(claim["ratio"], float)
    assert fast.family == 3 and fast.ratio == pytest.approx(1 / claim["ratio"])
    assert fast.ci == pytest.approx((1 / claim["ci"][1], 1 / claim["ci"][0]))
    # What nobody claimed is described, by a plain interval.
    plain = judging.compare(
        tallied(planned.workloads[0], seen), "mid", "slow", cpu_us_per_request, "cpu_us_per_request"
    )
    assert plain.ci is not None
    assert mid.family is None and mid.ci == pytest.approx((1 / plain.ci[1], 1 / plain.ci[0]))


def test_no_report_prints_two_intervals_for_one_ratio(
    made: tuple[Plan, Results, list[Observation]],
) -> None:
    planned, results, seen = made
    for reported in _texts(results, seen):
        found: dict[str, set[tuple[str, str]]] = {}
        for ratio, low, high in TOLD.findall(reported):
            found.setdefault(ratio, set()).add((low, high))
        assert len(found) > 5
        assert {ratio: ends for ratio, ends in found.items() if len(ends) > 1} == {}
    plain = judging.compare(
        tallied(planned.workloads[0], seen), "fast", "slow", throughput_rps, "throughput_rps"
    )
    assert plain.ci != pytest.approx(judged(results.workloads[0])["fast", "slow"])
    assert stats.METHOD.one_family


def _texts(results: Results, seen: list[Observation]) -> Iterator[str]:
    console = Console(file=io.StringIO(), width=200)
    terminal.show(results, console)
    shown = console.file
    assert isinstance(shown, io.StringIO)
    yield shown.getvalue()
    yield markdown.render(results)
    html = page.render(results, seen)
    yield re.sub(r'<span class="ratio">([^<]*)</span> <span class="ci-text">([^<]*)</span>', r"\1 (\2)", html)


def test_pages_and_exports_have_it_too(made: tuple[Plan, Results, list[Observation]]) -> None:
    planned, results, seen = made
    (result,) = results.workloads
    intervals = judged(result)
    low, high = intervals["fast", "slow"]
    html = page.render(results, seen)
    assert f'data-low="{low}" data-high="{high}"' in html
    keys = {row.id: key for key, row in enumerate(result.contenders)}
    # Where the page's reader chooses another reference, a pair that was judged keeps its interval.
    low, high = intervals["mid", "fast"]
    assert re.search(rf'data-judged="[^"]*{keys["fast"]}\|[\d.]+\|{low:.6g}\|{high:.6g}\|slower', html)
    for line in csv.DictReader(io.StringIO(csv_table.render(results))):
        if (pair := (line["contender"], "slow")) in intervals:
            assert float(line["ratio_low"]) == pytest.approx(intervals[pair][0])
    made_up = source.assemble(planned, results, seen)
    *_, verdicts = tables.tables(made_up)
    for row in verdicts.rows:
        ends = intervals[str(row["a"]), str(row["b"])]
        assert (row["ratio_low"], row["ratio_high"]) == pytest.approx(ends)
    metrics = openmetrics.render(made_up).files["metrics.txt"].decode()
    assert repr(intervals["fast", "slow"][0]) in metrics


def test_rows_are_grouped_by_their_answers_and_numbered_only_where_the_race_ranks(
    made: tuple[Plan, Results, list[Observation]],
) -> None:
    planned, results, _ = made
    (result,) = results.workloads
    ids = [row.id for row in result.contenders]
    places = {row.id: row.place for row in result.contenders}
    if planned.workloads[0].ranked:
        assert len(result.verdicts) == 10
        assert ids[0] == "fast" and places["fast"] == 1 and places["ceiling"] is None
        return
    assert ids == ["fast", "mid", "slow", "near", "last", "ceiling"]
    assert set(places.values()) == {None}
    assert len(result.verdicts) == 5
    lines = [line.plain for line in terminal.workload(result, results.margin, 200)]
    groups = [line.split()[0] for line in lines if line.strip() and line.split()[0] in ("faster", "slower")]
    assert groups == ["faster", "slower"]


def test_a_broken_gate_leaves_no_groups_and_no_places(
    made: tuple[Plan, Results, list[Observation]],
) -> None:
    planned, _, seen = made
    biased = [
        o.model_copy(update={"replies": o.replies * 2}) if isinstance(o, Slice) and o.entry == "slow'" else o
        for o in seen
    ]
    (result,) = derive.results(planned, {}, biased).workloads
    assert {verdict.verdict for verdict in result.verdicts} == {"invalid"}
    assert {row.place for row in result.contenders} == {None}
    ratios = [
        row.against_reference.ratio if row.against_reference else 1.0
        for row in result.contenders
        if row.class_ != "ceiling"
    ]
    assert ratios == sorted(ratios, reverse=True)
    lines = [line.plain for line in terminal.workload(result, 0.02, 200)]
    assert not any(line.split()[:1] in (["faster"], ["slower"]) for line in lines)
