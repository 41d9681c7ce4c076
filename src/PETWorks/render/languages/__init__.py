"""The languages of the reports, the page and the command: each is one file, named after its code (zh_tw is zh-TW).

Adding a language means adding a file here. It has NAME (as its readers call it), ALIASES (other spellings of the
code), MEASURES (name and summary of each), PARAMETERS (name of each, and of the limits on every subset), DETAILS (keys
of the details of measures), HELP (by their English: help of the command, comments of a policy), MESSAGES (by their
English: errors and warnings, see `PETWorks.errors.Phrase`) and TEXTS (by message id). A text may have a second form for
one of something: the same id with `.one` at its end, which is taken where {n} is 1. `tests/render/test_languages.py`,
`tests/test_messages.py` and `tests/cli/test_help_languages.py` list what a file lacks.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

ENGLISH = "en"


@dataclass(frozen=True)
class Language:
    """The texts of one language."""

    code: str
    name: str
    aliases: tuple[str, ...]
    texts: Mapping[str, str]
    measures: Mapping[str, tuple[str, str]]
    parameters: Mapping[str, str]
    help: Mapping[str, str]
    details: Mapping[str, str]
    messages: Mapping[str, str]


class _Languages(Mapping[str, Language]):
    """By code, English first: it is the language of last resort. A file is read when its language is asked for."""

    def __init__(self) -> None:
        modules = {_code(module.name): module.name for module in iter_modules(__path__)}
        self._modules = dict(sorted(modules.items(), key=lambda one: (one[0] != ENGLISH, one[0])))

    def __getitem__(self, code: str) -> Language:
        return _read(code, self._modules[code])

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    def __contains__(self, code: object) -> bool:
        return code in self._modules


def _code(module: str) -> str:
    language, _, region = module.partition("_")
    return f"{language}-{region.upper()}" if region else language


@cache
def _read(code: str, name: str) -> Language:
    module = import_module(f"{__name__}.{name}")
    return Language(
        code,
        module.NAME,
        module.ALIASES,
        module.TEXTS,
        module.MEASURES,
        module.PARAMETERS,
        module.HELP,
        module.DETAILS,
        module.MESSAGES,
    )


LANGUAGES: Mapping[str, Language] = _Languages()
