"""A program finds the same wherever it is started: what our own start leaves to it, and nothing of the
machinery that runs an agent there. Run for a machine of a cluster by tests/cluster."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deadheat.hosts import Host, Spec
from deadheat.hosts.local import LocalHost

from .test_contract import PATIENCE_S, ended, python

# Of the kernel's own account of a process what it has from whoever started it.
TOLD = """
import json, os, resource, sys
status = dict(line.split(':', 1) for line in open('/proc/self/status'))
kept = ('Umask', 'SigBlk', 'SigIgn', 'SigCgt', 'Groups', 'NoNewPrivs', 'Seccomp', 'CapInh', 'CapPrm',
        'CapEff', 'CapBnd', 'CapAmb', 'Cpus_allowed_list', 'Mems_allowed_list', 'Uid', 'Gid')
found = {name: status[name].strip() for name in kept if name in status}
found['nice'] = os.getpriority(os.PRIO_PROCESS, 0)
found['scheduler'] = [os.sched_getscheduler(0), os.sched_getparam(0).sched_priority]
for name in ('oom_score_adj', 'personality', 'timerslack_ns', 'coredump_filter', 'autogroup', 'cgroup'):
    try:
        found[name] = open(f'/proc/self/{name}').read().strip()
    except OSError as error:
        found[name] = error.strerror
found['autogroup'] = found['autogroup'].rpartition(' ')[2]
found['limits'] = {name: resource.getrlimit(getattr(resource, name))
                   for name in dir(resource) if name.startswith('RLIMIT_')}
found['environment'] = dict(os.environ)
found['descriptors'] = sorted(int(fd) for fd in os.listdir('/proc/self/fd'))[:-1]
found['session'] = os.getsid(0) == os.getpid()
found['argv'], found['folder'] = sys.argv, os.getcwd()
print(json.dumps(found), flush=True)
"""


@pytest.fixture
def here() -> Iterator[Host]:
    with LocalHost() as made:
        yield made


def told(host: Host, spec: Spec) -> dict[str, Any]:
    handle = host.start(spec)
    if spec.piped:
        said = host.receive(handle, PATIENCE_S)
        host.stop(handle, PATIENCE_S)
    else:
        assert ended(host, handle).exit.code == 0, host.collect(handle).output_tail
        said = host.collect(handle).stdout
    found: dict[str, Any] = json.loads(said)
    return found


@pytest.mark.parametrize("piped", [False, True], ids=["by the launcher", "to be talked to"])
def test_a_start_is_as_any(host: Host, here: Host, tmp_path: Path, piped: bool) -> None:
    source = tmp_path / "told.py"
    source.write_text(TOLD)
    spec = replace(
        python(tmp_path, ""),
        argv=(sys.executable, "-S", str(source)),
        cpus=frozenset({min(cpu for core in here.cores() for cpu in core)}),
        piped=piped,
    )
    spec = replace(spec, stdout=None) if piped else spec
    expected, found = told(here, spec), told(host, spec)
    assert found == expected
    # And that is a start as from a shell: nothing is blocked, no more is open than what it is given.
    assert int(found["SigBlk"], 16) == 0 and found["nice"] == 0 and found["oom_score_adj"] == "0"
    assert found["descriptors"] == [0, 1, 2] and set(found["environment"]) <= {"PATH", "LC_CTYPE"}
