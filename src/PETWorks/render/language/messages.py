"""The language of the user, and help and messages in it: what a command needs before it does anything."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from PETWorks.errors import ParameterError, Phrase, quoted
from PETWorks.locale import ENGLISH, LANGUAGES

VARIABLE = "PETWORKS_LANG"  # environment variable with the language, unless an option sets it
_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


def language() -> str:
    """The code of the current language; English unless a command has chosen another one."""
    return _language.get()


@contextmanager
def using_language(lang: str) -> Iterator[None]:
    """A context in which this is the current language."""
    token = _language.set(lang)
    try:
        yield
    finally:
        _language.reset(token)


def in_language(english: str, lang: str | None = None, context: str | None = None) -> str:
    """A text in a language, by default that of the command; in English if there is no translation.

    >>> in_language("Usage:", "zh-TW"), in_language("Usage:", "en"), in_language("Usage:")
    ('用法：', 'Usage:', 'Usage:')
    """
    return LANGUAGES[language() if lang is None else lang].text(english, context)


def translated(text: str, lang: str | None = None) -> str:
    """An error or a warning in a language, by default that of the command.

    Texts that are not phrases, such as those of a document, are returned unchanged.

    >>> translated(Phrase("no file matches {pattern!r}", pattern="*.csv"), "zh-TW")
    '沒有檔案符合「*.csv」'
    """
    code = language() if lang is None else lang
    return text.translated(LANGUAGES[code]) if isinstance(text, Phrase) and code != ENGLISH else str(text)


def parse_language(lang: str) -> str:
    """The code of a language from any of its spellings; raises if it is unknown."""
    if lang in LANGUAGES:
        return lang
    spellings = {
        spelling.casefold(): code
        for code, language in LANGUAGES.items()
        for spelling in (code, language.name, *language.aliases)
    }
    if not isinstance(lang, str) or lang.casefold() not in spellings:
        raise ParameterError("lang is one of {languages}; got {lang}", languages=quoted(LANGUAGES), lang=quoted([lang]))
    return spellings[lang.casefold()]


def chosen_language(lang: str | None) -> str:
    """The code of the requested language; by default that of PETWORKS_LANG, or English."""
    return parse_language(lang or os.environ.get(VARIABLE) or ENGLISH)
