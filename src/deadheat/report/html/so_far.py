"""A race that is still under way: what is only early must not read like what went wrong."""

from deadheat import stats
from deadheat.model.gate import GateResult
from deadheat.model.result import ContenderResult, RaceResult
from deadheat.report import words

WAITING = "waits for its first whole block"
NOT_YET = "Figures come with the first whole block."


def early(result: RaceResult) -> bool:
    """Whether it has too few blocks for any verdict."""
    return result.method == "deadheat" and result.blocks < _fewest(result)


def growing(result: RaceResult) -> RaceResult:
    """The same without the gates that only time can mend."""
    kept = tuple(gate for gate in result.gates if gate.ok or not _mended_by_time(gate, result))
    return result.replaced(gates=kept)


def sentence(result: RaceResult) -> tuple[str, str]:
    """What an early race comes down to, and why it is no more than that."""
    if not result.slices:
        return "Not raced yet.", NOT_YET
    rivals = [row for row in result.contenders if row.against_reference and row.class_ != "ceiling"]
    found = max(rivals, key=_ratio, default=None)
    why = f"The first verdict can be had after {_fewest(result)} blocks; this is {_count(result.blocks)}."
    if found is None:
        return "Too early to say.", why
    ratio = f"{words.ratio(_ratio(found))} times {words.as_good(result.judged_by)}"
    return f"So far: {found.id} {ratio} as {result.reference}.", why


def waits(row: ContenderResult) -> bool:
    return row.status == "not run" and row.reason is None


def _ratio(row: ContenderResult) -> float:
    assert row.against_reference is not None
    return row.against_reference.ratio


def _mended_by_time(gate: GateResult, result: RaceResult) -> bool:
    """Whether more blocks, and nothing else, are what it needs; a null pair may have no interval yet."""
    if gate.name == "null-pair":
        return result.null_pair is None or result.null_pair.ci is None
    return gate.name == "enough-blocks"


def _fewest(result: RaceResult) -> int:
    return stats.METHODS[result.method_version].fewest_blocks


def _count(blocks: int) -> str:
    return f"{blocks} block" + "s" * (blocks != 1)
