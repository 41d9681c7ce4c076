"""Texts that a page contains in every language; its style sheet shows one of them."""

from collections.abc import Callable
from typing import Any

from PETWorks.render.language import said
from PETWorks.render.languages import ENGLISH, LANGUAGES


def in_all_languages(message: str, **values: Any) -> Any:
    """A message in every language."""
    return spoken(lambda lang: said(lang, message, **values))


def spoken(text: Callable[[str], str]) -> Any:
    """The text that a function returns for each language, each in a span; a single text if all are the same."""
    from markupsafe import Markup, escape

    texts = {lang: text(lang) for lang in LANGUAGES}
    if len(set(texts.values())) == 1:
        return escape(texts[ENGLISH])
    return Markup("").join(Markup('<span lang="{}">{}</span>').format(lang, texts[lang]) for lang in LANGUAGES)
