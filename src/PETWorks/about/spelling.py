"""Which texts are the same value, however they are spelt: by this, diversity is one of meanings and not of letters."""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from PETWorks.tables.cells import SUPPRESSED

# What no reader sees: Unicode's default-ignorable characters that are no format character, and the empty Braille cell.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
_HIDDEN = ("Cc", "Cf")  # categories of control and format characters: zero-width ones, soft hyphen, direction marks


def folded(value: str | None) -> str | None:
    """A value without what is only spelling; None if nothing is said by it.

    Compatible forms (full-width letters, ligatures) and upper and lower case are the same (Unicode's compatibility
    caseless matching), invisible characters are left out, and blanks are trimmed and collapsed. A cell that is blank,
    or `*`, says nothing.

    >>> [folded(text) for text in ("HIV", "hiv", "\\uff28\\uff29\\uff36", "h\\u200biv", " Hiv\\u00a0", "\\u200b", "*")]
    ['hiv', 'hiv', 'hiv', 'hiv', 'hiv', None, None]
    """
    if value is None:
        return None
    text = value
    if not text.isascii():
        text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    if not text.isprintable():
        text = "".join(one for one in text if one.isspace() or unicodedata.category(one) not in _HIDDEN)
    if text.isascii():
        text = text.casefold()
    else:
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFD", text).casefold())
        text = unicodedata.normalize("NFKC", text.casefold())
    text = " ".join(text.split())
    return None if text in ("", SUPPRESSED) else text


def folding(values: Iterable[str | None]) -> Mapping[str | None, str | None] | None:
    """What each value becomes; None if all stay as they are."""
    mapping = {value: folded(value) for value in values}
    return mapping if any(value != own for value, own in mapping.items()) else None
