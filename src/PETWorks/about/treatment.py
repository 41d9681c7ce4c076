"""The treatment of records and values: suppressed and incomplete records, and spellings of one sensitive value."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from PETWorks.about.hierarchies.dates import read_date
from PETWorks.errors import ParameterError
from PETWorks.tables.cells import INVISIBLE, SUPPRESSED, plain_number

APART, AS_CLASS, AS_VALUE = "apart", "class", "value"
ALONE, AS_QUASI_IDENTIFIERS = "alone", "quasi-identifiers"
EXACT, FOLDED = "exact", "folded"
REMOVE, STARS = SUPPRESSED_RECORDS = ("remove", "stars")  # whether suppressed records leave the table or stay with `*`
MEAN, MEDIAN, INTERVAL = SHOWN = ("mean", "median", "interval")  # what the records of a class show of a column
COLUMN_KEYS = ("privacy_unit", "sampling_weight", "household")  # statements about a table that name a column
TREATMENTS = {
    "missing": (AS_VALUE, APART),
    "suppressed": (APART, AS_CLASS),
    "several_sensitive": (ALONE, AS_QUASI_IDENTIFIERS),
    "sensitive_values": (EXACT, FOLDED),
}

# The treatment on which a decision to release is based, unless the user chooses another.
CAREFUL: Mapping[str, Any] = {"sensitive_values": FOLDED, "suppressed": AS_CLASS}


def check_treatment(given: Mapping[str, str | None]) -> dict[str, str | None]:
    """The treatment, if each choice is one there is; the first one where none is given."""
    for name, options in TREATMENTS.items():
        if given[name] not in (None, *options):
            raise ParameterError(
                "{name} is {usual!r} or {other!r}, got {given!r}",
                name=name,
                usual=options[0],
                other=options[1],
                given=given[name],
                what=name,
            )
    return {name: given[name] or options[0] for name, options in TREATMENTS.items()}


_INVISIBLE = re.compile(INVISIBLE)
_HIDDEN = ("Cc", "Cf")  # categories of control and format characters
# Texts that say only that a value is not known. Not those that may be values: na, none, no, other, not applicable, 無.
NOT_KNOWN = (
    *("n/a", "n / a", "#n/a", "n.a", "n. a", "nan", "null", "#null!", "unknown", "unknown value", "value unknown"),
    *("not known", "not available", "not stated", "unstated", "not recorded", "unrecorded", "not specified"),
    *("unspecified", "not filled in", "missing", "missing value", "value missing", "missing data", "data missing"),
    *("no data", "no data available", "data not available", "no information", "no information available"),
    *("information not available", "不詳", "不详", "資料不詳", "不明", "資料不明", "未知", "無資料", "无资料"),
    *("查無資料", "沒有資料", "未填", "未填寫", "未填写", "未填答", "缺值", "缺失值", "遺漏值", "空值", "未提供"),
    *("未記錄", "未紀錄", "未註明", "未載明", "拒答", "拒絕回答", "不願回答", "不便回答", "未回答", "未作答", "無回應"),
    *("保密", "未檢測", "未檢驗", "未測", "待查", "待補"),
    *("refused", "refused to answer", "declined", "declined to answer", "prefer not to say", "prefer not to answer"),
    *("no answer", "no response", "not answered", "not asked", "not tested", "not measured", "pending", "tbd", "tba"),
    *("to be determined", "unk", "withheld", "undisclosed", "see file"),
)
AROUND = " .()[]<>"  # what may stand around such a text
_NOT_KNOWN = frozenset(NOT_KNOWN)
_MISSING_OF_PANDAS = "<na>"  # although na may be a value


def visible_text(value: str | None) -> str | None:
    """A text without differences of spelling; None if nothing of it can be seen, or it is `*`.

    Compatible forms (full-width letters, ligatures) and upper and lower case are the same (Unicode's compatibility
    caseless matching), invisible characters are left out, and blanks are trimmed and collapsed.

    >>> [visible_text(text) for text in ("HIV", "\\uff28\\uff29\\uff36", "h\\u200biv", " Hiv\\u00a0", "\\u200b", "*")]
    ['hiv', 'hiv', 'hiv', 'hiv', None, None]
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


