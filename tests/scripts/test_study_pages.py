"""Pages of studies: the sentences follow from the results, also where two runs contradict each other."""

from __future__ import annotations

import gzip
import json
import lzma
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from bench import kept_results

from deadheat.model.claim import Claim, ClaimResult, Direction, Study
from deadheat.model.gate import GateResult
from deadheat.model.reason import NeedsServerCores, NotInThisRun, NotMeasured
from deadheat.model.result import Against, ContenderResult, NoFigures, RaceResult, Results
from deadheat.storage import migrate
from deadheat.suite.suite import Suite, load

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "tests" / "fixtures" / "runs-f6a1ed6"
GRPC, REDIS, PHOENIX = "go-vs-rust-grpc", "rust-vs-crystal-redis-2020", "phoenix-vs-go-2016"
STUDIES = ROOT / "suite" / "claims"
# Raced before results were kept, on machines that are gone.
OF_BEFORE = {"fiber-docs", "techempower-r23"}
SHAPE = "cores=2 gzip connections=100"


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load(ROOT / "suite")


def kept(name: str) -> Results:
    packed: Path = RUNS / name / "results.json.gz"
    return Results.model_validate(migrate.results(json.loads(gzip.decompress(packed.read_bytes()))))


def renamed(row: ContenderResult, name: str, **changes: object) -> ContenderResult:
    return row.replaced(name=name, variant=None, published=None, **changes)


def a_run(suite: Suite, direction: Direction, shaped: Direction, ghz_s: float, lean: float) -> Results:
    """All that the pages ask for, from races that were kept: of every claim that direction, of those under
    the study's load the other. ghz uses so much CPU time; rust-lean is so many times as fast as redis-rs."""
    ours, outside = kept("deadheat"), kept("as-published")
    races = {(race.name, race.setting): race for race in ours.workloads}
    grpc, redis = races["grpc-unary", None], races["redis-pipeline", None]
    bigger = [
        row.replaced(bytes_per_response=56.6 if row.name == "go-grpc" else 39.2)
        for row in grpc.contenders
        if row.name in ("go-grpc", "rust-tonic")
    ]
    rust = next(row for row in redis.contenders if row.name == "rust-redis-rs")
    limited = GateResult(name="server-limited", ok=lean > 1, value=0.5, limit="at most 90%")
    clients = (
        rust.replaced(gates=(limited,)),
        *(
            renamed(rust, name, against_reference=Against(ratio=lean, ci=(lean * 0.9, lean * 1.05)))
            for name in ("crystal-redis-client", "rust-lean")
        ),
    )
    return ours.replaced(
        workloads=(
            *(race for race in ours.workloads if race not in (redis,)),
            redis.replaced(contenders=clients),
            grpc.replaced(setting=SHAPE, contenders=tuple(bigger)),
            *outside.workloads,
            *by_their_method(outside, redis, ghz_s),
        ),
        claims=tuple(row for study in suite.studies.values() for row in said(study, direction, shaped)),
    )


def by_their_method(outside: Results, redis: RaceResult, ghz_s: float) -> Iterator[RaceResult]:
    http = outside.workloads[0]
    row = http.contenders[0]
    used = row.figures.outside
    assert used is not None
    ran = used.replaced(generator_cpu_s=ghz_s, server_cpu_s=1.0)
    pair = tuple(renamed(row, name, outside=ran) for name in ("go-grpc", "rust-tonic"))
    for setting in (GRPC, f"{GRPC}, leanest"):
        yield http.replaced(
            name="grpc-unary", kind="grpc", setting=setting, reference="go-grpc", contenders=pair, verdicts=()
        )
    yield redis.replaced(method="as-published", setting=REDIS)


def said(study: Study, direction: Direction, shaped: Direction) -> Iterator[ClaimResult]:
    """By our method, under the study's load where it has one, and by its own."""
    for claim in study.claim:
        yield became(study, claim, direction)
        if claim.shape is not None:
            yield became(study, claim, shaped).replaced(shape=study.shapes[claim.shape].words)
        yield became(study, claim, "open").replaced(method="as-published", here=None)


