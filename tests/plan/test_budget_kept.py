"""A plan takes the time that it was given, by what is known of starts and invocations."""

from __future__ import annotations

from pathlib import Path

import pytest

from deadheat import plan as planning
from deadheat import stats
from deadheat.kinds.registry import KINDS
from deadheat.plan import Asked
from deadheat.plan.duration import least_s
from deadheat.suite.suite import load

SUITE = load(Path(__file__).parents[2] / "suite")


@pytest.mark.parametrize("start_s", [0.01, 0.3, 2.0])
@pytest.mark.parametrize("budget_s", [30, 45, 60, 90, 120, 180, 240, 300, 420, 600, 1200])
@pytest.mark.parametrize(
    ("workload", "contenders"),
    [("http-hello", ("node-http", "go-net-http")), ("grpc-unary", ("go-grpc",)), ("fib", ("c", "go"))],
)
def test_a_plan_is_within_a_tenth_of_its_budget(
    workload: str, contenders: tuple[str, ...], budget_s: float, start_s: float
) -> None:
    asked = Asked(
        workloads=(workload,), contenders=contenders, budget_s=budget_s, start_s=start_s, invocation_s=start_s
    )
    plan = planning.plan(asked, SUITE, tuple(KINDS))
    if least_s(plan.workloads, stats.METHOD.fewest_blocks, asked) > budget_s:
        return  # `deadheat ab` refuses it
    planned_s = sum(race.estimated_s or 0 for race in plan.workloads)
    assert planned_s == pytest.approx(budget_s, rel=0.1)
