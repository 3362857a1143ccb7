"""Stacks: folded by inferno from what perf prints, scaled, and put into a few words."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from deadheat.explain import inferno, stacks

GOLDEN = Path(__file__).parent / "golden"


def test_folded() -> None:
    """25 samples of 2.004 ms each."""
    folded = stacks.parse((GOLDEN / "folded.txt").read_text())
    assert folded.total_ns == 25 * 2_004_008
    functions = folded.functions()
    assert sum(functions.values()) == pytest.approx(folded.total_ns)
    assert functions["kernel: writes"] > functions["kernel: reads"] > 0


def test_inferno_folds_what_perf_prints() -> None:
    tools = inferno.find()
    if tools is None:
        pytest.skip(f"inferno is not installed: {inferno.INSTALL}")
    argv = [str(tools / "inferno-collapse-perf"), "--all", str(GOLDEN / "perf-script.txt")]
    ran = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert stacks.parse(ran.stdout) == stacks.parse((GOLDEN / "folded.txt").read_text())


def test_scaled_to_a_request() -> None:
    folded = stacks.parse("p;main;f 300\np;main;g 100\n").scaled(8000.0)
    assert folded.ns == {"p;main;f": 6000.0, "p;main;g": 2000.0}
    assert folded.text() == "p;main;f 6000\np;main;g 2000\n"
    assert folded.functions() == {"f": 6000.0, "g": 2000.0}


def test_nothing_scales_to_nothing() -> None:
    assert stacks.parse("").scaled(8000.0).text() == ""


@pytest.mark.parametrize(
    ("stack", "place"),
    [
        (
            "p;main;write;entry_SYSCALL_64_[k];do_syscall_64_[k];ksys_write_[k];tcp_sendmsg_[k]",
            "kernel: writes",
        ),
        ("p;main;__send;do_syscall_64_[k];__x64_sys_sendto_[k];__sys_sendto_[k]", "kernel: writes"),
        ("p;main;do_syscall_64_[k];__x64_sys_futex_[k];do_futex_[k]", "kernel: futex"),
        ("p;main;asm_exc_page_fault_[k];handle_mm_fault_[k]", "kernel: page faults"),
        (
            "p;main;do_syscall_64_[k];exit_to_user_mode_loop_[k];schedule_[k]",
            "kernel: switching to another thread",
        ),
        ("p;main;memcpy", "memcpy"),
        ("p;main;LazyCompile:~x_[j]", "LazyCompile:~x"),
    ],
)
def test_places(stack: str, place: str) -> None:
    assert stacks.parse(f"{stack} 5").functions() == {place: 5.0}


def test_kernel_parts_of_different_programs_meet() -> None:
    go = "server;main.f;syscall.write;entry_[k];ksys_write_[k];tcp_sendmsg_[k];tcp_push_[k]"
    crystal = "server;*Fiber#run:;__send;entry_[k];__x64_sys_sendto_[k];tcp_sendmsg_[k];tcp_push_[k]"
    assert (
        stacks.by_side(go) == stacks.by_side(crystal) == "kernel;kernel: writes;tcp_sendmsg_[k];tcp_push_[k]"
    )
    assert stacks.by_side("server;main.f;main.g") == "own code;main.f;main.g"
