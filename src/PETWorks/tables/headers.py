"""Whether the names of columns are names: without a header line, the first record would stand there."""

import re
from collections.abc import Iterable, Sequence

from PETWorks.errors import Phrase, quoted
from PETWorks.tables.cells import is_number
from PETWorks.tables.people import names_a_person
from PETWorks.tables.source import Source

LONGEST_NAME = 60
VALUES = {"male", "female", "true", "false", "null", "nan", "none", "男", "女", "男性", "女性"}

_NUMBERED = re.compile(r"[A-Za-z_]{1,3}\d{1,3}")  # as programs name columns: V10


def looks_like_data(name: str) -> bool:
    """Whether a name is rather a value: a number, a date, an address, an identity number, a person, a long text.

    >>> [looks_like_data(name) for name in ("35", "2020-01-31", "A123456789", "ann@example.org", "47*", "")]
    [True, True, True, True, True, True]
    >>> [looks_like_data(name) for name in ("age", "V10", "income 2020", "5-year survival", "No.", "血型")]
    [False, False, False, False, False, False]
    """
    signs = [sign for sign in name if sign.isalnum()]
    digits = sum(sign.isdigit() for sign in signs)
    return (
        not signs
        or len(name) > LONGEST_NAME
        or "*" in name
        or re.search(r"\S@\S+\.\S", name) is not None
        or name.casefold() in VALUES
        or is_number(name)
        or names_a_person(name)
        or (digits >= 2 and 2 * digits >= len(signs) and not _NUMBERED.fullmatch(name))
    )


def suspicious(source: Source) -> int:
    """How many of the names look like data, or are also values of their own column."""
    repeated: frozenset[str] = getattr(source, "repeated_names", frozenset())
    return sum(looks_like_data(name) or name in repeated for name in source.names)


def has_header_line(source: Source) -> bool:
    """Whether the names are cells of the first line, so that a record may stand there."""
    return source.encoding is not None or getattr(source, "has_header_row", False)


def columns_of(source: Source, columns: Sequence[str] | None = None) -> Phrase:
    """Some columns of a table, or all of them, for a message; how many there are if their names look like data."""
    shown = source.names if columns is None else columns
    return counted(source, len(shown)) if suspicious(source) else quoted(shown)


def counted(source: Source, number: int) -> Phrase:
    """So many columns, and why they are not named."""
    columns = Phrase("1 column") if number == 1 else Phrase("{number} columns", number=number)
    names = {"columns": columns, "strange": suspicious(source), "names": len(source.names)}
    if not has_header_line(source):
        return Phrase("{columns}; {strange} of {names} names look like data and are not shown", **names)
    return Phrase("{columns}; the first line looks like data ({strange} of {names} names); add a header", **names)


def repeated_names(names: Sequence[str], rows: Iterable[Sequence[str]]) -> frozenset[str]:
    """Names that are also values in their column."""
    return frozenset(
        name for row in rows for name, cell in zip(names, row, strict=False) if name and name == cell.strip()
    )
