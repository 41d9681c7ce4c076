"""The templates of errors and warnings with the names of their values, found by parsing the source."""

import ast
import errno
import json
import os
import re
import sys
from contextlib import contextmanager
from string import Formatter
from typing import NamedTuple
from unittest import mock

from babel.messages.pofile import read_po

from PETWorks.errors import Joined, PETWorksError, Phrase, ReleaseRefused
from PETWorks.locale import ENGLISH, LANGUAGES
from source import PACKAGE, nodes, parsed_modules

FOREIGN = {
    os.strerror(number) for number in errno.errorcode
}  # messages of the system, which are often but not always translated
ERRORS = ("PETWorksError", "InputError", "HierarchyError", "RoleError", "ParameterError", "NotApplicable", "NeedNotMet")
FIELDS = {"what", "where", "measure"}  # fields of an error, which are not values of its text


class Template(NamedTuple):
    """A template in the source, and the names of its values; None if the source does not list them there."""

    place: str
    template: str
    values: frozenset[str] | None
    plural: tuple[str, str] | None = None  # the template for one thing, and that for several


def fields(template):
    """The names in the braces of a template."""
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def escape(text):
    """The template for a text without values."""
    return text.replace("{", "{{").replace("}", "}}")


def texts():
    """All templates of the package, and mistakes in how texts are given."""
    all_templates, wrong = list(_descriptions()), []
    for path, tree in parsed_modules().items():
        found, mistakes = texts_in(tree, str(path.relative_to(PACKAGE)))
        all_templates += found
        wrong += mistakes
    return all_templates, wrong


def texts_in(tree, name):
    """The templates of one module, and mistakes in how its texts are given."""
    module_templates, wrong = [], []
    for node in nodes(tree):
        for found in _templates_of(node) if isinstance(node, ast.Call) else ():
            place = f"{name}:{node.lineno}"
            if isinstance(found, str):
                wrong.append(f"{place}: {found}")
            else:
                module_templates.append(Template(place, *found))
    return module_templates, wrong


def _descriptions():
    """The descriptions in the schema of a policy, which errors quote."""
    schema = json.loads((PACKAGE / "gate/schemas/policy.json").read_text("utf-8"))
    parts = [*schema["properties"].values(), schema["$defs"]]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            if isinstance(part.get("description"), str):
                yield Template("gate/schemas/policy.json", escape(part["description"]), frozenset())
            parts += part.values()
        elif isinstance(part, list):
            parts += part


def _templates_of(call):
    """The templates in a call that makes a text; a mistake as a string."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    values = {keyword.arg for keyword in call.keywords}
    is_method = isinstance(call.func, ast.Attribute)
    if name in ("Phrase", "Place"):
        yield from _template(call.args[0], None if None in values else frozenset(values))
    elif name == "Joined":
        yield from _template(call.args[0], frozenset())
    elif name == "Counted" and all(isinstance(argument, ast.Constant) for argument in call.args):
        one, many = (argument.value for argument in call.args[:2])
        if fields(many) != values or not values - {"n"} <= fields(one) <= values:
            yield f"the texts have {sorted(fields(one))} and {sorted(fields(many))}, but are given {sorted(values)}"
        yield one, frozenset(values), (one, many)
    elif name in ("unknown", "literal"):
        yield from _literal(call.args[0])
    elif name in ERRORS or name == "error" or (is_method and name == "add" and len(call.args) > 1):
        parts = call.args[1:] if is_method and name not in ERRORS else call.args
        values -= FIELDS
        if not values:
            for part in parts:
                yield from _literal(part)
        else:
            found = [template for part in parts for template in _template(part, None)]
            yield from found
            used = {field for template in found if not isinstance(template, str) for field in fields(template[0])}
            if None not in values and used != values:
                yield f"the text has {sorted(used)}, but is given {sorted(values)}"


def _literal(part):
    for found in _template(part, None):
        yield found if isinstance(found, str) else (escape(found[0]), frozenset())


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
    """The templates of a text, including those of its values."""
    if isinstance(text, Joined):
        return [text.template, *(template for part in text.values["texts"] for template in templates(part))]
    if isinstance(text, Phrase):
        return [text.template, *(template for value in text.values.values() for template in templates(value))]
    return []


def _translated_texts(language):
    """The texts of a language's catalogue that have no context, with both forms of a plural."""
    with (language.folder / "LC_MESSAGES/petworks.po").open("rb") as file:
        messages = [message for message in read_po(file) if message.context is None and message.id]
    return {text for message in messages for text in (message.id if message.pluralizable else [message.id])}


@contextmanager
def only_translated():
    """Within it, an error of the package whose text lacks a translation fails the test."""
    init = PETWorksError.__init__
    known = [_translated_texts(language) for code, language in LANGUAGES.items() if code != ENGLISH]

    def checking_init(self, *parts, **values):
        init(self, *parts, **values)
        caller = sys._getframe(1).f_code
        is_own = caller.co_filename.startswith(str(PACKAGE)) and caller.co_name != "hinted"
        if is_own and not isinstance(self, ReleaseRefused):  # its text is a report
            for template in {found for part in self.parts for found in templates(part)}:
                words = re.sub(r"{[^}]*}", "", template)
                is_known = all(template in messages for messages in known)
                assert is_known or not re.search("[a-z]{2}", words) or words in FOREIGN, f"not translated: {template!r}"

    with mock.patch.object(PETWorksError, "__init__", checking_init):
        yield
