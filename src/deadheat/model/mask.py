"""Fields of an answer that are not compared by value, and what they must be instead."""

from typing import Literal

# `time`: RFC 3339, or as HTTP writes dates; `epoch`: a number of seconds, or thousandths, millionths or
# billionths of one, since 1970 that is a time of this century; `any`: not even whether it is there.
MaskClass = Literal["uuid", "time", "epoch", "number", "text", "any"]
# Classes by path: `$.items[*].id`, of whatever place in a list.
Masks = dict[str, MaskClass]
