"""Every checkable statement of the studies has an answer, and what answers it is in the run."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from deadheat.cli.app import app
from deadheat.generators import wrk
from deadheat.model.claim import Study
from deadheat.model.published import PublishedRow
from deadheat.model.reason import NeedsServerCores
from deadheat.model.result import Results
from deadheat.model.statement import Statement
from deadheat.report import claims_table, published_columns, statements
from deadheat.storage import migrate, run_folder
from deadheat.suite.suite import load
from tests.made.older_runs import RUNS, unpacked

ROOT = Path(__file__).parents[2]
# A second reading counted as many checkable statements in the four texts.
COUNTED = {
    "go-vs-crystal-2020": 19,
    "phoenix-vs-go-2016": 30,
    "rust-vs-crystal-redis-2020": 27,
    "go-vs-rust-grpc": 18,
}

# No race answers these.
BY_THEMSELVES = ("never", "explained")


@pytest.fixture(scope="module")
def studies() -> Mapping[str, Study]:
    return load(ROOT / "suite").studies


@pytest.fixture(scope="module")
def ours() -> Results:
    return _results("deadheat")


@pytest.fixture(scope="module")
def theirs() -> Results:
    """A race by a study's own method."""
    return _results("as-published")


def _results(name: str) -> Results:
    packed = RUNS / name / "results.json.gz"
    return Results.model_validate(migrate.results(json.loads(gzip.decompress(packed.read_bytes()))))


def test_the_texts_are_covered_and_every_claim_is_somebodys(studies: Mapping[str, Study]) -> None:
    assert sum(COUNTED.values()) == 94
    for name, study in studies.items():
        assert len(study.statement) >= COUNTED.get(name, 1)
        assert {id_ for one in study.statement for id_ in one.claims} == {claim.id for claim in study.claim}
        assert {one.load for one in study.statement if one.load} == {load.name for load in study.load}


def test_every_column_that_is_named_was_printed_of_its_rows(studies: Mapping[str, Study]) -> None:
    for study in studies.values():
        parts = study.as_published
        for one in study.statement:
            for row in one.rows or (tuple(r.contender for p in parts for r in p.row) if one.column else ()):
                assert one.column is not None
                rows = [r for part in parts for r in part.row if r.contender == row]
                assert any(published_columns.published(one.column, r) for r in rows), (one.words, row)


def test_each_has_an_outcome_and_what_it_rests_on(studies: Mapping[str, Study], ours: Results) -> None:
    answers = statements.answered(studies.values(), ours)
    assert len(answers) == sum(len(study.statement) for study in studies.values())
    assert all(one.outcome and one.because and all(one.because) for one in answers)
    said = {(one.study, one.statement.words): one for one in answers}
    size = said["go-vs-crystal-2020", "5 times smaller"]
    [claim] = [c for c in ours.claims if c.id == "fib-binary-size" and c.method == "deadheat"]
    assert size.outcome == claims_table.answer(claim)
    assert said["go-vs-rust-grpc", "5000 concurrent requests"].outcome == statements.CONTRADICTED
    assert said["phoenix-vs-go-2016", "maybe I miss some performance trigger"].outcome == statements.NEVER
    [busy, *_] = [one for one in answers if one.statement.words == "~300% for beam.smp"]
    assert busy.outcome == statements.NEVER
    assert busy.because == ("Phoenix uses 3 times the CPU of Node: needs 3 server cores",)
    assert said["rust-vs-crystal-redis-2020", "GC is already running in the benchmark here"].outcome == (
        statements.EXPLAINED
    )
    assert said["go-vs-crystal-2020", "the 47th number which is 2,971,215,073"].outcome == statements.HOLDS


def test_a_column_stands_beside_ours_by_the_studys_own_method(
    studies: Mapping[str, Study], theirs: Results
) -> None:
    raced = {race.setting for race in theirs.workloads}
    of = [study for study in studies.values() if study.study in raced]
    beside = [one for one in statements.answered(of, theirs) if one.outcome == statements.BESIDE]
    assert beside
    assert all("published" in clause and "here" in clause for one in beside for clause in one.because)


