"""The action's own steps, run in a shell as GitHub runs them, and GitLab's: against a service on loopback."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from tests.made.forge import FakeForge, serving
from tests.made.pull_request import BENCH, LITTLE, MUCH, Pull
from tests.made.repository import ENVIRONMENT

from .bench import IMPATIENT

ROOT = Path(__file__).parents[2]
GIVEN = {
    "fail-if": "cpu > 10%\nsize > 90%\n",
    "budget": "6s",
    "arguments": "--metric cpu --seed 7 --margin '5%'",
}


@pytest.fixture
def forge() -> Iterator[FakeForge]:
    with serving() as found:
        yield found


class Runner:
    """GitHub's: what files and variables its steps have, and how it runs them."""

    def __init__(self, at: Path, workspace: Path, forge: FakeForge, event: Mapping[str, Any], **more: str):
        self.at, self.workspace = at, workspace
        (at / "bin").mkdir(parents=True)
        program = at / "bin" / "deadheat"
        program.write_text(f'#!/bin/sh\nexec {sys.executable} {IMPATIENT} "$@"\n')
        program.chmod(0o755)
        (at / "event.json").write_text(json.dumps(event))
        self.summary = at / "summary.md"
        self.said = ""
        self.ran: list[str] = []
        self.environment = {
            **os.environ,
            **ENVIRONMENT,
            "PATH": f"{at / 'bin'}:{os.environ['PATH']}",
            "DEADHEAT_LOCK": str(at / "lock"),
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": str(at / "event.json"),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_API_URL": forge.url,
            "GITHUB_REPOSITORY": "o/r",
            "GITHUB_RUN_ID": "77",
            "GITHUB_SERVER_URL": "https://github.example",
            "RUNNER_TEMP": str(at),
            **more,
        }

    @property
    def folder(self) -> Path:
        return self.at / "deadheat-ab"

    def run(self, action: Path, **inputs: str) -> int:
        """Its steps, one after the other, as a composite action's are: after one that failed only those that
        always run. What other people's actions and pip do is left out."""
        read = yaml.safe_load(action.read_text())
        given = {name: str(one.get("default", "")) for name, one in read["inputs"].items()} | inputs
        known = {f"inputs.{name}": value for name, value in given.items()}
        known |= {"runner.temp": str(self.at), "github.token": "the-token"}
        code = 0
        for step in read["runs"]["steps"]:
            always = step.get("if") == "always()"
            if "uses" in step or step.get("id") == "install" or (code and not always):
                continue
            output = self.at / f"output-{step['id']}"
            output.touch()
            environment = {k: filled(str(v), known) for k, v in step.get("env", {}).items()}
            ran = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=self.workspace / filled(step.get("working-directory", "."), known),
                env={**self.environment, **environment, "GITHUB_OUTPUT": str(output)},
                capture_output=True,
                text=True,
                check=False,
            )
            self.said += ran.stdout + ran.stderr
            self.ran.append(step["id"])
            code = code or ran.returncode
            for line in output.read_text().splitlines():
                name, _, value = line.partition("=")
                known[f"steps.{step['id']}.outputs.{name}"] = value
        return code


def filled(text: str, known: Mapping[str, str]) -> str:
    """With GitHub's expressions in it, those of a default among them."""
    for _ in range(2):
        text = re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda found: known.get(found[1], ""), text)
    return text


def test_a_pull_request(tmp_path: Path, forge: FakeForge) -> None:
    pull = Pull(tmp_path)
    first = Runner(tmp_path / "one", pull.cloned(tmp_path / "clone-1"), forge, pull.event())
    assert first.run(ROOT / "action.yml", **GIVEN) == 1, first.said
    assert first.ran == ["host", "race", "comment", "end"]
    assert len((first.at / "output-host").read_text().strip()) == len("cpu=") + 12
    job = json.loads((first.folder / "ci.json").read_text())
    # The merge against main as it was merged, not against the event's own base.
    assert job["comparison"]["head"]["commit"] == pull.merge
    assert job["base"] == job["comparison"]["base"]["commit"] == pull.base
    assert (job["pull_request"], job["head"], job["code"]) == (12, pull.head, 1)
    [text] = forge.comments.values()
    assert text.startswith("<!-- deadheat ab -->\n")
    assert "### ❌ Deadheat: CPU time " in text and " times as high (" in text
    assert "- ❌ fails: cpu \\> 10%" in text and "- ✅ holds: size \\> 90%" in text
    assert "https://github.example/o/r/actions/runs/77" in text
    assert set(forge.tokens) == {"Bearer the-token"}
    assert "### ❌ Deadheat: CPU time " in first.summary.read_text()
    assert first.summary.read_text().count("### ") == 1
    suites = ET.parse(first.folder / "junit.xml").getroot()
    assert suites.get("failures") == "1"
    [run] = [one for one in (first.folder / "runs").iterdir() if one.is_dir() and not one.is_symlink()]
    assert (run / "report.html").exists()
    assert f"deadheat ab {pull.base} {pull.merge} --budget 6s" in text

    # Run again: the same comment, and nothing to look back at.
    rerun = Runner(tmp_path / "two", first.workspace, forge, pull.event())
    assert rerun.run(ROOT / "action.yml", **GIVEN) == 1, rerun.said
    [text] = forge.comments.values()
    assert "Earlier commits" not in text

    # Mended: the same comment, with what it said before.
    before = pull.head
    pull.push(LITTLE)
    mended = Runner(tmp_path / "three", pull.cloned(tmp_path / "clone-3"), forge, pull.event())
    assert mended.run(ROOT / "action.yml", **GIVEN) == 0, mended.said
    [text] = forge.comments.values()
    assert "### ✅ Deadheat: the same program" in text
    assert f"- `{before[:7]}` `CPU time " in text


