"""Our conformance held against HTTP servers that nobody here wrote, each with the least that answers right.

    python -m bench.conformance_servers --work FOLDER [--write docs/conformance.md] [SERVER]...

Builds and unpacks below FOLDER; installs nothing into the system. What cannot be had is a row that says so.
Packages come from where pip, go, cargo, maven and apt are set up to have them from. No part of the tests.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deadheat.kinds import conformance, http_asking
from deadheat.model.address import Address
from deadheat.model.work.http import HttpCase
from deadheat.model.workload import Load
from deadheat.plan.schedule import token

HERE = Path(__file__).parent / "conformance"
PAGE_BEGIN, PAGE_END = "<!-- servers: begin -->", "<!-- servers: end -->"
CASE = HttpCase(path="/{token}", body="Hello from {token}!")
# As a workload asks that says nothing of it.
AT_ONCE = Load().at_once
READY_S = 60.0
DEBIAN = (
    *("lighttpd", "apache2-bin", "libapr1", "libaprutil1", "liblua5.3-0", "libjansson4"),
    *("h2o", "libh2o0.13", "libh2o-evloop0.13", "libwslay1", "caddy"),
)
LUA = """\
function handle(r)
  r:write("Hello from " .. r.uri:sub(2) .. "!")
  return apache2.OK
