"""Bare hosts become a cluster, and are one no longer: a node of Ray on each, over ssh.

The user's own `ssh` is used, with his keys and configuration. On each host one process is started and kept by
its number; `down` ends that one and no other.
"""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from deadheat import __version__
from deadheat.errors import ExitCode, UserError
from deadheat.hosts import Host, StartError
from deadheat.model.cluster import ClusterFile, ClusterHost
from deadheat.util.files import write_whole

#: For a node to start, or end, on a host that is busy.
TIME_LIMIT_S = 120.0
SSH = ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10")
# Where each host keeps what is ours: the process and the token.
STATE = '"${XDG_STATE_HOME:-$HOME/.local/state}/deadheat"'

_BEGIN = f"""\
set -eu
umask 077
state={STATE}
mkdir -p "$state"
running() {{ [ -f "$state/cluster.pid" ] && kill -0 "$(cat "$state/cluster.pid")" 2>/dev/null; }}
"""
_UP = """\
have=$({bin}/deadheat --version) || {{ echo "no deadheat in {bin}" >&2; exit 3; }}
[ "$have" = {version} ] || {{ echo "it has $have, and this is "{version} >&2; exit 3; }}
[ -x {bin}/ray ] || {{ echo "no ray in {bin}: pip install 'deadheat[cluster]'" >&2; exit 3; }}
if running; then echo "a node runs already, process $(cat "$state/cluster.pid")" >&2; exit 4; fi
printf %s {token} > "$state/cluster-token"
export RAY_AUTH_MODE=token RAY_AUTH_TOKEN_PATH="$state/cluster-token" RAY_worker_niceness=0
unset RAY_AUTH_TOKEN
nohup setsid {bin}/ray start --block {options} > "$state/cluster.log" 2>&1 < /dev/null &
echo $! > "$state/cluster.pid"
i=0
until grep -qs "Ray runtime started" "$state/cluster.log"; do
    running || {{ tail -n 5 "$state/cluster.log" >&2; rm -f "$state/cluster.pid"; exit 5; }}
    i=$((i + 1)); [ $i -lt 600 ] || {{ echo "not up after 60 s" >&2; exit 5; }}
    sleep 0.1
done
"""
_DOWN = """\
if running; then
    pid=$(cat "$state/cluster.pid"); kill "$pid"; i=0
    while kill -0 "$pid" 2>/dev/null; do
        i=$((i + 1)); [ $i -lt 200 ] || { kill -9 "$pid"; break; }
        sleep 0.1
    done
    echo "process $pid"
else echo none; fi
rm -f "$state/cluster.pid" "$state/cluster-token"
"""

Say = Callable[[str], None]


def up(file: ClusterFile, where: Path, host: Host, say: Say) -> str:
    """Start the head, then all others at once; the cluster's address. `where`: the file's own folder.

    Raises UserError that names each host that did not come up; those that did are ended again.
    """
    token = _token(where / Path(file.token).expanduser())
    head, *others = file.host
    address = f"{head.address}:{file.port}"
    came: list[ClusterHost] = []
    try:
        _each(host, [head], lambda one: _up_script(file, one, token, head=True), say, "up", came)
        _each(host, others, lambda one: _up_script(file, one, token, head=False), say, "up", came)
    except UserError:
        # Just these: what ran before is somebody's.
        _each(host, came, lambda _one: _BEGIN + _DOWN, lambda _text: None, "down")
        raise
    return address


def down(file: ClusterFile, host: Host, say: Say) -> None:
    """End what `up` started, on each host, the head last. Raises UserError."""
    head, *others = file.host
    _each(host, others, lambda _one: _BEGIN + _DOWN, say, "down")
    _each(host, [head], lambda _one: _BEGIN + _DOWN, say, "down")


def _up_script(file: ClusterFile, one: ClusterHost, token: str, *, head: bool) -> str:
    first = ["--head", f"--port={file.port}", "--include-dashboard=false"]
    options = first if head else [f"--address={file.host[0].address}:{file.port}"]
    options += [
        f"--node-ip-address={one.address}",
        f"--num-cpus={one.cpus}",
        f"--object-store-memory={file.object_store_mb * 1_000_000}",
        "--include-log-monitor=false",
        "--disable-usage-stats",
    ]
    if one.labels:
        options.append(f"--labels={','.join(f'{k}={v}' for k, v in one.labels.items())}")
    return _BEGIN + _UP.format(
        bin=shlex.quote(one.bin or file.bin),
        version=shlex.quote(f"deadheat {__version__}"),
        token=shlex.quote(token),
        options=shlex.join(options),
    )


def _each(
    host: Host,
    those: Sequence[ClusterHost],
    script: Callable[[ClusterHost], str],
    say: Say,
    done: str,
    did: list[ClusterHost] | None = None,
) -> None:
    """On all of them at once; `did` is told of each that did. Raises UserError with what each of those that
    failed said."""

    def run(one: ClusterHost) -> str | None:
        # The token is in the script, which ssh reads from us: no list of processes shows it.
        target = one.ssh or one.address
        try:
            ran = host.run((*SSH, target, "sh -s"), env={}, timeout_s=TIME_LIMIT_S, stdin=script(one))
        except (StartError, TimeoutError) as error:
            return str(error)
        if ran.status == 0:
            say(f"  {one.address}: {done}{_of(ran.stdout)}")
            if did is not None:
                did.append(one)
            return None
        return " ".join(ran.stderr.split()) or f"ssh ended with {ran.status}"

    if not those:
        return
    with ThreadPoolExecutor(len(those)) as pool:
        failed = {one.address: why for one, why in zip(those, pool.map(run, those), strict=True) if why}
    if failed:
        raise UserError(
            "; ".join(f"{address}: {why}" for address, why in failed.items()),
            hint="docs/cluster.md says what each host needs",
            code=ExitCode.NOTHING_MEASURED,
        )


def _of(said: str) -> str:
    return f" ({said.strip()})" if said.strip() else ""


def _token(file: Path) -> str:
    """What the file holds; made where there is none, for its owner alone."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
        write_whole(file, secrets.token_hex(32))
        file.chmod(0o600)
    return file.read_text().strip()
