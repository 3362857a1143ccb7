"""Programs run to completion: interleaved invocation by invocation, with their services beside them."""

from collections.abc import Generator
from contextlib import ExitStack

from deadheat.kinds.conformance import Wrong
from deadheat.kinds.program import hooks, invocations
from deadheat.kinds.program.oracle import OracleProof
from deadheat.kinds.program.pipeline.proof import PipelineProof
from deadheat.kinds.program.proof import Proof
from deadheat.kinds.services import start as services
from deadheat.kinds.services.running import AllRunning
from deadheat.model.observation import Invocation, Observation
from deadheat.plan.schedule import Block, Turn
from deadheat.run.check import Check
from deadheat.run.kind import Stage


class ProgramKind:
    """Each invocation is timed from outside, and counts where the workload's proof holds."""

    def unavailable(self, stage: Stage) -> str | None:
        """It needs its contenders, and its services where it has any."""
        return services.lacking(stage)

    def check(self, stage: Stage, entry: str) -> Check:
        try:
            hooks.run(stage, entry, "setup")
            return proof_of(stage).check(stage, entry)
        except Wrong as wrong:
            return Check(False, 0, wrong.reason, wrong.exchange)
        finally:
            hooks.clean_up(stage, [entry])

    def block(self, stage: Stage, block: Block) -> Generator[Observation]:
        proof = proof_of(stage)
        lost: set[str] = set()
        set_up: list[str] = []
        if block.index == 0:
            for unfit in proof.unfit(stage, block):
                lost.add(unfit.entry)
                yield unfit
        with ExitStack() as stack:
            stage, running = services.beside(stage, stack, block.start)
            stack.callback(hooks.clean_up, stage, set_up)

            # Before anybody's turn: what it leaves running would be in somebody's else.
            for entry in (entry for entry in block.start if entry not in lost):
                set_up.append(entry)
                try:
                    hooks.run(stage, entry, "setup")
                except Wrong as wrong:
                    lost.add(entry)
                    stage.view.state(entry, "failed")
                    yield invocations.failed(stage, block, entry, wrong)

            def invoke(turn: Turn, warm_up: bool) -> Invocation:
                return invoked(stage, block, turn, running, warm_up=warm_up)

            yield from invocations.interleaved(stage, block, invoke, lost)
            if block.index == 0:
                racing = [entry for entry in block.start if entry not in lost]
                yield from proof.apart(stage, block, racing, running)
            yield from running.ran(block.index)


def proof_of(stage: Stage) -> Proof:
    """By what it is known that this workload's programs are right."""
    return OracleProof() if stage.workload.pipeline is None else PipelineProof(stage.workload.pipeline)


def invoked(stage: Stage, block: Block, turn: Turn, running: AllRunning, *, warm_up: bool) -> Invocation:
    """One turn, and the CPU time that its services used meanwhile. Raises Wrong."""
    with running.beside(turn.entry):
        running.reset()
        before_s = running.cpu_s()
        ran = proof_of(stage).invoke(stage, turn.entry, running, traced=warm_up)
        after_s = running.cpu_s()
    return invocations.invocation(
        stage,
        block,
        turn,
        ran.exit,
        warm_up=warm_up,
        n=ran.n,
        own_wall_s=ran.own_wall_s,
        server_cpu_s=after_s - before_s if after_s is not None and before_s is not None else None,
    )
