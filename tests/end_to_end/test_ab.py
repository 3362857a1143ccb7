"""`deadheat ab` in repositories of users': real checkouts, real builds, real races."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from tests.made.repository import ENVIRONMENT, Made, made

from .bench import HABITS, Deadheat, Ended, all_gone, kin

# Loops so often, and prints the same however often.
PROGRAM = "import sys\nfor _ in range({times}): pass\nprint('done')\n"
BENCH = f'build = "cp work.py app"\nartifact = "app"\nprogram = "{sys.executable} -S -E app"\n'
LITTLE, MUCH = 1_000, 2_000_000
# Five blocks on a machine on which an invocation takes four times as long as on a quick one.
BUDGET = ("--budget", "6s", "--seed", "7")
# How much CPU time a program takes does not depend on what else this machine does.
BY_CPU = (*BUDGET, "--metric", "cpu")


def program(times: int) -> dict[str, str]:
    return {"work.py": PROGRAM.format(times=times)}


@pytest.fixture
def mine(tmp_path: Path) -> Made:
    """A program that does much work, on main."""
    return made(
        tmp_path / "mine", {**program(MUCH), "bench/deadheat.toml": BENCH, ".gitignore": "app\nstarts\n"}
    )


@pytest.fixture
def deadheat(home: Path, mine: Made) -> Deadheat:
    return Deadheat(home, home / "no-suite", env={**ENVIRONMENT}, cwd=mine.path)


def nothing_is_left(mine: Made) -> None:
    assert mine.worktrees() == 1
    assert mine.git("stash", "list") == ""
    assert mine.git("branch", "--list").split() == ["*", "main"]


def test_a_working_tree_that_is_faster(deadheat: Deadheat, mine: Made) -> None:
    mine.write(program(LITTLE))
    ended = deadheat.run("ab", *BY_CPU, "--fail-if", "cpu > 3%", "--fail-if-inconclusive")
    assert ended.code == 0, ended
    assert ended.out.startswith("CPU time down by ")
    assert "against the working tree (1 file changed) · a program" in ended.err
    assert "holds: cpu > 3% (fails " in ended.out
    assert deadheat.compared()["workloads"][0]["answer"] == "better"
    assert mine.git("status", "--porcelain") == "M work.py"
    nothing_is_left(mine)


def test_a_revision_that_is_slower(deadheat: Deadheat, mine: Made) -> None:
    mine.commit(program(LITTLE))
    ended = deadheat.run("ab", "HEAD", "HEAD~1", *BY_CPU, "--fail-if", "cpu > 3%", "--json")
    assert ended.code == 1, ended
    found = json.loads(ended.out)
    assert found == deadheat.compared()
    [change] = found["workloads"]
    assert (change["answer"], change["by"]) == ("worse", "cpu")
    by_figure = {one["figure"]: one for one in change["figures"]}
    assert by_figure["cpu"]["ratio"] > 1.5
    assert by_figure["slower"]["ratio"] > 0
    assert by_figure["size"]["ratio"] > 1
    [decided] = found["conditions"]
    assert decided["state"] == "fails"
    assert [truth for truth, _ in decided["chances"]] == [0, 0.03, 0.06]
    assert change["null_pair"]["ok"]


def test_by_size_alone_nothing_is_raced(deadheat: Deadheat, mine: Made) -> None:
    mine.write({"work.py": PROGRAM.format(times=MUCH) * 3})
    ended = deadheat.run("ab", "--metric", "size", "--fail-if", "size > 100%")
    refused(ended, '"100%" is no share below one')
    ended = deadheat.run("ab", "--metric", "size", "--fail-if", "size > 99%")
    assert ended.code == 1, ended
    assert ended.out.startswith("artifact 3 times as high\n")
    assert "fails: size > 99%" in ended.out
    assert not deadheat.runs.exists()


def test_the_same_program_is_not_raced(deadheat: Deadheat, mine: Made) -> None:
    mine.commit({"README": "words"})
    ended = deadheat.run("ab", "HEAD~1", *BUDGET, "--fail-if", "slower > 3%")
    assert (ended.code, ended.out) == (0, "the same program: app is the same to the byte\n"), ended
    assert not deadheat.runs.exists()
    ended = deadheat.run("ab", *BUDGET)
    assert ended.out == "the same program: every file is the same to the byte\n"


def test_one_tree_in_two_environments(deadheat: Deadheat, mine: Made) -> None:
    mine.write(
        {
            "work.py": "import os\nfor _ in range(int(os.environ['TIMES'])): pass\nprint('done')\n",
            "bench/deadheat.toml": BENCH.replace("-S -E", "-S") + f"env = {{ TIMES = '{MUCH}' }}\n",
        }
    )
    ended = deadheat.run("ab", ".", *BY_CPU, "--set", f"B.env.TIMES={LITTLE}")
    assert ended.code == 0, ended
    assert ended.out.startswith("CPU time down by ")
    # A value may be a secret.
    assert "the working tree with TIMES" in ended.err
    assert str(LITTLE) not in (deadheat.runs / "latest" / "report.md").read_text().replace(",", "")


def test_servers(deadheat: Deadheat, mine: Made) -> None:
    server = (HABITS / "server.py").read_text()
    mine.commit({"app.py": server.replace('return f"Hello', 'sum(range(30_000)); return f"Hello')})
    mine.write({"app.py": server})
    line = f"{sys.executable} -S -E app.py {{port}}"
    asked = ("--command", line, "--path", "/users", "--connections", "4")
    by_cpu = ("--metric", "cpu", "--budget", "24s", "--seed", "7")
    ended = deadheat.run("ab", "HEAD", *asked, *by_cpu, "--fail-if", "cpu > 5%")
    assert ended.code == 0, ended
    assert deadheat.less_cpu(), ended
    assert "cpu > 5%" in ended.out and "null pair" in ended.out


def test_another_answer_is_no_answer(deadheat: Deadheat, mine: Made) -> None:
    mine.write({"work.py": "print('other')\n"})
    ended = deadheat.run("ab", *BUDGET, "--fail-if", "slower > 3%")
    assert ended.code == 3, ended
    assert "not compared: the working tree: " in ended.out
    assert "other" in ended.out
    ended = deadheat.run("ab", *BY_CPU, "--answers-may-differ")
    assert ended.out.startswith("CPU time down by "), ended


def test_bisect_finds_the_commit(deadheat: Deadheat, mine: Made) -> None:
    """Of 20, some of which cannot be compared."""
    good = mine.commit({**program(LITTLE), "n": "0"})
    changes = [{"n": str(n)} for n in range(1, 21)]
    changes[4] |= {"bench/deadheat.toml": "program = 3\n"}
    changes[5] |= {"bench/deadheat.toml": BENCH}
    changes[12] |= program(MUCH)
    commits = [mine.commit(change) for change in changes]
    broken, bad, last = commits[4], commits[12], commits[-1]
    ended = deadheat.run("ab", good, broken, "--bisect", *BUDGET)
    assert ended.code == 125, ended
    script = mine.path.parent / "judge"
    words = [*deadheat.argv("ab", good, "--bisect", *BY_CPU, "--fail-if", "cpu > 50%")]
    quoted = " ".join(f"'{word}'" for word in words)
    script.write_text(f"#!/bin/sh\nexec {quoted}\n")
    script.chmod(0o755)
    mine.git("bisect", "start", last, good)
    environment = deadheat.environment()
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        said = mine.git("bisect", "run", str(script))
    finally:
        os.environ.clear()
        os.environ.update(before)
    assert f"{bad} is the first bad commit" in said


def refused(ended: Ended, said: str, code: int = 2) -> None:
    assert ended.code == code, ended
    assert said in ended.error
    assert "Traceback" not in ended.err


def test_a_budget_that_is_too_short(deadheat: Deadheat, mine: Made) -> None:
    line = f"{sys.executable} app.py {{port}}"
    mine.write({"bench/deadheat.toml": f'build = "touch built"\nrun = "{line}"\n'})
    ended = deadheat.run("ab", "HEAD", "--budget", "100ms")
    refused(ended, "0.1 s are too short for 5 blocks of warmed-up starts")
    assert "is the least that would do" in ended.error
    assert "built" not in ended.err
    mine.write({"bench/deadheat.toml": BENCH, **program(LITTLE)})
    refused(deadheat.run("ab", "--budget", "50ms"), "are too short for 5 blocks")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere",), 'no revision is called "nowhere"'),
        (("--fail-if", "slower 3%"), "is no condition"),
        (("--fail-if", "nonsense > 3%"), 'no figure is called "nonsense"'),
        (("--metric", "speed"), 'no metric is called "speed"'),
        (("--metric", "p99"), "a program that runs to its end has no p99"),
        (("--fail-if", "p99 > 3%"), "a program that runs to its end has no p99"),
        (("--set", "C.env.X=1"), "sets nothing of a side"),
        (("--command", "./a", "--program", "./b"), "a server or a program, not both"),
        (("--path", "http://example.com/"), "a path begins with /"),
        (("--copy", "none"), '"none" names no file to copy'),
    ],
)
def test_what_cannot_be_asked_is_one_line(
    deadheat: Deadheat, mine: Made, words: tuple[str, ...], said: str
) -> None:
    mine.write(program(LITTLE))
    refused(deadheat.run("ab", *words), said)
    assert not deadheat.runs.exists()


def test_no_repository(deadheat: Deadheat, tmp_path: Path) -> None:
    deadheat.cwd = tmp_path
    deadheat.env["GIT_CEILING_DIRECTORIES"] = str(tmp_path.parent)
    refused(deadheat.run("ab"), "no working tree of a git repository")


def test_nothing_says_what_to_race(deadheat: Deadheat, mine: Made) -> None:
    mine.git("rm", "--quiet", "bench/deadheat.toml")
    mine.commit({})
    refused(deadheat.run("ab", "HEAD"), "nothing says what to race")


def test_a_bench_file_with_a_mistake(deadheat: Deadheat, mine: Made) -> None:
    mine.write({"bench/deadheat.toml": 'biuld = "make"\nprogram = "./a"\n'})
    refused(deadheat.run("ab"), 'bench/deadheat.toml:1: unknown key "biuld"; did you mean "build"?')


def test_base_does_not_build(deadheat: Deadheat, mine: Made) -> None:
    mine.commit({"bench/deadheat.toml": BENCH.replace("cp work.py app", "echo no compiler; exit 1")})
    mine.write({"bench/deadheat.toml": BENCH})
    ended = deadheat.run("ab", "HEAD", *BUDGET)
    refused(ended, "does not build: its build exited with status 1", code=3)
    assert "no compiler" in ended.error
    nothing_is_left(mine)


def test_base_lacks_the_route(deadheat: Deadheat, mine: Made) -> None:
    line = f"{sys.executable} -m http.server --bind 127.0.0.1 {{port}}"
    mine.write({"new": "there\n"})
    ended = deadheat.run("ab", "HEAD", "--command", line, "--path", "/new", "--budget", "60s")
    refused(ended, "answers GET /new with 404", code=3)
    assert "main@" not in ended.error and "HEAD@" in ended.error


def test_base_without_a_bench_file_has_heads(deadheat: Deadheat, mine: Made) -> None:
    mine.git("rm", "--quiet", "bench/deadheat.toml")
    mine.commit({})
    mine.write({"bench/deadheat.toml": BENCH, **program(LITTLE)})
    assert deadheat.run("ab", "HEAD", *BY_CPU).out.startswith("CPU time down by ")


def test_interrupted_during_a_build(deadheat: Deadheat, mine: Made, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    mine.write({"bench/deadheat.toml": BENCH.replace("cp work.py app", f"touch {begun}; exec sleep 3600")})
    with deadheat.start("ab", "HEAD", *BUDGET) as running:
        running.until(begun.exists, "the build begins")
        started = kin(running.pid)
        running.signal(signal.SIGINT)
        ended = running.end()
    assert ended.code == 130, ended
    assert "Traceback" not in ended.err
    all_gone(started)
    nothing_is_left(mine)


def test_interrupted_during_the_race(deadheat: Deadheat, mine: Made) -> None:
    mine.write(program(LITTLE))
    with deadheat.start("ab", "--budget", "2m") as running:
        running.until_journal(lambda lines: any(o["type"] == "block-ended" for o in lines), "a block ended")
        running.signal(signal.SIGINT)
        ended = running.end()
    assert ended.code == 130, ended
    nothing_is_left(mine)
