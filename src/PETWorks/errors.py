"""Everything this package raises on purpose.

PETWorksError (a ValueError)
├── InputError         a table, a roles file or a file to write cannot be used
│   └── HierarchyError a generalisation hierarchy is malformed or does not fit the data
├── RoleError          the roles do not fit the columns, or a needed role is missing
├── ParameterError     a threshold or an option is unknown or out of range
└── NotApplicable      the measure has no meaning for this release; the text says why

Messages name columns, counts and line numbers; they never contain a cell of the user's data.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class PETWorksError(ValueError):
    """Base of all deliberate errors."""


class InputError(PETWorksError):
    """A table, a roles file or a file to write cannot be used."""


class HierarchyError(InputError):
    """A generalisation hierarchy is malformed or does not fit the data."""


class RoleError(PETWorksError):
    """The roles do not fit the columns, or a needed role is missing."""


class ParameterError(PETWorksError):
    """A threshold or an option is unknown or out of range."""


class NotApplicable(PETWorksError):  # noqa: N818 - it is an answer as much as an error
    """The measure has no meaning for this release."""


def quoted(names: Iterable[str], most: int = 12) -> str:
    """Names for a message: quoted, separated by commas, long ones and long lists cut."""
    shown = [repr(name if len(name) <= 60 else name[:57] + "...") for name in map(str, names)]
    more = [f"and {len(shown) - most} more"] if len(shown) > most else []
    return ", ".join(shown[:most] + more)


def unknown(what: str, name: str, known: Iterable[str]) -> ParameterError:
    """The error for a name that is not among the known ones, with the nearest of them."""
    names = list(known)
    by_folded = {known_name.casefold(): known_name for known_name in names}
    near = get_close_matches(name.casefold()[:100], by_folded, n=1, cutoff=0.5)
    hint = f"did you mean {by_folded[near[0]]!r}?" if near else f"known: {quoted(names, most=40)}"
    return ParameterError(f"no {what} is called {quoted([name])}; {hint}")


def printable(text: str) -> str:
    """A text that cannot steer a terminal: control characters become blanks."""
    return text if text.isprintable() else "".join(sign if sign.isprintable() else " " for sign in text)
