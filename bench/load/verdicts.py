"""Which goals the figures reach: sentences, so that no text about them can go stale."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

DRAWN_WITHIN_US = 0.1
"""What drawing a request may cost at pipeline 16."""
P50_WITHIN_MS = 0.3
"""How far the median of `--pacing burst` may be from that of exact pacing."""


def sentences(pairs: dict[str, dict[str, Any]]) -> Iterator[str]:
    """One line of Markdown each, from the pairs of bench/results.json."""
    measured = {name: pair for name, pair in pairs.items() if "generators" in pair}
    held = sum(pair["goal"] is not None for pair in measured.values())
    missed = [f"{pair['setting']} ({ratio:.3f}, goal {goal:.3f})" for pair, ratio, goal in _missed(measured)]
    if missed:
        yield f"Of {held} goals {len(missed)} missed: {'; '.join(missed)}."
    else:
        yield f"All {held} goals of cost are met."
    if not_measured := [pair["setting"] for pair in pairs.values() if "generators" not in pair]:
        yield f"Not measured: {'; '.join(not_measured)}."
    for name, pair in measured.items():
        if name.startswith("wrk-") and "--coalesce auto" in list(pair["generators"])[1]:
            yield _throughput(pair)
        if name == "oha-open":
            yield _pacing(pair)
        if name == "drawn-16":
            yield _drawing(pair)


def _missed(pairs: dict[str, dict[str, Any]]) -> Iterator[tuple[dict[str, Any], float, float]]:
    for pair in pairs.values():
        _, ours = list(pair["generators"].values())[:2]
        if pair["goal"] is not None and ours["ratio"] > pair["goal"]:
            yield pair, ours["ratio"], pair["goal"]


def _throughput(pair: dict[str, Any]) -> str:
    """Waiting for replies to collect must not slow the server down."""
    wrk, ours = list(pair["generators"].values())[:2]
    ratio = ours["requests_per_s"] / wrk["requests_per_s"]
    verdict = "not lower" if ratio >= 0.99 else "lower: the goal is missed"
    return f"{pair['setting']}: throughput with `--coalesce auto` {ratio:.2f} of wrk's, {verdict}."


def _pacing(pair: dict[str, Any]) -> str:
    """A burst must not change the latency that is told by much."""
    _, burst, exact = list(pair["generators"].values())[:3]
    apart = abs(burst["p50_ms"] - exact["p50_ms"])
    verdict = "within" if apart <= P50_WITHIN_MS else "not within"
    return (
        f"{pair['setting']}: p50 of `--pacing burst` {burst['p50_ms']:.3f} ms, of exact pacing "
        f"{exact['p50_ms']:.3f} ms: {apart:.3f} ms apart, {verdict} the {P50_WITHIN_MS} ms of the goal."
    )


def _drawing(pair: dict[str, Any]) -> str:
    """Of requests that cost a third of a microsecond, more than a share says."""
    same, drawn = list(pair["generators"].values())[:2]
    more = same["cpu_s_per_million"] * (drawn["ratio"] - 1)
    verdict = "within" if more <= DRAWN_WITHIN_US else "not within"
    return f"{pair['setting']}: {more:+.3f} us a request, {verdict} the {DRAWN_WITHIN_US} us of the goal."
