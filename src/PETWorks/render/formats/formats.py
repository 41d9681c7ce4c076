"""The formats of a check. To add one, write a module with a function of document and language, and an entry here."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PETWorks.gate.document import CheckFile


def dumps(result: Mapping[str, Any]) -> str:
    """The result as JSON with an indent of four spaces and unescaped text."""
    return json.dumps(result, indent=4, ensure_ascii=False, allow_nan=False)


Write = Callable[["CheckFile", str], str]


@dataclass(frozen=True)
class Format:
    """A format of a check: `--name FILE` writes it; `write` takes the document and a language."""

    name: str
    suffix: str
    help: str
    write: Write


def _json(document: "CheckFile", _lang: str) -> str:
    from PETWorks.gate.document import canonical_json

    return canonical_json(document.to_dict())


def _junit(document: "CheckFile", _lang: str) -> str:
    from PETWorks.render.formats.junit import junit

    return junit(document)


def _markdown(document: "CheckFile", lang: str) -> str:
    from PETWorks.render.formats.markdown import markdown

    return markdown(document, lang)


def _html(document: "CheckFile", lang: str) -> str:
    from PETWorks.render.formats.html import page

    return page(document, lang)


def _text(document: "CheckFile", lang: str) -> str:
    from PETWorks.render.text.check_text import check_text

    return check_text(document, lang, colour=False, width=120)


TEXT = Format("text", ".txt", "Print the verdict and the rules as a table.", _text)  # the default on a terminal
FILES: Mapping[str, Format] = {
    entry.name: entry
    for entry in (
        Format("json", ".json", "Write everything as JSON; - prints it instead of the table.", _json),
        Format("junit", ".xml", "Write a test case for each rule.", _junit),
        Format("markdown", ".md", "Write a summary, as for a pull request.", _markdown),
        Format("html", ".html", "Write the report: one page in English and Chinese.", _html),
    )
}
