"""JUnit XML: gates and verdicts as tests, so that any CI shows them.

A gate that does not hold fails. A verdict passes as `faster` and `dead heat`, is skipped as `inconclusive`
and fails as `invalid`. A contender that could not be had is skipped, one that failed is a failure.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from deadheat.export.format import Format, Rendered
from deadheat.export.source import Race, Source
from deadheat.model.ci import CiJob
from deadheat.model.gate import GateResult
from deadheat.model.result import ContenderResult, Verdict
from deadheat.report import gates, revisions, verdicts, words

# What XML 1.0 cannot hold at all, not even as an entity.
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(source: Source) -> Rendered:
    root = ET.Element("testsuites", name=_legal(f"Deadheat {source.results.run}"))
    for race in source.races:
        root.append(_suite(source, race))
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    return Rendered({"junit.xml": _text(root)})


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
    _count(suite)
    return suite


def _count(suite: ET.Element) -> None:
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    suite.set("errors", "0")
    for tag, name in (("failure", "failures"), ("skipped", "skipped")):
        suite.set(name, str(sum(case.find(tag) is not None for case in cases)))


def of_comparison(job: CiJob) -> bytes:
    """Of two revisions: each request, or the program, and each condition is a test. One fails that its
    condition fails; what nobody can tell is skipped."""
    root = ET.Element("testsuites", name="Deadheat")
    suite = ET.SubElement(root, "testsuite", name="deadheat ab")
    found = job.comparison
    if found is None:
        _case(suite, "deadheat", "is compared", "failure", job.error or "no reason is known")
    elif found.same is not None:
        _case(suite, "deadheat", "is compared", None, next(iter(revisions.lines(found))))
    for change in found.workloads if found is not None else ():
        outcome = {"cannot tell": "skipped", "not compared": "failure"}.get(change.answer)
        text = "\n".join([revisions.sentence(change), *revisions.rows(change)])
        _case(suite, "deadheat", change.title, outcome, text)
        for one in found.conditions if found is not None else ():
            if one.workload == change.workload:
                outcome = {"fails": "failure", "open": "skipped"}.get(one.state)
                name = f"{change.title}: {revisions.condition(one.condition)}"
                _case(suite, "deadheat", name, outcome, revisions.decided(one, change))
    _count(suite)
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, suite.get(name, "0"))
    return _text(root)


def _text(root: ET.Element) -> bytes:
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


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
        verdicts.of_race(race.result, verdict, margin),
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
