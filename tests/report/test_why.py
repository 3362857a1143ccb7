"""A verdict can be followed to its slices: figures are those of results.json, and of the journal's lines."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from deadheat.app import reports
from deadheat.cli.app import app
from deadheat.errors import UserError
from deadheat.model.measured import OutsidePlan
from deadheat.model.observation import Built, Observation, Settled, Slice
from deadheat.model.plan import Plan
from deadheat.report import why_view
from deadheat.results import derive, why
from deadheat.storage.journal import Journal
from deadheat.storage.run_folder import RunFolder
from tests.made.observed import facts, observations, plan, race, suite

PAIR = ("fast", "slow")


def raced(tmp_path: Path, seen: Sequence[Observation], of: Plan | None = None) -> RunFolder:
    """A whole run's folder, its results derived from its journal."""
    loaded = suite(tmp_path / "suite")
    changed = {"suite": str(tmp_path / "suite"), "facts": facts(loaded)}
    of = (of or plan(race())).model_copy(update=changed)
    folder = RunFolder(tmp_path / "r")
    folder.path.mkdir()
    folder.write("plan.json", of.model_dump_json(by_alias=True))
    with Journal(folder.journal) as journal:
        for observation in seen:
            journal.append(observation)
    folder.write("results.json", derive.results(of, {}, seen).model_dump_json(by_alias=True))
    return folder


def shown(folder: RunFolder, *more: str) -> str:
    ran = CliRunner().invoke(app, ["show", str(folder.path), "--why", *PAIR, *more])
    assert ran.exit_code == 0, ran.output
    return ran.stdout


def test_its_numbers_are_those_of_results_json(tmp_path: Path) -> None:
    folder = raced(tmp_path, observations(race()))
    reported = json.loads(folder.results_file.read_text())["workloads"][0]["verdicts"][0]
    found = reports.why(folder, PAIR, None)
    assert found.judged is not None
    assert found.estimate.ratio == pytest.approx(reported["ratio"], rel=1e-12)
    assert found.judged.estimate.ci == pytest.approx(reported["ci"], rel=1e-12)
    assert found.agrees
    text = shown(folder)
    assert f"{reported['ratio']:.4f}" in text
    assert f"{reported['ci'][0]:.4f} to {reported['ci'][1]:.4f}" in text
    assert "results.json says the same" in text


def test_the_journals_own_lines_give_the_ratio_of_a_block(tmp_path: Path) -> None:
    """Worked out from the text of the file, by the line numbers that are printed."""
    folder = raced(tmp_path, observations(race()))
    text = shown(folder, "--block", "2")
    journal = folder.journal.read_text().splitlines()
    sums: dict[str, list[tuple[int, int]]] = {}
    for number in re.findall(r" ([\d,]+) +[-\w']+$", text, re.MULTILINE):
        line = json.loads(journal[int(number.replace(",", "")) - 1])
        assert (line["type"], line["block"]) == ("slice", 1)
        counted_ns = line["counted_until_ns"] - line["counted_from_ns"]
        sums.setdefault(line["entry"].rstrip("'"), []).append((line["replies"], counted_ns))
    # The reference is entered twice.
    assert {entry: len(turns) for entry, turns in sums.items()} == {"fast": 2 * 8, "slow": 4 * 8}
    rates = {entry: sum(r for r, _ in turns) / sum(ns for _, ns in turns) for entry, turns in sums.items()}
    ratio = rates["fast"] / rates["slow"]
    assert f"{ratio:.4f} (8 of 8 rounds" in text
    assert f"2      {ratio:.4f}" in shown(folder)


@pytest.mark.parametrize("more", [(), ("--block", "1")])
def test_it_fits_80_columns(tmp_path: Path, more: tuple[str, ...]) -> None:
    disturbed = observations(race(), around={"steal_ns": 10**11}, changed={"fast": {"server_cpu_ns": None}})
    for line in shown(raced(tmp_path, disturbed), *more).splitlines():
        assert len(line) <= 80, line


def test_results_that_say_otherwise_are_told(tmp_path: Path) -> None:
    folder = raced(tmp_path, observations(race()))
    reported = json.loads(folder.results_file.read_text())
    reported["workloads"][0]["verdicts"][0]["ratio"] = 1.5
    folder.write("results.json", json.dumps(reported))
    assert not reports.why(folder, PAIR, None).agrees
    assert "! results.json says otherwise: fast is 1.50 times" in shown(folder)
    folder.results_file.unlink()
    assert "! results.json holds no verdict of this pair" in shown(folder)


