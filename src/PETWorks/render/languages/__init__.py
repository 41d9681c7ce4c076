"""The languages of the reports: each is one file with the texts by message id, and the measures by name.

Adding a language means adding a file here. It has CODE (as in HTML), NAME (as its readers call it), ALIASES (other
spellings of the code), MEASURES (name and summary of each), PARAMETERS (name of each, and of the limits on every
subset) and TEXTS. A text may have a second form for one of
something: the same id with `.one` at its end, which is taken where {n} is 1. `tests/render/test_languages.py` lists
what a file lacks.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules


@dataclass(frozen=True)
class Language:
    """The texts of one language."""

    code: str
    name: str
    aliases: tuple[str, ...]
    texts: Mapping[str, str]
    measures: Mapping[str, tuple[str, str]]
    parameters: Mapping[str, str]


def _read(module_name: str) -> Language:
    module = import_module(f"{__name__}.{module_name}")
    return Language(module.CODE, module.NAME, module.ALIASES, module.TEXTS, module.MEASURES, module.PARAMETERS)


def _all_languages() -> dict[str, Language]:
    """English first: it is the language of last resort."""
    languages = [_read(module.name) for module in iter_modules(__path__)]
    return {language.code: language for language in sorted(languages, key=lambda one: (one.code != "en", one.code))}


LANGUAGES: Mapping[str, Language] = _all_languages()
