"""A check as Markdown, short enough for a pull request."""

import html
import re
from collections.abc import Mapping
from typing import Any

from PETWorks.render import prose
from PETWorks.render.language import asked, checked_language, measure_name, name, own, put, said

BREAK = "\u200b"  # seen by nobody; entities and backslashes do not keep hosts from linking
SIGNS = {"pass": "✅", "waived": "⚠️", "fail": "❌"}


def markdown(document: Mapping[str, Any], lang: str) -> str:
    """The verdict, the rules as a table, and what to do next."""
    lang = checked_language(lang)
    headers = [said(lang, header) for header in ("rule", "measure", "found", "wanted", "verdict")]
    lines = [
        f"## {SIGNS[document['verdict']]} {_plain(_headline(document, lang))}",
        "",
        _plain(prose.summary(document, lang)),
        "",
        f"| {' | '.join(headers)} |",
        "|---|---|---:|---|---|",
    ]
    for rule in document["rules"]:
        verdict = f"{SIGNS[rule['verdict']]} {said(lang, rule['verdict'])}"
        if rule["waiver"]:
            waived = prose.waiver(rule["waiver"], lang)
            verdict = _plain(said(lang, "{verdict}: {title}", verdict=verdict, title=waived))
        found = (name(rule["name"]), measure_name(rule["measure"], lang), put(rule["value"], lang))
        lines.append(f"| {' | '.join(map(_plain, (*found, asked(rule['parameters']))))} | {verdict} |")
    steps = prose.steps(document, lang)
    if steps:
        lines += ["", f"### {said(lang, 'Residual risk and next steps')}", "", prose.residual(document, lang), ""]
        lines += [f"{place}. {_plain(step)}" for place, step in enumerate(steps, 1)]
    sums = [f"{document['policy']['file']} `{document['policy']['sha256'][:12]}`"]
    sums += [f"{one['file']} `{one['sha256'][:12]}`" for one in document["inputs"] if one["sha256"]]
    listed = "; ".join(_plain(text, "`") for text in sums)
    return "\n".join([*lines, "", f"<sub>PETWorks {document['petworks']}, {document['generated']}; {listed}</sub>", ""])


def _headline(document: Mapping[str, Any], lang: str) -> str:
    word, title = said(lang, document["verdict"]), own(document["title"], lang)
    return said(lang, "{verdict}: {title}", verdict=word, title=title)


def _plain(text: str, but: str = "") -> str:
    """A text that stands there as it is: nothing in it is markup, a link, or somebody's name."""
    signs = "".join(sign for sign in "\\`*_{}[]!|~$^" if sign not in but)
    escaped = re.sub(f"[{re.escape(signs)}]", lambda sign: f"\\{sign[0]}", html.escape(text, quote=False))
    escaped = re.sub(r"^(\s*)([-+]|\d+(?=[.)]))", r"\1\2" + BREAK, escaped)
    return re.sub(r"@|#|GH-|://|www\.|xmpp:|mailto:", lambda found: found[0][:1] + BREAK + found[0][1:], escaped)