def test_the_order_in_which_the_pair_is_named_changes_nothing(tmp_path: Path) -> None:
    folder = raced(tmp_path, observations(race()))
    one, other = (reports.why(folder, pair, None) for pair in (PAIR, PAIR[::-1]))
    assert list(why_view.lines(one, "r")) == list(why_view.lines(other, "r"))


def test_the_slower_one_first_in_the_family_reads_the_same_way_round(tmp_path: Path) -> None:
    """The family judges fast against slow; the sentence has the winner first."""
    text = shown(raced(tmp_path, observations(race(), {"fast": 0.7})))
    assert "slow is 1.4" in text
    plain, judged = re.search(r"t interval +(\d\.\d+)", text), re.search(r"as judged +(\d\.\d+)", text)
    assert plain is not None and judged is not None
    assert float(plain[1]) > 1 and plain[1] == judged[1]


def test_a_look_that_ended_it_and_alpha_are_told(tmp_path: Path) -> None:
    longer = plan(race(12))
    seen = [*observations(race(4), noise=0.001), Settled(race="echo", blocks=4)]
    text = shown(raced(tmp_path, seen, longer))
    assert (
        f"4 of 12 blocks were raced: a look ended it, every verdict being in (line {len(seen):,}"
        in text.replace("\n    ", " ")
    )
    found = reports.why(RunFolder(tmp_path / "r"), PAIR, None)
    spent = found.looks.spent(0.05, 4)
    assert 0 < spent < 0.01 and f"of which {spent:.3g} may be" in text


def test_a_broken_gate_and_the_null_pair_are_there(tmp_path: Path) -> None:
    text = shown(raced(tmp_path, observations(race(), {"slow'": 1.5})))
    assert "no verdict: fast against slow; null-pair" in text
    assert re.search(r"BROKEN +null-pair", text)
    assert "99.9%: excludes 1" in text


def test_a_block_without_one_of_them_is_named(tmp_path: Path) -> None:
    seen = [
        o for o in observations(race()) if not (isinstance(o, Slice) and (o.block, o.entry) == (3, "fast"))
    ]
    folder = raced(tmp_path, seen)
    assert "without both of them: blocks 4" in shown(folder)
    with pytest.raises(UserError, match="no block 4 counts here"):
        reports.why(folder, PAIR, None).block(4)


def test_a_block_that_was_cut_off_counts_from_its_last_try(tmp_path: Path) -> None:
    whole = observations(race())
    cut = [*whole[: len(whole) // 2], *observations(race())[6:]]
    folder = raced(tmp_path, cut)
    found = reports.why(folder, PAIR, None)
    assert found.blocks[0].lines[0] > len(whole) // 2


def test_what_cannot_be_followed_is_said(tmp_path: Path) -> None:
    folder = raced(
        tmp_path,
        [*observations(race()), Built(workload="echo", contender="fast", status="failed", reason="no")],
    )
    with pytest.raises(UserError, match='"fats" was not raced'):
        reports.why(folder, ("fats", "slow"), None)
    with pytest.raises(UserError, match="is the null pair"):
        reports.why(folder, ("slow", "slow"), None)
    with pytest.raises(UserError, match='no race of this run is called "ecko"'):
        reports.why(folder, PAIR, "ecko")
    with pytest.raises(UserError, match="fast is failed: no"):
        reports.why(folder, PAIR, None)


def test_a_studys_own_method_has_no_verdict_to_follow(tmp_path: Path) -> None:
    own = race().model_copy(
        update={"measured": OutsidePlan(study="s", tool="wrk", arguments={}, in_flight={})}
    )
    with pytest.raises(UserError, match="one figure of each"):
        why.follow(plan(own, suite(tmp_path)), [], None, PAIR)


def test_a_pair_that_nobody_judges_is_described(tmp_path: Path) -> None:
    folder = raced(tmp_path, observations(race()))
    found = reports.why(folder, ("ceiling", "fast"), "echo")
    text = "\n".join(why_view.lines(found, "r"))
    assert found.judged is None and "described, not judged" in text


def test_of_several_settings_the_first_is_followed_and_the_rest_named(tmp_path: Path) -> None:
    small = race()
    other = small.model_copy(update={"setting": "connections=10"})
    of = plan(small).model_copy(update={"workloads": (small, other)})
    folder = raced(tmp_path, [*observations(small), *observations(other)[6:]], of)
    assert "raced also as echo [connections=10]" in shown(folder)
    assert reports.why(folder, PAIR, "echo [connections=10]").race.setting == "connections=10"


def test_options_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    folder = raced(tmp_path, observations(race()))
    for extra in (["--block", "1"], ["--why", *PAIR, "--json"]):
        ran = CliRunner().invoke(app, ["show", str(folder.path), *extra])
        assert isinstance(ran.exception, UserError)
