"""`make setup` where it cannot go on: one line says why, nothing is half installed, and the next try goes on.

The scripts run in a copy of the folder, on systems made of stubs: apt, pip, cargo and df are scripts here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

ROOT = Path(__file__).parents[2]
LIMIT_S = 60
# The oldest Python of a system that set-up is tried on, to the patch: some packages want a later one.
DEBIAN_12 = "3.11.2"
# All of the system that the scripts may use: no cargo, no apt, no Python.
SYSTEM = [
    "awk",
    "basename",
    "cat",
    "cp",
    "cut",
    "date",
    "dirname",
    "env",
    "find",
    "flock",
    "grep",
    "head",
    "mkdir",
    "paste",
    "rm",
    "sed",
    "sh",
    "sort",
    "tail",
    "touch",
    "tr",
    "wc",
    "xargs",
]
GOOD_APT = """
case "$*" in
*update*) ;;
*install*-s*) echo "Inst gcc" ;;
*install*) echo "$*" >>"$LOG"; [ -z "${1##*exec*}" ] || echo "pmstatus:gcc:50.0:Unpacking gcc" >&3 ;;
esac
"""


class Folder:
    """A copy of what set-up reads, and a path whose first folder holds the stubs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stubs = folder / "stubs"
        self.log = folder / "log"
        self.stubs.mkdir()
        (folder / "system").mkdir()
        for tool in SYSTEM:
            (folder / "system" / tool).symlink_to(shutil.which(tool) or f"/bin/{tool}")
        for name in ("scripts", "Cargo.toml", "constraints.txt", "pyproject.toml", "system-packages.txt"):
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name)
            else:
                shutil.copy2(source, folder)
        for crate in ("engine", "launcher"):
            (folder / crate).mkdir()
            shutil.copy2(ROOT / crate / "Cargo.toml", folder / crate)
        self.put(
            sudo="exit 1",
            id="echo 0",
            dpkg="exit 0",
            apt_cache=policy(gcc="12", cargo="1.85.0", python3_venv="3.11"),
            apt_get=GOOD_APT,
            dpkg_query="exit 1",
            df="echo header; echo x x x 99999 x x",
            cc="exit 0",
            rustc='[ "$1" = -vV ] && echo host: here || echo "rustc 1.90.0 (x)"',
            cargo='echo "cargo $*" >>"$LOG"; echo "   Compiling stub v1"',
            python3="""
            case "$*" in
            *venv*) mkdir -p .venv/bin; cp "$0" .venv/bin/python; touch .venv/pyvenv.cfg ;;
            *pip*install*) echo "pip $*" >>"$LOG"; echo "Collecting stub" ;;
            *pip*) [ -e .venv/pyvenv.cfg ] ;;
            *) echo 3.12.1 ;;
            esac""",
        )

    def put(self, **scripts: str) -> None:
        for name, script in scripts.items():
            program = self.stubs / name.replace("_", "-")
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)

    def environment(self, **more: str) -> dict[str, str]:
        path = f"{self.stubs}:{self.folder / 'system'}"
        return {"PATH": path, "HOME": str(self.folder), "LOG": str(self.log), **more}

    def setup(self, step: str, **environment: str) -> tuple[int, str]:
        ran = subprocess.run(
            [self.folder / "scripts" / "setup.sh", step],
            env=self.environment(**environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        return ran.returncode, ran.stdout

    def done(self, stamp: str) -> bool:
        return (self.folder / ".venv" / stamp).exists()

    def ran(self) -> str:
        return self.log.read_text() if self.log.exists() else ""


def policy(**candidates: str) -> str:
    """`apt-cache policy NAME...` of a system that has these."""
    cases = "".join(f"{name.replace('_', '-')}) v={version} ;; " for name, version in candidates.items())
    return f"""
    shift
    for name; do
        case $name in {cases} *) v="(none)" ;; esac
        printf '%s:\\n  Installed: (none)\\n  Candidate: %s\\n' "$name" "$v"
    done"""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_packages_come_in_one_call_and_programs_after_them(folder: Folder) -> None:
    code, reported = folder.setup("system")
    assert (code, folder.done(".system")) == (0, True), reported
    assert folder.ran().count("install -y") == 1
    assert " gcc" in folder.ran()
    assert "installing system packages" in reported
    code, reported = folder.setup("programs")
    assert (code, folder.done(".installed")) == (0, True), reported
    assert "cargo rustc --release --locked" in folder.ran()
    assert reported.endswith("setup: ready\n")


def test_what_the_release_does_not_have_is_named_and_left_out(folder: Folder) -> None:
    folder.put(
        apt_cache=policy(gcc="12", python3_venv="3.11", golang_go="2:1.19~1"),
        dpkg='[ "$1 $2" != "--compare-versions 2:1.19~1" ]',
    )
    code, reported = folder.setup("system")
    assert code == 0
    assert "not to be had from this system's packages: " in reported
    assert "golang-go (>= 2:1.21)" in reported
    assert "golang-go" not in folder.ran()


@pytest.mark.parametrize("step", ("system", "programs"))
def test_an_old_rust_is_said_before_anything_is_downloaded(folder: Folder, step: str) -> None:
    folder.put(rustc='echo "rustc 1.63.0 (x)"', apt_cache=policy(cargo="0.66.0+ds1-1", cargo_web="1.85.0"))
    code, reported = folder.setup(step)
    assert code == 1
    assert reported.count("\n") == 1
    assert "Rust 1.85 or newer is needed" in reported
    assert "is of 1.63.0: apt-get install cargo-web" in reported
    assert folder.ran() == ""


def test_an_old_python_is_one_line(folder: Folder) -> None:
    folder.put(old="echo 3.9.2")
    code, reported = folder.setup("system", PYTHON="old")
    assert (code, reported.count("\n")) == (1, 1)
    assert "Python 3.11 or newer is needed, and old is 3.9.2" in reported
    assert folder.ran() == ""


def test_without_root_one_line_says_what_to_install(folder: Folder) -> None:
    folder.put(id="echo 1000")
    for missing in ("rustc", "cargo"):
        (folder.stubs / missing).unlink()
    code, reported = folder.setup("system")
    assert (code, reported.count("\n")) == (1, 1)
    assert reported.startswith(
        "setup: run this, then make setup again: sudo apt-get install python3-venv gcc"
    )
    assert not folder.done(".system")


def test_without_root_and_with_all_that_is_needed_it_goes_on(folder: Folder) -> None:
    folder.put(
        id="echo 1000", dpkg_query='case "$4" in *python3-venv|gcc) echo install ok installed 9 ;; esac'
    )
    code, reported = folder.setup("system")
    assert (code, reported.count("\n")) == (0, 1)
    assert "to race everything, run: sudo apt-get install" in reported


def test_without_a_network_one_line_says_so(folder: Folder) -> None:
    folder.put(
        apt_get="echo \"W: Failed to fetch x  Temporary failure resolving 'x'\"", apt_cache=policy(none="1")
    )
    code, reported = folder.setup("system")
    assert code == 1
    assert reported.splitlines()[1:] == [
        "setup: apt-get update: no network, or a proxy is needed (http_proxy=...)",
    ]
    assert not folder.done(".system")


def test_one_source_of_several_that_is_not_reached_stops_nothing(folder: Folder) -> None:
    folder.put(apt_get='case "$*" in *update*) echo "Hit:1 x"; echo "W: Failed to fetch y";; esac' + GOOD_APT)
    code, reported = folder.setup("system")
    assert code == 0, reported
    assert "install -y" in folder.ran()
    assert not folder.done(".system")


def test_apt_that_fails_is_tried_again_the_next_time(folder: Folder) -> None:
    folder.put(apt_get='case "$*" in *-y*) echo "No space left on device"; exit 100 ;; esac')
    code, reported = folder.setup("system")
    assert code == 0, "what is needed is there, the rest is for some contenders"
    assert "apt-get install failed: the disk is full; make setup goes on from there" in reported
    assert not folder.done(".system")
    folder.put(apt_get=GOOD_APT)
    assert folder.setup("system")[0] == 0
    assert folder.done(".system")


@pytest.mark.parametrize(
    ("said", "reported"),
    (
        ("error: Could not resolve host: x", "no network, or a proxy is needed (https_proxy=...)"),
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("error: /x: Read-only file system", "a folder cannot be written: error: /x: Read-only file system"),
    ),
)
def test_cargo_that_fails_is_one_line_and_goes_on_the_next_time(
    folder: Folder, said: str, reported: str
) -> None:
    good = (folder.stubs / "cargo").read_text()
    folder.put(cargo=f"echo '{said}'; exit 101")
    code, output = folder.setup("programs")
    assert code == 1
    assert output.splitlines()[-1] == (
        f"setup: downloading Rust libraries failed: {reported}; make setup goes on from there"
    )
    assert not folder.done(".installed")
    (folder.stubs / "cargo").write_text(good)
    assert folder.setup("programs")[0] == 0
    assert folder.done(".installed")


def test_a_virtual_environment_that_was_cut_off_is_made_anew(folder: Folder) -> None:
    (folder.folder / ".venv" / "lib").mkdir(parents=True)
    (folder.folder / ".venv" / "lib" / "half").touch()
    assert folder.setup("programs")[0] == 0
    assert not (folder.folder / ".venv" / "lib" / "half").exists()


def test_too_small_a_disk_is_said_first(folder: Folder) -> None:
    folder.put(df="echo header; echo x x x 17 x x")
    code, reported = folder.setup("system")
    assert (code, reported) == (1, f"setup: 17 MB are free in {folder.folder}, and 2500 MB are needed\n")
    assert folder.ran() == ""


def test_a_home_that_cannot_be_written_names_another(folder: Folder) -> None:
    (folder.folder / "file").touch()
    code, reported = folder.setup("programs", HOME=str(folder.folder / "file"))
    assert (code, reported.count("\n")) == (1, 1)
    assert "CARGO_HOME=FOLDER make setup" in reported


def test_the_second_of_two_waits_and_finds_it_done(folder: Folder) -> None:
    gate = folder.folder / "gate"
    os.mkfifo(gate)
    cargo = (folder.stubs / "cargo").read_text()
    folder.put(cargo=f'[ -e passed ] || {{ read line <"{gate}"; touch passed; }}\n{cargo}')
    command = [str(folder.folder / "scripts" / "setup.sh"), "programs"]
    both = [
        subprocess.Popen(command, env=folder.environment(), stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    with gate.open("w") as opened:  # opens once the first one reads
        waits = folder.folder / ".cache" / "setup" / "lock"
        deadline = time.monotonic() + LIMIT_S
        while _waiting(waits) < 1 and time.monotonic() < deadline:
            time.sleep(0.01)
        opened.write("go\n")
    reported = sorted((ended.communicate(timeout=LIMIT_S)[1], ended.returncode) for ended in both)
    assert [code for _, code in reported] == [0, 0]
    assert sum("another set-up is running in this folder" in text for text, _ in reported) == 1
    assert folder.ran().count("pip -m pip install") == 1


def _waiting(lock: Path) -> int:
    """How many wait for a file's lock: `-> ` lines of /proc/locks."""
    inode = f":{lock.stat().st_ino} "
    lines = Path("/proc/locks").read_text().splitlines()
    return sum("->" in line and inode in line for line in lines)


def test_the_oldest_rust_is_one_number_everywhere() -> None:
    """system-packages.txt asks apt for what Cargo.toml asks of cargo."""
    texts = ((ROOT / file).read_text() for file in ("Cargo.toml", "engine/Cargo.toml"))
    oldest = max(re.findall(r'^rust-version = "(.*)"', "\n".join(texts), re.MULTILINE), key=Version)
    for name in ("system-packages.txt", "system-packages-test.txt"):
        for line in (ROOT / name).read_text().splitlines():
            if line.startswith(("cargo ", "rustfmt ", "rust-clippy ")):
                assert line.count(f"(>= {oldest})") == line.count("|") + 1, line


def test_every_pinned_package_takes_the_python_of_debian_12() -> None:
    pinned = [line.partition("==")[0] for line in (ROOT / "constraints.txt").read_text().split()]
    refusing = [
        f"{name} wants Python {wanted}"
        for name in pinned
        if not SpecifierSet(wanted := _python_wanted(name)).contains(DEBIAN_12)
    ]
    assert not refusing


def _python_wanted(package: str) -> str:
    """Empty for one that is not installed here: it is of another system."""
    try:
        return str(metadata(package).json.get("requires_python", ""))
    except PackageNotFoundError:
        return ""