def became(study: Study, claim: Claim, direction: Direction) -> ClaimResult:
    ratio = 1.5 if direction == "confirmed" else 0.5
    return ClaimResult(
        study=study.study,
        id=claim.id,
        statement=claim.statement,
        metric=claim.metric,
        published={"ratio": claim.ratio, "at_most": claim.published.at_most},
        method="deadheat",
        here={"ratio": ratio, "ci": (ratio * 0.9, ratio * 1.1)},
        direction=direction,
    )


def test_each_page_can_be_written_of_one_run_that_has_all(studies: ModuleType, suite: Suite) -> None:
    run = a_run(suite, "confirmed", "confirmed", ghz_s=3.0, lean=9.0)
    for name in suite.studies:
        page = studies.render(name, [run])
        assert page.startswith(f"# {suite.studies[name].title}: what holds")
        assert "None" not in page
        assert "nan" not in page.split()


def test_rows_that_no_claim_names_stand_beside_the_one_that_they_vary(
    studies: ModuleType, suite: Suite
) -> None:
    run = a_run(suite, "confirmed", "confirmed", ghz_s=3.0, lean=9.0)
    assert "## Rows beside" not in studies.render(PHOENIX, [run])
    http = next(race for race in run.workloads if (race.name, race.setting) == ("http-hello", None))
    row, verdict = http.contenders[0], next(one for one in http.verdicts if one.verdict == "faster")
    dev = renamed(row, "phoenix").replaced(variant="dev-mode")
    away = NoFigures(
        name="phoenix",
        variant="bandit",
        title="Phoenix",
        language="Elixir",
        class_="idiomatic",
        status="unavailable",
        reason="Hex cannot be reached",
    )
    beside = http.replaced(
        reference="phoenix",
        contenders=(renamed(row, "phoenix"), dev, away),
        verdicts=(verdict.replaced(a="phoenix", b="phoenix:dev-mode"),),
    )
    page = studies.render(PHOENIX, [run, run.replaced(workloads=(beside,))])
    assert "Started as printed" not in page
    assert "- phoenix is " in page and " times as fast as phoenix:dev-mode (" in page
    assert "- phoenix:bandit is unavailable: Hex cannot be reached\n" in page


def test_what_the_grpc_page_concludes_follows_from_the_run(studies: ModuleType, suite: Suite) -> None:
    turned = studies.render(GRPC, [a_run(suite, "refuted", "confirmed", ghz_s=3.0, lean=9.0)])
    assert "Go is ahead in the study's shape, tonic on one core each" in turned
    assert "it is the generator that works" in turned
    alike = studies.render(GRPC, [a_run(suite, "confirmed", "confirmed", ghz_s=0.2, lean=9.0)])
    assert "So Go is ahead under both loads" in alike
    assert "it is the server that works more" in alike
    assert "tonic on one core each" not in alike
    unsettled = studies.render(GRPC, [a_run(suite, "open", "confirmed", ghz_s=0.2, lean=9.0)])
    assert "is not settled by these runs" in unsettled
    assert "The two did not do the same work" in unsettled
    assert "where both answer in gzip, *confirmed" in unsettled
    assert "where both answer in gzip, *refuted" in studies.render(
        GRPC, [a_run(suite, "confirmed", "refuted", ghz_s=0.2, lean=9.0)]
    )


def test_what_the_redis_page_concludes_follows_from_the_run(studies: ModuleType, suite: Suite) -> None:
    fast = studies.render(REDIS, [a_run(suite, "confirmed", "confirmed", ghz_s=3.0, lean=9.0)])
    slow = studies.render(REDIS, [a_run(suite, "confirmed", "confirmed", ghz_s=3.0, lean=0.5)])
    assert "Rust itself is not what stands in the way" in fast
    assert "Rust itself is not what stands in the way" not in slow
    assert "the gate `server-limited` is broken" in slow
    assert "the gate `server-limited` is broken" not in fast


