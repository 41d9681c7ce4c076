"""The report: one HTML page in all languages, without external requests; its only script is for printing."""

from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from hashlib import sha256
from pathlib import PurePath
from typing import Any

from PETWorks.anonymizer.anonymization_facts import AnonymizationFacts, FrontierFacts
from PETWorks.errors import InputError, printable
from PETWorks.gate.document import INTERNAL, PASS, CheckDocument, CheckFile, PresetFacts, RuleResult
from PETWorks.gate.example_rows import ExampleRows
from PETWorks.gate.policy.policy_rules import BUILT_IN_RULES, SUBSETS
from PETWorks.locale import ENGLISH, LANGUAGES
from PETWorks.measures.catalogue import catalogue, find_measure
from PETWorks.measures.numbers import whole
from PETWorks.render.charts import charts
from PETWorks.render.language.language import (
    SIGNS,
    attack_name,
    foreign_note,
    in_all_languages,
    in_spans,
    is_limit_of_excess,
    limit_name,
    list_text,
    measure_name,
    measure_summary,
    message_text,
    organisation_name,
    percent,
    policy_text,
    preset_note,
    rule_name,
    shorten_name,
    source_date,
    thresholds,
    value_text,
    value_with_fraction,
    with_levels,
)
from PETWorks.render.language.messages import parse_language, translated
from PETWorks.render.language.texts import TEXTS
from PETWorks.render.report import front_page, making, other_releases, prose
from PETWorks.render.report.sections import (
    MAX_COLUMNS,
    MAX_STEPS,
    MODEL_HEADINGS,
    STEPS_IN_FRONT,
    about_found,
    coefficient_rows,
    known_rows,
    lookup_rows,
    red_classes,
    results_by_section,
    section_rows,
    shown_sections,
)

LARGEST_PAGE = 2_000_000
MAX_OPEN_RULES = 10  # on the first page
# The only script of the page: without it, as in a mail program, the button stays hidden.
PRINTING = 'const b=document.getElementById("print");b.hidden=false;b.onclick=()=>window.print()'


