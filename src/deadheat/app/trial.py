"""A command without a suite is tried before its race: what it answers, beside services of its own."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from deadheat import hosts
from deadheat.build import command, container_image
from deadheat.errors import ExitCode, UserError
from deadheat.hosts import Collected, Host, StartError
from deadheat.hosts.program import Exit, Spec
from deadheat.kinds import alone, content_coding
from deadheat.kinds.server.started import NotServingError, last_line, started_server
from deadheat.kinds.services import start as services
from deadheat.model.address import Address
from deadheat.model.contender import ContenderFile, resolve
from deadheat.run.kind import RaceUnavailableError, in_container
from deadheat.run.progress import View
from deadheat.suite import ad_hoc_scripts, ad_hoc_suite, toml_file
from deadheat.suite.ad_hoc import AdHoc, Answer, Command
from deadheat.suite.suite import CONTENDER_FILE, load
from deadheat.util.interrupt import Stop

# Whose its containers are: of no run yet.
TRIAL = "trial"
# What lines have in braces, by name.
Values = Mapping[str, object]


@dataclass(frozen=True)
class Heard:
    """An answer. `data`: decoded where its coding is known, None where it is longer than anybody compares.
    `took_s`: until a server answered so, or a program had ended; `content_type` without parameters;
    `location` "" for none; `cookies` are names."""

    data: bytes | None
    status: int = 200
    content_type: str | None = None
    coding: str = content_coding.IDENTITY
    location: str = ""
    cookies: tuple[str, ...] = ()
    took_s: float = 0.0


def unvarying(wanted: AdHoc, heard: Sequence[Heard], view: View, otherwise: str) -> Answer:
    """The answer, where it is always the same; else any, and a note says `otherwise`."""
    data = heard[0].data
    if data is not None and len({each.data for each in heard}) == 1:
        return Answer(body=data.decode())
    view.note(f"{wanted.first.called} {otherwise}")
    return Answer(body=None)


# Asks a server that listens there. Raises OSError while nobody answers.
Ask = Callable[[Address], Heard]


@dataclass
class Trial:
    """The first of these commands, tried. `services_s`: until its services served, the last time."""

    wanted: AdHoc
    folder: Path
    logs: Path
    host: Host
    stop: Stop
    services_s: float = 0.0

    def of(self, command: Command) -> Trial:
        """The same for another command."""
        return replace(self, wanted=replace(self.wanted, commands=(command,)))

    def answers(self, asks: Sequence[Ask]) -> list[Heard]:
        """Of one start, asked one after another. Raises UserError where it does not start or serve."""
        found: list[Heard] = []
        with self._services() as beside:
            at = self._at()
            spec = self._spec({"port": at.port, **self._values(), **beside})

            def complaint(_: object) -> str | None:
                found.append(asks[0](at))
                return None

            try:
                with started_server(self.host, spec, at.port, complaint, self.stop) as serving:
                    more = [ask(at) for ask in asks[1:]]
                    return [replace(each, took_s=serving.ready_ns / 1e9) for each in (found[-1], *more)]
            except (StartError, NotServingError) as error:
                raise self.failed(f"{error}{_printed_before(error)}", self._hint(error, at.port)) from error
            except OSError as error:
                raise self.failed(f"it answered once, and then no more: {error}") from error

    def prints(self, values: Sequence[str]) -> Heard:
        """A program's output at these values of its parameters, its hooks around it. Raises UserError where
        one of them does not start or end well."""
        there = ad_hoc_scripts.hooks_of(self.wanted)
        before, after = (
            [f"{hook}.sh" for hook in names if hook in there]
            for names in (("setup", "prepare"), ("conclude", "cleanup"))
        )
        with self._services() as beside:
            at = {**self._values(values), **beside}
            for script in before:
                self._ran(script, at)
            exit_, left = self._ran(ad_hoc_suite.SCRIPT, at)
            for script in after:
                self._ran(script, at)
        return Heard(left.stdout, took_s=exit_.wall_ns / 1e9)

    def failed(self, why: str, hint: str | None = None) -> UserError:
        """That it did not answer."""
        first = self.wanted.first
        return UserError(f"{first.shown}: {why}", hint=hint, code=ExitCode.NOTHING_MEASURED)

    def _hint(self, error: StartError | NotServingError, told: int) -> str | None:
        """What to do about one that listens where it was not told to."""
        others = error.ports if isinstance(error, NotServingError) else ()
        if not others or told in others or self.wanted.first.image is not None:
            return None
        return (
            f"--port {others[0]} (port in a bench file) gives each a network of its own, as root; or let it "
            "take its port: {port} in its line, PORT, or --config-template"
        )

    def _at(self) -> Address:
        """Where it is asked: where it runs already, at its own port in its own network, or at a free one."""
        first = self.wanted.first
        if first.at is not None:
            return first.at
        port = self.host.free_port() if first.fixed_port is None else first.fixed_port
        return Address(host=self.host.address, port=port, network=self._network())

    def _network(self) -> Path | None:
        first = self.wanted.first
        return None if first.fixed_port is None else self.host.network(first.name)

    def _ran(self, script: str, values: Values) -> tuple[Exit, Collected]:
        name = "it" if script == ad_hoc_suite.SCRIPT else Path(script).stem
        try:
            handle = self.host.start(self._spec(values, script))
        except StartError as error:
            raise self.failed(f"{name}: {error}") from error
        exit_ = hosts.wait(self.host, handle, self.stop)
        left = self.host.collect(handle)
        if not exit_.ok:
            raise self.failed(f"{name} {exit_.describe()}: {left.output_tail.strip()[-300:]}")
        return exit_, left

    def _spec(self, values: Values, script: str = ad_hoc_suite.SCRIPT) -> Spec:
        """How it is started, or a script of its hooks."""
        wanted, first = self.wanted, self.wanted.first
        if first.image is not None:
            return self._of_image(first, first.image, values)
        names = wanted.given if script == ad_hoc_suite.SCRIPT else wanted.asked
        given = [str(values[name]) for name in names]
        env = {name: os.environ[name] for name in command.ALLOWED if name in os.environ}
        return Spec(
            argv=("sh", script, *given) if first.at is None else (first.line,),
            cwd=self.folder / wanted.workload / first.name,
            env={**env, "PATH": self.host.programs().path},
            stdout=self.folder / "first.out",
            stderr=self.folder / "first.err",
            attached=first.listens,
            freezes=first.freezes,
            elsewhere=not first.metered,
            network=self._network(),
        )

    def _of_image(self, first: Command, image: str, values: Values) -> Spec:
        """The same of one in a container. Raises UserError where its image is not here."""
        home = self.folder / self.wanted.workload / first.name
        file = toml_file.read(home / CONTENDER_FILE, ContenderFile)
        [contender] = resolve(self.wanted.workload, home, file)
        known = {"host": self.host.address, **values}
        there = container_image.there(self.host, image)
        container = in_container(contender, there.id, TRIAL, known)
        return Spec(
            argv=(first.called, *command.argv(contender, known)),
            cwd=home,
            env=command.of_container(contender, known),
            stdout=self.folder / "first.out",
            stderr=self.folder / "first.err",
            container=container,
        )

    def _values(self, values: Sequence[str] | None = None) -> dict[str, object]:
        """Of the parameters, at these values, else at the first of each."""
        parameters = self.wanted.parameters
        at = values if values is not None else [each[0] for _, each in parameters]
        return dict(zip((name for name, _ in parameters), at, strict=True))

    @contextmanager
    def _services(self) -> Iterator[Values]:
        """Where they are, fresh for each start, by what lines call them. Raises UserError where one cannot
        run."""
        if not self.wanted.services:
            yield {}
            return
        begun = time.monotonic()
        # A workload that says nothing yet of what is right.
        ad_hoc_suite.write_workload(self.wanted, self.folder)
        stage = alone.stage(
            load(self.folder), self.wanted.workload, host=self.host, stop=self.stop, logs=self.logs
        )
        with ExitStack() as stack:
            try:
                stage, _ = services.beside(stage, stack, [self.wanted.first.name])
            except RaceUnavailableError as error:
                raise UserError(str(error), code=ExitCode.NOTHING_MEASURED) from error
            self.services_s = time.monotonic() - begun
            yield {**stage.addresses, **stage.of_entries[self.wanted.first.name]}


def _printed_before(error: StartError | NotServingError) -> str:
    """What a server printed that its error does not say already: the last line mostly stands there."""
    if not isinstance(error, NotServingError):
        return ""
    lines = error.output_tail.strip().splitlines()
    if lines and last_line(lines[-1]) in str(error):
        lines.pop()
    return ": " + "\n".join(lines)[-300:] if lines else ""
