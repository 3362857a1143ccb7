"""docs/cluster.md, followed: bare hosts, brought up, looked at, raced on, ended.

Each host is a network namespace. `ssh` is a program of ours that runs its command in the namespace of the
host that it is asked for: what crosses is the script, on its standard input, as by the real one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.bench import Ended, hello

from .conftest import OnCluster
from .nodes import BIN, Cluster, network, unavailable
from .test_race import RACED

SSH = """\
#!/bin/sh
# ssh -o X -o Y TARGET COMMAND
while [ "$1" = -o ]; do shift 2; done
target=${1#*@}; shift
# Hosts share no disk: each has a home of its own, and a folder of Ray's.
export XDG_STATE_HOME="$XDG_STATE_HOME/$target"
mkdir -p "$XDG_STATE_HOME/ray"
for name in $(ip netns list | cut -d' ' -f1); do
    if ip -n "$name" addr | grep -q "inet $target/"; then
        case $name in *n0) exec ip netns exec "$name" sh -c "$*" ;; esac
        exec ip netns exec "$name" sh -c "mount --bind '$XDG_STATE_HOME/ray' '$RAY_TMPDIR' && $*"
    fi
done
echo "ssh: connect to host $target port 22: No route to host" >&2
exit 255
"""


@pytest.fixture(scope="module")
def bare() -> Iterator[Cluster]:
    if (why := unavailable()) is not None:
        pytest.skip(why)
    with network(2) as made:
        yield made


@pytest.fixture
def deadheat(bare: Cluster, tmp_path: Path) -> OnCluster:
    """On the first host, where `ssh` is the program above. Deadheat is what these tests run."""
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "ssh").write_text(SSH)
    (bin_ / "deadheat").write_text(
        f'#!/bin/sh\nexec {sys.executable} -c "from deadheat.cli import main; main()" "$@"\n'
    )
    (bin_ / "ray").symlink_to(BIN / "ray")
    for program in ("ssh", "deadheat"):
        (bin_ / program).chmod(0o755)
    made = OnCluster(tmp_path / "home", hello(tmp_path / "suite", copies=["copy"]).path)
    made.home.mkdir()
    made.cluster, made.cwd = bare, tmp_path
    made.env = {
        **bare.environment(),
        "PATH": f"{bin_}:{os.environ['PATH']}",
        "XDG_STATE_HOME": str(bare.home / "state"),
        "RAY_TMPDIR": str(bare.home / "ray"),
        "RAY_AUTH_TOKEN_PATH": "cluster-token",
    }
    del made.env["RAY_AUTH_TOKEN"]
    return made


def hosts(deadheat: OnCluster, *more: str) -> Path:
    """The file of docs/cluster.md, with the addresses of these hosts."""
    cluster = deadheat.cluster
    lines = [f'bin = "{deadheat.cwd}/bin"', 'token = "cluster-token"']
    for node in ("n0", "n1", "n2"):
        lines += ["[[host]]", f'address = "{cluster.ip(node)}"', *(["cpus = 0"] if node == "n0" else [])]
    assert deadheat.cwd is not None
    file = deadheat.cwd / "hosts.toml"
    file.write_text("\n".join([*lines, *more]) + "\n")
    return file


def runs_there(deadheat: OnCluster) -> list[str]:
    return [c for node in ("n0", "n1", "n2") for c in deadheat.cluster.commands(node)]


def up(deadheat: OnCluster) -> Ended:
    return deadheat.run("cluster", "up", str(hosts(deadheat)))


def test_up_doctor_race_down(deadheat: OnCluster) -> None:
    ended = up(deadheat)
    assert ended.code == 0, ended.err
    address = deadheat.cluster.address
    assert ended.out == f"{address}\n"
    token = (deadheat.cwd or Path()) / "cluster-token"
    assert token.stat().st_mode & 0o777 == 0o600 and len(token.read_text()) == 64
    assert not any(token.read_text() in command for command in runs_there(deadheat))
    try:
        looked = deadheat.run("cluster", "doctor", address)
        assert looked.code == 0, looked.err
        assert "m1 (" in looked.out and "m2 (" in looked.out
        assert "✓ programs start with nice 0, oom_score_adj 0" in looked.out
        assert "m1 to m2: " in looked.out and "m2 to m1: " in looked.out and "MB/s" in looked.out
        assert "of ours (to " in looked.out
        again = up(deadheat)
        assert again.code == 3 and "a node runs already, process" in again.error
        raced = deadheat.run(
            "race", "--budget", "10s", "--seed", "3", "--cluster", address, "--different-machines"
        )
        assert raced.code in RACED, raced.err
        assert "these 2 machines: " in raced.out
    finally:
        ended = deadheat.run("cluster", "down", str(hosts(deadheat)))
    assert ended.code == 0, ended.err
    assert runs_there(deadheat) == []
    assert "none" in deadheat.run("cluster", "down", str(hosts(deadheat))).err


def test_a_host_that_cannot_be_reached_is_named_and_nothing_stays(deadheat: OnCluster) -> None:
    nowhere = f"{deadheat.cluster.subnet}.99"
    file = hosts(deadheat, "[[host]]", f'address = "{nowhere}"')
    ended = deadheat.run("cluster", "up", str(file))
    assert ended.code == 3
    assert f"{nowhere}: ssh: connect to host {nowhere} port 22: No route to host" in ended.error
    assert runs_there(deadheat) == []


def test_another_version_is_refused(deadheat: OnCluster) -> None:
    assert deadheat.cwd is not None
    (deadheat.cwd / "bin" / "deadheat").write_text("#!/bin/sh\necho deadheat 0.0.1\n")
    ended = up(deadheat)
    assert ended.code == 3 and "it has deadheat 0.0.1, and this is" in ended.error
    assert runs_there(deadheat) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("cpu = 2", ':10: unknown key "cpu"'),
        ("cpus = -1", ":10: "),
        ("port = 70000", ':10: unknown key "port"'),
        ("[[host", ":10: not TOML: "),
    ],
)
def test_a_file_that_is_wrong_says_where(deadheat: OnCluster, line: str, said: str) -> None:
    file = hosts(deadheat, line)
    ended = deadheat.run("cluster", "up", str(file))
    assert ended.code == 2 and f"hosts.toml{said}" in ended.error.replace("\n", " "), ended.error
