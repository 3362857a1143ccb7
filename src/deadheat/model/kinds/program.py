"""Programs that run to their end."""

from deadheat.model.kinds.traits import Traits

PROGRAM = Traits(section="program", serves=False, per="a run", beside="binary")