end
"""


class MissingError(Exception):
    """It cannot be had here; the message says why."""


@dataclass(frozen=True)
class Server:
    """Where it is from, what it needed besides the application, and how it is started on a port."""

    name: str
    source: str
    needed: str
    command: Callable[[Path, int], Sequence[str | Path]]
    prepare: Callable[[Path], None] = lambda work: None


def _run(command: Sequence[str | Path], folder: Path, **environment: str) -> None:
    ran = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    if ran.returncode != 0:
        raise MissingError((ran.stderr.strip() or ran.stdout.strip()).splitlines()[-1][:160])


def _once(work: Path, name: str, make: Callable[[Path], None]) -> None:
    done = work / f"{name}.done"
    if not done.exists():
        make(work)
        done.touch()


def _python(work: Path) -> None:
    packages = ("uvicorn", "hypercorn", "granian", "gunicorn")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", work / "python"]
    _once(work, "python", lambda _: _run([*pip, *packages], work))


def _copied(work: Path, name: str) -> Path:
    return Path(shutil.copytree(HERE / name, work / f"{name}-src", dirs_exist_ok=True))


def _go(work: Path) -> None:
    _once(work, "go", lambda _: _run(["go", "build", "-o", f"{work / 'go'}/", "./..."], _copied(work, "go")))


def _rust(work: Path) -> None:
    target = str(work / "rust")
    _once(
        work,
        "rust",
        lambda _: _run(["cargo", "build", "--quiet"], _copied(work, "rust"), CARGO_TARGET_DIR=target),
    )


def _java(work: Path) -> None:
    maven = [
        "mvn",
        "-q",
        "-B",
        "compile",
        "dependency:build-classpath",
        f"-Dmdep.outputFile={work / 'classpath'}",
    ]
    _once(work, "java", lambda _: _run(maven, _copied(work, "java")))


def _debian(work: Path) -> None:
    def unpacked(_: Path) -> None:
        (work / "debs").mkdir(exist_ok=True)
        _run(["apt-get", "download", *DEBIAN], work / "debs")
        for package in (work / "debs").glob("*.deb"):
            _run(["dpkg", "-x", package, work / "debian"], work)

    _once(work, "debian", unpacked)


def _asgi(*command: str) -> Callable[[Path, int], Sequence[str | Path]]:
    return lambda work, port: [sys.executable, "-m", *(word.replace("PORT", str(port)) for word in command)]


def _file(work: Path, name: str, text: str) -> Path:
    path = work / name
    path.write_text(text)
    return path


def _nginx(work: Path, port: int) -> Sequence[str | Path]:
    site = f'listen 127.0.0.1:{port}; location ~ ^/(.*)$ {{ return 200 "Hello from $1!"; }}'
    text = f"pid {work}/nginx.pid; events {{}} http {{ access_log off; server {{ {site} }} }}"
    return ["nginx", "-e", "stderr", "-g", "daemon off;", "-c", _file(work, "nginx.conf", text)]


def _lighttpd(work: Path, port: int) -> Sequence[str | Path]:
    script = _file(work, "hello.sh", 'printf "\\n"; printf "Hello from %s!" "${REQUEST_URI#/}"\n')
    text = (
        f'server.document-root = "{work}"\nserver.port = {port}\nserver.bind = "127.0.0.1"\n'
        'server.modules = ("mod_rewrite", "mod_cgi")\n'
        f'url.rewrite-once = ("^/(.*)$" => "/{script.name}/$1")\ncgi.assign = (".sh" => "/bin/sh")\n'
    )
    root = work / "debian" / "usr"
    return [
        root / "sbin/lighttpd",
        "-D",
        "-m",
        root / "lib/lighttpd",
        "-f",
        _file(work, "lighttpd.conf", text),
    ]


def _apache(work: Path, port: int) -> Sequence[str | Path]:
    modules = work / "debian/usr/lib/apache2/modules"
    load = "".join(
        f"LoadModule {name}_module {modules}/mod_{name}.so\n" for name in ("mpm_event", "authz_core", "lua")
    )
    text = (
        f"ServerRoot {work}\nPidFile {work}/apache.pid\nListen 127.0.0.1:{port}\nServerName localhost\n{load}"
        f"ErrorLog /dev/stderr\nDefaultRuntimeDir {work}\n"
        f"LuaMapHandler .* {_file(work, 'hello.lua', LUA)}\n<Location />\nRequire all granted\n</Location>\n"
    )
    return [work / "debian/usr/sbin/apache2", "-D", "FOREGROUND", "-f", _file(work, "apache.conf", text)]


def _h2o(work: Path, port: int) -> Sequence[str | Path]:
    ruby = 'proc {|env| [200, {}, ["Hello from #{env["PATH_INFO"][1..-1]}!"]]}'
    text = (
        f"listen:\n  host: 127.0.0.1\n  port: {port}\nhosts:\n  default:\n    paths:\n      /:\n"
        f"        mruby.handler: |\n          {ruby}\n"
    )
    return [work / "debian/usr/bin/h2o", "-c", _file(work, "h2o.conf", text)]


def _caddy(work: Path, port: int) -> Sequence[str | Path]:
    text = f'{{\n admin off\n}}\nhttp://127.0.0.1:{port} {{\n respond "Hello from {{path.0}}!"\n}}\n'
    caddyfile = _file(work, "Caddyfile", text.replace("{path.0}", "{http.request.uri.path.file}"))
    return [work / "debian/usr/bin/caddy", "run", "--adapter", "caddyfile", "--config", caddyfile]


def _puma(work: Path, port: int) -> Sequence[str | Path]:
    text = 'run proc { |env| [200, {}, ["Hello from #{env["PATH_INFO"][1..]}!"]] }\n'
    return ["puma", "--quiet", "--bind", f"tcp://127.0.0.1:{port}", _file(work, "config.ru", text)]


def _jvm(name: str) -> Callable[[Path, int], Sequence[str | Path]]:
    def command(work: Path, port: int) -> Sequence[str | Path]:
        classes = f"{work / 'java-src/target/classes'}:{(work / 'classpath').read_text().strip()}"
        return ["java", "-cp", classes, "Others", name, str(port)]

    return command


def _program(folder: str, name: str) -> Callable[[Path, int], Sequence[str | Path]]:
    return lambda work, port: [work / folder / name, str(port)]


def _falcon(work: Path) -> None:
    raise MissingError("no registry that is reached here has it (RubyGems)")


NOTHING = "nothing"
SERVERS = (
    Server("nginx", "Debian", "`return 200` of a capture", _nginx),
    Server("lighttpd", "Debian", "a CGI script", _lighttpd, _debian),
    Server("Apache httpd", "Debian", "`mod_lua`", _apache, _debian),
    Server("Caddy", "Debian", "`respond` with the path's last part", _caddy, _debian),
    Server("h2o", "Debian", "an mruby handler", _h2o, _debian),
    Server("uvicorn", "PyPI", NOTHING, _asgi("uvicorn", "app:asgi", "--port", "PORT"), _python),
    Server("hypercorn", "PyPI", NOTHING, _asgi("hypercorn", "app:asgi", "-b", "127.0.0.1:PORT"), _python),
    Server(
        "granian",
        "PyPI",
        NOTHING,
        _asgi("granian", "--interface", "asgi", "--port", "PORT", "app:asgi"),
        _python,
    ),
    Server(
        "gunicorn",
        "PyPI",
        "`--worker-class gthread`: its default worker keeps no connection",
        _asgi("gunicorn", "-k", "gthread", "--threads", "32", "-b", "127.0.0.1:PORT", "app:wsgi"),
        _python,
    ),
    Server("puma", "Debian", NOTHING, _puma),
    Server("falcon", "RubyGems", "", _puma, _falcon),
    Server("Undertow", "Maven", NOTHING, _jvm("undertow"), _java),
    Server("Jetty", "Maven", NOTHING, _jvm("jetty"), _java),
    Server("Netty", "Maven", "`Content-Length`, which its codec leaves to the program", _jvm("netty"), _java),
    Server("Tomcat", "Maven", NOTHING, _jvm("tomcat"), _java),
    Server("hyper", "crates", NOTHING, _program("rust/debug", "hyper"), _rust),
    Server("actix-web", "crates", NOTHING, _program("rust/debug", "actix-web"), _rust),
    Server("warp", "crates", NOTHING, _program("rust/debug", "warp"), _rust),
    Server("fasthttp", "Go modules", NOTHING, _program("go", "fasthttp"), _go),
    Server("Fiber", "Go modules", NOTHING, _program("go", "fiber"), _go),
)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("servers", nargs="*", metavar="SERVER")
    arguments.add_argument("--work", type=Path, required=True)
    arguments.add_argument("--write", type=Path)
    asked = arguments.parse_args()
    work = asked.work.absolute()
    work.mkdir(parents=True, exist_ok=True)
    rows = []
    for server in SERVERS:
        if not asked.servers or server.name in asked.servers:
            outcome = tried(server, work)
            rows.append(f"| {server.name} | {server.source} | {server.needed} | {outcome} |")
            print(rows[-1], flush=True)
    if asked.write is not None:
        text = asked.write.read_text()
        head, rest = text.split(PAGE_BEGIN)
        table = [
            "| server | from | needed besides the application | outcome |",
            "| --- | --- | --- | --- |",
            *rows,
        ]
        asked.write.write_text(
            head + PAGE_BEGIN + "\n" + "\n".join(table) + "\n" + PAGE_END + rest.split(PAGE_END)[1]
        )
    return 0


def tried(server: Server, work: Path) -> str:
    """What became of it, in a cell of a table."""
    try:
        server.prepare(work)
        with _started(server, work) as port:
            rng = random.Random(1)
            asked = http_asking.http_cases([CASE], Address(port=port), lambda: token(rng), AT_ONCE)
            check = conformance.run(asked)
    except MissingError as why:
        return f"not tried: {str(why).replace('|', ' ')}"
    if not check.ok:
        return f"**refused**: {check.reason}"
    framed = next(
        (line for line in check.headers if line.lower().startswith(("content-len", "transfer-"))), ""
    )
    return f"right, {check.cases} cases (`{framed.partition(':')[0]}`)"


@contextmanager
def _started(server: Server, work: Path) -> Iterator[int]:
    """Its port, once somebody listens there; it is ended afterwards."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    libraries = work / "debian/usr/lib" / f"{os.uname().machine}-linux-gnu"
    environment = {
        **os.environ,
        "PYTHONPATH": f"{work / 'python'}:{HERE / 'python'}",
        "LD_LIBRARY_PATH": str(libraries),
        "H2O_ROOT": str(work / "debian/usr"),
        "HOME": str(work),
    }
    log = (work / f"{server.name.replace(' ', '-')}.log").open("w+")
    try:
        process = subprocess.Popen(
            server.command(work, port), cwd=work, env=environment, stdout=log, stderr=log
        )
    except OSError as error:
        raise MissingError(str(error)) from error
    try:
        _await(process, port, log.name)
        yield port
    finally:
        process.terminate()
        process.wait(timeout=30)


def _await(process: subprocess.Popen[bytes], port: int, log: str) -> None:
    deadline = time.monotonic() + READY_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            last = Path(log).read_text().strip().splitlines() or ["it said nothing"]
            raise MissingError(f"it ended at once: {last[-1][:160]}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise MissingError(f"nobody listened within {READY_S:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