def test_rows_from_copies_are_said_to_be(studies: ModuleType, suite: Suite) -> None:
    """Where the shards were raced; and where from a suite of copies, that this machine reaches no host."""
    run = a_run(suite, "confirmed", "confirmed", ghz_s=3.0, lean=9.0)
    redis = studies.Figures(REDIS, [run]).race("redis-pipeline", among=["rust-redis-rs"])
    shard = renamed(redis.contenders[0], "crystal-jgaskins")
    with_shard = redis.replaced(contenders=(*redis.contenders, shard))
    raced = run.replaced(workloads=(with_shard, *(race for race in run.workloads if race is not redis)))
    copies = raced.replaced(command=("deadheat", "race", "--suite", "target/copies/suite"))
    missing, reached, copied = (studies.render(REDIS, [one]) for one in (run, raced, copies))
    assert "their rows read `unavailable`" in missing
    assert "CPU time of redis-rs over that of the author's: 1.50 (1.35 to 1.65) here" in reached
    assert "from copies" not in reached
    assert "CPU time of redis-rs over that of the author's: 1.50 (1.35 to 1.65) here" in copied
    assert "built [from copies" in copied and "`make studies-from-copies DIR=... ARGS=" in copied


def test_what_the_pages_of_techempowers_figures_conclude_follows_from_the_run(
    studies: ModuleType, suite: Suite
) -> None:
    turned = studies.render("fiber-docs", [a_run(suite, "confirmed", "refuted", ghz_s=3.0, lean=9.0)])
    assert "So the order turns here as it did there" in turned
    # The head says what the word means; then JSON, a row, 20 rows and 20 updates with 512 connections.
    assert turned.count("*refuted*") == 1 + 4
    alike = studies.render("fiber-docs", [a_run(suite, "refuted", "confirmed", ghz_s=3.0, lean=9.0)])
    assert "Here that does not turn the order" in alike
    assert "So the order turns here" not in alike
    unsettled = studies.render("fiber-docs", [a_run(suite, "open", "open", ghz_s=3.0, lean=9.0)])
    assert "Whether the order turns here is open" in unsettled
    for page in (turned, alike, unsettled):
        assert "Every column that the study printed" not in page
        assert "as-published.md" not in page

    run = a_run(suite, "confirmed", "confirmed", ghz_s=3.0, lean=9.0)
    less = studies.render("techempower-r23", [run])
    assert "That is surely less than was published" in less
    claims = tuple(
        row.replaced(here={"ratio": 20.0, "ci": (15.0, 27.0)}) if row.id == "db-axum-without-pool" else row
        for row in run.claims
    )
    as_much = studies.render("techempower-r23", [run.replaced(claims=claims)])
    assert "Whether the number of cores has a part in it is open" in as_much
    assert "surely less" not in as_much
    # A lower bound is below what was published, and says nothing of it.
    bound = tuple(
        row.replaced(size="open") if row.id == "db-axum-without-pool" else row for row in run.claims
    )
    assert "surely less" not in studies.render("techempower-r23", [run.replaced(claims=bound)])


def test_why_a_claim_could_not_be_checked_does_not_hang_on_the_order_of_runs(
    studies: ModuleType, suite: Suite
) -> None:
    """A run by the study's own method has no race by ours, which is no reason where another run has one."""
    run = a_run(suite, "confirmed", "confirmed", ghz_s=3.0, lean=9.0)

    def saying(why: NeedsServerCores | NotInThisRun) -> Results:
        claims = (
            row.replaced(here=None, direction="not run", reasons=(why,))
            if row.id == "express-cluster-over-node-http" and row.method == "deadheat"
            else row
            for row in run.claims
        )
        return run.replaced(claims=tuple(claims))

    tried = saying(NeedsServerCores(cores=2))
    other = saying(NotInThisRun(workload="http-hello", method="deadheat"))
    for runs in ([tried, other], [other, tried]):
        page = studies.render("phoenix-vs-go-2016", runs)
        claims = page[page.index("## Every claim") : page.index("## Every sentence")]
        assert "needs 2 server cores" in claims and "not in this run" not in claims


