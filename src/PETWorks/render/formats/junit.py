"""A check as JUnit XML: a test case for each rule."""

import re
from xml.etree import ElementTree

from PETWorks.gate.document import CheckDocument
from PETWorks.locale import ENGLISH
from PETWorks.render.language.language import (
    policy_text,
    shorten_name,
    thresholds,
    value_with_fraction,
    without_shortening,
)
from PETWorks.render.report import prose

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(document: CheckDocument) -> str:
    """The check as JUnit XML: failing rules are failures, waived and withheld rules are skipped. Nothing is cut."""
    with without_shortening():
        return _junit(document)


def _junit(document: CheckDocument) -> str:
    counts = document.rule_verdicts
    suite = ElementTree.Element(
        "testsuite",
        name=_xml(f"petworks check: {policy_text(document.title, ENGLISH)}"),
        tests=str(len(document.rules)),
        failures=str(counts.failed),
        errors="0",
        skipped=str(counts.waived + (counts.withheld or 0)),
        timestamp=document.generated.removesuffix("Z"),
        time="0",
    )
    for rule in document.rules:
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"petworks.{rule.measure}", name=_xml(shorten_name(rule.name)), time="0"
        )
        required = thresholds(rule, ENGLISH) or "none"
        text = f"{rule.measure}: found {value_with_fraction(rule, ENGLISH)}, required {required}"
        if rule.waiver:
            text += f"; {prose.waiver(rule.waiver, ENGLISH)}"
        if rule.verdict == "fail":
            failure = ElementTree.SubElement(case, "failure", message=_xml(text), type=rule.measure)
            failure.text = _xml("\n".join([text, *prose.steps_for(document, rule, ENGLISH)]))
        elif rule.verdict in ("waived", "withheld"):
            ElementTree.SubElement(case, "skipped", message=_xml(text))
        else:
            ElementTree.SubElement(case, "system-out").text = _xml(text)
    suites = ElementTree.Element("testsuites", name="petworks")
    suites.append(suite)
    ElementTree.indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(suites, "unicode")}\n'


def _xml(text: str) -> str:
    """A text without the characters that XML does not allow."""
    return _NOT_XML.sub("\ufffd", text)
