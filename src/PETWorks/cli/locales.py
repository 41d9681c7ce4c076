"""Which language the command speaks: as --lang says, or the environment."""

import locale
import os
import sys
from collections.abc import Mapping, Sequence

from PETWorks.errors import ParameterError
from PETWorks.render.language import checked_language
from PETWorks.render.languages import ENGLISH
from PETWorks.render.spoken import VARIABLE

OPTION = "--lang"
# The first one that is set decides, as for other programs.
VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
TRADITIONAL = ("hant", "tw", "hk", "mo")


def chosen_language(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> str:
    """The language of a command line. A spelling that nobody knows counts as none here; the command rejects it."""
    given = [environment.get(VARIABLE, ""), *_given(arguments)]
    for spelling in reversed([one for one in given if one]):
        try:
            return checked_language(spelling)
        except ParameterError:
            continue
    named = next((environment[name] for name in VARIABLES if environment.get(name)), None)
    return of_locale(_windows_locale() if named is None else named)


def is_chosen(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the user asked for a language, by the option or the variable of this program."""
    return bool(environment.get(VARIABLE) or _given(arguments))


def check_variable(environment: Mapping[str, str] = os.environ) -> None:
    """An error if the variable names a language that does not exist."""
    if environment.get(VARIABLE):
        try:
            checked_language(environment[VARIABLE])
        except ParameterError as error:
            error.where = VARIABLE
            raise


def of_locale(name: str) -> str:
    """The language for the name of a locale.

    Simplified Chinese is not taken for Traditional Chinese: there, 列 is a column, and 行 a row; in Taiwan it is the
    other way round, and a reader would get wrong what is said about a table.

    >>> [of_locale(name) for name in ("zh_TW.UTF-8", "zh_HK", "zh-Hant-CN", "zh")]
    ['zh-TW', 'zh-TW', 'zh-TW', 'zh-TW']
    >>> [of_locale(name) for name in ("zh_CN.UTF-8", "de_DE", "C.UTF-8", "POSIX", "")]
    ['en', 'en', 'en', 'en', 'en']
    """
    language, *parts = name.partition(".")[0].partition("@")[0].replace("-", "_").lower().split("_")
    return "zh-TW" if language == "zh" and (not parts or any(part in TRADITIONAL for part in parts)) else ENGLISH


def _given(arguments: Sequence[str]) -> list[str]:
    """What follows --lang, wherever it is: help and errors come before the arguments are understood."""
    given: list[str] = []
    for place, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument == OPTION:
            given += arguments[place + 1 : place + 2]
        elif argument.startswith(f"{OPTION}="):
            given.append(argument.removeprefix(f"{OPTION}="))
    return given


def _windows_locale() -> str:
    """The language of Windows, which has no variable for it; nothing elsewhere."""
    if sys.platform != "win32":
        return ""
    import ctypes

    return locale.windows_locale.get(ctypes.windll.kernel32.GetUserDefaultUILanguage(), "")
