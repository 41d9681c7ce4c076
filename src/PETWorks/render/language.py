"""The texts of a report in English and Traditional Chinese, and how numbers and names stand in them."""

from collections.abc import Mapping
from typing import Any

from PETWorks.errors import ParameterError, printable, quoted
from PETWorks.measures.catalogue import find
from PETWorks.measures.result import shown
from PETWorks.render.chinese import CHINESE

LANGUAGES = ("en", "zh-TW")
LONGEST_NAME = 60
LONGEST_TEXT = 400
MOST_NAMES = 12
SIGNS = {"below": "<", "at_most": "≤", "at_least": "≥", "above": ">", "about": "≈"}


# What a threshold asks for; a parameter that is none has an equals sign.
_AT_LEAST = ("k", "l", "cell_size", "delta_min")
_AT_MOST = (
    *("t", "alpha", "beta", "delta", "delta_max", "average", "highest", "share", "at_risk", "excess"),
    *("highest-risk", "average-risk", "uniques", "inference"),
)
DIRECTIONS = {"at_least": "≥", "at_most": "≤"}
DIRECTIONS |= {label: f"{label} ≥" for label in _AT_LEAST} | {label: f"{label} ≤" for label in _AT_MOST}


def checked_language(lang: str) -> str:
    """The language as it is written here, or an error."""
    folded = {"en": "en", "english": "en", "zh-tw": "zh-TW", "zh": "zh-TW", "zh_tw": "zh-TW", "zh-hant": "zh-TW"}
    if not isinstance(lang, str) or lang.casefold() not in folded:
        raise ParameterError(f"lang is one of {quoted(LANGUAGES)}; got {quoted([lang])}")
    return folded[lang.casefold()]


def said(lang: str, english: str, **values: Any) -> str:
    """A text in a language, with values in it.

    >>> said("zh-TW", "and {n} more", n=3)
    '其餘 3 項'
    """
    text = english if lang == "en" else CHINESE[english]
    if not values:
        return text
    put_in = {key: own(value, lang) if isinstance(value, str) else put(value, lang) for key, value in values.items()}
    return text.format(**put_in)


def put(value: Any, lang: str) -> str:
    """A value of a document as a person reads it: bounds, names in a row, counts with separators."""
    if isinstance(value, Mapping):
        if "withheld" in value:
            return said(lang, f"withheld ({value['withheld']})")
        ((bound, number),) = value.items()
        return f"{SIGNS[bound]} {put(number, lang)}"
    if value is None or value == []:
        return said(lang, "none")
    if isinstance(value, bool):
        return said(lang, "yes" if value else "no")
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list | tuple):
        names = [put(one, lang) for one in value[:MOST_NAMES]]
        if len(value) > MOST_NAMES:
            names.append(said(lang, "and {n} more", n=len(value) - MOST_NAMES))
        return (", " if lang == "en" else "、").join(names)
    if isinstance(value, float):
        return f"{value:,.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"
    return name(str(value))


def own(text: Any, lang: str) -> str:
    """A text of the policy: in the language if it is there, otherwise as it is; cut where it is long.

    >>> own({"en": "a neighbour", "zh-TW": "鄰居"}, "zh-TW"), own("a colleague", "zh-TW")
    ('鄰居', 'a colleague')
    """
    if isinstance(text, Mapping):
        text = text.get(lang) or next(iter(text.values()))
    shown_text = printable(str(text))
    return shown_text if len(shown_text) <= LONGEST_TEXT else f"{shown_text[: LONGEST_TEXT - 12]}… [{len(text):,}]"


def percent(share: Any, lang: str = "en") -> str:
    """A share as per cent; never 0 % or 100 % for what is only near it."""
    if isinstance(share, Mapping):
        if "withheld" in share:
            return put(share, lang)
        ((bound, number),) = share.items()
        return f"{SIGNS[bound]} {percent(number, lang)}"
    if share is None:
        return ""
    sign = " %" if lang == "en" else "%"
    for digits in (1, 2, 3, 4):
        text = f"{100 * share:.{digits}f}".rstrip("0").rstrip(".")
        if text not in ("0", "100") or share in (0, 1):
            return f"{text}{sign}"
    return f"< 0.0001{sign}" if share < 0.5 else f"> 99.9999{sign}"


def name(text: str) -> str:
    """A name that somebody else chose: without control characters, and cut where it is long."""
    shown_name = printable(text)
    if len(shown_name) <= LONGEST_NAME:
        return shown_name
    return f"{shown_name[: LONGEST_NAME - 12]}… [{len(text):,}]"


def measure_name(measure: str, lang: str) -> str:
    """What a measure is called in a language."""
    if measure in ("every-subset", "no-direct-identifiers"):
        return said(lang, measure.replace("-", " "))
    return measure if lang == "en" else find(measure).chinese[0]


def measure_summary(measure: str, lang: str) -> str:
    """What a measure is, in a sentence."""
    entry = find(measure)
    return entry.summary if lang == "en" else entry.chinese[1]


def asked(parameters: Mapping[str, Any]) -> str:
    """The thresholds of a rule: `k = 11`."""
    given = {label: name(shown(value)) for label, value in parameters.items() if value is not None}
    return ", ".join(f"{DIRECTIONS.get(label, f'{name(label)} =')} {value}" for label, value in given.items())
