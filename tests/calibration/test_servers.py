"""How much work makes a difference of a known size."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deadheat.calibration import servers


@given(serving_us=st.floats(2, 30), each_ns=st.floats(0.5, 10), difference=st.sampled_from([0.01, 0.03, 0.1]))
def test_a_planted_difference_is_one_of_the_whole_request(
    serving_us: float, each_ns: float, difference: float
) -> None:
    """The pilots see a server whose request costs a fixed part and so much for each iteration."""

    def cost_us(iterations: float) -> float:
        return serving_us + each_ns * iterations / 1000

    plain = servers.enough(cost_us(servers.PILOT[0]), cost_us(servers.PILOT[1]))
    assert each_ns * plain / 1000 >= 20
    near = cost_us(servers.more(plain)) / cost_us(plain)
    cost = servers.cost((plain, servers.more(plain)), near, (near - 0.01, near + 0.01))
    planted = servers.planted(cost, [difference])
    assert planted[servers.PLAIN] == planted[servers.TWIN] == plain
    truth = cost_us(planted[servers.slower(difference)]) / cost_us(plain)
    assert truth == pytest.approx(1 + difference, abs=difference / 20)
    counted, (low, high) = cost.truth(planted[servers.slower(difference)])
    assert counted == pytest.approx(truth) and low < counted < high
    assert cost.truth(plain) == (1, (1, 1))


def test_pilots_in_which_more_work_took_no_more_time() -> None:
    with pytest.raises(ValueError, match="nothing can be planted"):
        servers.enough(20.0, 20.0)
    with pytest.raises(ValueError, match="too noisy"):
        servers.cost((10_000, 13_000), 1.01, (0.99, 1.03))


def test_the_suite_is_one_like_any_other(tmp_path: Path) -> None:
    suite = servers.write(tmp_path, servers.planted(servers.Cost(1000, 1e-3, (9e-4, 1.1e-3)), [0.01, 0.1]))
    ids = {contender.id for contender in suite.contenders[servers.WORKLOAD]}
    assert ids == {"plain", "twin", "slower-10", "slower-100"}
    again = servers.write(tmp_path, servers.planted(servers.Cost(2000, 1e-3, (9e-4, 1.1e-3)), [0.01, 0.1]))
    assert "--burn-iters 2000" in again.contender(servers.WORKLOAD, "twin").run
