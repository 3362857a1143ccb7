"""Commands raced without a suite: what the first of them answers is what all must answer."""

from __future__ import annotations

import shlex
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from .bench import HABITS, Deadheat

SERVER = HABITS / "server.py"
GRPC_SERVER = HABITS.parent / "grpc-habits" / "grpc_server.py"
GREETER = Path(__file__).parents[2] / "suite" / "grpc-unary" / "greeter.proto"
BUDGET = ("--budget", "8s", "--seed", "7")


@pytest.fixture
def deadheat(home: Path, tmp_path: Path) -> Deadheat:
    """With no suite anywhere, where servers may count their starts."""
    return Deadheat(home, home / "no-suite", cwd=tmp_path)


@pytest.fixture
def server(tmp_path: Path) -> Callable[..., str]:
    """A server's command line; it counts its starts in a file where it stands."""

    def line(port: str = "{port}") -> str:
        return f"{shlex.join(['env', '-C', str(tmp_path), sys.executable, '-S', '-E', str(SERVER)])} {port}"

    return line


def test_two_servers(deadheat: Deadheat, server: Callable[..., str]) -> None:
    lines = ("--command", server(), "--command", server(), "-n", "main", "-n", "branch")
    ended = deadheat.run("race", *lines, "--path", "/users", "--connections", "4", *BUDGET)
    assert ended.code in (0, 4), ended
    assert deadheat.row("main")["status"] == deadheat.row("branch")["status"] == "measured"
    [race] = deadheat.results()["workloads"]
    assert race["name"] == "ad-hoc"
    assert race["reference"] == "main"
    assert "again: deadheat race" in ended.err
    # As it can be pasted into a shell.
    assert shlex.quote(server()) in ended.err


def test_a_server_that_takes_its_port_from_the_environment(
    deadheat: Deadheat, server: Callable[..., str]
) -> None:
    by_environment = f"sh -c {shlex.quote('exec ' + server(port='$PORT'))}"
    ended = deadheat.run("race", "--command", by_environment, "--command", by_environment, *BUDGET)
    assert ended.code in (0, 4), ended
    assert {row["status"] for row in deadheat.results()["workloads"][0]["contenders"]} == {"measured"}


def test_a_request_as_a_browser_copies_it(
    deadheat: Deadheat, server: Callable[..., str], tmp_path: Path
) -> None:
    copied = tmp_path / "copied.curl"
    headers = "-H 'Host: shop.example' -H 'Accept: text/html'"
    copied.write_text(f"curl 'https://shop.example/users' \\\n  {headers}\n")
    lines = ("--command", server(), "--command", server())
    ended = deadheat.run("race", *lines, "--request", str(copied), "--dry-run", *BUDGET)
    assert ended.code == 0, ended
    [manifest] = (deadheat.home / "cache" / "ad-hoc").glob("*/ad-hoc/workload.toml")
    asked = tomllib.loads(manifest.read_text())
    assert (asked["request"]["path"], asked["request"]["headers"]) == ("/users", {"Accept": "text/html"})
    assert asked["conformance"][0]["body"] == "Hello from users!"
    ended = deadheat.run("race", *lines, "--request", str(copied), "--path", "/a")
    assert ended.code == 2
    assert "--request says all of the request" in ended.error


def grpc_lines(habit: str = "") -> list[str]:
    python = shlex.join([sys.executable, "-S", "-E", str(GRPC_SERVER)])
    lines = [
        "--command",
        f"{python} {{port}}",
        "--command",
        f"{python} {{port}} {habit}",
        "-n",
        "a",
        "-n",
        "b",
    ]
    return [*lines, "--proto", str(GREETER), "--call", "greeter.Greeter/SayHello"]


@pytest.mark.parametrize(("habit", "status"), [("", "measured"), ("wrong-message", "failed")])
def test_two_grpc_servers(deadheat: Deadheat, habit: str, status: str) -> None:
    asked = ("--data", '{"name": "friend"}', "--connections", "2", "--streams", "2")
    ended = deadheat.run("race", *grpc_lines(habit), *asked, *BUDGET)
    assert deadheat.row("a")["status"] == "measured", ended
    assert deadheat.row("b")["status"] == status, ended
    [race] = deadheat.results()["workloads"]
    assert race["kind"] == "grpc"
    if habit:
        assert 'expected "Hello from friend!"' in deadheat.row("b")["reason"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--data", "nope"), "nope: no JSON"),
        (("--data", "[]"), "a request is an object"),
        (("--data", '{"nam": 1}'), 'no field named "nam"'),
        (("--call", "greeter.Greeter/Nope"), "has no method greeter.Greeter/Nope"),
        (("--path", "/a"), "gRPC or another protocol, not both"),
        (("--data", '{"name": "f"}'), "answers greeter.Greeter/SayHello with UNIMPLEMENTED"),
    ],
)
def test_grpc_that_cannot_be_called_is_one_line(
    deadheat: Deadheat, words: tuple[str, ...], said: str
) -> None:
    ended = deadheat.run("race", *grpc_lines(), *words)
    assert ended.code in (2, 3), ended
    assert said in ended.error


