"""The mistakes in a policy file, against its schema and others, collected and reported in the order of their lines."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any

from PETWorks.errors import Counted, Hint, InputError, Joined, PETWorksError, Phrase, literal, quoted, unknown
from PETWorks.gate.document import schema_text
from PETWorks.tables.yaml_files import Key, Place, YAMLFile

MAX_ERRORS = 10
MAX_REPORTED_VIOLATIONS = 100
LISTS = ("rules", "waivers", "presets")  # their items are checked one by one
# The key of a policy for each hint of an error.
KEY_HINTS = {
    Hint.IDENTIFIERS: "roles.identifiers:",
    Hint.QUASI_IDENTIFIERS: "roles.quasi_identifiers:",
    Hint.SENSITIVE_ATTRIBUTES: "roles.sensitive_attributes:",
    Hint.ORIGINAL: "original:",
    Hint.POPULATION: "population:",
    Hint.SAMPLING_WEIGHT: "sampling_weight:",
    Hint.HIERARCHIES: "hierarchies:",
    Hint.ORDER: "order: original",
    Hint.ALL_SUBSETS: "subsets.sizes: all",
    Hint.WORTH: "releases.worth:",
}

_KINDS = {
    "object": Phrase("a mapping"),
    "array": Phrase("a list"),
    "string": Phrase("a text"),
    "integer": Phrase("a whole number"),
    "number": Phrase("a number"),
}


class Mistakes:
    """The mistakes found so far in a file."""

    def __init__(self, file: YAMLFile) -> None:
        self.file = file
        self._errors: dict[str, PETWorksError] = {}  # by text: some mistakes are found twice
        self.there_are_more = False  # whether some mistakes were not added

    def __bool__(self) -> bool:
        return bool(self._errors)

    def add(self, key: Key, /, *parts: str | Hint, **values: Any) -> None:
        """Add a mistake at a key of the file."""
        self._remember(self.file.error(key, *parts, **values))

    @contextmanager
    def at(self, *key: str | int) -> Iterator[None]:
        """Collect an error raised in the block, with the line of the key if it has none, and skip the rest."""
        try:
            yield
        except PETWorksError as error:
            self._remember(error if error.where is not None else located_error(self.file, key, error))

    def _remember(self, error: PETWorksError) -> None:
        self._errors.setdefault(str(error), error)

    def report(self) -> None:
        """Raise if there are mistakes: the only one, or an error that lists them by line."""
        errors = sorted(self._errors.values(), key=_line)
        if len(errors) == 1:
            raise errors[0]
        if errors:
            parts: list[str | Hint] = []
            for error in errors[:MAX_ERRORS]:
                parts += ["\n" if parts else "", *error.before, *error.parts]
            more = len(errors) - MAX_ERRORS
            if more > 0:
                parts.append(_more_errors(more, at_least=self.there_are_more))
            raise InputError(*parts)


def _more_errors(number: int, *, at_least: bool) -> Phrase:
    if at_least:
        return Phrase("\nand at least {number} more errors", number=number)
    return Counted("\nand 1 more error", "\nand {n} more errors", n=number)


def _line(error: PETWorksError) -> int:
    return error.where.line if isinstance(error.where, Place) else 0


def located_error(file: YAMLFile, key: Key, error: PETWorksError) -> InputError:
    """The error with the file name, the line and the key added; hints become keys of the policy if possible."""
    parts = error.hinted(KEY_HINTS).parts
    return InputError(*parts, what=error.what, measure=error.measure, where=file.place(key))


def drop_keys(file: YAMLFile, wrong: list[Key]) -> YAMLFile:
    """A copy of the file without its wrong keys, so that the rest can be checked; wrong list items become None."""
    content: dict[str, Any] = dict(file.content)
    for key in wrong:
        if len(key) > 1 and key[0] in LISTS and isinstance(content.get(str(key[0])), list):
            items = list(content[str(key[0])])
            items[int(key[1])] = None
            content[str(key[0])] = items
        elif key:
            content.pop(str(key[0]), None)
    return replace(file, content=content)


def possible_rule_names(content: Mapping[str, Any]) -> set[str]:
    """All names that rules of the file may have, valid or not, so that waivers of them are accepted."""
    rules = content.get("rules") if isinstance(content.get("rules"), list) else []
    presets = content.get("presets") if isinstance(content.get("presets"), list) else []
    rule_names = [rule.get("name", rule.get("measure")) for rule in rules or () if isinstance(rule, Mapping)]
    return {str(name) for name in [*rule_names, *(presets or ())] if name is not None}


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
