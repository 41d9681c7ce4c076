"""The language in which the command speaks: chosen once, when it starts."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from PETWorks.errors import Phrase
from PETWorks.render.languages import ENGLISH, LANGUAGES

VARIABLE = "PETWORKS_LANG"  # of the environment: the language, unless an option says otherwise
_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


def language() -> str:
    """The code of the language; English unless a command has chosen another one."""
    return _language.get()


@contextmanager
def speaking(lang: str) -> Iterator[None]:
    """Within it, this is the language."""
    token = _language.set(lang)
    try:
        yield
    finally:
        _language.reset(token)


def in_language(english: str, lang: str | None = None) -> str:
    """A phrase in a language, by default that of the command; in English if the language lacks it.

    >>> in_language("Usage:", "zh-TW"), in_language("Usage:", "en"), in_language("Usage:")
    ('用法：', 'Usage:', 'Usage:')
    """
    code = language() if lang is None else lang
    return english if code == ENGLISH else LANGUAGES[code].help.get(english, english)


def translated(text: str, lang: str | None = None) -> str:
    """What an error or a warning says in a language, by default that of the command.

    Texts that are no phrases, such as those of a document, stay as they are.

    >>> translated(Phrase("no file matches {pattern!r}", pattern="*.csv"), "zh-TW")
    '沒有檔案符合「*.csv」'
    """
    code = language() if lang is None else lang
    return text.translated(LANGUAGES[code].messages) if isinstance(text, Phrase) and code != ENGLISH else str(text)
