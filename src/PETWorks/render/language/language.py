"""The texts of reports and pages in each language, and how numbers and names are written in them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from PETWorks.errors import printable
from PETWorks.gate.policy.policy_rules import (
    ALL_RELEASES,
    BUILT_IN_RULES,
    NO_DIFFERENCES,
    RECORDS_LEFT,
    SUBSETS,
    WHOLE_FILE,
)
from PETWorks.json_types import Bound, Number
from PETWorks.locale import ENGLISH, LANGUAGES, MEASURE, PARAMETER
from PETWorks.measures import numbers
from PETWorks.measures.catalogue import catalogue, find_measure
from PETWorks.render.language.texts import TEXTS, Homonym, Plural

if TYPE_CHECKING:
    from PETWorks.gate.document import MeasureResult, PresetFacts, Regime, RuleResult
    from PETWorks.json_types import MultilingualText


def in_all_languages(message: str, **values: Any) -> Any:
    """A message in every language."""
    return in_spans(lambda lang: message_text(lang, message, **values))


def in_spans(text: Callable[[str], str]) -> Any:
    """The text of a function in each language, each in a span; a single text if all are equal."""
    from markupsafe import Markup, escape

    texts = {lang: text(lang) for lang in LANGUAGES}
    if len(set(texts.values())) == 1:
        return escape(texts[ENGLISH])
    return Markup("").join(Markup('<span lang="{}">{}</span>').format(lang, texts[lang]) for lang in LANGUAGES)


MANY = 100  # decides the plural for a number that is only known by a bound
LONGEST_NAME = 60  # characters
LONGEST_TEXT = 400  # characters
MAX_NAMES = 12
SIGNS = {"below": "<", "at_most": "≤", "at_least": "≥", "above": ">", "about": "≈"}
LIMIT_SIGNS = {"at least": "≥", "at most": "≤", None: "="}


_shortens: ContextVar[bool] = ContextVar("shortens", default=True)


@contextmanager
def without_shortening() -> Iterator[None]:
    """A context in which names, texts and lists are not shortened."""
    token = _shortens.set(False)
    try:
        yield
    finally:
        _shortens.reset(token)


def message_text(lang: str, message: str, **values: Any) -> str:
    """The text of a message in a language with its values filled in; in English if there is no translation.

    >>> message_text("en", "word.more", n=3), message_text("zh-TW", "word.more", n=3)
    ('and 3 more', '其餘 3 項')
    >>> message_text("en", "step.blur", rules=["k-anonymity"], columns=["age", "zip"])
    'Too many records can be told apart (k-anonymity): make age, zip coarser, or leave a column out.'
    """
    text = _template(lang, message, values.get("n"))
    if not values:
        return text
    filled = text.format(**{key: _fill_in(key, value, lang) for key, value in values.items()})
    writing = LANGUAGES[lang].writing  # a language may have a word for the sign of a bound
    filled = filled.replace(f"{writing.is_}{SIGNS['about']} ", writing.is_about)
    for kind, words in (("at_most", writing.is_at_most), ("above", writing.is_above)):
        filled = filled.replace(f"{writing.is_}{SIGNS[kind]} ", words)
    return filled


def _template(lang: str, message: str, number: Any) -> str:
    """The text of a message in a language; a plural in the form that the number needs."""
    english = TEXTS[message]
    if isinstance(english, Plural):
        count = number if isinstance(number, int) else MANY
        return LANGUAGES[lang].plural(english.one, english.many, count, message if english.is_homonym else None)
    return LANGUAGES[lang].text(english, message if isinstance(english, Homonym) else None)


def _fill_in(key: str, value: Any, lang: str) -> str:
    """A value to fill in; the key decides whether a list has names of columns, rules or releases."""
    if isinstance(value, str):
        return printable(value) if key in ("command", "path") else policy_text(value, lang)
    if isinstance(value, list | tuple) and value:
        if key in ("column", "columns"):
            before, after = LANGUAGES[lang].writing.names
            return list_text([f"{before}{shorten_name(column)}{after}" for column in value], lang)
        if key == "releases":
            return list_text([policy_text(release, lang) for release in value], lang)
        if key == "rules":
            return list_text([rule_name(rule, lang) for rule in value], lang)
    return value_text(value, lang)


def value_text(value: Any, lang: str) -> str:
    """A value of a document in readable form: bounds, lists of names, counts with separators."""
    if isinstance(value, Bound):
        return _bound_text(value, lang, value_text)
    if value is None or (isinstance(value, list | tuple) and not value):
        return message_text(lang, "word.none")
    if isinstance(value, bool):
        return message_text(lang, "word.yes" if value else "word.no")
    if isinstance(value, int):
        return numbers.count(value)
    if isinstance(value, list | tuple):
        return list_text([value_text(item, lang) for item in value], lang)
    return numbers.amount(value) if isinstance(value, float) else shorten_name(str(value))


def _bound_text(bound: Bound, lang: str, to_text: Callable[[Any, str], str]) -> str:
    """The bound that replaces a number in the external edition: a sign and a limit, or why it is withheld."""
    if bound.withheld is not None:
        return message_text(lang, f"withheld.{bound.withheld}")
    return next(
        f"{sign} {to_text(getattr(bound, kind), lang)}"
        for kind, sign in SIGNS.items()
        if getattr(bound, kind) is not None
    )


def list_text(texts: Sequence[str], lang: str) -> str:
    """The first texts of a list, and the number of further ones."""
    shown = list(texts[:MAX_NAMES]) if _shortens.get() else list(texts)
    if len(texts) > len(shown):
        shown.append(message_text(lang, "word.more", n=len(texts) - MAX_NAMES))
    return LANGUAGES[lang].writing.separator.join(shown)


def value_with_fraction(result: "MeasureResult | RuleResult", lang: str) -> str:
    """The value of a result or a rule, with the exact fraction if the details have it (internal edition only)."""
    exact = numbers.exact(_exact_value(result))
    text = found_value(result, lang)
    return text if exact is None else message_text(lang, "write.exact", value=text, exact=exact)


def found_value(result: "MeasureResult | RuleResult", lang: str) -> str:
    """The value of a result or a rule, with enough figures to distinguish it from its limits."""
    if result.measure == RECORDS_LEFT and result.value is False:
        return _why_too_few_left(result.details, lang)
    if result.measure == NO_DIFFERENCES and isinstance(result.value, Sequence):
        whole = message_text(lang, "found.whole-file")
        return value_text([whole if name == WHOLE_FILE else name for name in result.value], lang)
    if not isinstance(result.value, float):
        return value_text(result.value, lang)
    text = numbers.amount(result.value, _as_floats(result.parameters.values()))
    if result.satisfied is not False:
        return text
    known = result.details.get("known")
    more = () if known is None else (message_text(lang, "rule.known", columns=known),)
    return with_levels(text, result.details.get("compared_at"), lang, *more)


def with_levels(text: str, levels: Mapping[str, int] | None, lang: str, *more: str) -> str:
    """A text with the levels on which columns are compared for it, if there are any.

    more   what is to be said after them

    >>> [with_levels("0.5", levels, "en") for levels in (None, {"age": 0}, {"age": 2})]
    ['0.5', '0.5 (values as they are)', '0.5 (age on level 2)']
    """
    named = levels_text(levels or {}, lang)
    if levels and not named:
        named = [message_text(lang, "rule.exact-values")]
    beside = list_text([*named, *more], lang)
    return message_text(lang, "write.exact", value=text, exact=beside) if beside else text


def levels_text(levels: Mapping[str, int], lang: str) -> list[str]:
    """The columns that are made coarser to compare them, each with its level."""
    coarser = {name: level for name, level in levels.items() if level}
    return [message_text(lang, "context.compared-at", column=[name], level=n) for name, n in coarser.items()]


def _why_too_few_left(details: Mapping[str, Any], lang: str) -> str:
    """Why too few records are left to be judged, if the details have it: `16.7 % suppressed`."""
    if "suppressed" in details:
        share = percent(details["suppressed"] / details["records"], lang, [details["at_most"]])
        return message_text(lang, "write.suppressed", share=share)
    return message_text(lang, "write.set-aside", n=details["aside"]) if "aside" in details else value_text(False, lang)


def _as_floats(values: Iterable[Any]) -> list[float]:
    return [float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool)]


def _exact_value(result: "MeasureResult | RuleResult") -> Any:
    """The exact value of a result; with several attributes, that of the attribute with this value."""
    details = result.details
    if getattr(result, "compared", None) == "excess":  # the end of an interval is compared, which is no fraction
        return None
    if "exact" in details:
        return details["exact"]
    rows = [row for row in details.get("attributes", {}).values() if "exact" in row]
    return next((row["exact"] for row in rows if result.value in row.values()), None)


def policy_text(text: "MultilingualText", lang: str) -> str:
    """A text of the policy, in the language if there is a translation, and shortened if it is long.

    >>> policy_text({"en": "a neighbour", "zh-TW": "鄰居"}, "zh-TW"), policy_text("a colleague", "zh-TW")
    ('鄰居', 'a colleague')
    """
    if isinstance(text, Mapping):
        texts = dict[str, str](text.items())
        text = texts.get(lang) or next(iter(texts.values()))
    return _shorten(printable(text), LONGEST_TEXT)


def percent(share: Number, lang: str = ENGLISH, beside: Iterable[float] = ()) -> str:
    """A share of a document in per cent, with enough digits to distinguish it from those beside it."""
    if isinstance(share, Bound):
        return _bound_text(share, lang, percent)
    return "" if share is None else numbers.percent(share, LANGUAGES[lang].writing.percent, beside)


def shorten_name(text: str) -> str:
    """A name from the data or the policy: without control characters, and shortened if it is long."""
    return _shorten(printable(text), LONGEST_NAME)


def _shorten(text: str, longest: int) -> str:
    """The text, shortened with a note of its length if it is long."""
    return (
        text if len(text) <= longest or not _shortens.get() else f"{text[: longest - 12]}… [{numbers.count(len(text))}]"
    )


def measure_name(measure: str, lang: str) -> str:
    """The name of a measure in a language."""
    if measure in (SUBSETS, ALL_RELEASES, *BUILT_IN_RULES):
        return message_text(lang, f"rule.{measure}")
    measure = find_measure(measure).name
    return LANGUAGES[lang].text(measure, MEASURE)


def objective_name(objective: str, lang: str) -> str:
    """The name of an objective of the anonymiser: that of its measure, if it is one.

    >>> objective_name("granularity", "zh-TW"), objective_name("of-my-own", "zh-TW")
    ('細緻度', 'of-my-own')
    """
    return measure_name(objective, lang) if objective in catalogue else shorten_name(objective)


def measure_summary(measure: str, lang: str) -> str:
    """A one-sentence description of a measure."""
    return LANGUAGES[lang].text(find_measure(measure).summary)


def rule_name(rule: str, lang: str) -> str:
    """The name of a rule; one named after a measure or a limit is translated.

    >>> rule_name("every-subset: uniques", "zh-TW"), rule_name("pdpc-5", "zh-TW")
    ('所有準識別符組合：唯一資料列比例', 'pdpc-5')
    """
    if lang == ENGLISH:
        return shorten_name(rule)
    first, _, rest = rule.partition(": ")
    if rule in catalogue or rule in BUILT_IN_RULES:
        return measure_name(rule, lang)
    if first in (SUBSETS, ALL_RELEASES):
        return message_text(lang, f"rule.{first}-limit", limit=limit_name(rest, lang))
    if rest in catalogue:  # one of several rules of a preset
        return message_text(lang, "write.labelled", label=shorten_name(first), text=measure_name(rest, lang))
    return shorten_name(rule)


def attack_name(attack: str, lang: str) -> str:
    """The name of an attack in a language.

    >>> attack_name("gain of grade", "en"), attack_name("attribute-inference of grade", "zh-TW")
    ('gain of grade', '屬性推論（「grade」）')
    """
    kind, separator, column = attack.partition(" of ")
    is_lookup = kind in catalogue and catalogue[kind].family == "disclosure"
    translated_kind = measure_name(kind, lang) if is_lookup else message_text(lang, f"attack.{kind}")
    return (
        message_text(lang, "write.attack", attack=translated_kind, column=shorten_name(column))
        if separator
        else translated_kind
    )


def limit_name(limit: str, lang: str) -> str:
    """The name of a parameter, or of a limit on every subset, in a language."""
    kind, separator, column = limit.partition(":")
    translated_kind = LANGUAGES[lang].text(kind, PARAMETER)
    if translated_kind == kind and kind in catalogue:
        translated_kind = measure_name(kind, lang)
    if not separator:
        return shorten_name(translated_kind.replace("_", " "))
    return (
        shorten_name(limit)
        if translated_kind == kind
        else message_text(lang, "write.attack", attack=translated_kind, column=shorten_name(column))
    )


def thresholds(rule: "RuleResult", lang: str) -> str:
    """The thresholds of a rule: `k ≥ 11`."""
    known = {} if rule.measure in (SUBSETS, ALL_RELEASES, *BUILT_IN_RULES) else find_measure(rule.measure).parameters
    texts = []
    if rule.measure == RECORDS_LEFT and "suppressed" in rule.details:
        share = rule.details["suppressed"] / rule.details["records"]
        texts.append(f"{LIMIT_SIGNS['at most']} {percent(rule.details['at_most'], lang, [share])}")
    for label, value in rule.parameters.items():
        if value is not None:
            sign = LIMIT_SIGNS[known[label].limit if label in known else _direction(label)]
            shown = "excess" if rule.measure == SUBSETS and is_limit_of_excess(label) else label
            limit = "" if label in ("at_least", "at_most") else limit_name(shown, lang)
            number = (
                value_text(value, lang)
                if isinstance(value, bool | int | float)
                else shorten_name(numbers.format_value(value))
            )
            if isinstance(value, float):
                number = numbers.amount(value, _as_floats([rule.value]))
            texts.append(f"{limit} {sign} {number}".strip())
    return LANGUAGES[lang].writing.separator.join(texts)


def is_limit_of_excess(limit: str) -> bool:
    """Whether a limit on every subset is one of the excess of a lookup over control people, not of its share.

    >>> [is_limit_of_excess(limit) for limit in ("certain:grade", "certain-in-both", "uniques")]
    [True, False, False]
    """
    from PETWorks.measures.disclosure.subsets import WITHOUT_CONTROL

    kind = limit.partition(":")[0]
    return kind not in WITHOUT_CONTROL and kind in catalogue and catalogue[kind].family == "disclosure"


def _direction(limit: str) -> str:
    """Whether a limit on subsets or releases is an upper or a lower limit."""
    return "at least" if limit.partition(":")[0] in ("m-invariance", "records") else "at most"


def source_date(entry: "PresetFacts | Regime", lang: str) -> str:
    """The date of a preset or a regime."""
    from PETWorks.gate.policy.policy_rules import UNDATED

    return message_text(lang, "word.undated") if entry.date == UNDATED else entry.date


def foreign_note(preset: "PresetFacts", lang: str) -> str:
    """That a threshold is foreign, if it is for the readers of this language."""
    from PETWorks.gate.policy.policy_rules import is_foreign

    return message_text(lang, "word.foreign") if is_foreign(preset, LANGUAGES[lang].home) else ""


def organisation_name(entry: "PresetFacts | Regime", lang: str) -> str:
    """The name of the organisation behind a preset or a regime in a language."""
    return LANGUAGES[lang].text(entry.organisation)


def preset_note(preset: "PresetFacts | Regime", lang: str) -> str:
    """The note on a preset or a regime in a language."""
    return LANGUAGES[lang].text(preset.note)
