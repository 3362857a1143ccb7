"""Commands without a suite, written as one: a folder for each command, and what all of them are asked."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from deadheat.model.login import Login
from deadheat.suite import ad_hoc_scripts, values_file
from deadheat.suite.ad_hoc import ANSWER, AdHoc, Answer, Call, Commands, Mix, Part, Request, words_of
from deadheat.suite.suite import CONTENDER_FILE, WORKLOAD_FILE

SCRIPT = "run.sh"
EXPECTED = "expected.txt"
ARTIFACT = "artifact"
VALUES = "values.csv"
MOST_AT_ONCE = 200
# Without leading zeros: those would be another word.
_WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")


def write_contenders(wanted: AdHoc, folder: Path) -> None:
    """A folder for each command: a script that runs it where it is to run."""
    for command in wanted.commands:
        home = folder / wanted.workload / command.name
        home.mkdir(parents=True, exist_ok=True)
        facts: dict[str, object] = {"title": command.shown, "class": "idiomatic"}
        if command.at is not None:
            facts |= {"language": "a URL", "run": "", "freezes": command.freezes}
            facts |= {} if command.listens is None else {"listens": command.listens}
            asked = command.at.model_dump(mode="json", exclude_none=True)
            facts |= {f"at.{key}": value for key, value in asked.items()}
        elif command.image is not None:
            facts |= {"language": "a container", "image": command.image, "args": command.line}
            facts |= {} if command.port is None else {"port": command.port}
            env = (*(told for each in wanted.services for told in ad_hoc_scripts.told(each)), *command.env)
            facts |= {f"env.{json.dumps(name)}": value for name, value in env}
        else:
            (home / SCRIPT).write_text(ad_hoc_scripts.of_command(wanted, command))
            for hook in ad_hoc_scripts.hooks_of(wanted):
                (home / f"{hook}.sh").write_text(ad_hoc_scripts.of_hook(wanted, command, hook))
            facts["language"] = Path(words_of(command.line)[0]).name
            facts["run"] = ad_hoc_scripts.call(SCRIPT, wanted.given)
            facts |= {} if command.port is None else {"port": command.port}
        if command.artifact is not None:
            facts["artifact"] = ARTIFACT
            _copy_artifact(command.artifact, home / ARTIFACT)
        text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in facts.items())
        (home / CONTENDER_FILE).write_text(text + "default = true\n")


def _copy_artifact(made: Path, to: Path) -> None:
    """For its size: the command runs the one that was built."""
    if made.is_dir():
        shutil.copytree(made, to, dirs_exist_ok=True)
    else:
        shutil.copyfile(made, to)


def write_workload(wanted: AdHoc, folder: Path, rights: Sequence[Answer] = ()) -> None:
    """What all of them are asked, and what is right: of a mix of each request, else one; where nothing is
    known of that yet, none."""
    right = rights[0] if rights else Answer(body=None)
    match wanted.request:
        case None:
            text = _of_programs(wanted, right, folder)
        case Call() as call:
            text = _of_grpc(wanted, call, right)
        case Commands() as commands:
            text = _of_redis(wanted, commands, right)
        case Request() as request:
            text = _of_servers(wanted, request, right, folder)
        case Mix(parts):
            text = _of_mix(wanted, parts, rights or [right] * len(parts))
    text += "\n".join(_login(wanted.login)) + "\n" if wanted.login is not None else ""
    text += "\n".join(_parameters(wanted)) + "\n" if wanted.parameters else ""
    text += "\n".join(_services(wanted, folder / wanted.workload)) + "\n" if wanted.services else ""
    (folder / wanted.workload / WORKLOAD_FILE).write_text(text)


def _of_grpc(wanted: AdHoc, call: Call, right: Answer) -> str:
    """As many calls at once as the built-in gRPC workload has, unless somebody says otherwise."""
    lines = [*_head("grpc", "throughput_rps", wanted), "[load]"]
    lines += [f"connections = {wanted.connections or 10}", f"streams = {wanted.streams or 50}", ""]
    lines += ["[grpc]", 'conformance = "call"']
    lines += _pairs([("proto", str(call.proto)), ("call", call.method), ("data", call.data)])
    return "\n".join([*lines, *_pairs([("expect", right.body)])]) + "\n"


def _of_redis(wanted: AdHoc, commands: Commands, right: Answer) -> str:
    """On as many connections as redis-benchmark has, unless somebody says otherwise."""
    lines = _head("redis", "throughput_rps", wanted)
    lines += ["[load]", f"connections = {wanted.connections or 50}", *_pairs([("streams", wanted.streams)])]
    lines += ["", "[redis]", *_pairs([("commands", commands.words), ("expect", right.body)])]
    return "\n".join(lines) + "\n"


def _of_servers(wanted: AdHoc, asked: Request, right: Answer, folder: Path) -> str:
    lines = _head("http", "throughput_rps", wanted)
    if asked.values:
        own: Sequence[values_file.Row] = ({},) * len(asked.values)
        answers = own if right.of_rows is None else [{ANSWER: text} for text in right.of_rows]
        rows = [{**row, **answer} for row, answer in zip(asked.values, answers, strict=True)]
        values_file.write(folder / wanted.workload / VALUES, rows)
        lines += _pairs([("values", VALUES)])
    lines += ["[request]", *_request(asked), "", "[request.headers]", *_pairs(asked.headers.items())]
    return "\n".join([*lines, *_load(wanted), *_case(asked, right)]) + "\n"


def _of_mix(wanted: AdHoc, parts: Sequence[Part], rights: Sequence[Answer]) -> str:
    lines = _head("http", "throughput_rps", wanted)
    for part in parts:
        lines += ["", "[[mix]]", *_pairs([("name", part.name), ("weight", part.weight)])]
        lines += [*_request(part.request), "", "[mix.headers]", *_pairs(part.request.headers.items())]
    lines += _load(wanted)
    for part, right in zip(parts, rights, strict=True):
        lines += _case(part.request, right)
    return "\n".join(lines) + "\n"


def _request(asked: Request) -> list[str]:
    return _pairs([("method", asked.method), ("path", asked.path), ("body", asked.body)])


def _load(wanted: AdHoc) -> list[str]:
    if wanted.connections is None:
        return []
    # No more than it is loaded with: a queue that is short enough for that is nobody's fault.
    at_once = min(wanted.connections, MOST_AT_ONCE)
    lines = ["", "[load]", f"connections = {wanted.connections}", f"at_once = {at_once}"]
    return [*lines, *_pairs([("streams", wanted.streams)])]


def _case(asked: Request, right: Answer) -> list[str]:
    """That this is asked, and that alone is right."""
    lines = ["", "[[conformance]]", *_pairs([("method", asked.method), ("path", asked.path)])]
    lines += _pairs([("send", asked.body)])
    bodies = (f"{{{ANSWER}}}" if right.of_rows is not None else right.body, right.sha256, right.structure)
    head = (
        ("content_type", right.content_type),
        ("content_encoding", right.coding),
        ("location", right.location),
        ("cookies", right.cookies),
    )
    lines += [f"status = {right.status}", *_pairs(head)]
    lines += _pairs(zip(("body", "sha256", "structure"), bodies, strict=True))
    if asked.right_in_parts:
        fields = json.dumps(dict(asked.json_fields))
        lines += _pairs([("json_fields", fields), ("json_schema", asked.json_schema)])
    lines += ["", "[conformance.headers]", *_pairs(asked.headers.items())]
    return [*lines, *(["", "[conformance.masks]", *_pairs(right.masks.items())] if right.masks else [])]


def _of_programs(wanted: AdHoc, right: Answer, folder: Path) -> str:
    lines = _head("program", "wall_s", wanted)
    if right.body is not None:
        (folder / wanted.workload / EXPECTED).write_text(right.body)
        lines += [f'oracle = "cat {EXPECTED}"']
    lines += ["", "[program]", "args = []", "timeout_s = 3600"]
    lines += [] if right.body is not None else ['output = "any"']
    if hooks := ad_hoc_scripts.hooks_of(wanted):
        called = ((hook, ad_hoc_scripts.call(f"{hook}.sh", wanted.asked)) for hook in hooks)
        lines += ["", "[program.hooks]", *_pairs(called)]
    once = "default = 1\nquick = 1\nstandard = 1\nthorough = 1\ncheck = { range = [1, 1], random = [1, 1] }"
    return "\n".join([*lines, "", "[program.n]", once]) + "\n"


def _login(login: Login) -> list[str]:
    return ["", "[login]", *_table(login.model_dump(mode="json", exclude_defaults=True))]


def _parameters(wanted: AdHoc) -> list[str]:
    """Numbers where all values are, so that a race through them has a curve; else words."""
    lines = []
    for name, values in wanted.parameters:
        lines += ["", f"[parameters.{name}]", *_pairs([("what", f"{{{name}}} of the lines")])]
        if all(_WHOLE.fullmatch(value) for value in values):
            numbers = [int(value) for value in values]
            lines += [f"range = [{min(numbers)}, {max(numbers)}]"]
        else:
            lines += _pairs([("one_of", list(values))])
    return lines


def _services(wanted: AdHoc, folder: Path) -> list[str]:
    """Their tables, and in the workload's `folder` the scripts that they name."""
    lines = []
    for each in wanted.services:
        service, name = each.service.replaced(of_each=True), each.service.name
        if each.run is not None:
            script = folder / f"{name}-run.sh"
            script.write_text(ad_hoc_scripts.of_service(each, each.run))
            line = ad_hoc_scripts.call(str(script.absolute()), ad_hoc_scripts.OF_SERVICES)
            service = service.replaced(run=line)
        if each.fixture is not None:
            script = folder / f"{name}-fixture.sh"
            script.write_text(ad_hoc_scripts.of_fixture(each, each.fixture))
            service = service.replaced(fixture=ad_hoc_scripts.call(script.name, each.placeholders))
        lines += ["", "[[services]]", *_table(service.model_dump(mode="json", exclude_defaults=True))]
    return lines


def _table(values: Mapping[str, object]) -> list[str]:
    """A table of TOML, the tables in it inline."""
    flat = [(key, value) for key, value in values.items() if not isinstance(value, dict)]
    inner = [
        f"{json.dumps(key)} = {{ {', '.join(_pairs(value.items()))} }}"
        for key, value in values.items()
        if isinstance(value, dict)
    ]
    return [*_pairs(flat), *inner]


def _head(kind: str, metric: str, wanted: AdHoc) -> list[str]:
    title = wanted.title or "Ad hoc: " + ", ".join(command.name for command in wanted.commands)
    return _pairs([("title", title), ("kind", kind), ("metric", metric), ("reference", wanted.first.name)])


def _pairs(pairs: object) -> list[str]:
    """TOML's basic strings are JSON's, where nothing but ASCII is written as it is."""
    return [f"{json.dumps(key)} = {json.dumps(value)}" for key, value in pairs if value is not None]  # type: ignore[attr-defined]
