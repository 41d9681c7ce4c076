"""The texts of errors and warnings, found by reading the source: templates, and what is filled in."""

import ast
import errno
import json
import os
import re
import sys
from contextlib import contextmanager
from pathlib import Path
from string import Formatter
from typing import NamedTuple
from unittest import mock

import PETWorks
from PETWorks.errors import Joined, PETWorksError, Phrase, ReleaseRefused
from PETWorks.render.languages import LANGUAGES

PACKAGE = Path(PETWorks.__file__).parent
FOREIGN = {os.strerror(number) for number in errno.errorcode}  # what the system says: often translated, not always
ERRORS = ("PETWorksError", "InputError", "HierarchyError", "RoleError", "ParameterError", "NotApplicable", "NeedNotMet")
FIELDS = {"what", "where", "measure"}  # of an error, which are no values of its text


class Said(NamedTuple):
    """A template in the source, and the names of what is filled in; None if the source does not list them there."""

    place: str
    template: str
    values: frozenset[str] | None


def fields(template):
    """The names in the braces of a template."""
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def escaped(text):
    """A text without values as the template that it is the key of."""
    return text.replace("{", "{{").replace("}", "}}")


def texts():
    """All templates of the package, and what is wrong with how texts are given."""
    said, wrong = list(_descriptions()), []
    for path in sorted(PACKAGE.rglob("*.py")):
        found, mistakes = texts_in(path.read_text("utf-8"), str(path.relative_to(PACKAGE)))
        said += found
        wrong += mistakes
    return said, wrong


def texts_in(source, name):
    """The same of one module."""
    said, wrong = [], []
    for node in ast.walk(ast.parse(source)):
        for found in _given(node) if isinstance(node, ast.Call) else ():
            place = f"{name}:{node.lineno}"
            if isinstance(found, str):
                wrong.append(f"{place}: {found}")
            else:
                said.append(Said(place, *found))
    return said, wrong


def _descriptions():
    """What the schema of a policy says that a key should be; errors quote it."""
    schema = json.loads((PACKAGE / "gate/schemas/policy.json").read_text("utf-8"))
    parts = [*schema["properties"].values(), schema["$defs"]]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            if isinstance(part.get("description"), str):
                yield Said("gate/schemas/policy.json", escaped(part["description"]), frozenset())
            parts += part.values()
        elif isinstance(part, list):
            parts += part


def _given(call):
    """The templates of a call that makes a text; what is wrong with one as a string."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    values = {keyword.arg for keyword in call.keywords}
    is_method = isinstance(call.func, ast.Attribute)
    if name in ("Phrase", "Place"):
        yield from _template(call.args[0], None if None in values else frozenset(values))
    elif name == "Joined":
        yield from _template(call.args[0], frozenset())
    elif name in ("unknown", "literal"):
        yield from _literal(call.args[0])
    elif name in ERRORS or name == "error" or (is_method and name == "add" and len(call.args) > 1):
        parts = call.args[1:] if is_method and name not in ERRORS else call.args
        values -= FIELDS
        if not values:
            for part in parts:
                yield from _literal(part)
        else:
            found = [one for part in parts for one in _template(part, None)]
            yield from found
            used = {field for one in found if not isinstance(one, str) for field in fields(one[0])}
            if None not in values and used != values:
                yield f"the text has {sorted(used)}, but is given {sorted(values)}"


def _literal(part):
    for found in _template(part, None):
        yield found if isinstance(found, str) else (escaped(found[0]), frozenset())


def _template(part, values):
    if isinstance(part, ast.JoinedStr | ast.BinOp):
        yield "an f-string, or texts that are put together, cannot be translated; give a template and its values"
    elif isinstance(part, ast.IfExp):
        yield from _template(part.body, values)
        yield from _template(part.orelse, values)
    elif isinstance(part, ast.Constant) and isinstance(part.value, str):
        if values is not None and fields(part.value) != values:
            yield f"the text has {sorted(fields(part.value))}, but is given {sorted(values)}"
        yield part.value, values


def templates(text):
    """The templates of a text that was made, also of what is filled in."""
    if isinstance(text, Joined):
        return [text.template, *(one for part in text.values["texts"] for one in templates(part))]
    if isinstance(text, Phrase):
        return [text.template, *(one for value in text.values.values() for one in templates(value))]
    return []


@contextmanager
def only_translated():
    """Within it, the package cannot raise an error that some language lacks, however its text came about."""
    init, known = (
        PETWorksError.__init__,
        [set(language.messages) for code, language in LANGUAGES.items() if code != "en"],
    )

    def checked(self, *parts, **values):
        init(self, *parts, **values)
        caller = sys._getframe(1).f_code
        is_own = caller.co_filename.startswith(str(PACKAGE)) and caller.co_name != "hinted"
        if is_own and not isinstance(self, ReleaseRefused):  # whose text is a report
            for template in {one for part in self.parts for one in templates(part)}:
                words = re.sub(r"{[^}]*}", "", template)
                is_known = all(template in messages for messages in known)
                assert is_known or not re.search("[a-z]{2}", words) or words in FOREIGN, f"not translated: {template!r}"

    with mock.patch.object(PETWorksError, "__init__", checked):
        yield
