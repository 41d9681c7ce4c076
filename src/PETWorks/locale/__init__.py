"""The languages: one folder each, with its translations and with what belongs to the language itself.

`zh_TW/LC_MESSAGES/petworks.po` has the translations into zh-TW, by their English; `zh_TW/language.json` has the name of
the language, its other spellings and its punctuation (the fields of `Language` and `Writing`). English is the language
of the source: it has no folder. Adding a language means adding its folder; what it lacks appears in English.

Packages contain the compiled `petworks.mo`, which the standard library reads. In a source tree, where the `.po` lies
beside it, it is compiled again whenever the `.po` is newer, if Babel is installed.
"""

import gettext
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

ENGLISH = "en"
FOLDER = Path(__file__).parent
VARIABLE = "PETWORKS_LOCALE"  # environment variable with a further folder of languages, for translators
DOMAIN = "petworks"
# Contexts of names, whose translation depends on what they are the name of. A text whose English has another meaning
# elsewhere has its id as its context.
MEASURE, PARAMETER, DETAIL, POLICY_COMMENT = "measure", "parameter", "detail", "policy comment"


class Writing(NamedTuple):
    """The rules by which a language writes lists, sentences, numbers and names; the defaults are those of English."""

    separator: str = ", "  # between the items of a list
    clauses: str = "; "
    sentences: str = " "
    percent: str = " %"
    names: tuple[str, str] = ("", "")  # before and after the name of a column
    quotes: tuple[str, str] = ("'", "'")
    quote_space: str = " "  # between a word and an opening quotation mark
    full_stop: str = "."
    colon: str = ":"
    is_: str = "is "  # before a number, and what replaces it and the sign of a bound
    is_about: str = "is ≈ "
    is_at_most: str = "is ≤ "
    is_above: str = "is > "


@dataclass(frozen=True)
class Language:
    """A language: its code, what its readers call it, and how to recognise that a user wants it."""

    code: str
    name: str
    folder: Path | None = None  # None for English
    aliases: tuple[str, ...] = ()  # other spellings of the code
    locales: tuple[str, ...] = ()  # languages of the names of locales: "zh" of zh_TW.UTF-8
    regions: tuple[str, ...] = ()  # regions and scripts of such names; any, if there are none here
    browsers: tuple[str, ...] = ()  # beginnings of the list of languages that a browser sends
    home: str = ""  # the country of most readers, as in the names of organisations: its thresholds come first
    writing: Writing = Writing()  # noqa: RUF009 - it cannot change

    @cached_property
    def catalogue(self) -> gettext.NullTranslations:
        """The translations; those of English are the texts themselves."""
        return gettext.NullTranslations() if self.folder is None else _read_catalogue(self.folder / "LC_MESSAGES")

    def text(self, english: str, context: str | None = None) -> str:
        """A text in this language; in English if there is no translation."""
        if not english:  # gettext has the header of the file under the empty text
            return english
        return self.catalogue.gettext(english) if context is None else self.catalogue.pgettext(context, english)

    def plural(self, one: str, many: str, number: int, context: str | None = None) -> str:
        """A text about a number of things, in the form that the number needs."""
        if context is None:
            return self.catalogue.ngettext(one, many, number)
        return self.catalogue.npgettext(context, one, many, number)

    def name_of(self, context: str, name: str) -> str | None:
        """The name of a measure, a parameter or a detail in this language; None if there is no translation.

        >>> LANGUAGES["zh-TW"].name_of("measure", "granularity"), LANGUAGES["en"].name_of("measure", "granularity")
        ('細緻度', None)
        """
        found = self.text(name, context)
        return None if found == name else found


class Languages(Mapping[str, Language]):
    """The languages by code, English first: it is the language of last resort. Files are read when asked for."""

    def __init__(self, folders: Sequence[Path]) -> None:
        found = {path.parent.name.replace("_", "-"): path for folder in folders for path in folder.glob("*/*.json")}
        self._files: dict[str, Path | None] = {ENGLISH: None, **dict(sorted(found.items()))}
        self._read: dict[str, Language] = {}

    def __getitem__(self, code: str) -> Language:
        if code not in self._read:
            self._read[code] = _read_language(code, self._files[code])
        return self._read[code]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __contains__(self, code: object) -> bool:
        return code in self._files


def _read_language(code: str, path: Path | None) -> Language:
    if path is None:
        return Language(code, "English", aliases=("english",), locales=(code,), browsers=(code,))
    content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    writing = Writing(**{key: _frozen(value) for key, value in content.pop("writing", {}).items()})
    language = code.partition("-")[0]
    known = {"locales": (language,), "browsers": (language,), **{key: _frozen(value) for key, value in content.items()}}
    return Language(code, folder=path.parent, writing=writing, **known)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _read_catalogue(folder: Path) -> gettext.NullTranslations:
    """The compiled translations of a folder; in a source tree they are compiled first if they are out of date."""
    source, compiled = folder / f"{DOMAIN}.po", folder / f"{DOMAIN}.mo"
    if source.exists() and (not compiled.exists() or compiled.stat().st_mtime_ns < source.stat().st_mtime_ns):
        content = compile_catalogue(source)
        if content is not None:
            return gettext.GNUTranslations(io.BytesIO(content))
    if not compiled.exists():
        return gettext.NullTranslations()
    with compiled.open("rb") as file:
        return gettext.GNUTranslations(file)


def compile_catalogue(source: Path) -> bytes | None:
    """Compile a `.po` file, and write the `.mo` file beside it where that is possible; None without Babel."""
    from datetime import UTC, datetime

    try:
        from babel.messages.mofile import write_mo
        from babel.messages.pofile import read_po
    except ImportError:
        return None
    with source.open("rb") as file:
        catalogue = read_po(file)
    catalogue.creation_date = datetime.fromtimestamp(0, UTC)  # not the present: the same source gives the same file
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    unfinished = source.with_suffix(f".mo.{os.getpid()}")
    try:
        unfinished.write_bytes(compiled.getvalue())
        unfinished.replace(source.with_suffix(".mo"))
    except OSError:  # a folder that cannot be written to
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return compiled.getvalue()


LANGUAGES = Languages([FOLDER, *map(Path, filter(None, [os.environ.get(VARIABLE)]))])
