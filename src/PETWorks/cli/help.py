"""The language of the user, and help texts and click's own messages in it."""

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
from PETWorks.locale import ENGLISH, LANGUAGES, Writing
from PETWorks.render.language.messages import VARIABLE, in_language, language, parse_language, translated
from PETWorks.render.terminal import cells, lines_of

Translate = Callable[[str], str]

OPTION = "--lang"
# The first variable that is set decides, as in other programs.
LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
ERROR = "Error: {message}"  # the template of click
UNWRAPPED = "\b\n"  # the start of a paragraph that click does not wrap
LIST_ITEM = re.compile(r"(\s+\S+\s{2,})(.+)")  # a line of such a paragraph that has a name and a description
CLICK_MODULES = (click.core, click.decorators, click.exceptions, click.formatting, click.parser, click.types)


def command_language(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> str:
    """The language of a command line. An unknown spelling is ignored here; the command rejects it."""
    spellings = [environment.get(VARIABLE, ""), *_lang_arguments(arguments)]
    for spelling in reversed([spelling for spelling in spellings if spelling]):
        try:
            return parse_language(spelling)
        except ParameterError:
            continue
    locale_name = next((environment[name] for name in LOCALE_VARIABLES if environment.get(name)), None)
    return language_of_locale(_windows_locale() if locale_name is None else locale_name)


def is_language_chosen(arguments: Sequence[str]) -> bool:
    """Whether the user asked for a language, by the option or the variable of this program."""
    return bool(os.environ.get(VARIABLE) or _lang_arguments(arguments))


def check_language_variable() -> None:
    """Raise if the variable names an unknown language."""
    if os.environ.get(VARIABLE):
        try:
            parse_language(os.environ[VARIABLE])
        except ParameterError as error:
            error.where = VARIABLE
            raise


def language_of_locale(name: str) -> str:
    """The language for the name of a locale; English if none claims it.

    Simplified Chinese is not treated as Traditional Chinese: there, 列 is a column and 行 a row; in Taiwan it is the
    other way round, so that messages about tables would be misunderstood.

    >>> [language_of_locale(name) for name in ("zh_TW.UTF-8", "zh_HK", "zh-Hant-CN", "zh")]
    ['zh-TW', 'zh-TW', 'zh-TW', 'zh-TW']
    >>> [language_of_locale(name) for name in ("zh_CN.UTF-8", "de_DE", "C.UTF-8", "POSIX", "")]
    ['en', 'en', 'en', 'en', 'en']
    """
    code, *parts = name.partition(".")[0].partition("@")[0].replace("-", "_").lower().split("_")
    if code in ("", "c", "posix", ENGLISH):  # without reading the files of other languages
        return ENGLISH
    for lang, known in LANGUAGES.items():
        if code in known.locales and (not parts or not known.regions or set(parts) & set(known.regions)):
            return lang
    return ENGLISH


def _lang_arguments(arguments: Sequence[str]) -> list[str]:
    """The values of --lang, wherever it occurs: help and errors are printed before arguments are parsed."""
    values: list[str] = []
    for index, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument == OPTION:
            values += arguments[index + 1 : index + 2]
        elif argument.startswith(f"{OPTION}="):
            values.append(argument.removeprefix(f"{OPTION}="))
    return values


def _windows_locale() -> str:
    """The user interface language of Windows, which has no variable for it; empty on other systems."""
    if sys.platform != "win32":
        return ""
    import ctypes

    return locale.windows_locale.get(ctypes.windll.kernel32.GetUserDefaultUILanguage(), "")


def _check_language(_context: click.Context, _option: click.Parameter, value: str | None) -> None:
    if value is not None:
        try:
            parse_language(value)
        except ParameterError as error:
            raise click.BadParameter(translated(error.worded())) from None


def language_option() -> click.Option:
    """The option --lang of every command. Its value was already read by `command_language`."""
    return click.Option(
        ["--lang"],
        metavar="|".join(LANGUAGES),
        expose_value=False,
        callback=_check_language,
        help="The language of messages and help, and the first one of a report [default: that of the system].",
    )


def localise_command(command: click.Command, lang: str) -> click.Command:
    """A copy of a command with the option --lang, and with its help in that language."""
    localised = copy.copy(command)
    localised.help = cleandoc(command.help or "")
    localised.params = [*command.params, language_option()]
    if isinstance(localised, click.Group) and isinstance(command, click.Group):
        localised.commands = {name: localise_command(subcommand, lang) for name, subcommand in command.commands.items()}
    return localised if lang == ENGLISH else translate_command(localised, lambda english: in_language(english, lang))


def translate_command(command: click.Command, translate: Translate) -> click.Command:
    """A copy of a command with its help and that of its options translated."""
    translated = copy.copy(command)
    translated.context_class = WideContext
    translated.help = _translate_help(command.help or "", translate)
    translated.short_help = translated.help.partition("\n\n")[0].rstrip(current_writing().full_stop)
    translated.params = [_translate_option(option, translate) for option in command.params]
    translated.options_metavar = translate("[OPTIONS]")
    if isinstance(translated, click.Group):
        translated.subcommand_metavar = translate("COMMAND [ARGS]...")
    return translated


def _translate_option(option: click.Parameter, translate: Translate) -> click.Parameter:
    if isinstance(option, click.Argument) and not isinstance(option.type, click.Choice):
        argument = copy.copy(option)
        name = translate(option.metavar or str(option.name).upper())
        argument.metavar = name if option.required else f"[{name}]"
        return argument
    text = getattr(option, "help", None)
    if text is None:
        return option
    translated = copy.copy(option)
    setattr(translated, "help", translate(text))  # noqa: B010 - arguments have no help
    return translated


def _translate_help(text: str, translate: Translate) -> str:
    return "\n\n".join(_translate_paragraph(paragraph, translate) for paragraph in text.split("\n\n"))


def _translate_paragraph(text: str, translate: Translate) -> str:
    """Translate a paragraph, or the head and the descriptions of a list; examples stay as they are."""
    if not text.startswith(UNWRAPPED):
        return translate(" ".join(text.split()))
    head, *lines = text.removeprefix(UNWRAPPED).split("\n")
    items = (LIST_ITEM.fullmatch(line) for line in lines)
    translated_lines = [
        line if item is None else item[1] + translate(item[2]) for line, item in zip(lines, items, strict=True)
    ]
    return UNWRAPPED + "\n".join([translate(head), *translated_lines])


@contextmanager
def translating_click(lang: str) -> Iterator[None]:
    """A context in which click's own messages are translated; click would ask gettext, which needs compiled files."""
    if lang == ENGLISH:
        yield
        return

    def plural(one: str, more: str, number: int) -> str:
        return in_language(one if number == 1 else more, lang)  # they are two sentences, not forms of one

    def single(english: str) -> str:
        text = in_language(english, lang)
        return PunctuatedError(text) if english == ERROR else text

    functions: dict[str, Callable[..., str]] = {"_": single, "ngettext": plural}
    before = [
        (module, name, getattr(module, name)) for module in CLICK_MODULES for name in functions if hasattr(module, name)
    ]
    for module, name, _ in before:
        setattr(module, name, functions[name])
    try:
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)


