"""Results of a race by a study's own method: single figures, the study's beside them."""

from deadheat.model.observation import OutsideRun
from deadheat.model.result import Latency, Measure, WorkloadResult
from deadheat.suite import Suite
from deadheat.tally import Tally, Value

NO_INTERVAL = "one figure of each, so no interval"


def runs(found: Tally, entry: str, value: Value) -> Measure | None:
    """The best run's figure, and that of every run."""
    best = found.outside_run(entry)
    if best is None or not value(best) > 0:
        return None
    return Measure(estimate=value(best), ci=None, blocks=tuple(map(value, found.outside[entry])))


def told_latency(run: OutsideRun) -> Latency | None:
    """As the tool tells it: a percentile that it does not print is not known."""
    told = run.latency_ms
    if "mean" not in told or "max" not in told:
        return None
    return Latency(
        at_rps=None,
        mean=told["mean"],
        p50=told.get("p50"),
        p90=told.get("p90"),
        p99=told.get("p99"),
        p99_9=told.get("p99.9"),
        max=told["max"],
    )


def with_published(result: WorkloadResult, found: Tally, suite: Suite) -> WorkloadResult:
    """The same with the study's figures beside ours, and every verdict saying that there is no interval."""
    outside = found.race.outside
    if outside is None:
        return result
    study = suite.studies.get(outside.study)
    printed = study.as_published.row if study is not None and study.as_published is not None else ()
    published = {row.contender: row for row in printed}
    rows = tuple(row.model_copy(update={"published": published.get(row.id)}) for row in result.contenders)
    verdicts = tuple(
        verdict.model_copy(update={"why": NO_INTERVAL}) if verdict.verdict == "inconclusive" else verdict
        for verdict in result.verdicts
    )
    return result.model_copy(update={"contenders": rows, "verdicts": verdicts})
