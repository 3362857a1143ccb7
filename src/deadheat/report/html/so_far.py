"""A race that is still under way: what is only early must not read like what went wrong."""

from deadheat.gates import MIN_BLOCKS
from deadheat.model.result import ContenderResult, WorkloadResult
from deadheat.report import words

# As rows.py says it of a run that is over.
ENDED_FIRST = "the run ended before its first block"
WAITING = "waits for its first whole block"
NOT_YET = "Figures come with the first whole block."
#: The gates that more blocks, and nothing else, mend.
ONLY_TIME = ("enough-blocks",)


def early(result: WorkloadResult) -> bool:
    """Whether it has too few blocks for any verdict."""
    return result.method == "deadheat" and result.blocks < MIN_BLOCKS


def growing(result: WorkloadResult) -> WorkloadResult:
    """The same without the gates that only time can mend."""
    kept = tuple(gate for gate in result.gates if gate.ok or gate.name not in ONLY_TIME)
    return result.model_copy(update={"gates": kept})


def sentence(result: WorkloadResult) -> tuple[str, str]:
    """What an early race comes down to, and why it is no more than that."""
    if not result.slices:
        return "Not raced yet.", NOT_YET
    rivals = [row for row in result.contenders if row.against_reference and row.class_ != "ceiling"]
    found = max(rivals, key=_ratio, default=None)
    why = f"The first verdict can be had after {MIN_BLOCKS} blocks; this is {_count(result.blocks)}."
    if found is None:
        return "Too early to say.", why
    return f"So far: {found.id} {words.ratio(_ratio(found))} times as fast as {result.reference}.", why


def waits(row: ContenderResult) -> bool:
    return row.status == "not run" and row.reason == ENDED_FIRST


def _ratio(row: ContenderResult) -> float:
    assert row.against_reference is not None
    return row.against_reference.ratio


def _count(blocks: int) -> str:
    return f"{blocks} block" + "s" * (blocks != 1)
