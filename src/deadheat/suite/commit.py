"""Which commit of its repository a folder is at."""

import subprocess
from pathlib import Path

LIMIT_S = 10


def of(folder: Path) -> str | None:
    """`1a2b3c4d5e6f`, with `-dirty` where tracked files were changed; None where there is no repository."""
    describe = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        ran = subprocess.run(describe, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ran.stdout.strip() or None if ran.returncode == 0 else None
