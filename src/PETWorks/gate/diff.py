"""Comparison of two checks of a release: what got better and what got worse."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from PETWorks.errors import Hint, InputError, Phrase, quoted
from PETWorks.gate.document import (
    FAIL,
    PASS,
    WAIVED,
    WITHHELD,
    CheckDocument,
    CheckFile,
    RuleResult,
    Value,
    Verdict,
    parse_document,
    read_json,
)
from PETWorks.gate.policy.policy_rules import BUILT_IN_RULES, NO_IDENTIFIERS
from PETWorks.json_types import Bound, JSONObject
from PETWorks.measures.catalogue import catalogue
from PETWorks.measures.result import format_value

_DIGEST = re.compile("[0-9a-f]{64}")
_ORDER = (FAIL, WITHHELD, WAIVED, PASS)

DIGEST = "SHA-256 of "  # followed by the use of a file
NOT_MEASURED = "not measured"
Change = Literal["better", "worse", "changed", "new", "new built-in rule", "waived", "other threshold"]


class Verdicts(JSONObject, frozen=True):
    """The verdicts of both checks."""

    old: Verdict
    new: Verdict


class RuleState(JSONObject, frozen=True):
    """The parts of a rule's result that are compared."""

    verdict: Verdict
    value: Value
    parameters: Mapping[str, Any]


class Difference(JSONObject, frozen=True):
    """A rule, a measure or a fact that differs, with both sides as data and as text."""

    name: str
    old: Any
    new: Any
    old_text: str
    new_text: str
    change: Change


class Comparison(JSONObject, frozen=True):
    """The differences between two checks.

    `worse` is true if somebody should review the change: a rule is worse, gone or has another threshold, or the numbers
    cannot be compared because roles or counting differ (see `different`). Built-in rules that the earlier check did not
    judge are listed in `new_built_in_rules`; they do not count as worse.
    """

    schema: Literal["petworks-diff/1"]
    verdict: Verdicts
    comparable: bool
    different: tuple[str, ...]
    worse: bool
    new_built_in_rules: tuple[str, ...]
    rules: tuple[Difference, ...]
    measures: tuple[Difference, ...]
    table: tuple[Difference, ...]


def read_check(path: Path) -> CheckFile:
    """The check document in a JSON file; raises if the file is something else."""
    content = read_json(path, Phrase("the result of a check"), Hint.CHECK_DOCUMENT)
    document = parse_document(CheckFile, content)
    if isinstance(document, Phrase):
        raise InputError("{file}: not the result of a check: {problem}", file=path.name, problem=document)
    return document


def compare(old: CheckDocument, new: CheckDocument) -> Comparison:
    """The rules, measures and facts of the table that differ between two checks of the same edition."""
    if old.edition != new.edition:
        raise InputError(
            "editions differ: {editions}; compare two of the same", editions=quoted([old.edition, new.edition])
        )
    rules = tuple(_rules(old, new))
    different = tuple(_different(old, new))
    return Comparison(
        schema="petworks-diff/1",
        verdict=Verdicts(old.verdict, new.verdict),
        comparable=not different,
        different=different,
        worse=bool(different) or any(rule.change in ("worse", "other threshold") for rule in rules),
        new_built_in_rules=tuple(rule.name for rule in rules if rule.change == "new built-in rule"),
        rules=rules,
        measures=tuple(_measures(old, new)),
        table=tuple(_table(old, new)),
    )


def _different(old: CheckDocument, new: CheckDocument) -> Iterator[str]:
    """The facts that must be equal for the numbers to be comparable, and are not."""
    for name in ("quasi_identifiers", "sensitive_attributes"):
        if getattr(old.table, name) != getattr(new.table, name):
            yield name
    # Treatments that an earlier version did not have appear among the facts of the table; they are no reason to fail.
    before, after = old.table.treatment, new.table.treatment
    if any(before[name] != after[name] for name in before.keys() & after.keys()):
        yield "treatment"
    if old.policy.cell_size != new.policy.cell_size:
        yield "cell_size"


