"""Where the pages of a site lie, from its top. A place follows from a name alone: links to it stay right."""

from __future__ import annotations

import hashlib
import re

INDEX = "index.html"
STYLE = "style.css"
SCRIPT = "view.js"
FEED = "feed.xml"
VERDICTS = "verdicts.csv"
# Of a file's name, which 255 bytes are the limit of.
LONGEST = 120
_OTHER = re.compile(r"[^A-Za-z0-9.-]|^\.")


def run(id_: str) -> str:
    """The folder of a run: its page, its results and its report."""
    return f"runs/{_file(id_)}/"


def workload(name: str) -> str:
    return f"workloads/{_file(name)}.html"


def contender(name: str) -> str:
    return f"contenders/{_file(name)}.html"


def _file(name: str) -> str:
    """No two names share one: what no file name should have is in hexadecimal, and of a long one a digest."""
    file = _OTHER.sub(lambda found: "".join(f"_{byte:02x}" for byte in found[0].encode()), name)
    if len(file) <= LONGEST:
        return file
    return f"{file[:LONGEST]}_h{hashlib.sha256(name.encode()).hexdigest()[:16]}"
