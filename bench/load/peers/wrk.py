"""wrk: closed loop, HTTP/1.1. It checks that a status is 2xx or 3xx, and no body."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..generator import PATH, Broken, Counted, Generator

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


def wrk(name: str, connections: int, script: str | None = None) -> Generator:
    """One thread; `script` is the path of a Lua script."""

    def argv(address: str, seconds: float) -> Sequence[str]:
        options = ["-s", script] if script else []
        url = f"http://{address}{PATH}"
        return ["wrk", "-t1", f"-c{connections}", f"-d{seconds:.0f}s", *options, url]

    def count(stdout: str) -> Counted:
        found = re.search(r"(\d+) requests in", stdout)
        if found is None or "Non-2xx" in stdout or "Socket errors" in stdout:
            raise Broken(f"{name}: {stdout}")
        return Counted(int(found[1]))

    return Generator(name, argv, count)
