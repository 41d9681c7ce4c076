"""A check as Markdown, short enough for a pull request."""

import html
import re
from collections.abc import Iterable, Sequence

from PETWorks.gate.document import CheckDocument
from PETWorks.render.language.language import (
    measure_name,
    message_text,
    policy_text,
    rule_name,
    thresholds,
    value_with_fraction,
)
from PETWorks.render.language.messages import parse_language
from PETWorks.render.report import other_releases, prose, sections
from PETWorks.render.report.prose import notices, step_texts
from PETWorks.render.report.sections import rule_rows

BREAK = "\u200b"  # invisible; entities and backslashes do not prevent automatic links on GitHub and GitLab
HEADINGS = ("rule", "measure", "found", "wanted", "verdict")
SIGNS = {"pass": "✅", "waived": "⚠️", "fail": "❌", "withheld": "➖"}


def markdown(document: CheckDocument, lang: str) -> str:
    """The verdict, the rules as a table, and the next steps."""
    lang = parse_language(lang)
    lines = [
        f"## {SIGNS[document.verdict]} {_plain(_headline(document, lang))}",
        "",
        _plain(prose.summary(document, lang)),
        "",
        *_paragraphs(notices(document, lang)),
        *_rules(document, lang),
    ]
    about_releases = other_releases.outcome(document, lang)
    if about_releases:
        lines += [*_heading("section.releases", lang), *map(_plain, about_releases)]
        for heads, rows in other_releases.short_tables(document, lang):
            lines += ["", *_table(heads, [map(_plain, row) for row in rows])]
    lost = [*sections.texts_of_document(document, lang), *prose.utility(document, lang)]
    if lost:
        lines += [*_heading("section.utility", lang), *_paragraphs(lost), *_losses(document, lang)]
    lines += [*_heading("head.residual", lang), prose.residual(document, lang)]
    steps = step_texts(document, lang)
    if steps:
        lines += ["", *(f"{place}. {_plain(step)}" for place, step in enumerate(steps, 1))]
    files = [(document.policy.file, document.policy.sha256), *((file.file, file.sha256) for file in document.inputs)]
    sums = [f"{file} `{sha256[:12]}`" for file, sha256 in files if sha256]
    listed = "; ".join(_plain(text, "`") for text in sums)
    return "\n".join([*lines, "", f"<sub>PETWorks {document.petworks}, {document.generated}; {listed}</sub>", ""])


def _heading(message: str, lang: str) -> list[str]:
    return ["", f"### {message_text(lang, message)}", ""]


def _paragraphs(texts: Iterable[str]) -> list[str]:
    return [line for text in texts for line in (_plain(text), "")]


def _table(heads: Sequence[str], rows: Iterable[Iterable[str]], figures: Sequence[int] = ()) -> list[str]:
    """A table of cells; the columns of `figures`, given by index, are aligned to the right."""
    rule = "|".join("---:" if index in figures else "---" for index in range(len(heads)))
    return [f"| {' | '.join(heads)} |", f"|{rule}|", *(f"| {' | '.join(row)} |" for row in rows)]


def _rules(document: CheckDocument, lang: str) -> list[str]:
    """The rules as a table; built-in rules that hold share one row."""
    listed, holding = rule_rows(document.rules, lang)
    rows = []
    for rule in listed:
        verdict = f"{SIGNS[rule.verdict]} {message_text(lang, 'verdict.' + rule.verdict)}"
        if rule.waiver:
            waived = prose.waiver(rule.waiver, lang)
            verdict = _plain(message_text(lang, "write.labelled", label=verdict, text=waived))
        names = (rule_name(rule.name, lang), measure_name(rule.measure, lang))
        rows.append([*map(_plain, (*names, value_with_fraction(rule, lang), thresholds(rule, lang))), verdict])
    if holding is not None:
        rows.append([*map(_plain, holding), "", "", f"{SIGNS['pass']} {message_text(lang, 'verdict.pass')}"])
    return _table([message_text(lang, f"head.{head}") for head in HEADINGS], rows, figures=[2])


def _losses(document: CheckDocument, lang: str) -> list[str]:
    """The columns with the largest loss since the original."""
    columns = sections.columns_with_loss(document)
    if not columns:
        return []
    heads = [message_text(lang, head) for head in sections.LOSSES]
    rows = (map(_plain, prose.loss(column, lang)) for column in columns[: sections.MAX_LOSSES])
    more = len(columns) - sections.MAX_LOSSES
    return [
        *_table(heads, rows, figures=range(1, len(heads))),
        *(["", message_text(lang, "word.more", n=more)] if more > 0 else []),
    ]


def _headline(document: CheckDocument, lang: str) -> str:
    verdict, title = message_text(lang, "verdict." + document.verdict), policy_text(document.title, lang)
    return message_text(lang, "write.labelled", label=verdict, text=title)


def _plain(text: str, but: str = "") -> str:
    """The text with markup, links and mentions escaped."""
    signs = "".join(sign for sign in "\\`*_{}[]!|~$^" if sign not in but)
    escaped = re.sub(f"[{re.escape(signs)}]", lambda sign: f"\\{sign[0]}", html.escape(text, quote=False))
    escaped = re.sub(r"^(\s*)([-+]|\d+(?=[.)]))", r"\1\2" + BREAK, escaped)
    return re.sub(r"@|#|GH-|://|www\.|xmpp:|mailto:", lambda start: start[0][:1] + BREAK + start[0][1:], escaped)
