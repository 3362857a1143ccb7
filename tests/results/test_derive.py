"""A journal whose truth is known gives the verdicts that are true."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from deadheat.model.observation import Built, Checked, Ended, Failed, Observation, RaceUnavailable, Stopped
from deadheat.model.result import RaceResult
from deadheat.report.findings import sentences
from deadheat.report.reasons import of_verdict
from deadheat.results import derive
from tests.made.observed import observations, plan, race, suite


def derived(tmp_path: Path, seen: Sequence[Observation], blocks: int = 6, rounds: int = 8) -> RaceResult:
    return derive.results(plan(race(blocks, rounds), suite(tmp_path)), {}, seen).workloads[0]


def test_a_clear_difference_is_found_with_the_winner_first(tmp_path: Path) -> None:
    result = derived(tmp_path, observations(race()))
    (verdict,) = result.verdicts
    assert (verdict.a, verdict.b, verdict.verdict) == ("fast", "slow", "faster")
    assert verdict.ratio == pytest.approx(1.3, rel=0.05)
    assert verdict.ci is not None and verdict.ci[0] < 1.3 < verdict.ci[1]


def test_a_slower_contender_is_not_said_to_be_faster(tmp_path: Path) -> None:
    (verdict,) = derived(tmp_path, observations(race(), {"fast": 0.7})).verdicts
    assert (verdict.a, verdict.b, verdict.verdict) == ("slow", "fast", "faster")
    assert verdict.ratio == pytest.approx(1 / 0.7, rel=0.05)


def test_equals_are_a_dead_heat(tmp_path: Path) -> None:
    result = derived(tmp_path, observations(race(20, 40), {"fast": 1.0}, noise=0.03), blocks=20, rounds=40)
    assert result.verdicts[0].verdict == "dead heat"


def test_too_little_data_settles_nothing_and_says_what_would(tmp_path: Path) -> None:
    (verdict,) = derived(tmp_path, observations(race(), {"fast": 1.03}, noise=0.6)).verdicts
    assert verdict.verdict == "inconclusive"
    assert "more blocks" in of_verdict(verdict)


def test_the_null_pair_is_no_row_and_covers_1(tmp_path: Path) -> None:
    result = derived(tmp_path, observations(race()))
    assert {row.id for row in result.contenders} == {"slow", "fast", "ceiling"}
    assert result.null_pair is not None and result.null_pair.ok
    assert result.null_pair.ratio == pytest.approx(1, abs=0.05)


def test_a_null_pair_that_differs_forbids_every_verdict(tmp_path: Path) -> None:
    result = derived(tmp_path, observations(race(), {"slow'": 1.5}))
    assert result.null_pair is not None and not result.null_pair.ok
    assert [verdict.verdict for verdict in result.verdicts] == ["invalid"]
    assert "null-pair" in of_verdict(result.verdicts[0])


def test_the_ceiling_is_context_and_no_rival(tmp_path: Path) -> None:
    result = derived(tmp_path, observations(race()))
    assert all("ceiling" not in (verdict.a, verdict.b) for verdict in result.verdicts)
    shares = {row.id: row.figures.of_ceiling for row in result.contenders}
    assert shares["fast"] == pytest.approx(1.3 / 4, rel=0.05)


def test_one_block_has_a_verdict_and_no_interval(tmp_path: Path) -> None:
    result = derived(tmp_path, observations(race(1)), blocks=1)
    assert result.verdicts[0].ci is None
    assert result.verdicts[0].verdict in ("inconclusive", "invalid")


def test_nothing_but_zeros_is_defined(tmp_path: Path) -> None:
    nothing = {"replies": 0, "latency_sum_ns": 0, "bins": (0,) * 31}
    seen = observations(race(), changed={"fast": nothing, "slow": nothing, "slow'": nothing})
    result = derived(tmp_path, seen)
    assert result.verdicts[0].verdict in ("inconclusive", "invalid")
    assert "NaN" not in result.model_dump_json()


def test_a_run_without_a_block_has_rows_and_no_verdict(tmp_path: Path) -> None:
    seen = [o for o in observations(race()) if isinstance(o, Built | Checked)]
    result = derived(tmp_path, seen)
    assert result.verdicts == () and result.null_pair is None
    assert {row.status for row in result.contenders} == {"not run"}


def test_rows_tell_why_they_have_no_figures(tmp_path: Path) -> None:
    seen = [
        *observations(race()),
        Built(workload="echo", contender="fast", status="unavailable", reason="no compiler"),
        Failed(race="echo", block=2, entry="ceiling", reason="died"),
    ]
    rows = {row.id: row for row in derived(tmp_path, seen).contenders}
    assert (rows["fast"].status, rows["fast"].reason) == ("unavailable", "no compiler")
    assert (rows["ceiling"].status, rows["ceiling"].reason) == ("failed", "died")
    assert rows["slow"].status == "measured"


def test_a_race_that_cannot_be_run_has_unavailable_rows(tmp_path: Path) -> None:
    result = derived(tmp_path, [RaceUnavailable(race="echo", reason="no redis-server")])
    assert {(row.status, row.reason) for row in result.contenders} == {("unavailable", "no redis-server")}


def test_a_stopped_run_says_so_until_it_is_resumed(tmp_path: Path) -> None:
    echo = suite(tmp_path)
    seen: list[Observation] = [*observations(race()), Stopped(why="interrupted")]
    assert derive.results(plan(race(), echo), {}, seen).stopped == "interrupted"


def test_a_look_ends_a_race_only_when_every_verdict_is_in(tmp_path: Path) -> None:
    clear = derived(tmp_path / "a", observations(race(8), noise=0.001), blocks=12)
    assert derive.settled(clear)
    open_ = derived(tmp_path / "b", observations(race(8), {"fast": 1.03}, noise=0.6), blocks=12)
    assert not derive.settled(open_)
    early = derived(tmp_path / "c", observations(race(4), noise=0.001), blocks=12)
    assert not derive.settled(early)


def cut_short(blocks: int) -> list[Observation]:
    """What is seen of a race whose server died after that many whole blocks, in the middle of the next."""
    seen: list[Observation] = []
    for o in observations(race()):
        if getattr(o, "block", 0) == blocks and isinstance(o, Ended):
            break
        seen.append(o)
    return [*seen, RaceUnavailable(race="echo", reason="redis-server died of SIGKILL")]


def test_whole_blocks_count_when_the_server_dies_after_them(tmp_path: Path) -> None:
    result = derived(tmp_path, cut_short(5))
    assert {(row.status, row.reason) for row in result.contenders} == {("measured", None)}
    assert result.blocks == 5
    assert sentences(result)[0] == "ended after 5 of 6 blocks, which count: redis-server died of SIGKILL"
    assert [verdict.verdict for verdict in result.verdicts] == ["faster"]


def test_a_first_block_that_did_not_end_is_none(tmp_path: Path) -> None:
    result = derived(tmp_path, cut_short(0))
    assert {row.status for row in result.contenders} == {"unavailable"}
    assert not any("which count" in finding for finding in sentences(result))


def test_a_resume_that_goes_on_leaves_no_word_of_the_end(tmp_path: Path) -> None:
    again = [o for o in observations(race()) if getattr(o, "block", 0) >= 4]
    result = derived(tmp_path, [*cut_short(4), *again])
    assert result.blocks == 6
    assert not any("which count" in finding for finding in sentences(result))
