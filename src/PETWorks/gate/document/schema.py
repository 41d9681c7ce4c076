"""The published JSON Schemas, and messages about violations of them."""

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from itertools import islice
from typing import Any

from PETWorks.errors import Joined, Phrase, literal, quoted, unknown
from PETWorks.gate.document.check_document import CheckFile, Entry
from PETWorks.gate.document.plan_document import Plan
from PETWorks.gate.document.typed_json import JSONObject
from PETWorks.gate.policy.mistakes import Mistakes
from PETWorks.locale import ENGLISH, LANGUAGES
from PETWorks.tables.yaml_files import Key

NAMES = ("policy", "check", "plan", "register")
MAX_REPORTED_VIOLATIONS = 100
_KINDS = {
    "object": Phrase("a mapping"),
    "array": Phrase("a list"),
    "string": Phrase("a text"),
    "integer": Phrase("a whole number"),
    "number": Phrase("a number"),
}


_ENGLISH_TEXT = '"en": {"$ref": "#/$defs/text"}'  # in the schema of a policy, where every language may be given
_DOCUMENT_TYPES: Mapping[str, type[JSONObject]] = {"check": CheckFile, "plan": Plan, "register": Entry}


def schema_text(name: str) -> str:
    """A published schema: that of a policy is a file, the others are derived from the types."""
    if name in _DOCUMENT_TYPES:
        head = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": f"urn:petworks:{name}:1",
            "title": f"PETWorks {name}, version 1",
        }
        return json.dumps({**head, **_DOCUMENT_TYPES[name].json_schema()}, indent=2, ensure_ascii=False) + "\n"
    text = (files("PETWorks.gate") / "schemas" / f"{name}.json").read_text("utf-8")
    return text.replace(_ENGLISH_TEXT, ", ".join(_ENGLISH_TEXT.replace(ENGLISH, code, 1) for code in LANGUAGES))


def check_against_schema(mistakes: Mistakes, name: str) -> list[Key]:
    """Add a mistake for everything in a file that violates a schema, and return the keys."""
    from jsonschema import Draft202012Validator

    errors = Draft202012Validator(json.loads(schema_text(name))).iter_errors(mistakes.file.content)
    # A hostile file may have any number of errors: only the first hundred are worded.
    in_words = (message for error in errors for message in _messages(error))
    worded = list(islice(in_words, MAX_REPORTED_VIOLATIONS))
    mistakes.there_are_more = next(in_words, None) is not None
    for key, text in worded:
        mistakes.add(key, text)
    return [key for key, _ in worded]


def first_violation(document: Any, name: str) -> Phrase | None:
    """The first violation of a schema in a document; None if it is valid."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    error = best_match(Draft202012Validator(json.loads(schema_text(name))).iter_errors(document))
    if error is None:
        return None
    place = ".".join(map(str, error.absolute_path))[:80] or Phrase("the document")
    return Phrase("{place} violates {rule!r} of the schema", place=place, rule=error.validator)


def _messages(error: Any) -> Iterator[tuple[tuple[str | int, ...], Phrase]]:
    """The key of an error, and a message about what is expected there."""
    key, schema = tuple(error.absolute_path), error.schema
    if error.validator == "additionalProperties" and schema["additionalProperties"] is False:
        for name in error.instance:
            if name not in schema["properties"]:
                yield (*key, name), unknown("key", name, schema["properties"]).message
    elif error.validator == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        if len(missing) == 1:
            yield key, Phrase("the key {key} is missing", key=quoted(missing))
        else:
            yield key, Phrase("the keys {keys} are missing", keys=quoted(missing))
    elif error.validator == "uniqueItems":
        yield key, Phrase("the list has an entry twice")
    elif error.validator in ("maxItems", "maxLength"):
        yield key, Phrase("longer than {most:,}", most=error.validator_value)
    else:
        yield (
            key,
            Phrase(
                "expected {expected}, got {given}", expected=_expected(schema), given=_describe_given(error.instance)
            ),
        )


def _expected(schema: Mapping[str, Any]) -> Phrase:
    described = literal(schema["description"]) if "description" in schema else None
    if described is not None and ("pattern" in schema or "enum" in schema):
        return described
    if "enum" in schema:
        return Phrase("one of {options}", options=quoted(schema["enum"]))
    kinds = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", [])
    listed = Joined(" or ", [_KINDS[kind] for kind in kinds if kind in _KINDS])
    if not listed:
        return described or Phrase("something else")
    return listed if described is None else Phrase("{kind} ({meaning})", kind=listed, meaning=described)


def _describe_given(value: Any) -> Phrase:
    if isinstance(value, Mapping | list):
        return _KINDS["object" if isinstance(value, Mapping) else "array"]
    return Phrase("nothing") if value in ("", None) else quoted([value])