def _rules(old: CheckDocument, new: CheckDocument) -> Iterator[Difference]:
    before = {rule.name: rule for rule in old.rules}
    after = {rule.name: rule for rule in new.rules}
    for name in dict.fromkeys([*before, *after]):
        old_rule, new_rule = before.get(name), after.get(name)
        states = old_rule and _state(old_rule), new_rule and _state(new_rule)
        if states[0] != states[1] or (old_rule and new_rule and old_rule.measure != new_rule.measure):
            yield _difference(name, *states, _change_of_rule(old_rule, new_rule))


def _change_of_rule(old: RuleResult | None, new: RuleResult | None) -> Change:
    if new is None:
        return "worse"  # a rule that was removed cannot fail any more: this needs a review
    if old is None and new.name in BUILT_IN_RULES and new.name != NO_IDENTIFIERS:  # all versions judge identifiers
        return "new built-in rule"
    if old is None:
        return "new" if new.verdict == PASS else "worse"
    if old.parameters != new.parameters or old.measure != new.measure:
        return "other threshold"
    steps = _ORDER.index(new.verdict) - _ORDER.index(old.verdict)
    return "waived" if steps > 0 and new.verdict == WAIVED else _change(steps)


def _state(rule: RuleResult) -> RuleState:
    return RuleState(rule.verdict, rule.value, rule.parameters)


def _measures(old: CheckDocument, new: CheckDocument) -> Iterator[Difference]:
    before = {result.measure: result.value for result in old.results}
    after = {result.measure: result.value for result in new.results}
    for name in dict.fromkeys([*before, *after]):
        old_value, new_value = before.get(name, NOT_MEASURED), after.get(name, NOT_MEASURED)
        if old_value != new_value:
            yield _difference(name, old_value, new_value, _change_of_value(name, old_value, new_value))


def _change_of_value(measure: str, old: Value, new: Value) -> Change:
    if measure not in catalogue or not isinstance(old, int | float) or not isinstance(new, int | float):
        return "changed"
    return _change(new - old if catalogue[measure].better == "higher" else old - new)


def _table(old: CheckDocument, new: CheckDocument) -> Iterator[Difference]:
    before, after = _facts(old), _facts(new)
    for name in dict.fromkeys([*before, *after]):
        if before.get(name) != after.get(name):
            yield _difference(name, before.get(name), after.get(name), "changed")


def _facts(document: CheckDocument) -> dict[str, Any]:
    """The facts of the table and the checksums, by the names used in a comparison."""
    table = document.table.to_dict()
    names = ("records", "people", "quasi_identifiers", "sensitive_attributes", "population", "treatment")
    return {
        **{name: table[name] for name in names if name in table},
        **dict(sorted(table.get("classes", {}).items())),
        **{f"{DIGEST}{file.use}": file.sha256 for file in document.inputs},
        f"{DIGEST}policy": document.policy.sha256,
        "petworks": document.petworks,
    }


def _change(step: float) -> Change:
    return "better" if step > 0 else "worse" if step < 0 else "changed"


def _difference(name: str, old: Any, new: Any, change: Change) -> Difference:
    return Difference(name, old, new, _text(old), _text(new), change)


def _text(value: Any) -> str:
    """A value as text for a table cell."""
    if isinstance(value, RuleState):
        limits = ", ".join(f"{name} = {format_value(limit)}" for name, limit in value.parameters.items())
        return f"{value.verdict}: {_text(value.value)} ({limits})"
    if isinstance(value, Bound):
        return _text(value.to_dict())
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {format_value(item)}" for name, item in value.items())
    text = format_value(value)
    if _DIGEST.fullmatch(text):
        return text[:12]
    return text if len(text) <= 80 else f"{text[:77]}..."
