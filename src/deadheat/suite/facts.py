"""Of a suite, what a plan keeps: see `model.suite_facts`."""

from collections.abc import Collection, Mapping

from deadheat.model.claim import Study
from deadheat.model.suite_facts import SuiteFacts, workload_facts
from deadheat.suite.suite import Suite


def facts_of(suite: Suite, raced: Mapping[str, Collection[str]]) -> SuiteFacts:
    """`raced`: ids of contenders by workload. What the suite does not have is left out."""
    return SuiteFacts(
        workloads={
            name: workload_facts(
                suite.workloads[name], tuple(c for c in suite.contenders[name] if c.id in ids)
            )
            for name, ids in raced.items()
            if name in suite.workloads
        },
        studies=tuple(study for study in suite.studies.values() if _is_about(study, raced)),
    )


def _is_about(study: Study, raced: Collection[str]) -> bool:
    """Whether it has a claim about one of these workloads, or published figures of one."""
    published = any(part.workload in raced for part in study.as_published)
    return published or any(claim.workload in raced for claim in study.claim)