def test_another_answer_than_the_firsts_is_no_answer(
    deadheat: Deadheat, server: Callable[..., str], tmp_path: Path
) -> None:
    other = tmp_path / "other.py"
    other.write_text(SERVER.read_text().replace('f"Hello from {token}!"', 'f"Bye from {token}!"'))
    lying = server().replace(str(SERVER), str(other))
    lines = ("--command", server(), "--command", lying, "-n", "right", "-n", "other")
    ended = deadheat.run("race", *lines, "--path", "/a", *BUDGET)
    row = deadheat.row("other")
    assert row["status"] == "failed", ended
    assert 'expected body "Hello from a!"' in row["reason"]
    ended = deadheat.run("race", *lines, "--path", "/a", "--answers-may-differ", *BUDGET)
    assert deadheat.row("other")["status"] == "measured", ended


def test_programs_are_held_to_the_firsts_output(deadheat: Deadheat) -> None:
    lines = ("--program", "printf %s one", "--program", "echo -n one", "--program", "printf %s two")
    ended = deadheat.run("race", *lines, "-n", "a", "-n", "b", "-n", "c", *BUDGET)
    assert ended.code in (0, 4), ended
    assert deadheat.row("a")["status"] == deadheat.row("b")["status"] == "measured", ended
    assert deadheat.row("c")["status"] == "failed"
    # A size is no part of what a user asked for.
    assert "wall time, n" not in ended.out


def test_an_output_that_changes_is_not_compared(deadheat: Deadheat) -> None:
    ended = deadheat.run("race", "--program", "date +%N", "--program", "date +%N%N", *BUDGET)
    assert "the output is not compared" in ended.err
    assert {row["status"] for row in deadheat.results()["workloads"][0]["contenders"]} == {"measured"}


def test_braces_and_a_shells_syntax(deadheat: Deadheat) -> None:
    ended = deadheat.run(
        "race", "--shell", "--program", "seq 9 | awk '{print}' | tail -n 1", "--program", "echo 9", *BUDGET
    )
    assert {row["status"] for row in deadheat.results()["workloads"][0]["contenders"]} == {"measured"}, ended


def test_hooks_are_run_around_each_program(deadheat: Deadheat, tmp_path: Path) -> None:
    """Setup and cleanup once a block, before and behind all turns, prepare and conclude once an invocation,
    each program its own."""
    log = shlex.quote(str(tmp_path / "log"))
    hooks = ["--setup", f"echo setup >> {log}", "--cleanup", f"echo cleanup >> {log}"]
    hooks += ["--prepare", f"echo prepare a >> {log}", "--prepare", f"echo prepare b >> {log}"]
    hooks += ["--conclude", f"echo conclude >> {log}"]
    lines = ("--program", f"sh -c 'echo ran a >> {log}'", "--program", f"sh -c 'echo ran b >> {log}'")
    ended = deadheat.run("race", *lines, *hooks, "-n", "a", "-n", "b", *BUDGET)
    assert ended.code in (0, 4), ended
    assert deadheat.row("a")["status"] == deadheat.row("b")["status"] == "measured", ended
    said = (tmp_path / "log").read_text().splitlines()
    for place, line in enumerate(said):
        if line.startswith("ran"):
            assert (said[place - 1], said[place + 1]) == (f"prepare {line[-1]}", "conclude")
    blocks = sum(o["type"] == "block-started" for o in deadheat.journal())
    trials, checks, entries = 2, 2, 3
    assert said.count("setup") == said.count("cleanup") == trials + checks + entries * blocks
    raced = said[-(said[::-1].index("setup")) :]  # the last block's, from its last setup on
    assert raced.count("ran a") >= 4 and raced.count("ran b") >= 2 and raced[-3:] == ["cleanup"] * 3
    assert {"ran a", "ran b"} <= set(said)


def test_what_is_not_timed_is_in_the_first_ten_blocks_that_count_alone(deadheat: Deadheat) -> None:
    ended = deadheat.run("race", "--program", "true", "--program", "true", *BUDGET)
    assert ended.code in (0, 4), ended
    journal, entries = deadheat.journal(), 3
    clean = {o["block"] for o in journal if o["type"] == "block-ended" and o["disturbed"] is None}
    untimed = [o for o in journal if o["type"] == "invocation" and o["warm_up"] and o["block"] in clean]
    assert len(untimed) == min(10, len(clean)) * entries
    assert all(o["peak_memory_bytes"] > 0 for o in untimed)
    assert all(row["peak_memory_bytes"] > 0 for row in deadheat.results()["workloads"][0]["contenders"])


