"""Programs run to completion: interleaved invocation by invocation."""

import random
import shlex
import sys
from collections.abc import Generator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from deadheat import hosts
from deadheat.build import command
from deadheat.errors import ExitCode, UserError
from deadheat.hosts import StartError
from deadheat.hosts.program import Exit, Spec
from deadheat.kinds.conformance import Wrong
from deadheat.kinds.conformance import run as run_cases
from deadheat.kinds.program import call_count, invocations
from deadheat.kinds.services import start as services
from deadheat.kinds.services.running import AllRunning
from deadheat.model.observation import Invocation, Observation
from deadheat.model.workload import ProgramWork
from deadheat.plan.schedule import Block, Turn
from deadheat.run.check import Check
from deadheat.run.kind import Stage

ORACLE_TIMEOUT_S = 60.0
_ANSWERS: dict[tuple[Path, str, int], str] = {}


class ProgramKind:
    """Exit status 0 and exactly the oracle's output, at every n, each time."""

    def unavailable(self, stage: Stage) -> str | None:
        """It needs its contenders, and its services where it has any."""
        return services.lacking(stage)

    def check(self, stage: Stage, entry: str) -> Check:
        sizes = _work(stage).n.check
        rng = random.Random(f"{stage.plan.seed}:check")
        numbers = [*range(sizes.range[0], sizes.range[1] + 1), rng.randint(*sizes.random)]

        with ExitStack() as stack:
            stage, running = services.beside(stage, stack)

            def case(n: int) -> None:
                with running.beside(entry):
                    running.reset()
                    self._right(stage, entry, n)

            return run_cases(partial(case, n) for n in numbers)

    def block(self, stage: Stage, block: Block) -> Generator[Observation]:
        with ExitStack() as stack:
            stage, running = services.beside(stage, stack)
            yield from self._turns(stage, block, running)
            yield from running.ran(block.index)

    def _turns(self, stage: Stage, block: Block, running: AllRunning) -> Generator[Observation]:
        n = stage.race.invocations.n

        def invoke(turn: Turn, warm_up: bool) -> Invocation:
            with running.beside(turn.entry):
                running.reset()
                before_s = running.cpu_s()
                exit_ = self._right(stage, turn.entry, n, traced=warm_up)
                after_s = running.cpu_s()
            used_s = after_s - before_s if after_s is not None and before_s is not None else None
            return invocations.invocation(
                stage, block, turn, exit_, warm_up=warm_up, n=n, server_cpu_s=used_s
            )

        lost: set[str] = set()
        yield from invocations.interleaved(stage, block, invoke, lost)
        calls = _work(stage).calls
        if block.index == 0 and calls is not None:
            for entry in (entry for entry in block.start if entry not in lost):
                fewer, more = (_spec(stage, entry, small) for small in calls.n)
                yield call_count.observe(stage, block.index, entry, calls, (fewer, more))

    def _right(self, stage: Stage, entry: str, n: int, traced: bool = False) -> Exit:
        """Run it once. Raises Wrong unless it ends well and prints what the oracle prints."""
        spec = _spec(stage, entry, n, traced=traced)
        asked = " ".join((Path(spec.argv[0]).name, *spec.argv[1:]))
        exit_, left = invocations.complete(stage, spec)
        said = left.stdout[:1000].decode(errors="backslashreplace")
        complaint = left.stderr[-1000:].decode(errors="backslashreplace")
        if not exit_.ok:
            what = f"n = {n}: it {exit_.describe()}"
            raise Wrong(what, f"{asked}\n{what}\nstdout: {said}\nstderr: {complaint}")
        if _work(stage).output == "any":
            return exit_
        expected = _oracle(stage, n)
        if said != expected or exit_.stdout_bytes != len(expected.encode()):
            shown = said.strip()[:80]
            what = f'n = {n}  expected "{expected.strip()}"  got "{shown}"'
            raise Wrong(
                what, f"{asked}\nexpected on stdout: {expected!r}\ngot: {said!r}\nstderr: {complaint}"
            )
        return exit_


def _spec(stage: Stage, entry: str, n: int, *, traced: bool = False) -> Spec:
    work = _work(stage)
    args = [command.fill(stage.build(entry).contender, word, {"n": n}) for word in work.args]
    return stage.spec(entry, {}, args, time_limit_s=work.timeout_s, peak_memory=traced)


def _work(stage: Stage) -> ProgramWork:
    assert stage.workload.program is not None
    return stage.workload.program


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
        env={"PATH": command.path()},
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
