"""Values so exact that whoever knows one finds its record: numbers, dates, times, coordinates, long texts.

The pattern is one text that RE2 (PyArrow, DuckDB) and Java (Spark) read alike, so that engines count the same;
it has no quotation marks.
"""

from typing import TYPE_CHECKING

import numpy as np

from PETWorks.tables.arrays import arrow_integers

if TYPE_CHECKING:
    import pyarrow as pa

LONG_TEXT = 30  # characters; a longer text is hardly ever a category

_NUMBER = r"[+\-−－]?(?:\p{Nd}[\p{Nd},.，．]*|[.．]\p{Nd}+)(?:[eE][+\-]?\p{Nd}+)?"
_AMOUNT = (
    r"[<>=≤≥~＜＞]{0,2} ?(?:(?:NT|US|HK)?[$€£¥＄￥] ?|[A-Z]{3} )?" + _NUMBER + r"(?:[%％‰元€kKM]| [A-Za-zµ°/]{1,8})?"
)
_RANGE = rf"[\[(]?{_NUMBER} ?(?:[,;~～至到–-]|to) ?{_NUMBER}[\])]?"
_CLOCK = r"\p{Nd}{1,2}(?::\p{Nd}{2}){1,2}(?:\.\p{Nd}+)?(?: ?[AaPp]\.?[Mm]\.?)?"
_TIME = rf"(?:(?:上午|下午|凌晨|晚上) ?)?(?:{_CLOCK}|\p{{Nd}}{{1,2}} ?[時点點](?: ?\p{{Nd}}{{1,2}} ?分)?)"
_AFTER_DATE = r"(?:[ T].{0,30})?"
_DATE = (
    r"(?:(?:中華)?民國 ?)?\p{Nd}{1,4} ?[-/.年] ?\p{Nd}{1,2}(?: ?[-/.月] ?(?:\p{Nd}{1,4} ?日?)?)?" + _AFTER_DATE,
    r"\p{Nd}{1,2}[ -][A-Za-z]{3,9}\.?[ ,-]{1,2}\p{Nd}{2,4}" + _AFTER_DATE,
    r"[A-Za-z]{3,9}\.? \p{Nd}{1,2},? \p{Nd}{4}" + _AFTER_DATE,
    r"\p{Nd}{4}-?[WQ]\p{Nd}{1,2}",
)
_MINUTES = r"(?: ?\p{Nd}{1,2}[\x27′])?(?: ?\p{Nd}{1,2}(?:\.\p{Nd}+)?[\x22″])?"
_DEGREES = r"[+\-−]?\p{Nd}{1,3}(?:[.．]\p{Nd}+)?(?:°" + _MINUTES + ")? ?[NSEWnsew]?"
_POINT = rf"(?:POINT ?)?[(\[]?{_DEGREES} ?[,;/ ] ?{_DEGREES}[)\]]?"

PATTERN = "|".join(f"(?:{one})" for one in (_AMOUNT, _RANGE, _TIME, *_DATE, _POINT, _DEGREES))
WHOLE = rf"\A(?:{PATTERN})\z"


def are_exact(texts: "pa.Array") -> "pa.Array":
    """For each text whether it is a number, a date, a time, coordinates, or long."""
    from pyarrow import compute as pc

    longest = arrow_integers(np.array([LONG_TEXT]))[0]  # PyArrow would import pandas for a number of Python's
    return pc.or_(pc.match_substring_regex(texts, WHOLE), pc.greater(pc.utf8_length(texts), longest))
