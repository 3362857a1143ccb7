"""Runs of older schemas: what their files hold, brought to today's shape before it is validated.

A plan of schema 1 does not say what its suite said: that is taken from the suite as it is now.

This is the only place that knows an older shape. Everything here takes and gives JSON values (dicts, lists,
text, numbers), leaves what it is given alone, and changes no figure. Schema 1 is that of all runs up to
commit f6a1ed6; docs/schema holds today's.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from deadheat.errors import UserError
from deadheat.suite.facts import facts_of
from deadheat.suite.suite import Suite, load

# Of plan.json, results.json and the lines of journal.jsonl.
SCHEMA = 4
READABLE = (1, 2, 3, SCHEMA)

Json = dict[str, Any]

_ADVICE = re.compile(
    r"[\d,]+ requests were in flight, not the [\d,]+ asked for"
    r"(?:: ([\d,]+) is how many connections there were)?(?: \((.*)\))?",
    re.DOTALL,
)

# Their `workload` is a workload's name in every schema; the other observations name a race.
_OF_A_WORKLOAD = ("built", "checked")
_RENAMED = {"surroundings": "interference"}


def plan(found: Json) -> Json:
    """plan.json of any readable schema as one of today's; its races keep the statistics of their time."""
    schema = found.get("schema")
    if schema == 1:
        races = _each(_planned, found.get("workloads"))
        found = found | {"facts": _facts(found), "workloads": races}
    if schema in (1, 2):
        found = found | {"workloads": _each(_measured_plan, found.get("workloads"))}
    if schema in (1, 2, 3):
        found = found | {"schema": SCHEMA, "workloads": _each(_program_plan, found.get("workloads"))}
    return found


def results(found: Json) -> Json:
    """results.json of any readable schema as one of today's; sentences are kept as notes, word for word."""
    schema = found.get("schema")
    if schema == 1:
        found = found | {
            "workloads": _each(_race, found.get("workloads")),
            "claims": _each(_with_reasons, found.get("claims", [])),
            "published_gates": _each(_published_gate, found.get("published_gates", [])),
        }
    if schema in (1, 2):
        found = found | {"workloads": _each(_measured_result, found.get("workloads"))}
    if schema in (1, 2, 3):
        found = found | {"schema": SCHEMA, "workloads": _each(_program_result, found.get("workloads"))}
    return found


def observation(found: Json) -> Json:
    """A line of the journal, without its checksum. Lines say no schema: a resumed run's may be of two."""
    type_ = found.get("type")
    if "workload" not in found or type_ in _OF_A_WORKLOAD:
        return found
    rest = {key: value for key, value in found.items() if key not in ("type", "workload")}
    return {"type": _RENAMED.get(str(type_), type_), "race": found["workload"], **rest}


def _planned(race: Json) -> Json:
    """The plan of a race: its statistics were the method's version 1, and that of Redis clients did not say
    how many commands an invocation has."""
    race = race | {"method_version": 1}
    redis = race.get("redis")
    if not isinstance(redis, dict) or not isinstance(redis.get("iterations"), int):
        return race
    commands = (4 * redis["iterations"] + 3) * int(redis.get("rounds", 1))
    return race | {"redis": redis | {"commands": commands}}


# Fields of a race's plan that schema 2 had side by side, by how the race is measured.
_PLANNED_BY: dict[str, tuple[str, ...]] = {
    "slices": (
        *("connections", "streams", "server_cpus", "generator_threads"),
        *("warm_up_ms", "lead_in_ms", "lead_ins_ms", "counted_ms", "loads", "open_loop_ms"),
    ),
    "invocations": ("n",),
}


def _measured_plan(race: Json) -> Json:
    """A race's plan, of whose flat fields those of its kind become one part."""
    flat = {name for fields in _PLANNED_BY.values() for name in fields} | {"redis", "outside"}
    kept = {name: value for name, value in race.items() if name not in flat}
    if isinstance(outside := race.get("outside"), dict):
        measured = {"by": "outside", **outside, "connections": race.get("connections")}
    elif isinstance(redis := race.get("redis"), dict):
        measured = {"by": "pipelines", **redis}
    else:
        by = _measured_by(race)
        has = {name: race[name] for name in _PLANNED_BY[by] if race.get(name) is not None}
        measured = {"by": by, **has}
    return kept | {"measured": measured}


def _measured_result(race: Json) -> Json:
    """A race's result, likewise."""
    kept = {
        name: value
        for name, value in race.items()
        if name not in ("n", "connections", "streams", "server_cores")
    }
    measured: Json
    if race.get("method") == "as-published":
        measured = {"by": "outside", "connections": race.get("connections")}
    elif (by := _measured_by(race)) == "slices":
        measured = {
            "by": by,
            "connections": race.get("connections"),
            "streams": race.get("streams") or 1,
            "server_cores": race.get("server_cores"),
        }
    else:
        measured = {"by": by} if race.get("n") is None else {"by": by, "n": race["n"]}
    return kept | {"measured": measured}


