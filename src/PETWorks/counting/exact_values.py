"""Values so exact that whoever knows one finds its record: whatever has digits, and long texts.

Amounts, dates, times and coordinates have more spellings than anybody can list, and all of them have digits, or the
numerals of Chinese. So any text with a digit counts, whatever stands around it: a code too, since what matters is that
no other record has it. A Chinese numeral alone is a part of many words (`一般`), two of them hardly ever.

Patterns are texts that RE2 (PyArrow, DuckDB) and Java (Spark) read alike, so that engines count the same; they have no
quotation marks.
"""

from typing import TYPE_CHECKING

import numpy as np

from PETWorks.tables.arrays import arrow_integers

if TYPE_CHECKING:
    import pyarrow as pa

LONG_TEXT = 30  # characters; a longer text is hardly ever a category

_NUMERALS = "零一二兩两三四五六七八九十百千萬万億亿廿卅壹貳贰參叁肆伍陸陆柒捌玖拾佰仟"
_SEVERAL = f"[{_NUMERALS}][^{_NUMERALS}]*[{_NUMERALS}]"
_NO_WORD = rf"\A[^\p{{L}}]*[{_NUMERALS}][^\p{{L}}]*\z"
EXACT = rf"\p{{N}}|{_SEVERAL}|{_NO_WORD}"

# Texts that are an amount, a date, a time or a place as a whole: not a code that was given to a record.
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

_PATTERN = "|".join(f"(?:{one})" for one in (_AMOUNT, _RANGE, _TIME, *_DATE, _POINT, _DEGREES))
_WHOLE = rf"\A(?:{_PATTERN})\z"


def are_exact(texts: "pa.Array") -> "pa.Array":
    """For each text whether it has digits, or is long."""
    return _match_or_are_long(texts, EXACT)


def are_measured(texts: "pa.Array") -> "pa.Array":
    """For each text whether it is nothing but a number, a date, a time or coordinates in a usual spelling, or long."""
    return _match_or_are_long(texts, _WHOLE)


def _match_or_are_long(texts: "pa.Array", pattern: str) -> "pa.Array":
    from pyarrow import compute as pc

    longest = arrow_integers(np.array([LONG_TEXT]))[0]  # PyArrow would import pandas for a number of Python's
    return pc.or_(pc.match_substring_regex(texts, pattern), pc.greater(pc.utf8_length(texts), longest))
