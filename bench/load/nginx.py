"""nginx on the server's core: heads that differ from reply to reply, bodies of any size, JSON, TLS 1.3."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from .measure import SERVER_CPU, Unavailable, connected, free_port

ITEM = '{"path": "/items/%s", "in_stock": true, "price": 12.5, "tags": ["a", "b"]}'
"""What `/items/NAME` is answered with."""
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def configuration(folder: Path, port: int, tls: bool, unix: Path | None = None) -> str:
    """One process that never closes a connection and writes only into `folder`. Each head has the time and an
    identifier of its own.
    """
    item = ITEM.replace("/items/%s", "$uri")
    listen = f"listen 127.0.0.1:{port}{' ssl' if tls else ''};"
    if tls:
        listen += f" ssl_protocols TLSv1.3; ssl_certificate {folder}/cert.pem;"
        listen += f" ssl_certificate_key {folder}/key.pem;"
    if unix is not None:
        listen += f" listen unix:{unix};"
    temporary = "".join(f"  {name}_temp_path {folder}/{name};\n" for name in TEMPORARY)
    return f"""daemon off;
master_process off;
worker_processes 1;
worker_rlimit_nofile 16384;
pid {folder}/pid;
error_log stderr crit;
events {{ worker_connections 4096; }}
http {{
{temporary}  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 600s;
  sendfile on;
  default_type text/plain;
  add_header X-Request-Id $request_id;
  server {{
    {listen}
    root {folder}/files;
    location = /abc {{ return 200 "Hello from abc!"; }}
    location /items/ {{ default_type application/json; return 200 '{item}'; }}
  }}
}}
"""


@contextlib.contextmanager
def nginx(
    files: Mapping[str, str] | None = None, tls: bool = False, unix: Path | None = None
) -> Iterator[str]:
    """Serves `files` by name, `/abc` and `/items/`: its `host:port`.

    It listens on the Unix socket at `unix` too, where one is asked for. Raises Unavailable where there is
    no nginx, or nothing that makes a certificate.
    """
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        raise Unavailable("nginx not found")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "files").mkdir()
        for file, text in (files or {}).items():
            (folder / "files" / file).write_text(text)
        if tls:
            _certificate(folder)
        port = free_port()
        (folder / "conf").write_text(configuration(folder, port, tls, unix))
        argv = ["taskset", "-c", str(SERVER_CPU), program, "-e", "stderr", "-p", name, "-c", f"{name}/conf"]
        with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            try:
                connected(port, "nginx").close()
                yield f"127.0.0.1:{port}"
            finally:
                child.terminate()


def _certificate(folder: Path) -> None:
    argv = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    argv += ["-subj", "/CN=localhost", "-days", "2"]
    argv += ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    try:
        subprocess.run(argv, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Unavailable(f"no certificate: {error}") from error