def is_legible(text: str | None) -> bool:
    """Whether a text has a letter or a digit that can be seen.

    >>> [is_legible(text) for text in ("the ward", ".", "\\u200b", None)]
    [True, False, False, False]
    """
    return any(sign.isalnum() for sign in visible_text(text) or "")


def fold_value(value: str | None) -> str | None:
    """A value without differences of spelling; None if it has no information.

    See `visible_text`; besides, equal numbers and equal days are the same, however they are written. Words that say
    only that the value is not known say nothing, nor do question marks alone.

    >>> [fold_value(text) for text in ("HIV", "N/A", "not_known", "(Unknown)", "???", "不詳", "NA", "none", "-")]
    ['hiv', None, None, None, None, None, 'na', 'none', '-']
    >>> [fold_value(text) for text in ("5437", "5,437.0", "５４３７", "114/4/26", "2025-04-26 00:00")]
    ['5437', '5437', '5437', '2025-04-26', '2025-04-26']
    >>> fold_value("2025-04-26 08:30")
    '2025-04-26 08:30'
    """
    text = _meaning(value)
    return None if text is None else in_one_notation(text)


def _meaning(value: str | None) -> str | None:
    text = visible_text(value)
    return None if text is None or _is_not_known(text) else text


_LONGEST = 60  # characters of a number or a date
_MAY_BE_NUMBER = re.compile(r"['+\-−.]*\d")
# Not digits alone, which may be an amount, nor years of two digits, which may be of either calendar.
_MAY_BE_DAY = re.compile(r"\D{0,5}\d{1,4} ?[-/.年] ?\d{1,2} ?[-/.月]")
_MIDNIGHT = re.compile(r"[ t]0?0:00(?::00(?:\.0+)?)?$")
_TIME = re.compile(r"[ t]\d?\d:")


def in_one_notation(text: str) -> str:
    """A visible text, of a number or a day in the one notation that stands for all.

    >>> [in_one_notation(text) for text in ("1,200.50", "'007", "民國114年4月26日", "2025.4.26", "20250426", "1/2/03")]
    ['1200.5', '7', '2025-04-26', '2025-04-26', '20250426', '1/2/03']
    """
    if len(text) > _LONGEST:
        return text
    if _MAY_BE_NUMBER.match(text):
        number = plain_number(text)
        if number is not None:
            return number
    if _MAY_BE_DAY.match(text):
        day = _MIDNIGHT.sub("", text)
        found = None if _TIME.search(day) else read_date(day)
        if found is not None and found[1] == "day":
            return found[0].isoformat()
    return text


def _is_not_known(text: str) -> bool:
    core = text.replace("_", " ").replace("-", " ").strip(AROUND)
    return core in _NOT_KNOWN or text == _MISSING_OF_PANDAS or (core != "" and core.strip("?") == "")


_WHOLE_NUMBER = re.compile(r"['#]?(\d{1,3}(?:,\d{3})+|\d+)(?:\.0+)?", re.ASCII)


def person_name(value: str | None) -> str | None:
    """A name or number of a person without differences of spelling, also those that spreadsheets make.

    >>> [person_name(text) for text in ("1001", "1001.0", "01001", "1,001", "'1001", "#1001", "P-7 ", "p-7", None)]
    ['1001', '1001', '1001', '1001', '1001', '1001', 'p-7', 'p-7', None]
    """
    text = _meaning(value)
    number = None if text is None else _WHOLE_NUMBER.fullmatch(text)
    return text if number is None else number[1].replace(",", "").lstrip("0") or "0"


def fold_values(values: Iterable[str | None]) -> Mapping[str | None, str | None] | None:
    """The mapping of values to their folded form; None if all stay as they are."""
    mapping = {value: fold_value(value) for value in values}
    return mapping if any(value != own for value, own in mapping.items()) else None