@cache
def environment() -> Any:
    """The templates of this folder; all values put into them are escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("PETWorks.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page(document: CheckFile, lang: str = ENGLISH, example: ExampleRows | None = None) -> str:
    """The complete report of a check; `example` has records for the internal edition."""
    from markupsafe import Markup

    lang = parse_language(lang)
    style = _style(document)
    verdict = message_text(lang, f"verdict.{document.verdict}")
    text: str = (
        environment()
        .get_template("report.html")
        .render(
            d=document,
            lang=lang,
            languages=LANGUAGES.values(),
            internal=document.edition == INTERNAL,
            title=f"{policy_text(document.title, lang)} – {verdict} – PETWorks",
            style=Markup(style),  # noqa: S704 - a file of this package
            style_hash=_hash(style),
            script=Markup(PRINTING),  # noqa: S704 - a constant
            script_hash=_hash(PRINTING),
            sections=shown_sections(document),
            by_section=results_by_section(document),
            **section_rows(document),
            **(drawn := charts.report_charts(document)),
            compared_drivers=charts.compare_drivers(drawn["drivers"]),
            **_sentences(document),
            **_making_section(document),
            **_other_releases(document),
            **_models(document),
            **_front_page(document),
            about_found=texts_in_all(partial(about_found, document)),
            lookups=rows_in_all(partial(lookup_rows, document)),
            known_lookups=rows_in_all(partial(known_rows, document)),
            example=example if document.edition == INTERNAL else None,
            **_FUNCTIONS,
        )
    )
    if len(text.encode("utf-8", "replace")) > LARGEST_PAGE:
        raise InputError(
            "the report would be larger than {most} MB; shorten the texts of the policy",
            most=LARGEST_PAGE // 1_000_000,
        )
    return text


def _hash(text: str) -> str:
    """The digest by which the page allows its own style sheet and script, and no others."""
    return b64encode(sha256(text.encode()).digest()).decode()


def _style(document: CheckFile) -> str:
    """The style sheet of the page; it hides all languages except the selected one, and marks every printed sheet."""
    templates = environment()
    style: str = templates.loader.get_source(templates, "report.css")[0]
    hidden = (f'body:has(#lang-{code}:checked) [lang]:not([lang="{code}"],.always,html)' for code in LANGUAGES)
    data = document.inputs[0]
    mark = (data.sha256 or PurePath(data.file or "").name)[: front_page.DIGITS_OF_DIGEST if data.sha256 else None]
    sheet = (
        f'@page{{@bottom-right{{content:"{_css_text(mark)} \\b7  " counter(page) " / " counter(pages);font-size:8pt}}}}'
    )
    return f"{style}\n{','.join(hidden)}{{display:none}}\n@media print{{{sheet}}}\n"


def _css_text(text: str) -> str:
    """A text inside quotes of a style sheet; all but letters and digits are escaped."""
    return "".join(sign if sign.isascii() and sign.isalnum() else f"\\{ord(sign):x} " for sign in text)


def _sentences(document: CheckDocument) -> dict[str, Any]:
    """The texts that depend on the document, each in all languages."""
    texts = {
        "bars_text": prose.bars,
        "red_classes": red_classes,
        "verdict_text": prose.verdict,
        **({"declaration": front_page.declaration} if front_page.is_signed(document) else {}),
        "checked_file": prose.checked_file,
    }
    lists = {
        "assumptions": prose.assumptions,
        "method": prose.method,
        "not_measured": prose.not_measured,
        "utility_texts": prose.utility,
    }
    return {
        "moment": prose.moment(document),
        "linking_column": prose.linking_column(document),
        **{name: in_spans(partial(sentence, document)) for name, sentence in texts.items()},
        **{name: texts_in_all(partial(sentences, document)) for name, sentences in lists.items()},
        "steps": _unbroken(texts_in_all(partial(front_page.steps, document)))[:MAX_STEPS],
    }


def _front_page(document: CheckDocument) -> dict[str, Any]:
    """The first page: figures, the columns, its blocks that have a content, and the rules that do not hold."""
    if front_page.has_table(document):
        blocks = {"both": front_page.contents_and_losses, "remaining": front_page.remaining_risks}
    else:
        blocks = {"contents": front_page.contents, "losses": front_page.losses, "remaining": front_page.remaining_risks}
    listed = [(name, _unbroken(texts_in_all(partial(block, document)))) for name, block in blocks.items()]
    return {
        "meaning": in_spans(partial(front_page.meaning, document)) if front_page.meaning(document, ENGLISH) else "",
        "figures": rows_in_all(partial(front_page.figures, document)),
        "front": [(name, texts) for name, texts in listed if texts or name == "both"],
        "front_columns": front_page.column_rows(document),
        "open_rules": [rule for rule in document.rules if rule.verdict != PASS][:MAX_OPEN_RULES],
        "besides": texts_in_all(partial(front_page.further_remarks, document)) if document.edition == INTERNAL else [],
        "rules_met": in_spans(partial(front_page.rules_in_words, document)),
        "plan": next((file.file for file in document.inputs if file.use == "plan"), ""),
        "presets": {preset.name: preset for preset in document.policy.presets},
        "is_signed": front_page.is_signed(document),
        "steps_in_front": STEPS_IN_FRONT,
        "states": front_page.column_states(document),
        "terms": defaultdict(tuple, prose.TERMS),
    }


def _models(document: CheckDocument) -> dict[str, Any]:
    """A table of the coefficients of each model."""
    return {
        "models": [
            {"name": shorten_name(result.model.name), "rows": rows_in_all(partial(coefficient_rows, result))}
            for result in document.models
            if result.coefficients
        ],
        "model_heads": MODEL_HEADINGS,
    }


def _other_releases(document: CheckDocument) -> dict[str, Any]:
    """The content of the section about other releases, if there is one."""
    facts = document.releases
    if facts is None or not other_releases.is_shown(document):
        return {}
    drawn = {chart["attack"]: chart for chart in charts.release_curves(facts)}
    attacks = []
    for attack in facts.attacks[: other_releases.MAX_ATTACKS]:
        most = max((charts.bar_length(share.adds) for share in attack.shares), default=0) or 1
        attacks.append(
            {
                "title": _attack_title(attack.attack, "releases.curve"),
                "chart": drawn.get(attack.attack),
                "heads": other_releases.curve_heads(facts, attack),
                "rows": rows_in_all(partial(other_releases.curve_rows, facts, attack)),
                "shares_title": _attack_title(attack.attack, "releases.shares"),
                "shares": rows_in_all(partial(other_releases.share_rows, facts, attack)),
                "bars": [charts.bar_length(share.adds) / most for share in attack.shares],
            }
        )
    return {
        "other_texts": texts_in_all(partial(other_releases.outcome, document)),
        "other_heads": other_releases.list_heads(document),
        "other_rows": rows_in_all(partial(other_releases.list_rows, document)),
        "other_notes_by_row": texts_in_all(partial(other_releases.handed_out, document)),
        "other_attacks": attacks,
        "other_share_heads": other_releases.SHARE_HEADS,
        "other_unlinked": rows_in_all(partial(other_releases.unlinked_rows, facts)),
        "other_notes": texts_in_all(partial(other_releases.unlinked_notes, facts)),
        "other_invariance": rows_in_all(partial(other_releases.invariance_rows, facts)),
        "other_register": rows_in_all(partial(other_releases.register_rows, facts)),
        "other_register_heads": other_releases.REGISTER_HEADS,
    }


def _attack_title(attack: str, message: str) -> Any:
    return in_spans(lambda lang: message_text(lang, message, attack=attack_name(attack, lang)))


def texts_in_all(make: Callable[[str], Sequence[str]]) -> list[Any]:
    """A list of texts, each in all languages."""
    return [text for (text,) in rows_in_all(lambda lang: [[text] for text in make(lang)])]


def _unbroken(texts: Iterable[Any]) -> list[Any]:
    """Texts in which no line ends between a number and its % sign."""
    return [text.replace(" %", "\N{NO-BREAK SPACE}%") for text in texts]


def rows_in_all(make: Callable[[str], Sequence[Sequence[str]]]) -> list[list[Any]]:
    """The rows of a table, each cell in all languages."""
    texts = {lang: make(lang) for lang in LANGUAGES}
    return [
        [in_spans(lambda lang, row=row, cell=cell: texts[lang][row][cell]) for cell in range(len(cells))]  # type: ignore[misc]
        for row, cells in enumerate(texts[ENGLISH])
    ]


def _making_section(document: CheckDocument) -> dict[str, Any]:
    """The content of the section about how the release was made, if the document has it."""
    facts = document.anonymization
    if facts is None:
        return {}
    best = [(column.column, column.level) for column in facts.columns]

    def rows(make: Callable[[AnonymizationFacts, str], Sequence[Sequence[str]]]) -> list[list[Any]]:
        return rows_in_all(partial(make, facts))

    columns = () if facts.utility is None else facts.utility.columns
    kept = zip(rows(making.kept_rows), columns[:MAX_COLUMNS], strict=False)
    return {
        "made_texts": [
            *texts_in_all(partial(making.outcome_texts, facts)),
            *texts_in_all(partial(making.order_text, facts)),
        ],
        "made_choice": rows(making.choice_rows),
        "made_choice_heads": [
            head if head in ("head.recoding", "head.lost", "head.option") else f">{head}"
            for head in making.CHOICE_HEADINGS
        ],
        "made_choice_texts": texts_in_all(partial(making.choice_texts, facts)),
        "made_costs": texts_in_all(partial(making.cost_texts, facts)),
        "made_states": rows(making.state_rows),
        "made_kept": [{"cells": cells, "bar": column.information_kept} for cells, column in kept],
        "made_kept_heads": ["head.column", *(f">{head}" for head in making.KEPT_HEADINGS[1:])],
        "made_losses": rows(making.loss_rows),
        "made_loss_heads": ["head.objective", *(f">{head}" for head in making.LOSS_HEADINGS[1:])],
        "made_undefined": texts_in_all(partial(making.undefined_objectives, facts)),
        "made_columns": facts.columns[:MAX_COLUMNS],
        "made_names": [column.column for column in facts.columns[:MAX_COLUMNS]],
        "made_other_levels": in_spans(partial(making.other_levels, facts)),
        "made_change": lambda other: in_spans(lambda lang: making.change_text(best, other, lang)),
        **({"frontier_chart": None} if facts.frontier is None else _frontier(facts.frontier)),
    }


def _frontier(facts: FrontierFacts) -> dict[str, Any]:
    """The chart and the table of the costs of other rules."""
    return {
        "frontier_chart": charts.frontier_chart(facts),
        "frontier_texts": texts_in_all(partial(making.frontier_texts, facts)),
        "frontier_heads": texts_in_all(partial(making.frontier_heads, facts)),
        "frontier_rows": rows_in_all(partial(making.frontier_rows, facts)),
    }


def _in_all(function: Callable[..., str]) -> Callable[[Any], Any]:
    """The function with its text in all languages, for a function of a value and a language."""
    return lambda value: in_spans(lambda lang: function(value, lang))


def _plain(message: str) -> str:
    """A message in all languages, for attributes that cannot contain markup."""
    return " / ".join(dict.fromkeys(message_text(lang, message) for lang in LANGUAGES))


def _rule_title(rule: str, lang: str) -> str:
    """The name of a rule in words, also in English, where others are called as in the policy."""
    return message_text(lang, f"rule.{rule}") if rule in BUILT_IN_RULES else rule_name(rule, lang)


def _organisation(preset: PresetFacts, lang: str) -> str:
    """The organisation that a threshold comes from, and that it is foreign if it is for these readers."""
    return " · ".join(filter(None, (organisation_name(preset, lang), foreign_note(preset, lang))))


def _wanted(rule: RuleResult, lang: str) -> str:
    """The thresholds of a rule in words, where there are words for it."""
    limits = [(f"wanted.{rule.measure}.{name}", limit) for name, limit in rule.parameters.items() if limit is not None]
    if rule.compared == "excess" and len(limits) == 1:
        return message_text(lang, "wanted.excess", share=percent(limits[0][1], lang))
    if _is_share_by_lookups(rule) and len(rule.parameters) == 1:
        ((limit, most),) = rule.parameters.items()
        if is_limit_of_excess(limit):
            return message_text(lang, "wanted.excess", share=percent(most, lang))
        return f"{limit_name(limit, lang)} {SIGNS['at_most']} {percent(most, lang)}"
    if len(limits) != 1 or limits[0][0] not in TEXTS:
        return thresholds(rule, lang)
    ((message, limit),) = limits
    return message_text(lang, message, n=limit, share=percent(limit, lang))


def _names_no_measure(rule: RuleResult) -> bool:
    """Whether the name of a rule does not have that of its measure."""
    return rule.measure not in (rule.name, *rule.name.split(": "))


def _names_of_measures(names: Sequence[str], lang: str) -> str:
    """The names of measures, and a colon."""
    label = list_text([measure_name(name, lang) for name in names], lang)
    return message_text(lang, "write.labelled", label=label, text="")


def _found(rule: RuleResult, lang: str) -> str:
    """The finding of a rule; that of a built-in rule that holds is "no exception"."""
    is_plain = rule.measure in BUILT_IN_RULES and rule.verdict == PASS and not isinstance(rule.value, int | float)
    if is_plain or rule.value is True:
        return message_text(lang, "rules.no-exception")
    if _is_share_by_lookups(rule) and isinstance(rule.value, float):
        share = percent(
            min(rule.value, 1.0), lang, [limit for limit in rule.parameters.values() if isinstance(limit, float)]
        )
        return share if rule.satisfied else with_levels(share, rule.details.get("compared_at"), lang)
    several = rule.details.get("limits", {})
    if len(several) > 1:
        found = [f"{limit_name(name, lang)} {value_text(limit['measured'], lang)}" for name, limit in several.items()]
        return list_text([text.replace(" ", "\N{NO-BREAK SPACE}") for text in found], lang)
    return value_with_fraction(rule, lang)


def _is_share_by_lookups(rule: RuleResult) -> bool:
    """Whether a rule limits what lookups tell, which is a share."""
    by_subsets = rule.measure == SUBSETS and (
        "compared_at" in rule.details or any(map(is_limit_of_excess, rule.parameters))
    )
    return rule.compared == "excess" or by_subsets


# The functions that the template calls; most return texts in all languages.
_FUNCTIONS: dict[str, Any] = {
    "_": in_all_languages,
    "plain": _plain,
    "bar_length": charts.bar_length,
    "money": whole,
    "name": shorten_name,
    "printable": printable,
    "policy_text": _in_all(policy_text),
    "warning": _in_all(lambda text, lang: policy_text(translated(text, lang), lang)),
    "value_text": _in_all(value_text),
    "measured": _in_all(value_with_fraction),
    "percent": _in_all(percent),
    "wanted_in_words": _in_all(_wanted),
    "names_no_measure": _names_no_measure,
    "names_of_measures": _in_all(_names_of_measures),
    "organisation_name": _in_all(organisation_name),
    "reason": _in_all(lambda text, lang: message_text(lang, "columns.reason", reason=policy_text(text, lang))),
    "measure": _in_all(measure_name),
    "is_measure": catalogue.__contains__,
    "summary": _in_all(measure_summary),
    "rule_name": _in_all(_rule_title),
    "is_built_in": BUILT_IN_RULES.__contains__,
    "plain_rule": _in_all(front_page.plain_rule),
    "found": _in_all(_found),
    "limit_name": _in_all(limit_name),
    "dated": _in_all(source_date),
    "foreign_note": _in_all(foreign_note),
    "organisation": _in_all(_organisation),
    "preset_note": _in_all(preset_note),
    "waiver": _in_all(front_page.waiver),
    "sees": _in_all(prose.measured_aspect),
    "is_blind": lambda measure: find_measure(measure).sees is not None,
    "finding": _in_all(prose.finding),
    "made_level": _in_all(making.level_text),
    "made_finer": _in_all(making.finer_text),
    "made_loss": making.loss_text,
}
