"""Libraries that contenders need: what pkg-config, the compiler and the linker find."""

from functools import cache

from deadheat.hosts import Host, StartError

TIME_LIMIT_S = 20.0


@cache
def version_of(host: Host, kind: str, name: str) -> str | None:
    """What pkg-config says, "0" of a header or library that is there; None where it is not."""
    if kind == "pkg-config":
        ran = _run(host, "pkg-config", "--modversion", name)
        return None if ran is None else ran.strip() or "0"
    if kind == "header":
        # The file itself is not read, so C finds C++'s too.
        question = f"#if !__has_include(<{name}>)\n#error\n#endif\n"
        found = _run(host, "cc", "-E", "-x", "c", "-o", "/dev/null", "-", text=question)
        return None if found is None else "0"
    program = "int main(void) { return 0; }\n"
    linked = _run(host, "cc", "-x", "c", "-o", "/dev/null", "-", f"-l{name}", text=program)
    return None if linked is None else "0"


def _run(host: Host, *command: str, text: str = "") -> str | None:
    """Its output; None where it fails or is not there."""
    try:
        ran = host.run(command, env={"PATH": host.programs().path}, timeout_s=TIME_LIMIT_S, stdin=text)
    except (StartError, TimeoutError):
        return None
    return ran.stdout if ran.status == 0 else None
