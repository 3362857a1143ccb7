"""Load generators that are not ours to drive slice by slice, by the name that studies give them."""

from __future__ import annotations

from deadheat.generators.deadheat_load import DeadheatLoad
from deadheat.generators.ghz import Ghz
from deadheat.generators.h2load import H2load
from deadheat.generators.outside import OutsideGenerator
from deadheat.generators.wrk import Wrk
from deadheat.util.registry import Registry

GENERATORS: Registry[OutsideGenerator] = Registry(
    "load generator",
    {generator.name: generator for generator in (Wrk(), Ghz(), H2load(), DeadheatLoad())},
)
