"""Can containers be raced here, frozen and metered? One is: of an image that is made for it, of a program of
a few bytes, so that nothing has to be there before but podman or docker."""

from __future__ import annotations

import contextlib
import io
import os
import platform
import struct
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from deadheat.errors import UserError
from deadheat.hosts.container_engine import ContainerEngine, last_line
from deadheat.hosts.cpus import all_of
from deadheat.hosts.process import ExitedError, StartError
from deadheat.hosts.program import InContainer, Spec
from deadheat.hosts.protocol import Host
from deadheat.model.container import Contained

TAG = f"localhost/deadheat/probe:{os.getpid()}"
WITHIN_S = 60.0
# pause() without an end: mov eax, 34; syscall; jmp. Where there is none ppoll(0, 0, 0, 0): mov x0..x3, 0;
# mov x8, 73; svc 0; b. With the numbers by which ELF calls these machines.
CODE = {
    "x86_64": (62, bytes.fromhex("b8220000000f05ebf7")),
    "aarch64": (183, bytes.fromhex("000080d2010080d2020080d2030080d2280980d2010000d4faffff17")),
}
LOADED_AT, HEADERS = 0x400000, 64 + 56


def probe(host: Host) -> Contained:
    """How one was contained. Raises UserError that says why none can be."""
    engine = host.container_engine()
    if platform.machine() not in CODE:
        raise UserError(f"{engine.called} is here; no container was tried on {platform.machine()}")
    with tempfile.TemporaryDirectory(prefix="deadheat-probe-") as folder, _image(host, engine, Path(folder)):
        spec = Spec(
            argv=("a container",),
            cwd=Path(folder),
            cpus=frozenset({min(all_of(host.cores()))}),
            container=InContainer(TAG, "probe", host.free_port()),
        )
        try:
            handle = host.start(spec)
            try:
                host.freeze(handle)
                host.thaw(handle)
                host.usage(handle, memory=False)
                found = host.collect(handle).container
            finally:
                host.stop(handle, 0)
        except (StartError, ExitedError) as error:
            raise UserError(str(error)) from error
    assert found is not None
    return found


@contextlib.contextmanager
def _image(host: Host, engine: ContainerEngine, folder: Path) -> Iterator[None]:
    file = folder / "image.tar"
    with tarfile.open(file, "w") as tar:
        program = tarfile.TarInfo("pause")
        program.mode, program.size = 0o755, len(program_of(platform.machine()))
        tar.addfile(program, io.BytesIO(program_of(platform.machine())))
    _run(host, engine, "import", "--change", 'ENTRYPOINT ["/pause"]', str(file), TAG)
    try:
        yield
    finally:
        _run(host, engine, "rmi", "--force", TAG)


def _run(host: Host, engine: ContainerEngine, *rest: str) -> None:
    try:
        said = host.run(engine.words(*rest), env={}, timeout_s=WITHIN_S)
    except (StartError, TimeoutError) as error:
        raise UserError(f"{engine.name}: {error}") from error
    if said.status != 0:
        raise UserError(f"{engine.name} {rest[0]}: {last_line(said)}")


def program_of(machine: str) -> bytes:
    """An executable of 64-bit ELF (elf(5)): one segment, with the code behind its headers."""
    architecture, code = CODE[machine]
    size = HEADERS + len(code)
    head = struct.pack("<4s5B7x", b"\x7fELF", 2, 1, 1, 0, 0)
    head += struct.pack(
        "<HHIQQQIHHHHHH", 2, architecture, 1, LOADED_AT + HEADERS, 64, 0, 0, 64, 56, 1, 0, 0, 0
    )
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0, LOADED_AT, LOADED_AT, size, size, 0x1000)
    return head + segment + code
