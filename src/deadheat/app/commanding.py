"""What the first of several servers without a suite answers to commands of Redis."""

from __future__ import annotations

import json
from functools import partial

from deadheat.app.trial import Heard, Trial
from deadheat.kinds import redis_asking
from deadheat.kinds.conformance import Wrong
from deadheat.model.address import Address
from deadheat.suite.ad_hoc import Commands


def commanded(trial: Trial, commands: Commands, times: int = 1) -> list[Heard]:
    """Its replies of one start, all of them as JSON; data None where one is no text.

    Raises UserError where it does not start or refuses one.
    """
    return trial.answers([partial(_ask, trial, commands)] * times)


def _ask(trial: Trial, commands: Commands, at: Address) -> Heard:
    """Raises OSError while nobody answers, UserError for a command that is refused."""
    with redis_asking.connected(at) as connection:
        try:
            replies = [redis_asking.told(reply) for reply in connection.ask(commands.words)]
        except Wrong as wrong:
            raise trial.failed(wrong.reason) from wrong
    try:
        return Heard(json.dumps(replies).encode())
    except TypeError:  # bytes
        return Heard(None)
