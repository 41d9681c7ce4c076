"""The content of each section of a report: the rows of its tables, limited in number; the models that data are for."""

from collections.abc import Iterable, Mapping, Sequence
from inspect import getdoc
from typing import Any

from msgspec.structs import replace

from PETWorks.about.kinds import GENERALISED
from PETWorks.gate.document import (
    FAIL,
    INTERNAL,
    PASS,
    CheckDocument,
    ColumnFacts,
    MeasureResult,
    RuleResult,
)
from PETWorks.gate.external.protected import class_size_demanded
from PETWorks.gate.policy.policy_rules import BUILT_IN_RULES
from PETWorks.locale import LANGUAGES
from PETWorks.measures import numbers
from PETWorks.measures.catalogue import Metric, all_measures, find_measure
from PETWorks.measures.utility.models import Coefficient, ModelResult
from PETWorks.render.language.language import (
    measure_name,
    message_text,
    percent,
    shorten_name,
    value_text,
    with_levels,
)
from PETWorks.render.report.other_releases import is_shown


def rule_rows(rules: Sequence[RuleResult], lang: str) -> tuple[list[RuleResult], tuple[str, str] | None]:
    """The rules to list, and a label and a text that summarise the built-in rules that hold, if several do."""
    built_in = [rule for rule in rules if rule.name in BUILT_IN_RULES]
    holding = [rule.name for rule in built_in if rule.verdict == PASS and rule.waiver is None]
    if len(holding) < 2:
        return list(rules), None
    text = "rules.all-hold" if len(holding) == len(built_in) else "rules.others-hold"
    listed = [rule for rule in rules if rule.name not in holding]
    return listed, (message_text(lang, "rules.built-in"), message_text(lang, text, n=len(holding)))


MAX_COLUMNS = 100
MAX_RISKY = 30
MAX_RULES = 50
MAX_STEPS = 30
MAX_ATTRIBUTES = 8
MAX_EARLIER = 30
MAX_LOSSES = 5  # columns shown in the short formats
LOSSES = ("head.column", "head.values-before", "head.values-after", "column.changed", "column.information_kept")

SECTIONS = (
    *(
        "rules",
        "context",
        "columns",
        "disclosure",
        "identity",
        "drivers",
        "attributes",
        "presence",
        "releases",
        "profit",
        "utility",
    ),
    *("anonymization", "steps", "sign-off", "method"),
)
FOUND = "found"
LOOKUPS_SHOWN = ("certain", "best-guess", FOUND)  # in the table of adversaries
MEASURED = ("disclosure", "attributes", "presence", "profit")  # sections that only results of measures fill
STEPS_IN_FRONT = 3  # steps on the first page of a release that does not pass; those of others are for its makers
_VERDICT_ORDER = ("fail", "withheld", "waived", "pass")


def unmet_needs(document: CheckDocument, entry: Metric) -> list[str]:
    """The needs of a measure that the document does not meet."""
    met = _met_needs(document)
    return [need for need in entry.needs if need not in met]


def _met_needs(document: CheckDocument) -> set[str]:
    """The needs of measures that are met, judging by the table, the files and the results of the document."""
    table = document.table
    files = {file.use for file in document.inputs}
    met = {
        "quasi-identifiers": bool(table.quasi_identifiers),
        "a sensitive attribute": bool(table.sensitive_attributes),
        "hierarchies": bool(table.hierarchies),
        "the population or its size": table.population is not None,
        "the original table": "original" in files,
        "a population table": "population" in files,
        "records in the order of the input": True,
        "records in the order of the original": True,
    }
    measured = {need for result in document.results for need in find_measure(result.measure).needs}
    return {need for need, is_met in met.items() if is_met} | measured


def shown_sections(document: CheckDocument) -> dict[str, int]:
    """The sections of a document's report that have a content, with their numbers."""
    results = results_by_section(document)
    content = {
        **{name: bool(results[name]) for name in MEASURED},
        "identity": document.policy.kind == GENERALISED,
        "drivers": document.subsets is not None,
        "releases": is_shown(document),
        "utility": bool((results["utility"] or utility_keys(document) or document.models) and _has_losses(document)),
        "anonymization": document.anonymization is not None,
        "steps": len(document.next_steps) > (STEPS_IN_FRONT if document.verdict == FAIL else 0)
        and document.edition == INTERNAL,
        "sign-off": _has_sign_off(document),
    }
    shown = [name for name in SECTIONS if content.get(name, True)]
    return {name: place for place, name in enumerate(shown, 1)}