def test_a_column_of_each_setting_is_of_all_of_them_or_not_run(
    studies: Mapping[str, Study], theirs: Results
) -> None:
    race = theirs.workloads[0]
    study = studies[race.setting or ""]
    part = next(part for part in study.as_published if part.workload == race.name)
    row = next(row.id for row in race.contenders if row.status == "measured")
    another = part.replaced(set_={"rounds": 10})
    said = Statement(
        words="it made no change", where="here", column="latency", rows=(row,), each_setting=True
    )
    study = study.replaced(as_published=(part, another), statement=(said,), claim=(), load=())
    [answer] = statements.answered([study], theirs)
    assert answer.outcome == statements.NOT_RUN
    both = theirs.replaced(workloads=(race, race.replaced(setting=another.setting(study.study))))
    [answer] = statements.answered([study], both)
    assert answer.outcome == statements.BESIDE
    assert [clause.partition(":")[0] for clause in answer.because] == [row, f"{row} (rounds=10)"]


def test_a_statement_has_just_one_answer() -> None:
    with pytest.raises(ValueError, match="needs one of"):
        Statement(words="fast", where="here")
    with pytest.raises(ValueError, match="needs one of"):
        Statement(words="fast", where="here", never="no figure", claims=("a",))
    with pytest.raises(ValueError, match="names rows but no column"):
        Statement(words="fast", where="here", never="no figure", rows=("a",))
    with pytest.raises(ValueError, match="names rows but no column"):
        Statement(words="fast", where="here", never="no figure", each_setting=True)


def test_what_a_statement_names_must_be_there(studies: Mapping[str, Study]) -> None:
    study = studies["go-vs-crystal-2020"].model_dump(mode="json")
    study["statement"] = [{"words": "fast", "where": "here", "claims": ["nobody"]}]
    with pytest.raises(ValueError, match='"fast": no claim is called "nobody"'):
        Study.model_validate_json(json.dumps(study))


def test_a_text_of_wrk_becomes_the_columns_that_the_study_printed() -> None:
    read = wrk.read(
        "Running 30s test @ http://127.0.0.1:4000/\n"
        "  4 threads and 10 connections\n"
        "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
        "    Latency     1.14ms  561.35us  16.65ms   73.90%\n"
        "    Req/Sec     1.77k   109.77     2.01k    80.17%\n"
        "  210882 requests in 30.01s, 68.62MB read\n"
        "Requests/sec:   7026.62\n"
        "Transfer/sec:      2.29MB\n"
    )
    assert read.within_stdev_percent == 73.9
    assert read.thread_rps == pytest.approx(
        {
            "mean": 1770.0,
            "stdev": 109.77,
            "max": 2010.0,
            "within_stdev_percent": 80.17,
        }
    )
    row = PublishedRow(contender="phoenix", requests=read.requests, seconds=read.seconds, mb_read=68.62)
    assert published_columns.published("bytes read", row) == "68.6 MB, 2.29 MB/s, 341 bytes a response"


def test_the_command_lists_them(tmp_path: Path, studies: Mapping[str, Study]) -> None:
    # Plans of that time hold no facts of the suite: those of today are read, statements among them.
    folder = unpacked("deadheat", tmp_path / "run")
    said = CliRunner().invoke(app, ["claims", "go-vs-crystal-2020", "--statements", "--run", str(folder)])
    assert said.exit_code == 0, said.output
    assert '"5 times smaller" (Fibonacci, below the table)' in said.output
    listed = CliRunner().invoke(app, ["claims", "--statements", "--json", "--run", str(folder)])
    # The studies of what that run raced; the others are of workloads that were not in it.
    assert Counter(one["study"] for one in json.loads(listed.stdout)) == {
        name: len(studies[name].statement) for name in COUNTED
    }
    assert {one["run"] for one in json.loads(listed.stdout)} == {None}
    short = CliRunner().invoke(app, ["claims", "--run", str(folder)])
    assert "deadheat claims --statements" in short.output
    # Each study is counted by itself.
    for name in COUNTED:
        assert f"\n{name}: {len(studies[name].statement)} statements: " in short.output


