"""Texts that a page has in both languages, of which its style shows one."""

from typing import Any

from PETWorks.render.language import LANGUAGES, said


def both(english: str, **values: Any) -> Any:
    """A text in both languages; the style of the page shows one of them."""
    return spoken(lambda lang: said(lang, english, **values))


def spoken(text: Any) -> Any:
    """What a function says in each language, as marked-up spans; once if it says the same."""
    from markupsafe import Markup, escape

    texts = {lang: text(lang) for lang in LANGUAGES}
    if len(set(texts.values())) == 1:
        return escape(texts["en"])
    return Markup("").join(Markup('<span lang="{}">{}</span>').format(lang, texts[lang]) for lang in LANGUAGES)
