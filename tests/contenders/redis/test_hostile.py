"""Our clients against the engine's hostile Redis (`deadheat-load serve redis --garbage SEED`)."""

import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from deadheat.generators.engine import find_binary
from deadheat.model.contender import Contender

from ..conftest import Ready
from .contenders import OURS, WORKLOAD, contenders, run

ITERATIONS = 25
COMMANDS = 4 * ITERATIONS + 3
CONNECTIONS, FIRST_SEED = 120, 1000
# Half of the longest string that a Redis sends: who believes an announced length does not fit in.
MOST_MEMORY_BYTES = 256 * 1024 * 1024
# What each language says of an error that its program did not expect.
FAULTS = ("panicked", "nhandled exception", "memory allocation", "GC Warning", "nvalid memory access")


@contextmanager
def hostile_redis() -> Iterator[int]:
    """Its port. Each connection has a seed of its own, and is closed when all commands were answered."""
    options = ["--port", "0", "--garbage", str(FIRST_SEED), "--close-after", str(COMMANDS)]
    command = [find_binary(), "serve", "redis", *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr
        said = server.stderr.readline()
        listening = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+)\n", said)
        assert listening, said
        try:
            yield int(listening[1])
        finally:
            server.terminate()


@pytest.mark.parametrize("verify", ["", "--verify"], ids=["used", "verified"])
@pytest.mark.parametrize(
    "contender", [c for c in contenders() if c.name in OURS], ids=lambda contender: contender.id
)
def test_garbage_ends_in_a_typed_error(contender: Contender, verify: str, ready: Ready) -> None:
    """No client hangs, crashes or takes memory for what was only announced."""
    folder = ready(WORKLOAD, contender.id).folder
    assert folder is not None
    limited = contender.model_copy(update={"run": f"prlimit --data={MOST_MEMORY_BYTES} {contender.run}"})
    errors: Counter[str] = Counter()
    with hostile_redis() as port:
        for seed in range(FIRST_SEED, FIRST_SEED + CONNECTIONS):
            ended = run(limited, folder, port, f"--iterations {ITERATIONS}", verify, limit_s=60)
            assert not any(fault in ended.stderr for fault in FAULTS), (seed, ended.stderr)
            if ended.returncode == 0:
                assert json.loads(ended.stdout)["commands"] == COMMANDS, seed
            else:
                assert (ended.returncode, ended.stdout) == (1, ""), (seed, ended)
                assert ended.stderr.startswith(f"{contender.name}: "), (seed, ended.stderr)
                errors[ended.stderr] += 1
    # Some get through, most do not, and not all for one reason: or the garbage tries nothing.
    assert CONNECTIONS / 2 < errors.total() < CONNECTIONS, errors
    assert len(errors) > 5, errors
