"""The exceptions and warnings that this package raises deliberately.

PETWorksError (a ValueError)
├── InputError         a table, a roles file or a file to write cannot be used
│   └── HierarchyError a generalisation hierarchy is malformed or does not fit the data
├── RoleError          the roles do not fit the columns, or a needed role is missing
├── ParameterError     a threshold or an option is unknown or out of range
├── ReleaseRefused     a release does not pass its policy; the text lists the rules that fail
└── NotApplicable      the measure has no meaning for this release; the text gives the reason
    └── NeedNotMet     the measure needs something that the release does not have

ReleaseWarning (a UserWarning): a notice about a release that Python made, as the command prints it.

Messages name columns, counts and line numbers; they never contain a cell of the user's data.
Code that handles an error reads its fields, never its text.

A text is a `Phrase`: an English text that interfaces translate into the user's language.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from PETWorks.locale import Language


class Phrase(str):
    """A text in English that interfaces can translate: its template is the key of the translations in `locale/`.

    Values may be phrases themselves. Texts that are not phrases, such as names, are the same in all languages.

    >>> phrase = Phrase("{file}: the table has {records:,} records", file="people.csv", records=1200)
    >>> print(phrase)
    people.csv: the table has 1,200 records
    >>> from PETWorks.locale import LANGUAGES
    >>> Phrase("no file matches {pattern!r}", pattern="*.csv").translated(LANGUAGES["zh-TW"])
    '沒有檔案符合「*.csv」'
    """

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, Any]

    def __new__(cls, template: str, /, **values: Any) -> Self:
        """Create a phrase with its values filled in."""
        phrase = super().__new__(cls, template.format(**values))
        phrase.template, phrase.values = template, values
        return phrase

    def translated(self, language: "Language") -> str:
        """The text in a language; parts without a translation stay in English."""
        return self.template_in(language).format(
            **{name: _translate(value, language) for name, value in self.values.items()}
        )

    def template_in(self, language: "Language") -> str:
        """The template in a language."""
        return language.text(self.template)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle_phrase, (type(self), self.template, self.values)


class Joined(Phrase):
    """Several texts joined by a separator, which is translated, too.

    >>> from PETWorks.locale import LANGUAGES
    >>> Joined(", ", ["a", "b"]).translated(LANGUAGES["zh-TW"])
    'a、b'
    """

    __slots__ = ()

    def __new__(cls, separator: str, texts: Iterable[str]) -> Self:
        """Join the texts, with a separator between them."""
        parts = list(texts)
        joined = str.__new__(cls, separator.join(parts))
        joined.template, joined.values = separator, {"texts": parts}
        return joined

    def translated(self, language: "Language") -> str:
        """The texts and the separator, translated."""
        return self.template_in(language).join(_translate(part, language) for part in self.values["texts"])


class Counted(Phrase):
    """A text about a number of things, `n`: one template if there is one, another for any other number.

    >>> print(Counted("1 column", "{n} columns", n=1), Counted("1 column", "{n} columns", n=3))
    1 column 3 columns
    """

    __slots__ = ("forms",)
    forms: tuple[str, str]

    def __new__(cls, one: str, many: str, /, *, n: int, **values: Any) -> Self:
        """Create a phrase with its number and its other values filled in."""
        phrase = super().__new__(cls, one if n == 1 else many, n=n, **values)
        phrase.forms = (one, many)
        return phrase

    def template_in(self, language: "Language") -> str:
        """The template in a language, in the form that the number needs."""
        return language.plural(*self.forms, self.values["n"])

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle_counted, (self.forms, self.values)


def _unpickle_counted(forms: tuple[str, str], values: Mapping[str, Any]) -> Counted:
    """Recreate a counted phrase that was pickled."""
    return Counted(*forms, **values)


def _translate(value: Any, language: "Language") -> Any:
    if isinstance(value, Phrase):
        return value.translated(language)
    return printable(value) if isinstance(value, str) else value


def _unpickle_phrase(kind: type[Phrase], template: str, values: Mapping[str, Any]) -> Phrase:
    """Recreate a phrase that was pickled."""
    return kind(template, **values)


def literal(text: str) -> Phrase:
    """A phrase without values: braces in the text have no meaning."""
    return text if isinstance(text, Phrase) else Phrase(text.replace("{", "{{").replace("}", "}}"))


class Hint(StrEnum):
    """Something that the user could give or change. Each interface has its own words for it; `PYTHON` is Python's."""

    IDENTIFIERS = "identifiers"
    QUASI_IDENTIFIERS = "quasi_identifiers"
    SENSITIVE_ATTRIBUTES = "sensitive_attributes"
    ORIGINAL = "original"
    POPULATION = "population"
    SAMPLING_WEIGHT = "sampling_weight"
    HIERARCHIES = "hierarchies"
    ENGINE_IN_MEMORY = "engine_in_memory"
    ORDER = "order"
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
    CONTROL = "control"
    COMPARE_AT = "compare_at"


PYTHON: Mapping[Hint, str] = {
    Hint.IDENTIFIERS: "roles=...",
    Hint.QUASI_IDENTIFIERS: "roles=...",
    Hint.SENSITIVE_ATTRIBUTES: "roles=...",
    Hint.ORIGINAL: "original=...",
    Hint.POPULATION: "population=...",
    Hint.SAMPLING_WEIGHT: "sampling_weight=...",
    Hint.HIERARCHIES: "hierarchies=...",
    Hint.ENGINE_IN_MEMORY: "engine='memory'",
    Hint.ORDER: "order='original'",
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
    Hint.CONTROL: "control=...",
    Hint.COMPARE_AT: "compare_at=...",
}


