"""The certificate of a race over TLS: what is in it, whose it is to read, and where it cannot be made."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from deadheat.hosts.local import LocalHost
from deadheat.kinds import certificate
from deadheat.run.kind import RaceUnavailableError
from tests.made.programs import found_in


@pytest.fixture
def host() -> Iterator[LocalHost]:
    with LocalHost() as host:
        yield host


def made(host: LocalHost, folder: Path, name: str = "certificate") -> tuple[Path, Path]:
    if shutil.which("openssl") is None:
        pytest.skip("openssl not found: apt-get install openssl")
    pem, key = folder / f"{name}.pem", folder / f"{name}.key"
    certificate.make(host, pem, key)
    return pem, key


def test_it_is_for_this_machine_and_vouches_for_no_other(host: LocalHost, tmp_path: Path) -> None:
    pem, key = made(host, tmp_path)
    said = subprocess.run(
        ["openssl", "x509", "-in", pem, "-noout", "-text"], check=True, capture_output=True, text=True
    ).stdout
    for words in (
        "ASN1 OID: prime256v1",
        "DNS:localhost, IP Address:127.0.0.1",
        "CA:FALSE",
        "CN = localhost",
    ):
        assert words in said
    assert key.stat().st_mode & 0o077 == 0


def test_each_is_another(host: LocalHost, tmp_path: Path) -> None:
    first, second = made(host, tmp_path, "first"), made(host, tmp_path, "second")
    assert first[0].read_bytes() != second[0].read_bytes()
    assert first[1].read_bytes() != second[1].read_bytes()


def test_without_openssl_the_race_is_unavailable(
    host: LocalHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found_in(str(tmp_path), monkeypatch)
    with pytest.raises(RaceUnavailableError, match=r"takes openssl: .*apt-get install openssl"):
        certificate.make(host, tmp_path / "c.pem", tmp_path / "k.pem")


def test_an_openssl_that_fails_says_why(
    host: LocalHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "openssl"
    program.write_text("#!/bin/sh\necho one >&2\necho no such curve >&2\nexit 1\n")
    program.chmod(0o755)
    found_in(f"{tmp_path}:/bin:/usr/bin", monkeypatch)
    with pytest.raises(RaceUnavailableError, match="openssl made no certificate: no such curve"):
        certificate.make(host, tmp_path / "c.pem", tmp_path / "k.pem")
