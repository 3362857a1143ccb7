"""Libraries that contenders need: what pkg-config, the compiler and the linker find."""

import shutil
import subprocess
from functools import cache

from deadheat.build.command import path


@cache
def version_of(kind: str, name: str) -> str | None:
    """What pkg-config says, "0" of a header or library that is there; None where it is not."""
    if kind == "pkg-config":
        ran = _run("pkg-config", "--modversion", name)
        return None if ran is None else ran.strip() or "0"
    if kind == "header":
        # The file itself is not read, so C finds C++'s too.
        question = f"#if !__has_include(<{name}>)\n#error\n#endif\n"
        return None if _run("cc", "-E", "-x", "c", "-o", "/dev/null", "-", text=question) is None else "0"
    program = "int main(void) { return 0; }\n"
    return None if _run("cc", "-x", "c", "-o", "/dev/null", "-", f"-l{name}", text=program) is None else "0"


def _run(program: str, *arguments: str, text: str = "") -> str | None:
    """Its output; None where it fails or is not there."""
    found = shutil.which(program, path=path())
    if found is None:
        return None
    try:
        ran = subprocess.run(
            [found, *arguments], input=text, capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ran.stdout if ran.returncode == 0 else None