def _program_plan(race: Json) -> Json:
    """A race's plan, whose kind `redis-client` is now a program with a pipeline to a service."""
    race = _of_program(race)
    if not isinstance(had := race.get("measured"), dict) or had.get("by") != "pipelines":
        return race
    kept = {name: had[name] for name in ("commands", "about_s") if had.get(name) is not None}
    values = {name: had[name] for name in ("server", "rounds", "depth") if had.get(name) is not None}
    return race | {"values": values, "measured": {"by": "invocations", "n": had.get("iterations"), **kept}}


def _program_result(race: Json) -> Json:
    """A race's result, likewise."""
    race = _of_program(race)
    if not isinstance(had := race.get("measured"), dict) or had.get("by") != "pipelines":
        return race
    return race | {"measured": had | {"by": "invocations"}}


def _of_program(race: Json) -> Json:
    return race | {"kind": "program"} if race.get("kind") == "redis-client" else race


def _measured_by(race: Json) -> str:
    """By what races of its kind were measured, by our own method, up to schema 2."""
    by_kind = {"http": "slices", "grpc": "slices", "redis-client": "pipelines"}
    return by_kind.get(str(race.get("kind")), "invocations")


def _race(found: Json) -> Json:
    """Figures of carry-over are given up: each has its sentence among the findings."""
    kept = {name: value for name, value in found.items() if name != "carry_over"}
    if "contenders" in kept:
        kind = found.get("kind")
        kept["contenders"] = _each(lambda row: _contender(row) | {"row": _row(row, kind)}, kept["contenders"])
    return kept | {
        "findings": [{"finding": "note", "text": text} for text in found.get("findings", ())],
        "gates": _each(_gate, found.get("gates", [])),
        "verdicts": _each(_with_reasons, found.get("verdicts", [])),
    }


def _contender(found: Json) -> Json:
    """A row by a study's own method holds the observation of its best run."""
    run = found.get("outside")
    changed = found | {
        "outside": observation(run) if isinstance(run, dict) else run,
        "gates": _each(_gate, found.get("gates", [])),
        "latency_at_load": _each(_at_load, found.get("latency_at_load", [])),
    }
    if isinstance(said := found.get("overlaps"), str):
        unknown = said.removeprefix("not known (").removesuffix(")") if said.startswith("not known") else None
        changed["overlaps"] = {
            "sends_early": None if unknown else "sends early" in said,
            "reads_while_writing": None if unknown else "reads while writing" in said,
            "unknown": unknown,
        }
    # Every row had every field, null where its kind has no such thing.
    return {name: value for name, value in changed.items() if value not in (None, [], {})}


def _row(found: Json, kind: object) -> str:
    """The kind of a row."""
    if found.get("status") != "measured":
        return "not measured"
    if isinstance(found.get("outside"), dict):
        return "server as published"
    return {"http": "server", "grpc": "server", "redis-client": "client"}.get(str(kind), "program")


def _at_load(found: Json) -> Json:
    return found | {"gate": _gate(found["gate"])} if isinstance(found.get("gate"), dict) else found


def _gate(found: Json) -> Json:
    advice = found.get("advice")
    kept = {name: value for name, value in found.items() if name != "advice"}
    return kept | {"facts": {"note": advice} if advice is not None else {}}


def _with_reasons(found: Json) -> Json:
    """A verdict or a claim, whose sentence `why` becomes its one reason."""
    why = found.get("why")
    kept = {name: value for name, value in found.items() if name != "why"}
    return kept | {"reasons": [{"reason": "note", "text": why}] if why is not None else []}


def _published_gate(found: Json) -> Json:
    """Its sentence was made of figures, of which one stands nowhere else, and of the study's own note."""
    kept = {name: value for name, value in found.items() if name != "advice"}
    said = _ADVICE.fullmatch(found.get("advice") or "")
    connected, note = said.groups() if said is not None else (None, None)
    return kept | {"connected": int(connected.replace(",", "")) if connected else None, "note": note}


def _each(change: Callable[[Json], Json], found: object) -> object:
    """A list with each of its objects changed; anything else is left for validation to refuse."""
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        return found
    return [change(one) for one in found]


def _facts(plan: Json) -> Json:
    """Nothing where the suite is gone: only who derives results needs it, and says so."""
    raced: dict[str, list[str]] = {}
    try:
        for race in plan["workloads"]:
            raced.setdefault(race["workload"], []).extend(entry["contender"] for entry in race["entries"])
        suite = _suite(Path(plan["suite"]))
    except (KeyError, TypeError):
        return {}  # what is wrong with such a plan is for validation to say
    return facts_of(suite, raced).model_dump(mode="json", by_alias=True) if suite is not None else {}


@lru_cache
def _suite(folder: Path) -> Suite | None:
    try:
        return load(folder)
    except UserError:
        return None
