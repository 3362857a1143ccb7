"""What a run observes. Each observation is one line of the journal; everything else is derived from them.

`race` is the key of a race (`RacePlan.key`: its workload, setting and method). Builds and checks of answers
are a workload's, whatever races it has.
"""

from typing import Annotated

from pydantic import Field, TypeAdapter

from deadheat.model.observation.contenders import Built, Checked, ReferenceReplaced
from deadheat.model.observation.course import (
    BlockEnded,
    BlockStarted,
    Failed,
    GoneOn,
    LeadInGrown,
    Left,
    LongTurnsKnown,
    RaceUnavailable,
    Resumed,
    Settled,
    Stopped,
)
from deadheat.model.observation.interference import Disturbance, Interference, OtherProcess
from deadheat.model.observation.network import NetworkFloor
from deadheat.model.observation.servers import Ended, OfRequest, ServiceRan, Started, StatementsRan, WarmedUp
from deadheat.model.observation.traces import CallCount, SocketTrace
from deadheat.model.observation.turns import ColdStart, Invocation, LongTurn, OpenLoop, OutsideRun, Slice

__all__ = [
    "OBSERVATION",
    "BlockEnded",
    "BlockStarted",
    "Built",
    "CallCount",
    "Checked",
    "ColdStart",
    "Disturbance",
    "Ended",
    "Failed",
    "GoneOn",
    "Interference",
    "Invocation",
    "LeadInGrown",
    "Left",
    "LongTurn",
    "LongTurnsKnown",
    "NetworkFloor",
    "Observation",
    "OfRequest",
    "OpenLoop",
    "OtherProcess",
    "OutsideRun",
    "RaceUnavailable",
    "ReferenceReplaced",
    "Resumed",
    "ServiceRan",
    "Settled",
    "Slice",
    "SocketTrace",
    "Started",
    "StatementsRan",
    "Stopped",
    "WarmedUp",
]

Observation = Annotated[
    Built
    | Checked
    | RaceUnavailable
    | BlockStarted
    | Started
    | WarmedUp
    | Slice
    | Invocation
    | SocketTrace
    | CallCount
    | OutsideRun
    | OpenLoop
    | LongTurn
    | ColdStart
    | Ended
    | ServiceRan
    | StatementsRan
    | NetworkFloor
    | Interference
    | Failed
    | BlockEnded
    | Settled
    | GoneOn
    | LeadInGrown
    | Left
    | LongTurnsKnown
    | ReferenceReplaced
    | Stopped
    | Resumed,
    Field(discriminator="type"),
]

OBSERVATION: TypeAdapter[Observation] = TypeAdapter(Observation)
