"""The texts of a report in a language, and how numbers and names are written in them."""

from collections.abc import Mapping, Sequence
from typing import Any

from PETWorks.errors import ParameterError, printable, quoted
from PETWorks.gate.policy import NO_IDENTIFIERS, SUBSETS
from PETWorks.measures import numbers
from PETWorks.measures.catalogue import catalogue, find
from PETWorks.render.languages import LANGUAGES

ENGLISH = "en"
LONGEST_NAME = 60
LONGEST_TEXT = 400
MOST_NAMES = 12
SIGNS = {"below": "<", "at_most": "≤", "at_least": "≥", "above": ">", "about": "≈"}
LIMIT_SIGNS = {"at least": "≥", "at most": "≤", None: "="}


def checked_language(lang: str) -> str:
    """The code of a language, whichever way it is spelled, or an error."""
    spellings = {
        spelling.casefold(): code
        for code, language in LANGUAGES.items()
        for spelling in (code, language.name, *language.aliases)
    }
    if not isinstance(lang, str) or lang.casefold() not in spellings:
        raise ParameterError(f"lang is one of {quoted(LANGUAGES)}; got {quoted([lang])}")
    return spellings[lang.casefold()]


def said(lang: str, message: str, **values: Any) -> str:
    """The text of a message in a language, with values in it; in English where the language lacks it.

    >>> said("en", "word.more", n=3), said("zh-TW", "word.more", n=3)
    ('and 3 more', '其餘 3 項')
    >>> said("en", "step.blur", rules=["k-anonymity"], columns=["age", "zip"])
    'Too many records can be distinguished (k-anonymity): generalise or remove age, zip.'
    """
    texts = LANGUAGES[lang].texts
    if values.get("n") == 1 and f"{message}.one" in texts:
        message = f"{message}.one"
    text = texts.get(message, LANGUAGES[ENGLISH].texts[message])
    return text.format(**{key: _put_in(key, value, lang) for key, value in values.items()}) if values else text


def _put_in(key: str, value: Any, lang: str) -> str:
    """A value of a text. Lists are names: of columns, of rules, or of something else, as the place is called."""
    if isinstance(value, str):
        return own(value, lang)
    if isinstance(value, list | tuple) and value:
        if key in ("column", "columns"):
            return listed([said(lang, "write.column", name=name(one)) for one in value], lang)
        if key == "rules":
            return listed([rule_name(one, lang) for one in value], lang)
    return put(value, lang)


def put(value: Any, lang: str) -> str:
    """A value of a document as a person reads it: bounds, names in a row, counts with separators."""
    if isinstance(value, Mapping):
        if "withheld" in value:
            return said(lang, f"withheld.{value['withheld']}")
        ((bound, number),) = value.items()
        return f"{SIGNS[bound]} {put(number, lang)}"
    if value is None or value == []:
        return said(lang, "word.none")
    if isinstance(value, bool):
        return said(lang, "word.yes" if value else "word.no")
    if isinstance(value, int):
        return numbers.count(value)
    if isinstance(value, list | tuple):
        return listed([put(one, lang) for one in value], lang)
    return numbers.amount(value) if isinstance(value, float) else name(str(value))


def listed(texts: Sequence[str], lang: str) -> str:
    """Some texts in a row; the rest is counted."""
    few = list(texts[:MOST_NAMES])
    if len(texts) > MOST_NAMES:
        few.append(said(lang, "word.more", n=len(texts) - MOST_NAMES))
    return said(lang, "write.separator").join(few)


def measured(result: Mapping[str, Any], lang: str) -> str:
    """The value of a result or a rule; with the exact fraction where the details have it, as only insiders' do."""
    exact = numbers.exact(_exact_value(result))
    text = put(result["value"], lang)
    return text if exact is None else said(lang, "write.exact", value=text, exact=exact)


def _exact_value(result: Mapping[str, Any]) -> Any:
    """The exact value of a result: of the attribute that it is the value of, where there are several."""
    details = result["details"]
    if "exact" in details:
        return details["exact"]
    rows = [row for row in details.get("attributes", {}).values() if "exact" in row]
    return next((row["exact"] for row in rows if result["value"] in row.values()), None)


