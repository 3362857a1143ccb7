"""Container engines for tests, the real ones: podman as it is here, docker with a daemon of the tests' own;
and an image that is made from nothing but one static program."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from deadheat.errors import UserError
from deadheat.hosts import container_engine, container_probe
from deadheat.hosts.local import LocalHost

PATIENCE_S = 60.0
CONTAINERFILE = 'FROM scratch\nCOPY served /served\nENV ANSWER={answer}\nENTRYPOINT ["/served"]\n'
# Serves at PORT, or where -at says; what else it does, its arguments say.
SERVER = """\
package main

import (
\t"fmt"
\t"net/http"
\t"os"
\t"os/signal"
\t"syscall"
\t"time"
)

func main() {
\tport := os.Getenv("PORT")
\tfor place, word := range os.Args[1:] {
\t\tswitch word {
\t\tcase "-at":
\t\t\tport = os.Args[place+2]
\t\tcase "ends":
\t\t\tfmt.Fprintln(os.Stderr, "no such database: shop")
\t\t\tos.Exit(3)
\t\tcase "silent":
\t\t\ttime.Sleep(time.Hour)
\t\tcase "deaf":
\t\t\tsignal.Ignore(syscall.SIGTERM)
\t\tcase "polite":
\t\t\tasked := make(chan os.Signal, 1)
\t\t\tsignal.Notify(asked, syscall.SIGTERM)
\t\t\tgo func() { <-asked; os.Exit(7) }()
\t\tcase "spins":
\t\t\tgo func() { for { } }()
\t\t}
\t}
\thttp.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
\t\tif name := os.Getenv("ASKS"); name != "" {
\t\t\tanswer, err := http.Get("http://" + os.Getenv(name) + "/")
\t\t\tif err != nil {
\t\t\t\thttp.Error(w, err.Error(), 500)
\t\t\t\treturn
\t\t\t}
\t\t\tanswer.Body.Close()
\t\t}
\t\tfmt.Fprint(w, os.Getenv("ANSWER"))
\t})
\tfmt.Println("listens at", port)
\tif err := http.ListenAndServe(":"+port, nil); err != nil {
\t\tfmt.Fprintln(os.Stderr, err)
\t\tos.Exit(1)
\t}
}
"""


@dataclass(frozen=True)
class Engine:
    """One that works here: `env` is what those who call it have in their environment."""

    name: str
    env: dict[str, str]
    published: bool

    def says(self, *words: str) -> str:
        """What it prints. Raises AssertionError where it fails."""
        options = container_engine_options(self.name)
        ran = subprocess.run(
            [self.name, *options, *words],
            env={**os.environ, **self.env},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, (words, ran.stderr)
        return ran.stdout.strip()

    def containers(self, of: str) -> list[str]:
        """Names of all that begin so, running or not: other tests have some at the same time."""
        names = self.says(
            "ps", "--all", "--filter", "label=deadheat.run", "--format", "{{.Names}}"
        ).splitlines()
        return [name for name in names if name.startswith(of)]

    def all_removed(self, names: list[str]) -> None:
        """Returns when none of these is there any more."""
        deadline = time.monotonic() + PATIENCE_S
        while left := set(names) & set(self.containers("")):
            assert time.monotonic() < deadline, left
            time.sleep(0.1)

    def drop(self, name: str) -> None:
        """All images of that name, which a test that was cut off may have left."""
        for tag in self.tags(name):
            self.says("rmi", "--force", tag)

    def tags(self, name: str) -> list[str]:
        """Images of that name."""
        found = self.says("images", f"--filter=reference={name}", "--format={{.Repository}}:{{.Tag}}")
        return found.split()


@cache
def container_engine_options(name: str) -> tuple[str, ...]:
    if name != "podman":
        return ()
    return container_engine.find().options if why_none() is None else ()


@cache
def why_none() -> str | None:
    """Why podman starts no container here: one was tried."""
    if shutil.which("podman") is None:
        return "podman is not here (Debian: apt-get install podman)"
    before = os.environ.get(container_engine.CHOSEN)
    os.environ[container_engine.CHOSEN] = "podman"
    try:
        with LocalHost() as host:
            container_probe.probe(host)
    except UserError as error:
        return f"podman starts nothing here: {error.message}"
    finally:
        os.environ.pop(container_engine.CHOSEN)
        if before is not None:
            os.environ[container_engine.CHOSEN] = before
    return None


def podman() -> Engine:
    return Engine("podman", {container_engine.CHOSEN: "podman"}, published=True)


def why_no_docker() -> str | None:
    """Why there can be no daemon of docker's for the tests here."""
    for program in ("dockerd", "docker"):
        if shutil.which(program) is None:
            return f"{program} is not here (Debian: apt-get install docker.io)"
    return "dockerd runs as root alone" if os.geteuid() else None


@contextmanager
def docker() -> Iterator[Engine]:
    """A daemon of its own, which makes no networks and changes no firewall: nobody else's is touched."""
    folder = Path(tempfile.mkdtemp(prefix="deadheat-docker-"))
    try:
        with _daemon(folder) as engine:
            yield engine
    finally:
        # It leaves a network namespace mounted, and nobody could remove the folder.
        for mount in Path("/proc/self/mounts").read_text().splitlines():
            if (at := mount.split()[1]).startswith(f"{folder}/"):
                subprocess.run(["umount", at], check=True)
        shutil.rmtree(folder)


@contextmanager
def _daemon(folder: Path) -> Iterator[Engine]:
    socket, log = folder / "socket", folder / "log"
    words = ["dockerd", "--bridge=none", "--iptables=false", "--ip6tables=false", f"--host=unix://{socket}"]
    words += [f"--{name}={folder / name}" for name in ("data-root", "exec-root", "pidfile")]
    env = {container_engine.CHOSEN: "docker", "DOCKER_HOST": f"unix://{socket}"}
    with log.open("wb") as file:
        daemon = subprocess.Popen(words, stdout=file, stderr=file, start_new_session=True)
    try:
        deadline = time.monotonic() + PATIENCE_S
        while subprocess.run(
            ["docker", "version"], env={**os.environ, **env}, capture_output=True, check=False
        ).returncode:
            assert daemon.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        yield Engine("docker", env, published=False)
    finally:
        daemon.terminate()
        daemon.wait()


def sources(folder: Path, answer: str = "hello") -> dict[str, bytes]:
    """What an image of a server is built of, which answers so: built once in this folder."""
    folder.mkdir(exist_ok=True)
    program = folder / "served"
    if not program.exists():
        (folder / "main.go").write_text(SERVER)
        subprocess.run(
            ["go", "build", "-o", program, folder / "main.go"],
            env={**os.environ, "CGO_ENABLED": "0", "GO111MODULE": "off"},
            check=True,
        )
    return {"served": program.read_bytes(), "Containerfile": CONTAINERFILE.format(answer=answer).encode()}


@contextmanager
def image(engine: Engine, folder: Path) -> Iterator[str]:
    """One that answers hello, there as long as this is."""
    name = f"localhost/deadheat-tests/served:{os.getpid()}"
    context = folder / "context"
    context.mkdir()
    for file, data in sources(folder / "sources").items():
        (context / file).write_bytes(data)
    (context / "served").chmod(0o755)
    engine.says("build", "--quiet", "--tag", name, "--file", str(context / "Containerfile"), str(context))
    try:
        yield name
    finally:
        engine.says("rmi", "--force", name)