def _has_losses(document: CheckDocument) -> bool:
    """Whether there is something to say about utility: an original to compare with, or values that were lost."""
    best = {"precision": 1, "granularity": 1, "missing": 0}
    return document.table.original_records is not None or any(
        getattr(column, name) not in (None, most) for column in document.columns for name, most in best.items()
    )


def _has_sign_off(document: CheckDocument) -> bool:
    """Whether the policy has any part of a sign-off, or names a standard that asks for one."""
    signed = document.sign_off
    if signed is None:
        return False
    stated = (signed.approver, signed.role, signed.review_by, signed.incident_contact, signed.earlier_releases)
    return bool(document.policy.purpose or signed.regimes) or any(one is not None for one in stated)


def results_by_section(document: CheckDocument) -> dict[str, list[MeasureResult]]:
    """The results in each section."""
    sections: dict[str, list[MeasureResult]] = {name: [] for name in SECTIONS}
    for result in document.results:
        sections[find_measure(result.measure).section].append(result)
    return sections


def section_rows(document: CheckDocument) -> dict[str, Any]:
    """The rows of the tables, and their labels."""
    results = {result.measure: result for result in document.results}
    columns = document.columns[:MAX_COLUMNS]
    keys = utility_keys(document)
    kept = [row for row in columns_by_loss(document) if any(getattr(row, key) is not None for key in keys)]
    return {
        "rules": sorted(document.rules, key=lambda rule: _VERDICT_ORDER.index(rule.verdict))[:MAX_RULES]
        if len(document.rules) > MAX_RULES
        else document.rules,
        "columns": [_with_unit(row, document.table.treatment["privacy_unit"]) for row in columns],
        "counted": "head.records" if document.table.treatment["privacy_unit"] is None else "head.people",
        "histogram": _histogram(document, results),
        "scenarios": _scenarios(document),
        "risky": [] if document.subsets is None else document.subsets.minimal_risky[:MAX_RISKY],
        "attributes": document.table.sensitive_attributes[:MAX_ATTRIBUTES],
        "by_attribute": _by_attribute(document),
        "utility_columns": kept,
        "utility_keys": keys,
        "utility_heads": [f">column.{key}" for key in keys],
        "before": any(row.distinct_before is not None for row in kept),
        "changed": any(row.changed is not None for row in kept),
        "earlier": ((document.sign_off and document.sign_off.earlier_releases) or ())[:MAX_EARLIER],
        "sources": _sources(results),
    }


def lookup_rows(document: CheckDocument, lang: str) -> list[list[str]]:
    """The results of lookups in a release that is not generalised, for people of the original and control people."""
    rows = []
    for result in results_by_section(document)["disclosure"]:
        by_target = result.details.get("attributes") or {"": {**result.details, "share": result.value}}
        for target, found in by_target.items():
            shares = [found.get(name) for name in ("share", "control", "prior", "excess")]
            beside = [share for share in shares if share is not None]
            low, high = found.get("interval", (None, None))
            excess = (
                ""
                if shares[-1] is None
                else message_text(
                    lang,
                    "disclosure.excess",
                    share=percent(shares[-1], lang, beside),
                    low=percent(low, lang, beside),
                    high=percent(None if high is None else min(high, 1.0), lang, beside),
                )
            )
            figures = ["" if share is None else percent(share, lang, beside) for share in shares[:-1]]
            rows.append([measure_name(result.measure, lang), shorten_name(target), *figures, excess])
    return rows


def about_found(document: CheckDocument, lang: str) -> list[str]:
    """The meaning of the lookups that find somebody, if they are shown, and that no rule limits them."""
    if all(result.measure != FOUND for result in document.results):
        return []
    limited = any(FOUND in (rule.measure, *rule.parameters) for rule in document.rules)
    texts = [message_text(lang, "disclosure.found", found=measure_name(FOUND, lang))]
    texts += [] if limited else [message_text(lang, "disclosure.found-no-rule")]
    return [LANGUAGES[lang].writing.sentences.join(texts)]


