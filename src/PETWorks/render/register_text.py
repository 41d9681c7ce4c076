"""The register of releases, as a table for a terminal."""

from collections.abc import Sequence

from rich.text import Text

from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.gate.register_document import Entry
from PETWorks.render.check_text import verdict_word
from PETWorks.render.language import listed, name, own
from PETWorks.render.languages import ENGLISH
from PETWorks.render.text import new_table, rendered


def register_text(entries: Sequence[Entry], *, colour: bool, width: int) -> str:
    """Each release with who has it, and the columns that may link it with others."""
    table = new_table("date", "release", "recipients", "key", "quasi-identifiers", "sensitive", "verdict", "SHA-256")
    for entry in entries:
        columns = [listed([name(one) for one in entry.with_role(role)], ENGLISH) for role in ROLES]
        recipients = "" if entry.recipients is None else own(entry.recipients, ENGLISH)
        cells = (entry.date, own(entry.title, ENGLISH), recipients, name(entry.key or "-"), *columns)
        verdict = verdict_word(entry.verdict, ENGLISH)
        table.add_row(*map(Text, cells), verdict, Text((entry.sha256 or "-")[:12]))
    return rendered([table], colour=colour, width=width)


ROLES = (QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE)
