"""What is wrong in a policy file: all of it is gathered, and reported at once, by line."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from PETWorks.errors import Hint, InputError, PETWorksError, Phrase
from PETWorks.tables.yaml_files import Key, Place, YAMLFile

MOST_ERRORS = 10
LISTS = ("rules", "waivers", "presets")  # whose items are judged one by one
# How a policy names what an error hints at.
KEY_HINTS = {
    Hint.IDENTIFIERS: "roles.identifiers:",
    Hint.QUASI_IDENTIFIERS: "roles.quasi_identifiers:",
    Hint.SENSITIVE_ATTRIBUTES: "roles.sensitive_attributes:",
    Hint.ORIGINAL: "original:",
    Hint.POPULATION: "population:",
    Hint.HIERARCHIES: "hierarchies:",
    Hint.ORDER: "order: original",
    Hint.ALL_SUBSETS: "subsets.sizes: all",
    Hint.WORTH: "releases.worth:",
}


class Mistakes:
    """The mistakes in a file."""

    def __init__(self, file: YAMLFile) -> None:
        self.file = file
        self._errors: dict[str, PETWorksError] = {}  # by text: some mistakes are noticed twice
        self.there_are_more = False  # than those that were added

    def __bool__(self) -> bool:
        return bool(self._errors)

    def add(self, key: Key, /, *parts: str | Hint, **values: Any) -> None:
        """Remember a mistake."""
        self._remember(self.file.error(key, *parts, **values))

    @contextmanager
    def at(self, *key: str | int) -> Iterator[None]:
        """Errors within are remembered, with the line of the key if they have none; what follows them is skipped."""
        try:
            yield
        except PETWorksError as error:
            self._remember(error if error.where is not None else located_error(self.file, key, error))

    def _remember(self, error: PETWorksError) -> None:
        self._errors.setdefault(str(error), error)

    def report(self) -> None:
        """Raise an error if there are mistakes: the only one, or one that lists them by line."""
        errors = sorted(self._errors.values(), key=_line)
        if len(errors) == 1:
            raise errors[0]
        if errors:
            parts: list[str | Hint] = []
            for error in errors[:MOST_ERRORS]:
                parts += ["\n" if parts else "", *error.before, *error.parts]
            more = len(errors) - MOST_ERRORS
            if more > 0:
                parts.append(_more_errors(more, at_least=self.there_are_more))
            raise InputError(*parts)


def _more_errors(number: int, *, at_least: bool) -> Phrase:
    if at_least:
        return Phrase("\nand at least {number} more errors", number=number)
    return Phrase("\nand 1 more error") if number == 1 else Phrase("\nand {number} more errors", number=number)


def _line(error: PETWorksError) -> int:
    return error.where.line if isinstance(error.where, Place) else 0


def located_error(file: YAMLFile, key: Key, error: PETWorksError) -> InputError:
    """The same error with the name of the file, the line and the key; its hints name keys where there are any."""
    parts = error.hinted(KEY_HINTS).parts
    return InputError(*parts, what=error.what, measure=error.measure, where=file.place(key))


def without(file: YAMLFile, wrong: list[Key]) -> YAMLFile:
    """A file without what is wrong in it, so that the rest can be judged: keys are gone, items of lists are None."""
    content: dict[str, Any] = dict(file.content)
    for key in wrong:
        if len(key) > 1 and key[0] in LISTS and isinstance(content.get(str(key[0])), list):
            items = list(content[str(key[0])])
            items[int(key[1])] = None
            content[str(key[0])] = items
        elif key:
            content.pop(str(key[0]), None)
    return replace(file, content=content)


def raw_names(content: Mapping[str, Any]) -> set[str]:
    """What the rules of a file may be called, whether or not they are right: waivers that name them are."""
    rules = content.get("rules") if isinstance(content.get("rules"), list) else []
    presets = content.get("presets") if isinstance(content.get("presets"), list) else []
    named = [rule.get("name", rule.get("measure")) for rule in rules or () if isinstance(rule, Mapping)]
    return {str(name) for name in [*named, *(presets or ())] if name is not None}