def test_those_of_make_studies_are_found_below_its_folder(tmp_path: Path) -> None:
    run = tmp_path / "studies" / "grpc" / "deadheat" / "20260101-000000-quick"
    unpacked("deadheat", run)
    (run.parent / "latest").symlink_to(run.name)
    listed = CliRunner().invoke(
        app, ["claims", "--statements", "--json", "--out", str(tmp_path), "--suite", str(ROOT / "suite")]
    )
    [name] = {one["run"] for one in json.loads(listed.stdout)} - {None}
    assert name == json.loads((run / "results.json").read_text())["run"]
    assert [found.path for found in run_folder.runs_below(tmp_path)] == [run]


def test_each_statement_is_answered_by_the_newest_run_that_can(
    studies: Mapping[str, Study], ours: Results, theirs: Results
) -> None:
    of = tuple(studies.values())
    older = ours.model_copy(update={"run": "older"})
    found = statements.newest(of, [theirs, ours, older])
    assert [one.statement for one in found] == [one for study in of for one in study.statement]
    first, then = (
        {id(one.statement) for one in statements.answered(of, run) if _is_run(one)} for run in (theirs, ours)
    )
    assert first - then
    assert then - first
    for one in found:
        if one.outcome == statements.NEVER and one.statement.never is None:
            continue  # no machine here was large enough: another test's
        by_first, by_then = id(one.statement) in first, id(one.statement) in then
        # What was published answers of itself what it says of a load.
        if one.statement.answer in BY_THEMSELVES or one.statement.load is not None:
            assert one.run is None
        else:
            assert one.run == (theirs.run if by_first else ours.run if by_then else None)


def test_a_machine_that_is_too_small_hides_no_answer_of_a_larger_one(
    studies: Mapping[str, Study], ours: Results
) -> None:
    of = tuple(studies.values())
    answered = [one for one in statements.answered(of, ours) if one.statement.claims and _is_run(one)]
    assert answered
    # Nothing that a run judged is judged in one of a machine with a core less.
    small = ours.model_copy(
        update={
            "run": "small",
            "claims": tuple(
                row.model_copy(
                    update={
                        "outcome": None,
                        "direction": "not run",
                        "size": None,
                        "reasons": (NeedsServerCores(cores=3),),
                    }
                )
                for row in ours.claims
            ),
        }
    )
    alone = {id(one.statement): one for one in statements.newest(of, [small])}
    found = {id(one.statement): one for one in statements.newest(of, [small, ours])}
    for one in answered:
        assert (alone[id(one.statement)].outcome, alone[id(one.statement)].run) == (statements.NEVER, "small")
        assert (found[id(one.statement)].outcome, found[id(one.statement)].run) == (one.outcome, ours.run)


def _is_run(one: statements.Answered) -> bool:
    no_answer = (statements.NOT_RUN, statements.NEVER)
    return one.outcome not in no_answer and one.statement.answer not in BY_THEMSELVES


def test_without_any_run_each_statement_says_what_would_answer_it(
    tmp_path: Path, studies: Mapping[str, Study]
) -> None:
    said = CliRunner().invoke(
        app, ["claims", "--statements", "--json", "--out", str(tmp_path), "--suite", str(ROOT / "suite")]
    )
    listed = json.loads(said.stdout)
    assert len(listed) == sum(len(study.statement) for study in studies.values())
    for one in listed:
        assert (one["outcome"] == statements.NOT_RUN) == ("deadheat race" in one["because"][0])
    # Those of the published figures themselves need none.
    loads = [one["outcome"] for one in listed if one["because"][0].startswith("by Little's law ")]
    assert len(loads) == sum(len(study.load) for study in studies.values())
    assert {statements.HOLDS, statements.CONTRADICTED} == set(loads)
    assert {one["outcome"] for one in listed} == {
        *loads,
        statements.NOT_RUN,
        statements.NEVER,
        statements.EXPLAINED,
    }
    none = CliRunner().invoke(app, ["claims", "--out", str(tmp_path)])
    assert "no run in" in str(none.exception)
    unknown = CliRunner().invoke(app, ["claims", "nobodys", "--statements", "--suite", str(ROOT / "suite")])
    assert 'no study is called "nobodys"' in str(unknown.exception)
