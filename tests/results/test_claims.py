"""Published claims: outcomes of old runs by the interval alone, and Little's law on published figures."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deadheat.errors import UserError
from deadheat.model.published import PublishedLoad
from deadheat.report.claims_table import advice
from deadheat.results import claims, outcomes
from deadheat.suite.suite import load
from tests.made.observed import suite

SUITE = Path(__file__).parents[2] / "suite"


@pytest.mark.parametrize(
    ("published", "ci", "outcome"),
    [
        (1.20, (1.18, 1.26), "replicated"),
        (1.20, (1.02, 1.10), "replicated"),
        (3.0, (1.5, 1.6), "different size"),
        (3.0, (4.0, 4.2), "different size"),
        (1.20, (0.80, 0.90), "contradicted"),
        (1.20, (0.95, 1.10), "inconclusive"),
        (1.20, (0.97, 0.99), "inconclusive"),
        (0.5, (0.45, 0.55), "replicated"),
        (0.5, (1.5, 1.6), "contradicted"),
        (1.0, (0.99, 1.01), "replicated"),
        (1.0, (1.03, 1.05), "contradicted"),
        (1.0, (0.99, 1.05), "inconclusive"),
    ],
)
def test_outcomes(published: float, ci: tuple[float, float], outcome: str) -> None:
    assert outcomes.outcome(published, ci, 0.02) == outcome


@given(
    published=st.floats(0.2, 5).filter(lambda r: abs(r - 1) > 1e-6),
    low=st.floats(0.1, 10),
    width=st.floats(1.0, 2.0),
)
@example(published=1.7265625, low=1.7265625, width=1.25)
def test_turning_a_claim_round_changes_nothing(published: float, low: float, width: float) -> None:
    ci = (low, low * width)
    turned = (1 / ci[1], 1 / ci[0])
    assert outcomes.outcome(published, ci, 0.02) == outcomes.outcome(1 / published, turned, 0.02)


def test_littles_law_on_published_figures() -> None:
    go = PublishedLoad(name="ghz", where="x", throughput_rps=77424.85, mean_latency_ms=41.43, asked=5000)
    gate = claims.published_gate("go-vs-rust-grpc", go)
    assert not gate.ok and round(gate.in_flight) == 3208
    assert "3,208" in advice(gate) and "5,000" in advice(gate)
    held = PublishedLoad(name="wrk", where="x", throughput_rps=10_000, mean_latency_ms=1, asked=10)
    assert claims.published_gate("x", held).ok


def test_every_published_claim_of_the_studies_is_there() -> None:
    studies = load(SUITE).studies
    assert {name: len(study.claim) for name, study in studies.items()} == {
        "fiber-docs": 10,
        "go-vs-crystal-2020": 13,
        "go-vs-rust-grpc": 16,
        "phoenix-vs-go-2016": 21,
        "rust-vs-crystal-redis-2020": 19,
        "techempower-r23": 8,
    }
    ratios = {claim.id: claim.ratio for study in studies.values() for claim in study.claim}
    assert ratios["http-throughput"] == pytest.approx(1.203, abs=0.001)
    assert ratios["fib-binary-size"] == pytest.approx(5.02, abs=0.01)
    assert ratios["cluster-twice-single"] == pytest.approx(1.96, abs=0.01)
    assert ratios["process-total"] == pytest.approx(1.92, abs=0.01)
    assert ratios["throughput"] == pytest.approx(1.034, abs=0.001)
    assert ratios["plaintext-throughput"] == pytest.approx(9.949, abs=0.001)
    assert ratios["queries-throughput"] == pytest.approx(1.574, abs=0.001)
    assert ratios["db-axum-without-pool"] == pytest.approx(16.92, abs=0.01)
    assert ratios["db-axum-over-sqlx"] == pytest.approx(28.97, abs=0.01)


def test_a_claim_about_nobody_names_file_line_and_the_nearest(tmp_path: Path) -> None:
    suite(tmp_path)
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims" / "x.toml").write_text(
        'study = "x"\ntitle = "x"\ndate = "x"\nversions = "x"\nmachine = "x"\nmethod = "x"\n'
        '[[claim]]\nid = "one"\nstatement = "s"\nwhere = "w"\nworkload = "echo"\n'
        'metric = "throughput_rps"\na = "fats"\nb = "slow"\npublished = { ratio = 2 }\n'
    )
    with pytest.raises(UserError) as caught:
        load(tmp_path)
    assert caught.value.message.endswith(
        'claims/x.toml:13: no contender is called "fats"; did you mean "fast"?'
    )
