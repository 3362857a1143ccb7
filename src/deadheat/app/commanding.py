"""What the first of several servers without a suite answers to commands of Redis."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial

from deadheat.app.trial import Heard, Trial
from deadheat.kinds import redis_asking
from deadheat.kinds.conformance import Wrong
from deadheat.model.address import Address
from deadheat.run.progress import View
from deadheat.suite.ad_hoc import AdHoc, Answer, Commands


def commanded(trial: Trial, commands: Commands, times: int = 1) -> list[Heard]:
    """Its replies of one start, all of them as JSON; data None where one is no text.

    Raises UserError where it does not start or refuses one.
    """
    return trial.answers([partial(_ask, trial, commands)] * times)


def right(wanted: AdHoc, heard: Sequence[Heard], view: View) -> Answer:
    """The replies, where they are always the same."""
    data = heard[0].data
    if data is not None and len({each.data for each in heard}) == 1:
        return Answer(body=data.decode())
    view.note(
        f"{wanted.first.called} replies otherwise each time, or in no text: what it replies is not compared"
    )
    return Answer(body=None)


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
