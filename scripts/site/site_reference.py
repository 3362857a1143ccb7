"""The site's reference, from the code and the schemas that the code writes."""

from __future__ import annotations

import inspect
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from deadheat.cli import man, manual
from deadheat.report import gates as advice
from deadheat.results.gates import elsewhere, interference, own

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "docs" / "schema"
KEYS = Path(__file__).parent / "keys.toml"
# Gates whose function is called otherwise, or which are no function.
FUNCTIONS = {"frozen": "frozen_idle", "flat": "flatness"}
PROMISES = {
    "null-pair": "The reference, entered twice, does not differ from itself.",
    "null-pool": "Of the reference's earlier pairs here no more differed from itself than chance lets.",
    "asked-rate": "Of latency at equal load: the rate that was asked for was reached.",
}


def pages() -> dict[str, str]:
    """By the page's place in docs/."""
    return {
        "reference/cli.md": cli(),
        "reference/manifests.md": manifests(),
        "reference/results.md": results(),
        "reference/gates.md": gates(),
        "reference/exit-codes.md": exit_codes(),
    }


def cli() -> str:
    return "\n".join(_cli()) + "\n"


def _cli() -> Iterator[str]:
    yield from (
        "# Command line",
        "",
        "Written from the verbs themselves, as `deadheat VERB --help` has it.",
        "",
    )
    for page in manual.pages():
        yield from (f"## {page.name}", "", f"```text\n{page.usage}\n```", "")
        for paragraph in page.paragraphs:
            yield from (_escaped(paragraph), "")
        if page.examples:
            yield from ("```text", *page.examples, "```", "")
        yield from ("| | |", "| --- | --- |")
        for each in (*page.arguments, *page.options):
            yield f"| `{_cell(each.names)}` | {_escaped(_cell(each.text))} |"
        yield ""


def manifests() -> str:
    meanings = tomllib.loads(KEYS.read_text())
    text = ["# Manifests", "", "Keys of `workload.toml` and `contender.toml`, from their schemas.", ""]
    for name in ("workload", "contender"):
        text += [f"## {name}.toml", "", *_schema(name, meanings.get(name, {}))]
    return "\n".join(text) + "\n"


def results() -> str:
    text = [
        "# Results",
        "",
        "What `results.json`, `plan.json` and a line of `journal.jsonl` hold, from their schemas "
        "([results](../schema/results.schema.json), [plan](../schema/plan.schema.json), "
        "[observation](../schema/observation.schema.json)).",
        "",
    ]
    for name, title in (("results", "results.json"), ("plan", "plan.json"), ("observation", "journal.jsonl")):
        text += [f"## {title}", "", *_schema(name, {})]
    return "\n".join(text) + "\n"


def gates() -> str:
    text = [
        "# Gates",
        "",
        "Checks on the measurement itself: a broken one means no verdict where it bears on it, and the "
        "report says what to do. Limits and reasons: [method](../method.md#gates-on-what-else-went-on).",
        "",
        "| gate | what holds where it is not broken |",
        "| --- | --- |",
    ]
    text += [f"| `{name}` | {_escaped(_cell(promise(name)))} |" for name in advice.ADVICE]
    return "\n".join(text) + "\n"


def promise(gate: str) -> str:
    """What a gate's own function says of it. Raises KeyError where there is none."""
    if gate in PROMISES:
        return PROMISES[gate]
    function = FUNCTIONS.get(gate, gate.replace("-", "_"))
    found = next((f for room in (own, interference, elsewhere) if (f := getattr(room, function, None))), None)
    if found is None or not found.__doc__:
        raise KeyError(gate)
    return inspect.cleandoc(found.__doc__).partition("\n\n")[0]


def exit_codes() -> str:
    rows = [f"| {int(code)} | {means} |" for code, means in man.ENDS.items()]
    head = ["# Exit codes", "", "| code | meaning |", "| --- | --- |"]
    tail = [
        "",
        "One bad contender among good ones is a row of the table and no exit code, except of `deadheat "
        "check` (3). Results go to standard output, all else to standard error. Those of `deadheat-load` "
        "are in [its manual](../load.md#exit-codes).",
    ]
    return "\n".join([*head, *rows, *tail]) + "\n"


def _schema(name: str, meanings: dict[str, str]) -> Iterator[str]:
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    yield from _keys(schema, meanings)
    for part, definition in schema.get("$defs", {}).items():
        if "properties" not in definition:
            continue
        yield from (f"### {part.split('__')[-1]}", "")
        if definition.get("description"):
            yield from (_escaped(" ".join(definition["description"].split())), "")
        yield from _keys(definition, {})


def _keys(definition: dict[str, Any], meanings: dict[str, str]) -> Iterator[str]:
    properties = definition.get("properties", {})
    if not properties:
        return
    required = definition.get("required", [])
    reported = any(properties[key].get("description") or key in meanings for key in properties)
    yield "| key | what it is | default |" + (" |" if reported else "")
    yield "| --- | --- | --- |" + (" --- |" if reported else "")
    for key, value in properties.items():
        default = "required" if key in required else f"`{json.dumps(value.get('default'))}`"
        meaning = value.get("description") or meanings.get(key, "")
        row = f"| `{key}` | {_type(value)} | {default} |"
        yield row + (f" {_escaped(_cell(meaning))} |" if reported else "")
    yield ""


def _type(value: dict[str, Any]) -> str:
    """In words: text, whole number, list of text, one of `a`, `b`."""
    plain = {
        "string": "text",
        "integer": "whole number",
        "number": "number",
        "boolean": "true or false",
        "null": "nothing",
        "object": "table",
    }
    if "$ref" in value:
        return str(value["$ref"]).rpartition("/")[2].split("__")[-1]
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    if "enum" in value:
        return "one of " + ", ".join(f"`{each}`" for each in value["enum"])
    for kind in ("anyOf", "oneOf"):
        if kind in value:
            return " or ".join(dict.fromkeys(_type(each) for each in value[kind]))
    if value.get("type") == "array":
        items = value.get("items")
        return f"list of {_type(items)}" if isinstance(items, dict) and items else "list"
    if value.get("type") == "object" and isinstance(value.get("additionalProperties"), dict):
        return f"table of {_type(value['additionalProperties'])}"
    return plain.get(str(value.get("type")), "anything")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _escaped(text: str) -> str:
    """As text: neither HTML nor a link of Markdown's."""
    return text.replace("<", "&lt;").replace("[", "\\[").replace("*", "\\*")
