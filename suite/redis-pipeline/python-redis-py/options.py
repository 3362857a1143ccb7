"""The command line that every contender of this workload takes."""

import argparse
import sys
from dataclasses import dataclass
from typing import NoReturn


@dataclass(frozen=True)
class Options:
    """What one invocation is to do; a depth of None is a whole round."""

    host: str
    port: int
    iterations: int
    rounds: int
    pipeline_depth: int | None
    verify: bool


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one line, and exits 1 as this workload's programs do."""

    def error(self, message: str) -> NoReturn:
        sys.exit(f"python-redis-py: {message}")


def read_options() -> Options:
    """The process's arguments."""
    parser = OneLineParser(allow_abbrev=False)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--iterations", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--pipeline-depth", type=int)
    parser.add_argument("--verify", action="store_true")
    return Options(**vars(parser.parse_args()))