def test_a_fork_is_commented_by_the_other_workflow(tmp_path: Path, forge: FakeForge) -> None:
    pull = Pull(tmp_path)
    forge.refuses = 403
    own = Runner(tmp_path / "one", pull.cloned(tmp_path / "clone"), forge, pull.event())
    # Its own answer decides, not whether it may comment.
    assert own.run(ROOT / "action.yml", **{**GIVEN, "fail-if": ""}) == 0, own.said
    assert "no comment: not allowed" in own.said
    assert forge.comments == {}
    assert "Deadheat: CPU time" in own.summary.read_text()

    forge.refuses, forge.heads = None, {12: pull.head}
    event = {"workflow_run": {"id": 77, "head_sha": pull.head, "event": "pull_request"}}
    other = Runner(tmp_path / "two", tmp_path, forge, event, GITHUB_EVENT_NAME="workflow_run")
    own.folder.rename(other.folder)
    assert other.run(ROOT / "ci" / "comment" / "action.yml") == 0, other.said
    [text] = forge.comments.values()
    assert "Deadheat: CPU time" in text
    assert "/actions/runs/77" in text

    # A number that is not this commit's, and one that is none at all.
    job = json.loads((other.folder / "ci.json").read_text())
    forge.heads[13] = "f" * 40
    for number in (13, "12/comments", -1):
        (other.folder / "ci.json").write_text(json.dumps({**job, "pull_request": number}))
        assert other.run(ROOT / "ci" / "comment" / "action.yml") == 2, other.said
    assert len(forge.comments) == 1


def test_a_service_that_fails_is_no_fault_of_the_pull_request(tmp_path: Path, forge: FakeForge) -> None:
    pull = Pull(tmp_path)
    pull.push(LITTLE)
    forge.refuses = 500
    runner = Runner(tmp_path / "one", pull.cloned(tmp_path / "clone"), forge, pull.event())
    assert runner.run(ROOT / "action.yml", **GIVEN) == 0, runner.said
    assert "::warning::deadheat: the comment could not be written" in runner.said


def test_a_clone_of_one_commit(tmp_path: Path, forge: FakeForge) -> None:
    pull = Pull(tmp_path)
    runner = Runner(tmp_path / "one", pull.cloned(tmp_path / "clone", depth=1), forge, pull.event())
    assert runner.run(ROOT / "action.yml", **GIVEN) == 2, runner.said
    assert "actions/checkout with fetch-depth: 2" in runner.said
    assert "### Deadheat: not compared" in runner.summary.read_text()
    assert forge.comments == {}


def test_what_does_not_build_is_said(tmp_path: Path, forge: FakeForge) -> None:
    pull = Pull(tmp_path)
    pull.repo.git("checkout", "--quiet", "branch")
    pull.repo.commit({"bench/deadheat.toml": BENCH.replace("cp work.py app", "echo '@all ``` no'; exit 1")})
    pull.push(MUCH)
    runner = Runner(tmp_path / "one", pull.cloned(tmp_path / "clone"), forge, pull.event())
    assert runner.run(ROOT / "action.yml", **GIVEN) == 3, runner.said
    [text] = forge.comments.values()
    assert "### ⚠️ Deadheat: not compared" in text
    # What the pull request wrote stays within a block of code.
    assert "````text\n" in text and "    @all ``` no\n````" in text
    assert ET.parse(runner.folder / "junit.xml").getroot().get("failures") == "1"


def test_gitlab(tmp_path: Path, forge: FakeForge) -> None:
    """Its own script, but for what installs."""
    pull = Pull(tmp_path)
    clone = pull.cloned(tmp_path / "clone", depth=50)
    runner = Runner(tmp_path / "one", clone, forge, {})
    program = clone / ".deadheat" / "venv" / "bin" / "deadheat"
    program.parent.mkdir(parents=True)
    program.symlink_to(tmp_path / "one" / "bin" / "deadheat")
    job = yaml.safe_load((ROOT / "ci" / "gitlab.yml").read_text())[".deadheat"]
    environment = {k: v for k, v in runner.environment.items() if not k.startswith("GITHUB_")} | {
        "GITLAB_CI": "true",
        "CI_API_V4_URL": forge.url,
        "CI_PROJECT_ID": "7",
        "CI_MERGE_REQUEST_IID": "12",
        "CI_MERGE_REQUEST_EVENT_TYPE": "merged_result",
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": pull.head,
        "DEADHEAT_ARGUMENTS": "--budget 6s --metric cpu --fail-if 'cpu > 10%'",
        "DEADHEAT_CACHE": str(tmp_path / "cache"),
        "DEADHEAT_TOKEN": "project-token",
    }

    def run(part: str) -> subprocess.CompletedProcess[str]:
        script = "\n".join(["set -e", *job[part]])
        return subprocess.run(
            ["sh", "-c", script], cwd=clone, env=environment, capture_output=True, text=True, check=False
        )

    ended = run("script")
    assert ended.returncode == 1, ended
    assert run("after_script").returncode == 0
    [text] = forge.comments.values()
    assert "fails: cpu \\> 10%" in text
    assert set(forge.tokens) == {"project-token"}
    [report] = [job["artifacts"]["reports"]["junit"]]
    assert ET.parse(clone / report).getroot().get("failures") == "1"
    del environment["DEADHEAT_TOKEN"]
    ended = run("after_script")
    assert "no comment: not allowed" in ended.stdout