def known_rows(document: CheckDocument, lang: str) -> list[list[str]]:
    """The adversaries who learn most, for each number of columns that they know."""
    if document.lookups is None:
        return []
    rows = []
    for answer in document.lookups.if_they_know:
        measure, _, target = answer.attack.partition(" of ")
        case = answer.highest
        if measure not in LOOKUPS_SHOWN or case.share is None:
            continue
        beside = [float(share) for share in (case.share, case.control, case.excess) if isinstance(share, float | int)]
        excess = ""
        if case.interval is not None and isinstance(case.excess, float | int):
            low, high = (percent(min(end, 1.0), lang, beside) for end in case.interval)  # nobody gains more than all
            share = percent(case.excess, lang, beside)
            excess = message_text(lang, "disclosure.excess", share=share, low=low, high=high)
        label = measure_name(measure, lang) if not target else attack_label(measure, target, lang)
        control = "" if case.control is None else percent(case.control, lang, beside)
        known = with_levels(value_text(list(case.attributes), lang), case.compared_at, lang)
        rows.append([str(answer.known), label, percent(case.share, lang, beside), control, excess, known])
    return rows


def attack_label(measure: str, target: str, lang: str) -> str:
    """A measure and the sensitive attribute that it is about."""
    return message_text(lang, "write.attack", attack=measure_name(measure, lang), column=shorten_name(target))


def _with_unit(column: ColumnFacts, unit: str | None) -> ColumnFacts:
    """The column, with the role of privacy unit if it identifies the person."""
    return replace(column, role="privacy_unit") if column.column == unit else column


def columns_by_loss(document: CheckDocument) -> list[ColumnFacts]:
    """The columns with the largest loss first; in their own order in the external edition, which must not reveal it."""
    keys = utility_keys(document)

    def left(column: ColumnFacts) -> tuple[float, float]:
        number = getattr(column, keys[0])
        values = (column.distinct or 0) / column.distinct_before if column.distinct_before else 1.0
        return number if isinstance(number, float) else 1.0, values

    columns = document.columns[:MAX_COLUMNS]
    return sorted(columns, key=left) if keys and document.edition == INTERNAL else list(columns)


def columns_with_loss(document: CheckDocument) -> list[ColumnFacts]:
    """The columns with a loss since the original, the worst first."""
    return [
        column
        for column in columns_by_loss(document)
        if column.changed or (column.information_kept is not None and column.information_kept < 1)
    ]


def utility_keys(document: CheckDocument) -> list[str]:
    """The utility numbers of the columns; the first is drawn as bars. Missing values have their own table."""
    known = [entry.by_column for entry in all_measures() if entry.by_column and entry.by_column.name != "missing"]
    ordered = sorted(known, key=lambda number: (number.better != "higher", number.name != "precision"))
    rows = document.columns[:MAX_COLUMNS]
    names = ["information_kept", *(number.name for number in ordered)]
    return [name for name in names if any(getattr(row, name) is not None for row in rows)]


def _histogram(document: CheckDocument, results: Mapping[str, MeasureResult]) -> list[dict[str, Any]]:
    """The classes by size, without large sizes that no class has; empty in the external edition."""
    rows = results["prosecutor-risk"].details.get("class_sizes", {}) if "prosecutor-risk" in results else {}
    cell_size = document.policy.cell_size
    histogram = [
        {"size": size, **row, "small": int(size.split("-")[0].rstrip("+")) < cell_size} for size, row in rows.items()
    ]
    return [row for row in histogram if row["small"] or row["records"]]


def red_classes(document: CheckDocument, lang: str) -> str:
    """The meaning of the red bars: what a rule asks for, or only what the external edition does not show."""
    size = document.policy.cell_size
    required = max((class_size_demanded(rule) or 0 for rule in document.rules), default=0)
    return message_text(lang, "identity.red-by-rule" if required >= size else "identity.red", n=size, required=required)


def _scenarios(document: CheckDocument) -> list[dict[str, Any]]:
    """The re-identification scenarios: the adversary's target, and the highest and the average chance."""
    register = "a population table" in _met_needs(document)
    results = {result.measure: result for result in document.results}
    rows = []
    for entry in sorted(
        (entry for entry in all_measures() if entry.scenario),
        key=lambda entry: (entry.linked, entry.scenario != "highest"),
    ):
        if entry.name in results:
            result = results[entry.name]
            average = result.details.get("average")
            numbers = {"highest": None, "average": average, str(entry.scenario): result.value}
            alike = entry.linked and entry.scenario == "highest" and not register
            weighted = alike and document.table.sampling_weight is not None
            target = f"scenario.{'weighted' if weighted else 'without-register' if alike else entry.name}"
            rows.append({"measure": entry.name, "target": target, **numbers})
    return rows


