"""What was asked, and the suite, become a plan: a value that `--dry-run` prints and a journal keeps."""

from deadheat.planning.asked import Asked, Method
from deadheat.planning.duration import MIN_ROUNDS, SIZES, START_S, Size, estimated_s
from deadheat.planning.races import COUNTED_MS, LEAD_IN_MS, LOADS, NULL_SUFFIX, WARM_UP_MS, plan
from deadheat.planning.settings import RedisAsked

__all__ = [
    "COUNTED_MS",
    "LEAD_IN_MS",
    "LOADS",
    "MIN_ROUNDS",
    "NULL_SUFFIX",
    "SIZES",
    "START_S",
    "WARM_UP_MS",
    "Asked",
    "Method",
    "RedisAsked",
    "Size",
    "estimated_s",
    "plan",
]
