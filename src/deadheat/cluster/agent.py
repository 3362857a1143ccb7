"""Our part on a machine of a cluster: it says what the machine is, and runs a race of its own there.

It is an ordinary class, which Ray makes an actor of. What it is given and gives are plain values, and the
race is run by the same `Runner` as anywhere. It ends itself, and with it all it has started, once nobody has
asked for it for a while: whether the driver died, or the network did.
"""

from __future__ import annotations

import hashlib
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from deadheat import __version__
from deadheat.build.builder import Builder
from deadheat.cluster import inherited
from deadheat.cluster import parcel as parcels
from deadheat.cluster.inherited import Inherited
from deadheat.cluster.network import Echo, Network, measured
from deadheat.cluster.parcel import Parcel
from deadheat.cluster.remote_host import RemoteHost
from deadheat.errors import UserError
from deadheat.generators.engine import BINARY, find_binary
from deadheat.hosts import lock
from deadheat.hosts.affinity import on_cpus
from deadheat.hosts.cpus import Cores, default_cpus
from deadheat.hosts.local import LocalHost
from deadheat.hosts.machine import WINDOW_S
from deadheat.hosts.process import Launcher, StartError
from deadheat.hosts.program import Spec
from deadheat.model.observation import (
    OBSERVATION,
    Disturbance,
    Invocation,
    LongTurn,
    NetworkFloor,
    Observation,
    OpenLoop,
    Slice,
)
from deadheat.model.plan import Plan, RacePlan
from deadheat.model.progress import Progress
from deadheat.model.result import RaceResult
from deadheat.run.runner import Runner
from deadheat.storage import run_folder
from deadheat.studies.drivers import DRIVERS
from deadheat.studies.registry import DERIVERS
from deadheat.suite.suite import load as load_suite
from deadheat.util.interrupt import InterruptedRunError, Stop
from deadheat.util.paths import cache_folder

#: Without a sign of life from the driver for so long an agent ends.
ALONE_S = 4.0
LOOPBACK = "127.0.0.1"
#: How long a block may wait for a race that is none of ours.
WAIT_S = 600.0
# Between two blocks, so that whoever waits for the machine gets it.
GIVE_WAY_S = 3 * lock.POLL_S
# Sent with what follows them: nothing crosses the network between two slices.
_MANY = (Slice, OpenLoop, LongTurn, Invocation)


@dataclass(frozen=True, slots=True)
class About:
    """What a machine is. `machine` is of machine.json, `cores` the CPUs that may be used, by core; `programs`
    digests (SHA-256) of our own programs there; `before` and `after` what programs would have inherited from
    Ray, and do. `kernel` is the same of agents that see each other's processes, this one's being `pid`."""

    version: str
    machine: dict[str, Any]
    cores: Cores
    programs: dict[str, str]
    before: Inherited
    after: Inherited
    kernel: str
    pid: int


@dataclass(frozen=True, slots=True)
class Observed:
    """Lines of a journal, in order."""

    lines: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """For whoever watches."""

    text: str
    warning: bool


@dataclass(frozen=True, slots=True)
class OtherHost:
    """A machine with a part in the race of another's servers: its agent, and where it is."""

    agent: Any
    address: str


