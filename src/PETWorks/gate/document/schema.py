"""Reading of JSON documents, the published JSON Schemas, and messages about violations of them."""

import json
import math
from collections.abc import Iterator, Mapping
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from PETWorks.anonymizer.plan import Plan
from PETWorks.errors import Hint, InputError, Joined, Phrase, literal, quoted, unknown
from PETWorks.gate.document.check_document import CheckFile, Entry
from PETWorks.gate.policy.mistakes import Mistakes
from PETWorks.json_types import JSONObject
from PETWorks.locale import ENGLISH, LANGUAGES
from PETWorks.tables.files import read_small
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
Document = TypeVar("Document", bound=JSONObject)
LARGEST_FILE = 1 << 26


def read_json(path: Path, expected: Phrase, hint: Hint, largest: int = LARGEST_FILE) -> Any:
    """The content of a JSON file; raises with a message about what was expected if it is not JSON."""
    try:
        text = read_small(path, largest).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("{file}: not JSON in UTF-8", file=path.name) from None
    try:
        return json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError):
        raise InputError("{file}: not JSON; expected {expected}", hint, file=path.name, expected=expected) from None


def _finite(text: str) -> float:
    """The number; NaN and infinity raise ValueError."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    return number


def parse_document(kind: type[Document], content: Any) -> Document | Phrase:
    """The document in JSON content, or what is wrong with it: the place and the violated rule of its schema."""
    try:
        return kind.from_dict(content)
    except (msgspec.ValidationError, RecursionError) as error:
        return _violation(kind, content, error)


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


def _violation(kind: type[JSONObject], content: Any, error: Exception) -> Phrase:
    """The best match of jsonschema among all violations: unlike errors of msgspec, it quotes no value."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    best = best_match(Draft202012Validator(kind.json_schema()).iter_errors(content))
    if best is None:  # such as 5.0 for an integer
        path, rule = str(error).rpartition("$")[2].strip("`").strip("."), "type"
    else:
        path, rule = ".".join(map(str, best.absolute_path)), str(best.validator)
    return Phrase("{place} violates {rule!r} of the schema", place=path[:80] or Phrase("the document"), rule=rule)


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
