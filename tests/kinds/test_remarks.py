"""Answers that are right and unlike others': a remark beside the count of cases."""

from __future__ import annotations

from deadheat.kinds import conformance
from deadheat.kinds.conformance import Case, Remark, Wrong


def wrong() -> None:
    raise Wrong("expected a  got b", "all of it")


def test_remarks_are_kept_in_order_and_are_no_headers() -> None:
    cases: list[Case] = [
        lambda: Remark("late"),
        lambda: ("server: x",),
        lambda: None,
        lambda: Remark("other"),
    ]
    found = conformance.run(cases)
    assert (found.ok, found.cases, found.headers) == (True, 4, ("server: x",))
    assert found.remarks == ("late", "other")


def test_a_wrong_answer_after_a_remark_is_wrong() -> None:
    found = conformance.run([lambda: Remark("late"), wrong])
    assert (found.ok, found.cases, found.reason) == (False, 2, "expected a  got b")
