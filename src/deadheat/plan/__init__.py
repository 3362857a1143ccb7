"""What was asked, and the suite, become a plan: a value that `--dry-run` prints and a journal keeps."""

from deadheat.plan.asked import OURS, Asked
from deadheat.plan.duration import MIN_ROUNDS, SIZES, START_S, Size, estimated_s
from deadheat.plan.planner import Planner
from deadheat.plan.races import COUNTED_MS, LEAD_IN_MS, LOADS, PLANNER, WARM_UP_MS, plan
from deadheat.plan.reference import NULL_SUFFIX

__all__ = [
    "COUNTED_MS",
    "LEAD_IN_MS",
    "LOADS",
    "MIN_ROUNDS",
    "NULL_SUFFIX",
    "OURS",
    "PLANNER",
    "SIZES",
    "START_S",
    "WARM_UP_MS",
    "Asked",
    "Planner",
    "Size",
    "estimated_s",
    "plan",
]