class Agent:
    """One on a machine. `alone_s`: how long it lives on without a sign of life."""

    def __init__(self, alone_s: float = ALONE_S) -> None:
        self._before, self._after = inherited.taken_back()
        self._heard = time.monotonic()
        self._alone_s = alone_s
        self._stop = Stop()
        self._kin: tuple[int, ...] = ()
        self._host: LocalHost | None = None
        threading.Thread(target=self._watch, daemon=True).start()

    def alive(self) -> None:
        """A sign of life from the driver, and its answer one of ours."""
        self._heard = time.monotonic()

    def about(self) -> About:
        """Takes as long as is looked for what else goes on there."""
        with LocalHost() as host:
            machine, cores = host.machine(WINDOW_S).to_dict(), host.cores()
        programs = [Path(find_binary()), Launcher.find().binary]
        return About(
            version=__version__,
            machine=machine,
            cores=cores,
            programs={path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in programs},
            before=self._before,
            after=self._after,
            kernel=inherited.kernel(),
            pid=os.getpid(),
        )

    def kin(self, pids: tuple[int, ...]) -> None:
        """Other agents of the race on this very machine: what they start is nobody else's work."""
        self._kin = pids

    def on_host(self, verb: str, *given: Any, **named: Any) -> Any:
        """A verb of this machine's host, for somebody else's race. After its last, `close`, there is
        another."""
        if self._host is None:
            self._host = LocalHost(Launcher.find(), kin=self._kin)
        if verb == "start":
            given = (_of_here(given[0]), *given[1:])
        found = getattr(self._host, verb)(*given, **named)
        if verb == "close":
            self._host = None
        return found

    def wall_clock(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def echo(self, address: str) -> int:
        """The port at which one caller may measure the network to here."""
        return Echo(address).port

    def network(self, host: str, port: int) -> Network:
        """To another machine's echo."""
        return measured(host, port)

    def stop(self) -> None:
        """End the race at the end of the slice."""
        self._stop.requested = True

    def bind(self, cpus: tuple[int, ...]) -> None:
        """All that this process does itself to these CPUs."""
        inherited.bind(cpus)

    def race(
        self,
        plan: Plan,
        suite: Parcel,
        so_far: tuple[bytes, ...],
        load: tuple[OtherHost, ...] = (),
        services: OtherHost | None = None,
        address: str = LOOPBACK,
        floors: tuple[NetworkFloor, ...] = (),
    ) -> Iterator[Observed | Said]:
        """All blocks of a plan, or what is left of them after those that were observed `so_far`. `load`:
        where the load of servers comes from, if elsewhere, and `services` where these run; they reach us at
        `address` over a network of these `floors`. Raises UserError as a race does anywhere."""
        with LocalHost() as host:
            cpus = default_cpus(host.cores()).generators if load else plan.generator_cpus
        inherited.bind(cpus)
        told = _Told()
        given = (plan, suite, so_far, load, services, address, floors, cpus, told)
        threading.Thread(target=self._raced, args=given, daemon=True).start()
        yield from told

    def _raced(
        self,
        plan: Plan,
        suite: Parcel,
        so_far: tuple[bytes, ...],
        load: tuple[OtherHost, ...],
        services: OtherHost | None,
        address: str,
        floors: tuple[NetworkFloor, ...],
        cpus: tuple[int, ...],
        told: _Told,
    ) -> None:
        """In a thread of its own: what is observed must not wait for whoever takes it."""
        try:
            folder = parcels.unpacked(suite, cache_folder() / "cluster" / "suites")
            with LocalHost(Launcher.find(), address=address, kin=self._kin) as host, on_cpus(cpus):
                runs = cache_folder() / "cluster" / "runs"
                here = run_folder.RunFolder(runs / plan.run)
                if not here.path.exists():
                    here = run_folder.create(runs, plan, host.machine(0).to_dict())
                here.journal.unlink(missing_ok=True)
                runner = Runner(
                    plan=plan,
                    suite=load_suite(folder),
                    folder=here,
                    kinds=DRIVERS,
                    host=host,
                    view=told,
                    stop=self._stop,
                    observations=[OBSERVATION.validate_json(line) for line in so_far],
                    builder=Builder(host, self._stop, without=("RAY_",)),
                    methods=DERIVERS,
                    observed=told.observed,
                    alone=lambda: _alone(plan.run, told),
                    load_from=tuple(map(_remote, load)),
                    services_on=None if services is None else _remote(services),
                    known=floors,
                )
                runner.run()
        except InterruptedRunError:
            pass
        except BaseException as error:
            told.failed(error)
        finally:
            told.over()

    def _watch(self) -> None:
        while time.monotonic() - self._heard < self._alone_s:
            time.sleep(self._alone_s / 10)
        # Nothing is said to anybody, and nothing waited for: the launchers end what they started.
        os._exit(1)


def _of_here(spec: Spec) -> Spec:
    """As this machine has it: whoever asks has other folders, and our own programs maybe elsewhere. Raises
    StartError."""
    try:
        for file in (spec.stdout, spec.stderr):
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StartError(f"cannot run {spec.argv[0]}: {error}") from error
    argv = (find_binary(), *spec.argv[1:]) if Path(spec.argv[0]).name == BINARY else spec.argv
    return replace(spec, argv=argv, cwd=spec.cwd if spec.cwd.is_dir() else Path("/"))


def _remote(one: OtherHost) -> RemoteHost:
    import ray

    return RemoteHost(ray, one.agent, one.address)


@contextmanager
def _alone(run: str, told: _Told) -> Iterator[None]:
    """The machine's lock for a block. Machines that are parts of one take turns."""
    with lock.machine(run, wait_s=WAIT_S, waiting=told.waits):
        yield
    time.sleep(GIVE_WAY_S)


class _Told:
    """What a race says as it goes, in the order in which it did: also a view of it."""

    def __init__(self) -> None:
        self._queue = queue.SimpleQueue[Callable[[], Observed | Said | None]]()
        self._lines: list[bytes] = []
        self._waited = False

    def __iter__(self) -> Iterator[Observed | Said]:
        """Until it is over. Raises what ended it."""
        while (said := self._queue.get()()) is not None:
            yield said

    def observed(self, observation: Observation) -> None:
        self._lines.append(OBSERVATION.dump_json(observation))
        if not isinstance(observation, _MANY):
            self._send_lines()

    def failed(self, error: BaseException) -> None:
        def raised() -> None:
            raise error if isinstance(error, UserError) else UserError(f"{type(error).__name__}: {error}")

        self._send_lines()
        self._queue.put(raised)

    def over(self) -> None:
        self._send_lines()
        self._queue.put(lambda: None)

    def _send_lines(self) -> None:
        if self._lines:
            lines, self._lines = Observed(tuple(self._lines)), []
            self._queue.put(lambda: lines)

    def note(self, text: str) -> None:
        said = Said(text, warning=False)
        self._queue.put(lambda: said)

    def waits(self, holder: str) -> None:
        """Said once: machines that are parts of one wait before each block."""
        if not self._waited:
            self._waited = True
            self.note(f"waits for {holder}")

    def warn(self, text: str) -> None:
        said = Said(text, warning=True)
        self._queue.put(lambda: said)

    # Whoever watches a cluster sees its blocks, which are observed.
    def race(self, race: RacePlan, estimated_s: float) -> None: ...
    def state(self, entry: str, state: str) -> None: ...
    def progress(self, so_far: Progress) -> None: ...
    def disturbed(self, block: int, by: Disturbance) -> None: ...
    def interim(self, result: RaceResult) -> None: ...
    def close(self) -> None: ...