def test_a_hook_that_fails_costs_its_program_alone(deadheat: Deadheat) -> None:
    lines = ("--program", "true", "--program", "true", "-n", "a", "-n", "b")
    ended = deadheat.run("race", *lines, "--prepare", "true", "--prepare", "exit 7", *BUDGET)
    assert deadheat.row("b")["status"] == "failed", ended
    assert "prepare exited with status 7" in deadheat.row("b")["reason"]


def test_a_parameter_in_the_lines_is_swept(deadheat: Deadheat) -> None:
    lines = ("--program", "seq {n}", "--program", "seq 1 {n}", "-n", "a", "-n", "b", "-L", "n=10,1000")
    ended = deadheat.run("race", *lines, "--prepare", "test {n} -ge 10", *BUDGET)
    assert ended.code in (0, 4), ended
    assert "otherwise each time, or at each value" in ended.err
    races = deadheat.results()["workloads"]
    assert [race["setting"] for race in races] == ["n=10", "n=1000"]
    assert {row["status"] for race in races for row in race["contenders"]} == {"measured"}


def test_a_parameter_of_a_server_is_swept(deadheat: Deadheat, server: Callable[..., str]) -> None:
    lines = ("--command", f"env MODE={{mode}} {server()}") * 2
    ended = deadheat.run("race", *lines, "-L", "mode=fast,safe", *BUDGET)
    assert ended.code in (0, 4), ended
    races = deadheat.results()["workloads"]
    assert [race["setting"] for race in races] == ["fast", "safe"]
    [script] = {file.read_text() for file in (deadheat.home / "cache" / "ad-hoc").glob("*/ad-hoc/*/run.sh")}
    assert "MODE=" in script and '"$2"' in script


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--program", "true"), "a race takes two"),
        (("--program", "true", "--command", "true"), "servers and programs do not race each other"),
        (("fib", "--program", "true", "--program", "true"), "--program races without a suite"),
        (("--program", "true", "--program", "'"), "no closing quotation"),
        (("--program", "true", "--program", ""), "an empty command"),
        (("--program", "true", "--program", "true", "-n", "a", "-n", "a"), 'two commands are called "a"'),
        (("--program", "true", "--program", "true", *("-n", "x") * 3), "3 names for 2 commands"),
        (("-n", "x"), "--name names a --command, a --program or a --url"),
        (("--command", "true", "--command", "true", "-H", "no"), "is no header"),
        (("--program", "false", "--program", "true"), "false: it exited with status 1"),
        (("--program", "no-such-program", "--program", "true"), "no-such-program"),
        (("--command", "true", "--command", "true"), "true: "),
        (("--command", "true", "--command", "true", "--prepare", "true"), "--prepare is of a --program"),
        (("--program", "true", "--program", "true", *("--prepare", "x") * 3), "--prepare is given 3 times"),
        (("--command", "a", "--command", "b", "--call", "x.Y/Z"), "called by --proto and --call, both"),
        (("--command", "a", "--command", "b", "--data", "{}{}"), "--data is of a gRPC --call"),
        (("--program", "true", "--program", "true", "-N", "--shell"), "--shell and -N are two"),
        (("--program", "true", "--program", "true", "-L", "n=1,2"), 'no line has "{n}"'),
        (("--program", "echo {port}", "--program", "true", "-L", "port=1,2"), '"port" is no name'),
        (("--program", "true", "--program", "true", "--prepare", "false"), "prepare exited with status 1"),
        (("--program", "true", "--program", "true", "--setup", "exit 3"), "setup exited with status 3"),
    ],
)
def test_what_cannot_be_raced_is_one_line(deadheat: Deadheat, words: tuple[str, ...], said: str) -> None:
    ended = deadheat.run("race", *words)
    assert ended.code in (2, 3), ended
    assert said in ended.error
    assert not deadheat.runs.exists() or not list(deadheat.runs.iterdir())


def test_the_first_serves_no_such_path(deadheat: Deadheat) -> None:
    empty = f"{shlex.quote(sys.executable)} -m http.server --bind 127.0.0.1 {{port}}"
    ended = deadheat.run("race", "--command", empty, "--command", empty, "--path", "/nowhere")
    assert "answers GET /nowhere with 404" in ended.error
    assert "--path names what it serves" in ended.error
