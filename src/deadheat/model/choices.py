"""Closed sets of words that command lines, plans and results share; nothing heavy is imported for them."""

from typing import Literal

Preset = Literal["quick", "standard", "thorough"]
Method = Literal["deadheat", "as-published"]
Metric = Literal["throughput_rps", "wall_s", "cpu_s", "first_reply_s", "reply_100_s", "reply_10000_s"]
