"""The published JSON Schemas, and messages about what in a file they do not allow."""

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from itertools import islice
from typing import Any

from PETWorks.errors import quoted, unknown
from PETWorks.gate.document import CheckFile
from PETWorks.gate.mistakes import Mistakes
from PETWorks.gate.plan_document import Plan
from PETWorks.gate.register_document import Entry
from PETWorks.gate.typed_json import JSONObject
from PETWorks.tables.yamlfile import Key

NAMES = ("policy", "check", "plan", "register")
MOST_WORDED = 100
_KINDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
}


_TYPED: Mapping[str, type[JSONObject]] = {"check": CheckFile, "plan": Plan, "register": Entry}


def schema_text(name: str) -> str:
    """A schema as it is published: that of a policy is a file, the others follow from the types."""
    if name in _TYPED:
        head = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": f"urn:petworks:{name}:1",
            "title": f"PETWorks {name}, version 1",
        }
        return json.dumps({**head, **_TYPED[name].json_schema()}, indent=2, ensure_ascii=False) + "\n"
    return (files("PETWorks.gate") / "schemas" / f"{name}.json").read_text("utf-8")


def check_schema(mistakes: Mistakes, name: str) -> list[Key]:
    """Remember everything in a file that a schema does not allow; the keys of it."""
    from jsonschema import Draft202012Validator

    errors = Draft202012Validator(json.loads(schema_text(name))).iter_errors(mistakes.file.content)
    # A hostile file may have any number of errors: only the first hundred are put into words.
    in_words = (one for error in errors for one in _in_words(error))
    worded = list(islice(in_words, MOST_WORDED))
    mistakes.there_are_more = next(in_words, None) is not None
    for key, text in worded:
        mistakes.add(key, text)
    return [key for key, _ in worded]


def violation(document: Any, name: str) -> str | None:
    """The first place where a document violates a schema; None if there is none."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    error = best_match(Draft202012Validator(json.loads(schema_text(name))).iter_errors(document))
    if error is None:
        return None
    where = ".".join(map(str, error.absolute_path))[:80] or "the document"
    return f"{where} violates {error.validator!r} of the schema"


def _in_words(error: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """The key of an error, and what would be right there."""
    key, schema = tuple(error.absolute_path), error.schema
    if error.validator == "additionalProperties" and schema["additionalProperties"] is False:
        for name in error.instance:
            if name not in schema["properties"]:
                yield (*key, name), str(unknown("key", name, schema["properties"]))
    elif error.validator == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        yield (
            key,
            f"the key{'s' if len(missing) > 1 else ''} {quoted(missing)} {'are' if len(missing) > 1 else 'is'} missing",
        )
    elif error.validator == "uniqueItems":
        yield key, "the list has an entry twice"
    elif error.validator in ("maxItems", "maxLength"):
        yield key, f"longer than {error.validator_value:,}"
    else:
        yield key, f"expected {_expected(schema)}, got {_given(error.instance)}"


def _expected(schema: Mapping[str, Any]) -> str:
    if "pattern" in schema and "description" in schema:
        return str(schema["description"])
    if "enum" in schema:
        return str(schema.get("description", f"one of {quoted(schema['enum'])}"))
    kinds = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", [])
    listed = " or ".join(_KINDS.get(kind, kind) for kind in kinds if kind != "boolean")
    described = str(schema.get("description", "something else" if not listed else ""))
    return f"{listed} ({described})" if listed and described else listed or described


def _given(value: Any) -> str:
    if isinstance(value, Mapping | list):
        return "a mapping" if isinstance(value, Mapping) else "a list"
    return "nothing" if value in ("", None) else quoted([value])
