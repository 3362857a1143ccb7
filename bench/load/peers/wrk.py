"""wrk: closed loop, HTTP/1.1. It checks that a status is 2xx or 3xx, and no body."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..generator import PATH, Broken, Counted, Generator
from ..measure import GENERATOR_CPU

# wrk sends one request at a time; several at once is a script that joins them.
PIPELINE_LUA = """
local depth = tonumber(os.getenv("DEPTH") or "16")
init = function(args)
  local one = wrk.format(nil)
  local all = {}
  for i = 1, depth do all[i] = one end
  request_bytes = table.concat(all)
end
request = function() return request_bytes end
"""

# Wrk asks for one thing; asking for one after the other is a script too. Rendered once, as ours are.
POOL_LUA = """
local all, at = {}, 0
init = function(args)
  for i = 1, %d do all[i] = wrk.format(nil, string.format("%s", i)) end
end
request = function()
  at = at %% #all + 1
  return all[at]
end
"""
# A connection of thousands waits for its turn longer than the 2 s that wrk gives it.
PATIENCE = "30s"


@dataclass(frozen=True)
class Asked:
    """What wrk is to ask for where it is not one request of PATH."""

    scheme: str = "http"
    path: str = PATH
    script: str | None = None
    """The path of a Lua script."""
    threads: int = 1
    cpus: str = str(GENERATOR_CPU)


USUAL = Asked()


def wrk(name: str, connections: int, asked: Asked = USUAL) -> Generator:
    """Its share of the connections for each thread."""

    def argv(address: str, seconds: float) -> Sequence[str]:
        options = ["-s", asked.script] if asked.script else []
        url = f"{asked.scheme}://{address}{asked.path}"
        shape = [f"-t{asked.threads}", f"-c{connections}", f"-d{seconds:.0f}s"]
        return ["wrk", *shape, "--timeout", PATIENCE, *options, url]

    def count(stdout: str) -> Counted:
        found = re.search(r"(\d+) requests in", stdout)
        if found is None or "Non-2xx" in stdout or "Socket errors" in stdout:
            raise Broken(f"{name}: {stdout}")
        return Counted(int(found[1]))

    return Generator(name, argv, count, asked.cpus)
