"""Everything this package raises on purpose.

PETWorksError (a ValueError)
├── InputError         a table, a roles file or a file to write cannot be used
│   └── HierarchyError a generalisation hierarchy is malformed or does not fit the data
├── RoleError          the roles do not fit the columns, or a needed role is missing
├── ParameterError     a threshold or an option is unknown or out of range
└── NotApplicable      the measure has no meaning for this release; the text says why
    └── NeedNotMet     the measure needs something that the release does not have

Messages name columns, counts and line numbers; they never contain a cell of the user's data.
Code that handles an error reads its fields, never its text.
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from enum import StrEnum
from typing import ClassVar, Self


class Hint(StrEnum):
    """What the user could give or change. Each interface has its own words for it; `PYTHON` has those of Python."""

    IDENTIFIERS = "identifiers"
    QUASI_IDENTIFIERS = "quasi_identifiers"
    SENSITIVE_ATTRIBUTES = "sensitive_attributes"
    ORIGINAL = "original"
    POPULATION = "population"
    HIERARCHIES = "hierarchies"
    ENGINE_IN_MEMORY = "engine_in_memory"
    MEMORY_LIMIT = "memory_limit"
    TEMP_FOLDER = "temp_folder"
    ALL_SUBSETS = "all_subsets"
    RESUME = "resume"
    ROOT = "root"
    NETWORK = "network"
    CHECK_DOCUMENT = "check_document"
    INTERNAL_EDITION = "internal_edition"
    PLAN = "plan"
    NEW_COLUMNS = "new_columns"
    WORTH = "worth"
    RECIPIENTS = "recipients"
    REGISTER = "register"


PYTHON: Mapping[Hint, str] = {
    Hint.IDENTIFIERS: "roles=...",
    Hint.QUASI_IDENTIFIERS: "roles=...",
    Hint.SENSITIVE_ATTRIBUTES: "roles=...",
    Hint.ORIGINAL: "original=...",
    Hint.POPULATION: "population=...",
    Hint.HIERARCHIES: "hierarchies=...",
    Hint.ENGINE_IN_MEMORY: "engine='memory'",
    Hint.MEMORY_LIMIT: "memory_limit=...",
    Hint.TEMP_FOLDER: "temp_folder=...",
    Hint.ALL_SUBSETS: "sizes='all'",
    Hint.RESUME: "resume=True",
    Hint.ROOT: "root=...",
    Hint.NETWORK: "network=True",
    Hint.CHECK_DOCUMENT: "check(...).to_json()",
    Hint.INTERNAL_EDITION: "internal=...",
    Hint.PLAN: "anonymize(...).plan",
    Hint.NEW_COLUMNS: "roles=...",
    Hint.WORTH: "worth=...",
    Hint.RECIPIENTS: "recipients=...",
    Hint.REGISTER: "register(...)",
}


class PETWorksError(ValueError):
    """Base of all deliberate errors.

    parts     the text, with hints where they belong: `"needs the original table", Hint.ORIGINAL`
    what      the argument, the parameter or the key of a policy that is wrong; None if it is none of these
    measure   the measure that raised it; precedes the text
    where     the file, the line and the key where the mistake is; precedes everything else

    >>> print(NotApplicable("needs the original table", Hint.ORIGINAL, measure="delta-presence"))
    delta-presence: needs the original table (original=...)
    """

    usually_about: ClassVar[str | None] = None

    def __init__(
        self, *parts: str | Hint, what: str | None = None, measure: str | None = None, where: str | None = None
    ) -> None:
        super().__init__(*parts)
        self.parts = parts
        self.what = self.usually_about if what is None else what
        self.measure = measure
        self.where = where

    @property
    def message(self) -> str:
        """The text without place, measure and hints."""
        return self.reason({})

    @property
    def hints(self) -> tuple[Hint, ...]:
        """What the user could give or change."""
        return tuple(part for part in self.parts if isinstance(part, Hint))

    def reason(self, words: Mapping[Hint, str] = PYTHON) -> str:
        """The text without place and measure; hints that the interface has no words for are left out."""
        return "".join(part for part in self.hinted(words).parts if not isinstance(part, Hint))

    def worded(self, words: Mapping[Hint, str] = PYTHON) -> str:
        """The whole text; its hints in the words of an interface."""
        before = (part for part in (self.where, self.measure) if part is not None)
        return ": ".join([*before, self.reason(words)])

    def hinted(self, words: Mapping[Hint, str]) -> Self:
        """The same error, its hints in the words of an interface; hints that it has no words for stay."""
        parts = (f" ({words[part]})" if isinstance(part, Hint) and part in words else part for part in self.parts)
        return type(self)(*parts, what=self.what, measure=self.measure, where=self.where)

    def __str__(self) -> str:
        return self.worded()


class InputError(PETWorksError):
    """A table, a roles file or a file to write cannot be used."""


class HierarchyError(InputError):
    """A generalisation hierarchy is malformed or does not fit the data."""

    usually_about = "hierarchies"


class RoleError(PETWorksError):
    """The roles do not fit the columns, or a needed role is missing."""

    usually_about = "roles"


class ParameterError(PETWorksError):
    """A threshold or an option is unknown or out of range."""


class NotApplicable(PETWorksError):  # noqa: N818 - it is an answer as much as an error
    """The measure has no meaning for this release."""


class NeedNotMet(NotApplicable):
    """The measure needs something that the release does not have; the text says what, and nothing about the records."""


def quoted(names: Iterable[str], most: int = 12) -> str:
    """Names for a message: quoted, separated by commas, long ones and long lists cut."""
    shown = [repr(name if len(name) <= 60 else name[:57] + "...") for name in map(str, names)]
    more = [f"and {len(shown) - most} more"] if len(shown) > most else []
    return ", ".join(shown[:most] + more)


def unknown(kind: str, name: str, known: Iterable[str], what: str | None = None) -> ParameterError:
    """The error for a name that is not among the known ones, with the nearest of them."""
    names = list(known)
    by_folded = {known_name.casefold(): known_name for known_name in names}
    near = get_close_matches(name.casefold()[:100], by_folded, n=1, cutoff=0.5)
    hint = f"did you mean {by_folded[near[0]]!r}?" if near else f"known: {quoted(names, most=40)}"
    return ParameterError(f"no {kind} is called {quoted([name])}; {hint}", what=what)


def printable(text: str) -> str:
    """A text that cannot steer a terminal: control characters become blanks."""
    return text if text.isprintable() else "".join(sign if sign.isprintable() else " " for sign in text)
