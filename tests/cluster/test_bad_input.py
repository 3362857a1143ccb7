"""What is said of clusters before there is one: none of this needs Ray to run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deadheat.cluster import connection
from deadheat.cluster.connection import check_address
from deadheat.errors import UserError
from tests.end_to_end.bench import Deadheat, hello

LOCAL = """
import sys
import deadheat.app.ab, deadheat.app.race, deadheat.cli.race, deadheat.library
found = [name for name in sys.modules if name.split('.')[0] == 'ray' or name.startswith('deadheat.cluster')]
sys.exit(', '.join(found) or 0)
"""


@pytest.fixture
def deadheat(tmp_path: Path) -> Deadheat:
    return Deadheat(tmp_path / "home", hello(tmp_path / "suite", copies=["copy"]).path)


def test_a_race_on_one_machine_does_not_import_it() -> None:
    ran = subprocess.run([sys.executable, "-c", LOCAL], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UserError) as caught:
        connection.imported()
    assert caught.value.hint == "pip install 'deadheat[cluster]'"


@pytest.mark.parametrize(
    "address", ["10.0.0.1:6379", "127.0.0.1:6379", "[fd00::1]:6379", "head:6379", "auto"]
)
def test_addresses_of_ones_own(address: str) -> None:
    check_address(address, remote=False)


def test_a_public_address_has_to_be_meant() -> None:
    with pytest.raises(UserError, match="is a public address: whoever reaches a cluster runs programs"):
        check_address("8.8.8.8:6379", remote=False)
    check_address("8.8.8.8:6379", remote=True)


@pytest.mark.parametrize("address", ["10.0.0.1", "10.0.0.1:", "head:port", ""])
def test_no_address(address: str) -> None:
    with pytest.raises(UserError, match="not HOST:PORT"):
        check_address(address, remote=False)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--machines", "4"], "--machines is for races on several machines"),
        (["--unlike-machines"], "--unlike-machines is for races on several machines"),
        (["--load-from", "role=load"], "--load-from is for races on several machines"),
        (["--servers-on", "role=serve"], "--servers-on is for races on several machines"),
        (["--cluster", "auto", "--servers-on", "role=serve"], "--servers-on without --load-from"),
        (["--services-on", "role=data"], "--services-on is for races on several machines"),
        (["--cluster", "auto", "--services-on", "role=data"], "--services-on without --load-from"),
        (["--cluster", "auto", "--live"], "--live: not on several machines"),
        (["--cluster", "auto", "--dry-run"], "--dry-run: not on several machines"),
        (["--cluster", "auto", "--program", "true"], "--url, --command and --program: not on several"),
        (["--cluster", "auto", "--more", "latest"], "--more: not on several machines"),
        (["--cluster", "auto", "--method", "as-published"], "--cluster races by our own method"),
        (["--cluster", "auto", "--machines", "1"], "1 is not in the range x>=2"),
        (["--cluster", "auto", "--load-from", "load"], '"load" is no label'),
        (["--cluster", "auto", "--resume", "none"], 'no race on several machines is called "none"'),
    ],
)
def test_what_does_not_go_together(deadheat: Deadheat, given: list[str], said: str) -> None:
    ended = deadheat.run("race", *given)
    assert ended.code == 2 and said in ended.err, ended.err


def test_up_needs_its_file(deadheat: Deadheat) -> None:
    assert "needs the file of hosts" in deadheat.run("cluster", "up", "10.0.0.1:6379").error
    assert "nowhere.toml: cannot be read" in deadheat.run("cluster", "down", "nowhere.toml").error