def test_a_claim_without_a_figure_says_why(studies: ModuleType, suite: Suite) -> None:
    run = a_run(suite, "confirmed", "confirmed", ghz_s=3.0, lean=9.0)
    late = GateResult(
        name="errors", ok=False, value=7144, limit="0", facts={"first_error": "no reply within 5000 ms"}
    )
    why = NotMeasured(contender="node-express-postgres", status="invalid", gate=late)
    claims = tuple(
        row.replaced(here=None, direction="not run", reasons=(why,))
        if (row.id, row.shape is None) == ("queries-throughput", False)
        else row
        for row in run.claims
    )
    page = studies.render("fiber-docs", [run.replaced(claims=claims)])
    said = "no figure with 512 connections (node-express-postgres is invalid: errors: "
    assert said in page and "no reply within 5000 ms" in page


def test_whether_cores_have_a_part_is_open_where_the_factor_is_no_smaller(
    studies: ModuleType, suite: Suite
) -> None:
    run = a_run(suite, "refuted", "refuted", ghz_s=3.0, lean=9.0)
    smaller = studies.render("go-vs-crystal-2020", [run])
    assert "surely less than was published" in smaller
    claims = tuple(
        row.replaced(here={"ratio": 4.0, "ci": (3.5, 4.5)}) if row.id == "http-cpu-per-request" else row
        for row in run.claims
    )
    alike = studies.render("go-vs-crystal-2020", [run.replaced(claims=claims)])
    assert "Whether cores have a part in the published factor is open" in alike


def test_rows_of_a_page_are_of_one_race_that_has_them_all(studies: ModuleType, suite: Suite) -> None:
    run = a_run(suite, "confirmed", "confirmed", ghz_s=3.0, lean=9.0)
    without = tuple(
        race.replaced(contenders=tuple(r for r in race.contenders if r.name != "crystal-http-server"))
        if race.name == "http-hello"
        else race
        for race in run.workloads
    )
    figures = studies.Figures("go-vs-crystal-2020", [run.replaced(workloads=without), run])
    crystal, go = figures.rows("http-hello", ["crystal-http-server", "go-net-http"])
    assert (crystal.id, go.id) == ("crystal-http-server", "go-net-http")
    with pytest.raises(SystemExit, match="with express and nobody"):
        figures.rows("http-hello", ["express", "nobody"])


def test_a_page_that_these_runs_do_not_suffice_for_stays_and_the_others_are_written(
    studies: ModuleType,
    suite: Suite,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = a_run(suite, "confirmed", "confirmed", ghz_s=3.0, lean=9.0)
    without_ghz = tuple(race for race in run.workloads if race.setting != GRPC)
    saved = lzma.compress(run.replaced(workloads=without_ghz).model_dump_json(by_alias=True).encode())
    pages = tmp_path / "pages"
    shutil.copytree(ROOT / "docs" / "studies" / "templates", pages / "templates")
    (tmp_path / "results").mkdir()
    for name in set(suite.studies) - {REDIS}:
        (tmp_path / "results" / f"{name}.deadheat.json.xz").write_bytes(saved)
    monkeypatch.setattr(studies, "ROOT", tmp_path)
    monkeypatch.setattr(studies, "PAGES", pages)
    monkeypatch.setattr(kept_results, "KEPT", tmp_path / "results")
    monkeypatch.setattr(studies, "load", lambda _: suite)
    monkeypatch.setattr(sys, "argv", ["studies.py"])
    with pytest.raises(SystemExit) as ended:
        studies.main()
    assert ended.value.code == 1
    assert {page.stem for page in pages.glob("*.md")} == set(suite.studies) - {GRPC, REDIS}
    assert "(../results/fiber-docs.deadheat.json.xz)" in (pages / "fiber-docs.md").read_text()
    said = capsys.readouterr().err
    assert "go-vs-rust-grpc.md not written: go-vs-rust-grpc: none of these runs measured" in said
    assert "rust-vs-crystal-redis-2020.md not written: no results of it in results" in said


@pytest.mark.parametrize("study", sorted(path.stem for path in STUDIES.glob("*.toml")))
def test_a_page_is_what_the_results_kept_of_it_say(studies: ModuleType, study: str) -> None:
    names = kept_results.names_of(study)
    page = (studies.PAGES / f"{study}.md").read_text()
    if study in OF_BEFORE:
        assert not names, f"{study} has been raced again: out of OF_BEFORE with it"
        assert "(../results/" not in page
    else:
        runs = [kept_results.results(name) for name in names]
        assert page == studies.render(study, runs, names), "make studies writes it"
