"""`deadheat` with less patience: the same command line, but tests need not sit through its time limits.

Run as `python impatient.py race ...`. Only waits are cut: nothing that a test looks at.
"""

import os
from dataclasses import replace

import deadheat.conformance
import deadheat.derive
import deadheat.kinds.equal_load
import deadheat.kinds.grpc
import deadheat.kinds.grpc_frames
import deadheat.kinds.published_server
import deadheat.kinds.server
import deadheat.kinds.server_check
import deadheat.planning.duration
import deadheat.planning.races
from deadheat.cli import main

READY_TIMEOUT_S = 6.0


def hurry() -> None:
    for servers in (deadheat.kinds.server, deadheat.kinds.server_check):
        vars(servers).update(READY_TIMEOUT_S=READY_TIMEOUT_S, STOP_GRACE_S=1.0)
    deadheat.kinds.server.REQUEST_TIMEOUT_MS = 2000
    deadheat.kinds.grpc.CONCURRENT = 100
    vars(deadheat.kinds.grpc_frames).update(ANSWER_S=3.0, STOP_GRACE_S=2.0)
    deadheat.conformance.IDLE_S = 0.05
    if answer_timeout_s := os.environ.get("DEADHEAT_TEST_ANSWER_TIMEOUT_S"):
        deadheat.conformance.TIMEOUT_S = float(answer_timeout_s)
    if outside_limit_s := os.environ.get("DEADHEAT_TEST_OUTSIDE_LIMIT_S"):
        vars(deadheat.kinds.published_server).update(PATIENCE_S=0.0, LONGEST_S=float(outside_limit_s))
    deadheat.planning.duration.START_S = 0.1
    vars(deadheat.planning.races).update(WARM_UP_MS=50, LEAD_IN_MS=20, COUNTED_MS=40)
    deadheat.kinds.equal_load.LEAD_IN_MS = 10
    deadheat.kinds.equal_load.LONGEST = 1
    sizes = deadheat.planning.duration.SIZES
    sizes["quick"] = replace(sizes["quick"], open_loop_ms=30)
    # When a race is settled depends on the machine's noise; how many blocks a test finds must not.
    vars(deadheat.derive).update(settled=lambda _: False)


if __name__ == "__main__":
    hurry()
    main()
