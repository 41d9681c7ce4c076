"""Help and click's own words in the language of the user, and which language that is."""

import copy
import locale
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import cleandoc

import click
import click.core
import click.decorators
import click.exceptions
import click.formatting
import click.parser
import click.types

from PETWorks.errors import ParameterError
from PETWorks.render.language.language import VARIABLE, checked_language, in_language, translated
from PETWorks.render.languages import ENGLISH, LANGUAGES
from PETWorks.render.terminal import cells, lines_of

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


Translate = Callable[[str], str]

ERROR = "Error: {message}"  # how click introduces one
UNWRAPPED = "\b\n"  # what begins a paragraph that click does not wrap
DESCRIBED = re.compile(r"(\s+\S+\s{2,})(.+)")  # a line of such a paragraph that has a name and a description
OF_CLICK = (click.core, click.decorators, click.exceptions, click.formatting, click.parser, click.types)


def _checked(_context: click.Context, _option: click.Parameter, given: str | None) -> None:
    if given is not None:
        try:
            checked_language(given)
        except ParameterError as error:
            raise click.BadParameter(translated(error.worded())) from None


def language_option() -> click.Option:
    """The option that every command has. What it says was read before: see `PETWorks.cli.help`."""
    return click.Option(
        ["--lang"],
        metavar="|".join(LANGUAGES),
        expose_value=False,
        callback=_checked,
        help="The language of messages and help, and the first one of a report [default: that of the system].",
    )


def spoken_command(command: click.Command, lang: str) -> click.Command:
    """A copy of a command with the option for the language, its help in that language."""
    spoken = copy.copy(command)
    spoken.help = cleandoc(command.help or "")
    spoken.params = [*command.params, language_option()]
    if isinstance(spoken, click.Group) and isinstance(command, click.Group):
        spoken.commands = {name: spoken_command(one, lang) for name, one in command.commands.items()}
    return spoken if lang == ENGLISH else translated_command(spoken, lambda english: in_language(english, lang))


def translated_command(command: click.Command, translate: Translate) -> click.Command:
    """A copy of a command with its help and that of its options translated."""
    translated = copy.copy(command)
    translated.context_class = WideContext
    translated.help = _paragraphs(command.help or "", translate)
    translated.short_help = translated.help.partition("\n\n")[0].rstrip("。")
    translated.params = [_translated_option(one, translate) for one in command.params]
    translated.options_metavar = translate("[OPTIONS]")
    if isinstance(translated, click.Group):
        translated.subcommand_metavar = translate("COMMAND [ARGS]...")
    return translated


def _translated_option(option: click.Parameter, translate: Translate) -> click.Parameter:
    if isinstance(option, click.Argument) and not isinstance(option.type, click.Choice):
        argument = copy.copy(option)
        called = translate(option.metavar or str(option.name).upper())
        argument.metavar = called if option.required else f"[{called}]"
        return argument
    text = getattr(option, "help", None)
    if text is None:
        return option
    translated = copy.copy(option)
    setattr(translated, "help", translate(text))  # noqa: B010 - arguments have none
    return translated


def _paragraphs(text: str, translate: Translate) -> str:
    return "\n\n".join(_paragraph(one, translate) for one in text.split("\n\n"))


def _paragraph(text: str, translate: Translate) -> str:
    """A paragraph, or a list whose head and descriptions are translated; examples are what one types."""
    if not text.startswith(UNWRAPPED):
        return translate(" ".join(text.split()))
    head, *lines = text.removeprefix(UNWRAPPED).split("\n")
    described = (DESCRIBED.fullmatch(line) for line in lines)
    listed = [
        line if found is None else found[1] + translate(found[2]) for line, found in zip(lines, described, strict=True)
    ]
    return UNWRAPPED + "\n".join([translate(head), *listed])


@contextmanager
def words_of_click(lang: str) -> Iterator[None]:
    """Within it, click's own words are in a language: it asks gettext for them, which would need compiled files."""
    if lang == ENGLISH:
        yield
        return

    def several(one: str, more: str, number: int) -> str:
        return in_language(one if number == 1 else more, lang)

    def one(english: str) -> str:
        text = in_language(english, lang)
        return WideError(text) if english == ERROR else text

    ours: dict[str, Callable[..., str]] = {"_": one, "ngettext": several}
    before = [(module, name, getattr(module, name)) for module in OF_CLICK for name in ours if hasattr(module, name)]
    for module, name, _ in before:
        setattr(module, name, ours[name])
    try:
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)


class WideError(str):
    """What introduces an error: click puts signs of English between the words, which become as wide as those.

    >>> WideError("錯誤：{message}").format(message="缺少選項 '--key'. 可選： 'a', 'b'")
    '錯誤：缺少選項「--key」。可選：「a」、「b」'
    """

    __slots__ = ()

    def format(self, *given: object, **values: object) -> str:
        """The whole error."""
        text = re.sub(r" ?'([^'\s]+)'", r"「\1」", super().format(*given, **values))
        text = re.sub(r"」\.(?!\w)", "」。", text.replace("」,", "」、"))
        return re.sub(r"(?<=[。：]) ", "", text)


class WideFormatter(click.HelpFormatter):
    """Help with characters that are two cells wide, and that a line may end after: click counts characters."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """How the command is called; its colon is wide enough."""
        super().write_usage(prog, args, in_language("Usage:") if prefix is None else prefix)

    def write_heading(self, heading: str) -> None:
        """A heading, with a colon as wide as the characters."""
        self.write(f"{'':>{self.current_indent}}{heading}：\n")

    def write_text(self, text: str) -> None:
        """Paragraphs."""
        width = self.width - self.current_indent
        super().write_text("\n\n".join(_wrapped(one, width) for one in text.split("\n\n")))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Names and what they mean."""
        rows = list(rows)
        names = min(max((cells(name) for name, _ in rows), default=0), col_max) + col_spacing
        width = max(self.width - names - 2, 10)
        super().write_dl([(name, _wrapped(text, width)) for name, text in rows], col_max, col_spacing)


class WideContext(click.Context):
    """A command whose help has wide characters."""

    formatter_class = WideFormatter


def _wrapped(text: str, width: int) -> str:
    """A paragraph whose lines are at most so wide, for click to leave alone."""
    return text if text.startswith(UNWRAPPED) else UNWRAPPED + "\n".join(lines_of(text, width))
