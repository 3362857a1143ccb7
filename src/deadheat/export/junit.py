"""JUnit XML: gates and verdicts as tests, so that any CI shows them.

A gate that does not hold fails. A verdict passes as `faster` and `dead heat`, is skipped as `inconclusive`
and fails as `invalid`. A contender that could not be had is skipped, one that failed is a failure.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from deadheat.export.format import Format, Rendered
from deadheat.export.source import Race, Source
from deadheat.model.gate import GateResult
from deadheat.model.result import ContenderResult, Verdict
from deadheat.report import gates, verdicts, words

# What XML 1.0 cannot hold at all, not even as an entity.
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(source: Source) -> Rendered:
    root = ET.Element("testsuites", name=_legal(f"Deadheat {source.results.run}"))
    for race in source.races:
        root.append(_suite(source, race))
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ET.indent(root)
    return Rendered({"junit.xml": ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"})


def _suite(source: Source, race: Race) -> ET.Element:
    suite = ET.Element("testsuite", name=_legal(race.key), timestamp=source.plan.started.rstrip("Z"))
    properties = ET.SubElement(suite, "properties")
    about = {
        "run": source.results.run,
        "version": source.results.version,
        "seed": str(source.results.seed),
        "blocks": f"{race.result.blocks} of {race.result.blocks_planned}",
    }
    for name, value in about.items():
        ET.SubElement(properties, "property", name=name, value=_legal(value))
    if race.unfinished:
        _case(suite, race.key, "all of it was raced", "skipped", f"half-done: {race.unfinished}")
    for row in race.result.contenders:
        _contender(suite, race, row)
    for gate in race.result.gates:
        _gate(suite, race.key, gate)
    for verdict in race.result.verdicts:
        _verdict(suite, race, verdict, source.results.margin)
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    suite.set("errors", "0")
    for tag, name in (("failure", "failures"), ("skipped", "skipped")):
        suite.set(name, str(sum(case.find(tag) is not None for case in cases)))
    return suite


def _contender(suite: ET.Element, race: Race, row: ContenderResult) -> None:
    """Gates of the ceiling are not judged: it is where the generator is the limit."""
    of = f"{race.key}.{row.id}"
    if row.status == "measured":
        for gate in row.gates if row.class_ != "ceiling" else ():
            _gate(suite, of, gate)
        return
    outcome = "failure" if row.status in ("failed", "invalid") else "skipped"
    why = verdicts.reason(race.result, row) or "no reason is known"
    _case(suite, of, "is measured", outcome, f"{row.status}: {why}")


def _gate(suite: ET.Element, of: str, gate: GateResult) -> None:
    value = "?" if gate.value is None else f"{gate.value:.4g}"
    shown = f"{value}, limit {gate.limit}"
    if gate.ok:
        _case(suite, of, f"gate {gate.name}", None, shown)
    else:
        _case(suite, of, f"gate {gate.name}", "failure", f"{shown}: {gates.advice(gate)}")


def _verdict(suite: ET.Element, race: Race, verdict: Verdict, margin: float) -> None:
    outcome = {"inconclusive": "skipped", "invalid": "failure"}.get(verdict.verdict)
    name = f"{verdict.a} against {verdict.b}, {words.unit(verdict.metric, race.result.kind)}"
    _case(
        suite,
        f"{race.key}.verdicts",
        name,
        outcome,
        verdicts.sentence(verdict, margin, race.result.method_version),
    )


def _case(suite: ET.Element, of: str, name: str, outcome: str | None, message: str) -> None:
    case = ET.SubElement(suite, "testcase", classname=_legal(of), name=_legal(name), time="0")
    if outcome is None:
        ET.SubElement(case, "system-out").text = _legal(message)
    else:
        found = ET.SubElement(case, outcome, message=_legal(message))
        if outcome == "failure":
            found.set("type", "deadheat")


def _legal(content: str) -> str:
    return _ILLEGAL.sub("\ufffd", content)


FORMAT = Format(
    "junit",
    "JUnit XML with gates and verdicts as tests, for Jenkins, GitLab and the like",
    "deadheat export latest --to junit --out junit.xml",
    render,
)
