"""The register of releases, as a table for a terminal."""

from collections.abc import Sequence

from rich.text import Text

from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.gate.register_document import Entry
from PETWorks.render.check_text import verdict_word
from PETWorks.render.language import listed, name, own, said
from PETWorks.render.text import new_table, rendered


def register_text(entries: Sequence[Entry], *, lang: str, colour: bool, width: int) -> str:
    """Each release with who has it, and the columns that may link it with others."""
    table = new_table(*(said(lang, head) for head in HEADS))
    for entry in entries:
        columns = [listed([name(one) for one in entry.with_role(role)], lang) for role in ROLES]
        recipients = "" if entry.recipients is None else own(entry.recipients, lang)
        cells = (entry.date, own(entry.title, lang), recipients, name(entry.key or "-"), *columns)
        verdict = verdict_word(entry.verdict, lang)
        table.add_row(*map(Text, cells), verdict, Text((entry.sha256 or "-")[:12]))
    return rendered([table], colour=colour, width=width)


ROLES = (QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE)
HEADS = (
    *("head.date", "head.release", "head.recipients", "register.key", "register.known", "register.sensitive"),
    *("head.verdict", "register.digest"),
)
