"""Two checks of a release compared: what got better and what got worse."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from PETWorks.errors import Hint, InputError, quoted
from PETWorks.gate.schema import violation
from PETWorks.measures.catalogue import catalogue
from PETWorks.measures.result import shown

LARGEST_FILE = 1 << 26
_DIGEST = re.compile("[0-9a-f]{64}")
_ORDER = ("fail", "waived", "pass")


def read_check(path: Path) -> dict[str, Any]:
    """The JSON file of a check, or an error."""
    try:
        regular, size = path.is_file(), path.stat().st_size
        if regular and size <= LARGEST_FILE:
            text = path.read_text("utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path.name}: not JSON in UTF-8") from None
    if not regular:
        raise InputError(f"cannot read {str(path)!r}: not a regular file")
    if size > LARGEST_FILE:
        raise InputError(f"{path.name}: larger than {LARGEST_FILE >> 20} MiB")
    try:
        found = json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError):
        raise InputError(f"{path.name}: not JSON; expected the result of a check", Hint.CHECK_DOCUMENT) from None
    wrong = violation(found, "check")
    if wrong:
        raise InputError(f"{path.name}: not the result of a check: {wrong}")
    checked: dict[str, Any] = found
    return checked


def _finite(text: str) -> float:
    """A number, if it is one."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    return number


def compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Rules, measures and facts of the table that differ.

    `worse` says whether somebody should look: a rule is worse, gone or has another threshold, or roles or the way of
    counting are others, so that numbers cannot be compared.
    """
    if old["edition"] != new["edition"]:
        raise InputError(f"editions differ: {quoted([old['edition'], new['edition']])}; compare two of the same")
    rules = list(_rules(old, new))
    different = _different(old, new)
    return {
        "schema": "petworks-diff/1",
        "verdict": {"old": old["verdict"], "new": new["verdict"]},
        "comparable": not different,
        "different": different,
        "worse": bool(different) or any(row["change"] in ("worse", "other threshold") for row in rules),
        "rules": rules,
        "measures": list(_measures(old, new)),
        "table": list(_table(old, new)),
    }


def _different(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What must be the same for numbers to be compared, and is not."""
    names = ("quasi_identifiers", "sensitive_attributes", "treatment")
    found = [name for name in names if old["table"][name] != new["table"][name]]
    return found + (["cell_size"] if old["policy"]["cell_size"] != new["policy"]["cell_size"] else [])


def _rules(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    before = {rule["name"]: rule for rule in old["rules"]}
    after = {rule["name"]: rule for rule in new["rules"]}
    for name in dict.fromkeys([*before, *after]):
        one, other = before.get(name), after.get(name)
        if one is None or other is None:
            # A rule that is gone can no longer fail: somebody should look.
            change = "worse" if other is None else "new" if other["verdict"] == "pass" else "worse"
            yield _row(name, one and _told(one), other and _told(other), change)
        elif one["parameters"] != other["parameters"] or one["measure"] != other["measure"]:
            yield _row(name, _told(one), _told(other), "other threshold")
        elif _told(one) != _told(other):
            steps = _ORDER.index(other["verdict"]) - _ORDER.index(one["verdict"])
            waived = steps > 0 and other["verdict"] == "waived"
            yield _row(name, _told(one), _told(other), "waived" if waived else _change(steps))


def _told(rule: Mapping[str, Any]) -> dict[str, Any]:
    return {"verdict": rule["verdict"], "value": rule["value"], "parameters": rule["parameters"]}


def _measures(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    before = {result["measure"]: result["value"] for result in old["results"]}
    after = {result["measure"]: result["value"] for result in new["results"]}
    for name in dict.fromkeys([*before, *after]):
        one, other = before.get(name, "not measured"), after.get(name, "not measured")
        if one != other:
            change = "changed"
            if name in catalogue and all(isinstance(value, int | float) for value in (one, other)):
                change = _change(other - one if catalogue[name].better == "higher" else one - other)
            yield _row(name, one, other, change)


def _table(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    def facts(document: Mapping[str, Any]) -> dict[str, Any]:
        table = document["table"]
        names = ("records", "people", "quasi_identifiers", "sensitive_attributes", "population", "treatment")
        found = {name: table[name] for name in names if name in table} | dict(table.get("classes", {}))
        found |= {f"SHA-256 of {one['is']}": one["sha256"] for one in document["inputs"]}
        return found | {"SHA-256 of policy": document["policy"]["sha256"], "petworks": document["petworks"]}

    before, after = facts(old), facts(new)
    for name in dict.fromkeys([*before, *after]):
        if before.get(name) != after.get(name):
            yield _row(name, before.get(name), after.get(name), "changed")


def _change(step: float) -> str:
    return "better" if step > 0 else "worse" if step < 0 else "changed"


def _row(name: str, old: Any, new: Any, change: str) -> dict[str, Any]:
    return {
        "name": name,
        "old": old,
        "new": new,
        "old_text": _text(old),
        "new_text": _text(new),
        "change": change,
    }


def _text(value: Any) -> str:
    """A value in a cell of a table."""
    if isinstance(value, Mapping):
        if "verdict" in value and "parameters" in value:
            asked = ", ".join(f"{name} = {shown(limit)}" for name, limit in value["parameters"].items())
            return f"{value['verdict']}: {_text(value['value'])} ({asked})"
        return ", ".join(f"{name} {shown(one)}" for name, one in value.items())
    text = shown(value)
    if _DIGEST.fullmatch(text):
        return text[:12]
    return text if len(text) <= 80 else f"{text[:77]}..."
