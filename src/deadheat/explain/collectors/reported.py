"""Runtimes with counters and no log: a few lines of their own language print them five times a second."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from deadheat.explain.collectors.base import SNAPSHOT_S, Runtime, snapshots

# statistics(garbage_collection): collections, words reclaimed.
BEAM_TELLS = (
    "spawn(fun Tell() -> {Runs, Words, _} = erlang:statistics(garbage_collection), "
    'io:format(standard_error, "~ndeadheat-gc pid=~s runs=~w bytes=~w~n", '
    "[os:getpid(), Runs, Words * erlang:system_info(wordsize)]), "
    f"timer:sleep({SNAPSHOT_S * 1000:.0f}), Tell() end)."
)
RUBY_TELLS = f"""\
Thread.new do
  loop do
    objects = GC.stat(:total_allocated_objects)
    warn "\\ndeadheat-gc pid=#{{Process.pid}} runs=#{{GC.count}} objects=#{{objects}}"
    sleep {SNAPSHOT_S}
  end
end
"""
PYTHON_TELLS = f"""\
import gc, os, sys, threading, time
def _tell():
    while True:
        runs = sum(generation["collections"] for generation in gc.get_stats())
        sys.stderr.write(f"\\ndeadheat-gc pid={{os.getpid()}} runs={{runs}}\\n")
        sys.stderr.flush()
        time.sleep({SNAPSHOT_S})
threading.Thread(target=_tell, daemon=True).start()
"""


def _beam(_: Path) -> Mapping[str, str]:
    return {"ERL_AFLAGS": f"-eval '{BEAM_TELLS}'"}


def _ruby(folder: Path) -> Mapping[str, str]:
    hook = folder / "report-gc.rb"
    hook.write_text(RUBY_TELLS)
    return {"RUBYOPT": f"-r{hook}"}


def _python(folder: Path) -> Mapping[str, str]:
    hooks = folder / "report-gc"
    hooks.mkdir(exist_ok=True)
    (hooks / "sitecustomize.py").write_text(PYTHON_TELLS)
    return {"PYTHONPATH": str(hooks)}


BEAM = Runtime(
    "BEAM",
    frozenset({"elixir", "erlang", "gleam"}),
    _beam,
    snapshots,
    note="the BEAM collects each process's small heap by itself; what it reports is reclaimed, not allocated",
    one_heap=False,
)
RUBY = Runtime("Ruby", frozenset({"ruby"}), _ruby, snapshots)
PYTHON = Runtime(
    "Python",
    frozenset({"python"}),
    _python,
    snapshots,
    note="Python frees by reference counts: its collections are of cycles alone",
)
