"""Every fib: right for any n that it allows, and no number for nonsense."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from deadheat.build.command import argv, environment

from .conftest import SUITE, Ready

CONTENDERS = sorted(manifest.parent.name for manifest in (SUITE / "fib").glob("*/contender.toml"))
TIMEOUT_S = 120


def oracle(n: int) -> str:
    ran = subprocess.run(
        [sys.executable, SUITE / "fib" / "oracle.py", str(n)], capture_output=True, text=True, check=True
    )
    return ran.stdout


def test_the_oracle_counts_in_unsigned_32_bits() -> None:
    assert [oracle(n) for n in (0, 1, 2, 47)] == ["0\n", "1\n", "1\n", "2971215073\n"]
    assert oracle(48) == f"{4807526976 % 2**32}\n"


@pytest.mark.parametrize("contender", CONTENDERS)
def test_a_contender_is_right_and_refuses_nonsense(contender: str, ready: Ready) -> None:
    build = ready("fib", contender)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            argv(build.contender, {}, arguments),
            cwd=build.folder,
            env=environment(build.contender, {}),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )

    for n in (0, 1, 2, random.randint(3, 25)):
        ran = run(str(n))
        assert (ran.returncode, ran.stdout) == (0, oracle(n)), f"n = {n}: {ran.stderr}"
    for nonsense in ((), ("x",), ("1", "2")):
        ran = run(*nonsense)
        assert (ran.returncode, ran.stdout) == (2, ""), f"arguments {nonsense}"
        assert ran.stderr, f"arguments {nonsense}: not a word"