def _by_attribute(document: CheckDocument) -> list[dict[str, Any]]:
    """The first number of each measure for each sensitive attribute, and both chances of an attack."""
    names = document.table.sensitive_attributes[:MAX_ATTRIBUTES]
    rows = []
    for result in document.results:
        attributes = result.details.get("attributes")
        if not attributes or any(name not in attributes for name in names):
            continue
        keys: tuple[str, ...] = (
            (next(iter(attributes[names[0]])),) if len(names) > 1 else ()
        )  # for a single attribute, the value is already above
        if result.measure == "attribute-inference":
            keys = ("prior", "posterior")
        if "distance" in attributes[names[0]]:
            keys += ("distance",)
        for key in keys:
            label = f"attributes.{key}" if key in ("prior", "posterior", "distance") else None
            values = [attributes[name][key] for name in names]
            if key == "distance":
                values = [f"distance.{kind}" for kind in values]
            rows.append({"measure": result.measure, "label": label, "values": values, "words": key == "distance"})
    return rows


def _sources(measures: Iterable[str]) -> list[dict[str, Any]]:
    """The papers that measures cite, each with all measures that cite it."""
    by_source: dict[str, list[str]] = {}
    for name in measures:
        by_source.setdefault(cited_papers(name), []).append(name)
    return [{"measures": names, "source": source} for source, names in by_source.items() if source]


def cited_papers(measure: str) -> str:
    """The papers cited in a measure's docstring."""
    paragraphs = (part.strip() for part in (getdoc(find_measure(measure).function) or "").split("\n\n"))
    cited = [" ".join(part.split()) for part in paragraphs if "(19" in part or "(20" in part]
    return cited[-1].replace("*", "") if cited else ""


MAX_COEFFICIENTS = 200
MODEL_HEADINGS = ("head.column", ">head.before", ">models.error", ">head.after", ">models.shift")


def model_texts(results: Sequence[ModelResult], lang: str) -> list[str]:
    """For each model, how well it explains the original if it is fitted on the release, and on the original."""
    texts = []
    for result in results:
        name = shorten_name(result.model.name)
        before, after = (_score(result, score, lang) for score in (result.before, result.after))
        text = message_text(lang, _sentence(result), model=name, before=before, after=after)
        more = [message_text(lang, "models.lost", columns=result.lost)] if result.lost else []
        texts.append(LANGUAGES[lang].writing.sentences.join([text, *more, *_shift_texts(result, lang)]))
    return texts


def _shift_texts(result: ModelResult, lang: str) -> list[str]:
    """The coefficient that moves most, if it moves by a standard error or more; insiders only have coefficients."""
    moved = result.most_shifted
    if moved is None or moved.shift is None or abs(moved.shift) < 1 or not moved.before or not moved.error:
        return []
    name = moved.column if moved.category is None else f"{moved.column} {moved.category}"
    values = {"column": [shorten_name(str(name))], "shift": numbers.amount(float(f"{abs(moved.shift):.2g}"))}
    if abs(moved.before) < 2 * moved.error or moved.after is None:
        return [message_text(lang, "models.shifted", **values)]
    left = percent(moved.after / moved.before, lang)
    return [message_text(lang, "models.effect-left", left=left, **values)]


def texts_of_document(document: CheckDocument, lang: str) -> list[str]:
    """The sentences about the models of a document."""
    return model_texts(document.models, lang)


def _sentence(result: ModelResult) -> str:
    if result.after is None:
        return "models.none"
    if result.kind == "logistic":
        return "models.logistic"
    return "models.worse" if result.after < 0 else "models.linear"


def _score(result: ModelResult, score: float | None, lang: str) -> str:
    if score is None:
        return ""
    both = [found for found in (result.before, result.after) if found is not None]
    return percent(score, lang, both) if result.kind == "linear" else numbers.amount(score, both)


def coefficient_rows(result: ModelResult, lang: str) -> list[list[str]]:
    """The coefficients: term, before, standard error, after, and shift in standard errors."""
    return [
        [_term(coefficient, lang), *(_number(value, lang) for value in _values(coefficient))]
        for coefficient in result.coefficients[:MAX_COEFFICIENTS]
    ]


def _values(coefficient: Coefficient) -> tuple[float | None, ...]:
    return coefficient.before, coefficient.error, coefficient.after, coefficient.shift


def _term(coefficient: Coefficient, lang: str) -> str:
    if coefficient.column is None:
        return message_text(lang, "models.intercept")
    column = shorten_name(coefficient.column)
    return column if coefficient.category is None else f"{column} = {shorten_name(coefficient.category)}"


def _number(value: float | None, lang: str) -> str:
    return "–" if value is None else value_text(float(value), lang)
