"""The certificate that servers are given where they are asked over TLS, and that each of them has to show."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from deadheat.hosts import Host, StartError
from deadheat.model.http_protocol import OVER_TLS
from deadheat.run.kind import Certificate, RaceUnavailableError, Stage

MADE_WITHIN_S = 30.0
# A run that is taken up later makes another.
DAYS = 2
# All that is in it stands here, whatever the machine's own openssl.cnf says. No key usage: older OpenSSLs
# take a certificate for self-signed only where it may sign others.
CONFIGURATION = """\
[req]
distinguished_name = name
x509_extensions = extensions
prompt = no
[name]
CN = localhost
[extensions]
subjectAltName = {names}
basicConstraints = critical, CA:FALSE
extendedKeyUsage = serverAuth
"""


def beside(stage: Stage, stack: ExitStack) -> Stage:
    """The stage with a new certificate where its race is over TLS: run lines know it and its key as
    `{tls_cert}` and `{tls_key}`, until the stack ends. Raises RaceUnavailableError."""
    if stage.race.protocol not in OVER_TLS:
        return stage
    folder = Path(tempfile.mkdtemp(prefix="tls-", dir=stage.logs)).resolve()
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    made = Certificate(folder / "certificate.pem", folder / "key.pem")
    make(stage.host, made.chain, made.key)
    return replace(stage, certificate=made)


def make(host: Host, certificate: Path, key: Path) -> None:
    """A self-signed one of ECDSA P-256 for this machine, by two names, and a host's address; PEM. Raises
    RaceUnavailableError."""
    names = dict.fromkeys(("DNS:localhost", "IP:127.0.0.1", f"IP:{host.address}"))
    configuration = certificate.with_suffix(".cnf")
    configuration.write_text(CONFIGURATION.format(names=", ".join(names)))
    argv = ["openssl", "req", "-x509", "-config", str(configuration), "-days", str(DAYS), "-nodes"]
    argv += ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    argv += ["-keyout", str(key), "-out", str(certificate)]
    try:
        output = host.run(argv, env={"PATH": host.programs().path}, timeout_s=MADE_WITHIN_S)
    except StartError as error:
        why = f"a certificate for TLS takes openssl: {error} (apt-get install openssl)"
        raise RaceUnavailableError(why) from error
    except TimeoutError as error:
        raise RaceUnavailableError(f"openssl made no certificate within {MADE_WITHIN_S:.0f} s") from error
    if output.status != 0:
        last = output.stderr.strip().splitlines()[-1:] or ["it does not say why"]
        raise RaceUnavailableError(f"openssl made no certificate: {last[0]}")