def phrases(parts: Iterable[str | Hint], values: Mapping[str, Any]) -> Iterator[Phrase | Hint]:
    """The parts of a message, with values filled in; phrases and hints stay as they are."""
    for part in parts:
        if isinstance(part, Hint | Phrase):
            yield part
        else:
            yield Phrase(part, **values) if values else literal(part)


class PETWorksError(ValueError):
    """Base of all deliberate errors.

    parts     the text, with hints where they belong: `"needs the original table", Hint.ORIGINAL`
    values    the values of the {names} in the text; without any, braces have no meaning
    what      the argument, the parameter or the key of a policy that is wrong; None if it is none of these
    measure   the measure that raised it; precedes the text
    where     the file, the line and the key of the mistake; precedes everything else

    >>> print(InputError("{file}, line {line}: contains a NUL byte", file="people.csv", line=7))
    people.csv, line 7: contains a NUL byte
    >>> print(NotApplicable("needs the original table", Hint.ORIGINAL, measure="delta-presence"))
    delta-presence: needs the original table (original=...)
    """

    usually_about: ClassVar[str | None] = None

    def __init__(
        self,
        *parts: str | Hint,
        what: str | None = None,
        measure: str | None = None,
        where: str | None = None,
        **values: Any,
    ) -> None:
        self.parts = tuple(phrases(parts, values))
        super().__init__(*self.parts)
        self.what = self.usually_about if what is None else what
        self.measure = measure
        self.where = where

    @property
    def message(self) -> Phrase:
        """The text without place, measure and hints."""
        return self.reason({})

    @property
    def hints(self) -> tuple[Hint, ...]:
        """The things that the user could give or change."""
        return tuple(part for part in self.parts if isinstance(part, Hint))

    def reason(self, words: Mapping[Hint, str] = PYTHON) -> Phrase:
        """The text without place and measure; hints for which the interface has no words are left out."""
        return Joined("", [part for part in self.hinted(words).parts if not isinstance(part, Hint)])

    def worded(self, words: Mapping[Hint, str] = PYTHON) -> Phrase:
        """The whole text, with hints in the words of an interface."""
        return Joined("", [*self.before, self.reason(words)])

    @property
    def before(self) -> list[Phrase]:
        """The place and the measure, as far as they are known."""
        return [Phrase("{place}: ", place=prefix) for prefix in (self.where, self.measure) if prefix is not None]

    def hinted(self, words: Mapping[Hint, str]) -> Self:
        """A copy of the error with hints in the words of an interface; other hints stay."""
        parts = (
            Phrase(" ({hint})", hint=words[part]) if isinstance(part, Hint) and part in words else part
            for part in self.parts
        )
        return type(self)(*parts, what=self.what, measure=self.measure, where=self.where)

    def __str__(self) -> str:
        return str(self.worded())


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


class ReleaseWarning(UserWarning):
    """A notice about a release that `anonymize` or a similar function made; `result.notices` has the same texts."""


class ReleaseRefused(PETWorksError):  # noqa: N818 - an answer rather than an error
    """A release does not pass its policy."""


class NotApplicable(PETWorksError):  # noqa: N818 - an answer as much as an error
    """The measure has no meaning for this release."""


class NeedNotMet(NotApplicable):
    """The measure needs something that the release does not have; the text names it, and nothing about the records."""


def quoted(names: Iterable[str], most: int = 12) -> Phrase:
    """Names for a message: quoted and separated by commas; long names and long lists are shortened."""
    shortened = [name if len(name) <= 60 else name[:57] + "..." for name in map(str, names)]
    shown = [Phrase("{name!r}", name=name) for name in shortened[:most]]
    more = [Phrase("and {n} more", n=len(shortened) - most)] if len(shortened) > most else []
    return Joined(", ", shown + more)


def unknown(kind: str, name: str, known: Iterable[str], what: str | None = None) -> ParameterError:
    """The error for an unknown name, with the nearest known one."""
    names = list(known)
    by_folded = {known_name.casefold(): known_name for known_name in names}
    near = get_close_matches(name.casefold()[:100], by_folded, n=1, cutoff=0.5)
    if near:
        return ParameterError(
            "no {kind} is called {name}; did you mean {near!r}?",
            kind=literal(kind),
            name=quoted([name]),
            near=by_folded[near[0]],
            what=what,
        )
    return ParameterError(
        "no {kind} is called {name}; known: {known}",
        kind=literal(kind),
        name=quoted([name]),
        known=quoted(names, most=40),
        what=what,
    )


def of_system(error: OSError, name: Callable[[str], str] = str) -> Phrase:
    """The message of a system error; `name` shortens the path of the file."""
    reason = system_reason(error)
    if error.filename is None:
        return Phrase("cannot write the result: {reason}", reason=reason)
    return Phrase("cannot use {path!r}: {reason}", path=name(os.fsdecode(error.filename)), reason=reason)


def system_reason(error: BaseException) -> Phrase:
    """The reason of a system error, in the words of the system; common ones have translations."""
    return literal(getattr(error, "strerror", None) or "the system rejected it")


def printable(text: str) -> str:
    """A text that cannot control a terminal: control characters become spaces."""
    return text if text.isprintable() else "".join(character if character.isprintable() else " " for character in text)
