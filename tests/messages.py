"""The texts that the program says about errors, found by reading its source."""

import ast
import json
from string import Formatter
from typing import NamedTuple

from conftest import ROOT

PACKAGE = ROOT / "src/PETWorks"
ERRORS = ("PETWorksError", "InputError", "HierarchyError", "RoleError", "ParameterError", "NotApplicable", "NeedNotMet")
FIELDS = {"what", "where", "measure"}  # of an error, which are no values of its text


class Said(NamedTuple):
    """A template in the source, and what is filled in."""

    place: str
    template: str
    values: frozenset[str] | None  # None if they are not listed in the source


def fields(template):
    """The names in the braces of a template."""
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def escaped(text):
    """A text without values as the template that it is the key of."""
    return text.replace("{", "{{").replace("}", "}}")


def texts():
    """All templates, and what is wrong with how they are given."""
    said, wrong = [], []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                place = f"{path.relative_to(PACKAGE)}:{node.lineno}"
                for found in _given(node):
                    if isinstance(found, str):
                        wrong.append(f"{place}: {found}")
                    else:
                        said.append(Said(place, *found))
    return said, wrong


def _given(call):
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    values = {keyword.arg for keyword in call.keywords}
    if name in ("Phrase", "Place"):
        yield from _template(call.args[0], None if None in values else values)
    elif name == "Joined" and isinstance(call.args[0], ast.Constant):
        yield call.args[0].value, frozenset()
    elif name in ("unknown", "literal"):
        yield from _template(call.args[0], set())
    elif name in ERRORS or (name in ("add", "error") and len(call.args) > 1) or name == "error":
        parts = call.args[1:] if isinstance(call.func, ast.Attribute) else call.args
        listed = None if None in values else values - FIELDS
        used = set()
        for part in parts:
            for found in _template(part, set() if listed is not None and not listed else None):
                if not isinstance(found, str):
                    used |= fields(found[0])
                yield found
        if listed is not None and used != listed and any(isinstance(part, ast.Constant) for part in parts):
            yield f"the text has {sorted(used)}, and is given {sorted(listed)}"


def _template(part, values):
    if isinstance(part, ast.JoinedStr):
        yield "an f-string cannot be translated; give a template and its values"
    elif isinstance(part, ast.BinOp):
        yield "texts that are put together cannot be translated; give a template and its values"
    elif isinstance(part, ast.Constant) and isinstance(part.value, str):
        without = values is not None and not values
        template = escaped(part.value) if without and not fields_of_literal(part.value) else part.value
        yield template, None if values is None else frozenset(values)


def fields_of_literal(_text):
    return False
