"""The first draft of a claims file: a study's head, one claim, one statement, and what else it may have."""

from __future__ import annotations

import json
import re
from pathlib import Path

from deadheat.errors import UserError
from deadheat.model.claim import metrics_of
from deadheat.suite.suite import Suite
from deadheat.util.files import write_new

NAME = re.compile(r"[a-z0-9][a-z0-9.-]*")


def write(suite: Suite, study: str, workload_name: str | None) -> Path:
    """Write `claims/STUDY.toml` of this suite, about a workload of it (its first, where none is named), as it
    can be planned at once. Raises UserError where it is there already, or cannot be."""
    if not NAME.fullmatch(study):
        raise UserError(
            f'"{study}" is no name of a study', hint="small letters, digits, - and .: grpc-rust-2023"
        )
    file = suite.folder / "claims" / f"{study}.toml"
    text = draft(suite, study, workload_name or next(iter(suite.workloads)))
    return write_new(
        file,
        text,
        name=str(file),
        there="another name, or go on with that one",
        elsewhere="--suite DIR names yours",
    )


def draft(suite: Suite, study: str, workload_name: str) -> str:
    """Its text. Raises UserError where there is no such workload, or nobody to compare in it."""
    workload = suite.workload(workload_name)
    rivals = [c.id for c in suite.contenders[workload.name] if c.class_ != "ceiling"]
    others = [id_ for id_ in rivals if id_ != workload.reference]
    if not others:
        raise UserError(f"{workload.name} has one contender: a claim compares two")
    a, b = others[0], workload.reference
    metrics = ", ".join(metrics_of(workload.kind))
    shape = _SHAPE.format(workload=workload.name) if workload.traits.serves else ""
    tool = _LOADED if workload.traits.serves else _TIMED
    return _DRAFT.format(
        study=study,
        shape=shape,
        workload=workload.name,
        metric=workload.metric,
        metrics=metrics,
        a=a,
        b=b,
        as_published=tool.format(workload=workload.name, a=a, b=b),
        statement=json.dumps(f"{a} is faster than {b}"),
    )


_DRAFT = """# A published study, held against races here: docs/how-to/replicate-a-study.md
study = "{study}"
title = "its title"
date = "not said"
versions = "not said"
machine = "not said"
method = "one run each, no interval"
{shape}
# One for each thing that it says of two contenders. `a` is better than `b`; `where` the text says so.
# published: {{ a = 83917.26, b = 69757.81, unit = "requests/s" }}, {{ ratio = 1.2 }}, {{ at_most = 2.0 }}, or
# {{ direction = true }} where it gives no figure. metric: {metrics}
[[claim]]
id = "faster"
statement = {statement}
where = "the table, or the sentence"
workload = "{workload}"
metric = "{metric}"
a = "{a}"
b = "{b}"
published = {{ direction = true }}
{as_published}
# Every checkable statement of the text in a few of its own words, and what answers it: claims = [...], load =
# "...", column = "..." with rows = [...], conformance = "WORKLOAD", or never = "one sentence why".
[[statement]]
words = "in its own words"
where = "the section"
claims = ["faster"]
"""
_SHAPE = """
# The load that it was made under, where that is not the workload's own; claims name it: shape = "theirs".
# They are then judged under both. cores: how many the servers have.
# [[shape]]
# name = "theirs"
# words = "wrk -c400"
# workload = "{workload}"
# connections = 400

# What it printed of a run of its load generator: Little's law says how many requests were in flight.
# [[load]]
# name = "wrk against A"
# where = "the results"
# throughput_rps = 69757.81
# mean_latency_ms = 3.56
# asked = 400
"""
_LOADED = """
# How its author ran it, and what it printed: deadheat race --method as-published {workload}
# [[as_published]]
# workload = "{workload}"
# tool = "wrk"
# arguments = "-t8 -c400"
# connections = 400
# in_flight = 400
# seconds = 60
# path = "/hello"
# [[as_published.row]]
# contender = "{b}"
# throughput_rps = 69757.81
# [[as_published.row]]
# contender = "{a}"
# throughput_rps = 83917.26
"""
_TIMED = """
# How its author ran it, and what it printed: deadheat race --method as-published {workload}
# [[as_published]]
# workload = "{workload}"
# tool = "time"
# [[as_published.row]]
# contender = "{b}"
# wall_s = 21.28
# [[as_published.row]]
# contender = "{a}"
# wall_s = 19.69
"""
