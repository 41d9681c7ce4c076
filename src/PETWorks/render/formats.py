"""The formats of a check. A new one is a file with a function of the document and a language, and an entry here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PETWorks.gate.canonical import canonical
from PETWorks.gate.document import CheckFile

Write = Callable[[CheckFile, str], str]


@dataclass(frozen=True)
class Format:
    """A way to show a check: `--name FILE` writes it; `write` takes the document and a language."""

    name: str
    suffix: str
    help: str
    write: Write


def _json(document: CheckFile, _lang: str) -> str:
    return canonical(document.to_dict())


def _junit(document: CheckFile, _lang: str) -> str:
    from PETWorks.render.junit import junit

    return junit(document)


def _markdown(document: CheckFile, lang: str) -> str:
    from PETWorks.render.markdown import markdown

    return markdown(document, lang)


def _html(document: CheckFile, lang: str) -> str:
    from PETWorks.render.html import page

    return page(document, lang)


def _text(document: CheckFile, lang: str) -> str:
    from PETWorks.render.check_text import check_text

    return check_text(document, lang, colour=False, width=120)


TEXT = Format("text", ".txt", "Print the verdict and the rules as a table.", _text)  # what a terminal gets unasked
FILES: Mapping[str, Format] = {
    one.name: one
    for one in (
        Format("json", ".json", "Write everything as JSON; - prints it instead of the table.", _json),
        Format("junit", ".xml", "Write a test case for each rule.", _junit),
        Format("markdown", ".md", "Write a summary, as for a pull request.", _markdown),
        Format("html", ".html", "Write the report: one page in English and Chinese.", _html),
    )
}
