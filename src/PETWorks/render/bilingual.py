"""Texts that a page has in every language, of which its style shows one."""

from collections.abc import Callable
from typing import Any

from PETWorks.render.language import ENGLISH, said
from PETWorks.render.languages import LANGUAGES


def in_all_languages(message: str, **values: Any) -> Any:
    """A message in every language; the style of the page shows one of them."""
    return spoken(lambda lang: said(lang, message, **values))


def spoken(text: Callable[[str], str]) -> Any:
    """What a function says in each language, as marked-up spans; once if it says the same in all."""
    from markupsafe import Markup, escape

    texts = {lang: text(lang) for lang in LANGUAGES}
    if len(set(texts.values())) == 1:
        return escape(texts[ENGLISH])
    return Markup("").join(Markup('<span lang="{}">{}</span>').format(lang, texts[lang]) for lang in LANGUAGES)
