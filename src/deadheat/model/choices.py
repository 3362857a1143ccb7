"""Closed sets of words that command lines, plans and results share; nothing heavy is imported for them."""

from typing import Literal

Preset = Literal["quick", "standard", "thorough"]
Method = Literal["deadheat", "as-published"]
Metric = Literal["throughput_rps", "wall_s", "cpu_s", "first_reply_s", "reply_100_s", "reply_10000_s"]
# What a race may be judged by, as a command line has it; throughput is the race's own figure, also of a
# program, which is timed.
JudgedBy = Literal["throughput", "p50", "p90", "p99", "cpu", "memory", "startup", "size"]
# When a pull request gets a comment.
CommentWhen = Literal["always", "change", "never"]
