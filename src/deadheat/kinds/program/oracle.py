"""Programs whose output must be an oracle's at every n, each time; or any output is right that ends well."""

from __future__ import annotations

import random
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from deadheat import hosts
from deadheat.errors import ExitCode, UserError
from deadheat.hosts import StartError
from deadheat.hosts.program import Exit, Spec
from deadheat.kinds.conformance import Wrong
from deadheat.kinds.conformance import run as run_cases
from deadheat.kinds.program import arguments, call_count, hooks, invocations
from deadheat.kinds.program.proof import Ran
from deadheat.kinds.services import start as services
from deadheat.kinds.services.running import AllRunning
from deadheat.model.observation import Failed, Observation
from deadheat.plan.schedule import Block
from deadheat.run.check import Check
from deadheat.run.kind import Stage

ORACLE_TIMEOUT_S = 60.0
_ANSWERS: dict[tuple[Path, str, int], str] = {}


class OracleProof:
    """Exit status 0 and exactly the oracle's output."""

    def check(self, stage: Stage, entry: str) -> Check:
        sizes = arguments.work(stage).n.check
        assert sizes is not None  # a workload without a pipeline has some
        rng = random.Random(f"{stage.plan.seed}:check")
        numbers = [*range(sizes.range[0], sizes.range[1] + 1), rng.randint(*sizes.random)]

        with ExitStack() as stack:
            stage, running = services.beside(stage, stack, [entry])

            def case(n: int) -> None:
                with running.beside(entry):
                    running.reset()
                    _right(stage, entry, n)

            return run_cases(partial(case, n) for n in numbers)

    def unfit(self, stage: Stage, block: Block) -> Iterator[Failed]:
        return iter(())

    def invoke(self, stage: Stage, entry: str, running: AllRunning, *, traced: bool) -> Ran:
        n = stage.race.n
        return Ran(_right(stage, entry, n, traced=traced), n)

    def apart(
        self, stage: Stage, block: Block, entries: Sequence[str], running: AllRunning
    ) -> Iterator[Observation]:
        """The calls that each really executes."""
        calls = arguments.work(stage).calls
        for entry in entries if calls is not None else ():
            assert calls is not None
            fewer, more = (_spec(stage, entry, small) for small in calls.n)
            yield call_count.observe(stage, block.index, entry, calls, (fewer, more))


def _right(stage: Stage, entry: str, n: int, *, traced: bool = False) -> Exit:
    """Run it once. Raises Wrong unless it ends well and prints what the oracle prints."""
    spec = _spec(stage, entry, n, traced=traced)
    asked = " ".join((Path(spec.argv[0]).name, *spec.argv[1:]))
    with hooks.around(stage, entry, n):
        exit_, left = invocations.complete(stage, spec)
    said = left.stdout[:1000].decode(errors="backslashreplace")
    complaint = left.stderr[-1000:].decode(errors="backslashreplace")
    if not exit_.ok:
        what = f"n = {n}: it {exit_.describe()}"
        raise Wrong(what, f"{asked}\n{what}\nstdout: {said}\nstderr: {complaint}")
    if arguments.work(stage).output == "any":
        return exit_
    expected = _oracle(stage, n)
    if said != expected or exit_.stdout_bytes != len(expected.encode()):
        shown = said.strip()[:80]
        what = f'n = {n}  expected "{expected.strip()}"  got "{shown}"'
        raise Wrong(what, f"{asked}\nexpected on stdout: {expected!r}\ngot: {said!r}\nstderr: {complaint}")
    return exit_


def _spec(stage: Stage, entry: str, n: int, *, traced: bool = False) -> Spec:
    args = arguments.of(stage, entry, n)
    return stage.spec(entry, {}, args, time_limit_s=arguments.work(stage).timeout_s, peak_memory=traced)


def _oracle(stage: Stage, n: int) -> str:
    """What the right output is, by the workload's own oracle; asked once for each n."""
    line = str(stage.workload.oracle)
    asked = (stage.workload_folder, line, n)
    if asked not in _ANSWERS:
        words = shlex.split(line)
        argv = tuple(word.replace("{python}", sys.executable).replace("{n}", str(n)) for word in words)
        _ANSWERS[asked] = _answer(stage, argv)
    return _ANSWERS[asked]


def _answer(stage: Stage, argv: tuple[str, ...]) -> str:
    spec = Spec(
        argv=argv,
        cwd=stage.workload_folder,
        env={"PATH": stage.host.programs().path},
        stdout=stage.logs / "oracle.out",
        stderr=stage.logs / "oracle.err",
        time_limit_s=ORACLE_TIMEOUT_S,
    )
    try:
        handle = stage.host.start(spec)
    except StartError as error:
        raise _oracle_failed(stage, argv, str(error)) from error
    exit_ = hosts.wait(stage.host, handle, stage.stop)
    left = stage.host.collect(handle)
    if not exit_.ok:
        raise _oracle_failed(stage, argv, f"it {exit_.describe()}: {left.output_tail.strip()[-500:]}")
    return left.stdout.decode()


def _oracle_failed(stage: Stage, argv: tuple[str, ...], why: str) -> UserError:
    file = stage.workload_folder / "workload.toml"
    what = f"{file}: the oracle failed: {shlex.join(argv)}: {why}"
    return UserError(what, code=ExitCode.NOTHING_MEASURED)