class PunctuatedError(str):
    """An error template that replaces the punctuation of click by that of the language of the command.

    >>> from PETWorks.render.language.messages import using_language
    >>> with using_language("zh-TW"):
    ...     PunctuatedError("錯誤：{message}").format(message="缺少選項 '--key'. 可選： 'a', 'b'")
    '錯誤：缺少選項「--key」。可選：「a」、「b」'
    >>> PunctuatedError("{message}").format(message="Missing option '--key'. Choose from: 'a', 'b'")
    "Missing option '--key'. Choose from: 'a', 'b'"
    """

    __slots__ = ()

    def format(self, *arguments: object, **values: object) -> str:
        """The complete error message."""
        writing = current_writing()
        before, after = writing.quotes
        stop, colon = re.escape(writing.full_stop), re.escape(writing.colon)
        text = super().format(*arguments, **values)
        text = re.sub(r"( ?)'([^'\s]+)'", _requote(before, after, writing.quote_space), text)
        text = text.replace(f"{after},", f"{after}{writing.separator.rstrip()}")
        text = re.sub(rf"{after}\.(?!\w)", f"{after}{writing.full_stop}", text)
        return re.sub(rf"(?<={stop}|{colon}) ", writing.sentences, text)


def _requote(before: str, after: str, space: str) -> Callable[[re.Match[str]], str]:
    """A function that puts a match into other quotation marks; `space` replaces a blank before them."""
    return lambda found: f"{space if found[1] else ''}{before}{found[2]}{after}"


def current_writing() -> Writing:
    """The punctuation and other conventions of the language of the command."""
    return LANGUAGES[language()].writing


class WideFormatter(click.HelpFormatter):
    """Help with characters that are two cells wide, and after which a line may break: click counts characters."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the usage line, with the colon of the language."""
        super().write_usage(prog, args, in_language("Usage:") if prefix is None else prefix)

    def write_heading(self, heading: str) -> None:
        """Write a heading, with the colon of the language."""
        self.write(f"{'':>{self.current_indent}}{heading}{current_writing().colon}\n")

    def write_text(self, text: str) -> None:
        """Write paragraphs."""
        width = self.width - self.current_indent
        super().write_text("\n\n".join(_wrap(paragraph, width) for paragraph in text.split("\n\n")))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write names and their descriptions."""
        rows = list(rows)
        names = min(max((cells(name) for name, _ in rows), default=0), col_max) + col_spacing
        width = max(self.width - names - 2, 10)
        super().write_dl([(name, _wrap(text, width)) for name, text in rows], col_max, col_spacing)


class WideContext(click.Context):
    """A context whose help has wide characters."""

    formatter_class = WideFormatter


def _wrap(text: str, width: int) -> str:
    """Wrap a paragraph to a width, marked so that click leaves it alone."""
    return text if text.startswith(UNWRAPPED) else UNWRAPPED + "\n".join(lines_of(text, width))