def own(text: Any, lang: str) -> str:
    """A text of the policy: in the language if it has it, otherwise as it is; shortened if it is long.

    >>> own({"en": "a neighbour", "zh-TW": "鄰居"}, "zh-TW"), own("a colleague", "zh-TW")
    ('鄰居', 'a colleague')
    """
    if isinstance(text, Mapping):
        text = text.get(lang) or next(iter(text.values()))
    shown_text = printable(str(text))
    return shown_text if len(shown_text) <= LONGEST_TEXT else f"{shown_text[: LONGEST_TEXT - 12]}… [{len(text):,}]"


def percent(share: Any, lang: str = ENGLISH) -> str:
    """A share of a document as per cent."""
    if isinstance(share, Mapping):
        if "withheld" in share:
            return put(share, lang)
        ((bound, number),) = share.items()
        return f"{SIGNS[bound]} {percent(number, lang)}"
    return "" if share is None else numbers.percent(share, said(lang, "write.percent"))


def name(text: str) -> str:
    """A name that somebody else chose: without control characters, and shortened if it is long."""
    shown_name = printable(text)
    if len(shown_name) <= LONGEST_NAME:
        return shown_name
    return f"{shown_name[: LONGEST_NAME - 12]}… [{len(text):,}]"


def measure_name(measure: str, lang: str) -> str:
    """What a measure is called in a language."""
    if measure in (SUBSETS, NO_IDENTIFIERS):
        return said(lang, f"rule.{measure}")
    measure = find(measure).name
    return LANGUAGES[lang].measures.get(measure, (measure, ""))[0]


def measure_summary(measure: str, lang: str) -> str:
    """What a measure is, in a sentence."""
    entry = find(measure)
    return LANGUAGES[lang].measures.get(entry.name, ("", entry.summary))[1]


def rule_name(rule: str, lang: str) -> str:
    """What a rule is called: those that are named after a measure or a limit have a name in each language.

    >>> rule_name("every-subset: uniques", "zh-TW"), rule_name("pdpc-5", "zh-TW")
    ('所有準識別符組合：唯一資料列比例', 'pdpc-5')
    """
    if lang == ENGLISH:
        return name(rule)
    first, _, rest = rule.partition(": ")
    if rule in catalogue or rule == NO_IDENTIFIERS:
        return measure_name(rule, lang)
    if first == SUBSETS:
        return said(lang, "rule.every-subset-limit", limit=limit_name(rest, lang))
    if rest in catalogue:  # one of several rules of a preset
        return said(lang, "write.labelled", label=name(first), text=measure_name(rest, lang))
    return name(rule)


def limit_name(limit: str, lang: str) -> str:
    """What a parameter, or a limit on every subset, is called in a language."""
    kind, of, column = limit.partition(":")
    called = LANGUAGES[lang].parameters.get(kind, kind)
    if not of:
        return name(called)
    return name(limit) if called == kind else said(lang, "write.attack", attack=called, column=name(column))


def thresholds(rule: Mapping[str, Any], lang: str) -> str:
    """What a rule demands: `k ≥ 11`."""
    known = {} if rule["measure"] in (SUBSETS, NO_IDENTIFIERS) else find(rule["measure"]).parameters
    texts = []
    for label, value in rule["parameters"].items():
        if value is not None:
            sign = LIMIT_SIGNS[known[label].limit if label in known else "at most"]
            called = "" if label in ("at_least", "at_most") else limit_name(label, lang)
            number = put(value, lang) if isinstance(value, bool | int | float) else name(numbers.shown(value))
            texts.append(f"{called} {sign} {number}".strip())
    return said(lang, "write.separator").join(texts)


def preset_note(preset: Mapping[str, Any], lang: str) -> str:
    """What there is to know of a preset; its Chinese is in the file of presets."""
    return str(preset["chinese" if lang == "zh-TW" else "note"])
