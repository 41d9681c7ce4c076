"""The sentences of a report in any language: verdict, notices and next steps."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any

from msgspec import structs

from PETWorks.about.kinds import GENERALISED
from PETWorks.about.treatment import APART
from PETWorks.attributetypes import INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.errors import Phrase
from PETWorks.gate.check.notices import LIKELY
from PETWorks.gate.document import (
    EXTERNAL,
    FAIL,
    INTERNAL,
    JUDGED_WHEN_MADE,
    PASS,
    WAIVED,
    CheckDocument,
    ColumnFacts,
    ColumnFinding,
    MeasureResult,
    NextStep,
    Notice,
    RuleResult,
    WaiverFacts,
)
from PETWorks.gate.policy.policy_rules import (
    ALL_ROLES,
    APPROVER,
    NO_HIDDEN,
    NO_IDENTIFIERS,
    NOT_ALONE,
    RECORDS_LEFT,
    UP_TO_DATE,
)
from PETWorks.gate.suggest.suggestion import Reason, Suggestion
from PETWorks.json_types import Bound, Count
from PETWorks.locale import ENGLISH, LANGUAGES, POLICY_COMMENT
from PETWorks.measures import numbers
from PETWorks.measures.catalogue import find_measure
from PETWorks.render.language.language import (
    levels_text,
    list_text,
    measure_name,
    message_text,
    percent,
    policy_text,
    rule_name,
    shorten_name,
    value_text,
)
from PETWorks.render.language.messages import in_language, translated
from PETWorks.render.language.texts import TEXTS
from PETWorks.render.report import other_releases
from PETWorks.render.report.sections import unmet_needs, utility_keys
from PETWorks.render.terminal import command_line

TERMS = {  # the terms that each section explains, where they occur first
    "rules": ("cell-size", "waiver"),
    "context": ("known", "sensitive"),
    "columns": ("identifier", "treatment"),
    "identity": ("class", "scenarios"),
    "drivers": ("shapley",),
    "attributes": ("excess",),
}
REVERSED = "total_variation"  # the number of columns of which 0 is the best
LIKELY_VALUE = "likely-value"
CERTAIN_VALUE = "certain-value"
MAX_ATTRIBUTES = 3  # sensitive attributes of which the chances are said
LOOKING = ("looks", "mixed")  # kinds of reasons that are about the look of values
AMOUNTS = ("adversary_cost", "adversary_gain", "publisher_loss", "publisher_benefit")
SECRET = (None, SENSITIVE_ATTRIBUTE, INSENSITIVE_ATTRIBUTE)  # roles of columns that nobody is assumed to know


def verdict(document: CheckDocument, lang: str) -> str:
    """The verdict in one sentence."""
    rules, counts = len(document.rules), document.rule_verdicts
    if counts.failed and counts.withheld:
        return message_text(lang, "summary.fail-at-least", n=counts.failed, all=rules, more=counts.withheld)
    if counts.failed:
        return message_text(lang, "summary.fail", n=counts.failed, all=rules)
    if counts.withheld and document.verdict == FAIL:
        return message_text(lang, "summary.fail-outside")
    if counts.withheld:
        return message_text(lang, "summary.withheld", n=counts.withheld, all=rules)
    if counts.waived:
        return message_text(lang, "summary.waived", n=counts.waived, all=rules)
    return message_text(lang, "summary.pass", n=rules)


def table(document: CheckDocument, lang: str) -> str:
    """The table that was examined, in a few sentences."""
    described = document.table
    sentences = [
        message_text(
            lang,
            "summary.table",
            records=described.records,
            known=len(described.quasi_identifiers),
            sensitive=len(described.sensitive_attributes),
        )
    ]
    if described.people is not None:
        sentences.append(message_text(lang, "summary.people", n=described.people))
    if described.removed_records:
        sentences.append(message_text(lang, "summary.removed", removed=described.removed_records))
    if described.shown:
        sentences.append(message_text(lang, "summary.shown", columns=shown_columns(described.shown, lang)))
    unit = described.treatment["privacy_unit"]
    skipped = [column for column in described.columns_without_a_role if column != unit]
    if skipped:
        sentences.append(message_text(lang, "summary.skipped", n=len(skipped)))
    return join_sentences(lang, *sentences, checked_file(document, lang))


def shown_columns(shown: Mapping[str, str], lang: str) -> str:
    """The columns that show means or medians."""
    texts = [message_text(lang, f"anonymize.shown.{way}", column=[column]) for column, way in shown.items()]
    return list_text(texts, lang)


def moment(document: CheckDocument) -> str:
    """The date and time of a check, in the time zone of this machine."""
    local = datetime.fromisoformat(document.generated).astimezone()
    offset = local.strftime("%z")
    zone = "UTC" if offset == "+0000" else f"UTC{offset[:3]}:{offset[3:]}"
    return f"{local:%Y-%m-%d %H:%M} {zone}"


def utility(document: CheckDocument, lang: str) -> list[str]:
    """The loss since the original: first records, then values, and the measures that do not notice it."""
    before, after = document.table.original_records, document.table.records
    if before is None or not isinstance(after, int):
        return []
    rows = "utility.deleted" if after < before else "utility.added" if after > before else "utility.same-rows"
    if document.table.removed_records == before - after and after < before:
        rows = "front.removed"
    share = percent(abs(before - after) / before, lang)
    numbers_of_records = {"records": before, "before": before, "after": after, "n": abs(before - after)}
    sentences = [message_text(lang, rows, share=share, **numbers_of_records)]
    if document.policy.kind != GENERALISED:
        return sentences
    shown = document.table.shown or {}
    recoded = [
        column.column
        for column in document.columns
        if column.recoded or column.stars or (column.column in shown and column.changed)
    ]
    blind = [
        result.measure
        for result in document.results
        if find_measure(result.measure).sees in ("class-sizes", "suppression")
    ]
    if recoded and blind:
        measures = list_text([measure_name(measure, lang) for measure in blind], lang)
        sentences.append(message_text(lang, "utility.blind", columns=recoded, measures=measures))
    without = [
        column.column
        for column in document.columns
        if column.column in recoded
        and column.column not in document.table.hierarchies
        and (column.column not in shown or column.granularity is None)
    ]
    if without:
        sentences.append(message_text(lang, "utility.no-hierarchies", columns=without))
    return sentences


def loss(column: ColumnFacts, lang: str) -> list[str]:
    """The loss of a column as cells of a table: name, values before and after, cells changed, information kept."""
    counts = (value_text(column.distinct_before, lang), value_text(column.distinct, lang))
    shares = (percent(column.changed, lang), percent(column.information_kept, lang))
    return [shorten_name(column.column), *counts, *shares]


def measured_aspect(measure: str, lang: str) -> str:
    """The aspect that a measure is limited to, if it ignores how coarse recoded values are."""
    kind = find_measure(measure).sees
    return "" if kind is None else message_text(lang, f"sees.{kind}")


def summary(document: CheckDocument, lang: str) -> str:
    """The verdict and the examined table."""
    return join_sentences(lang, verdict(document, lang), table(document, lang))


def join_sentences(lang: str, *sentences: str) -> str:
    """The sentences as one text."""
    return LANGUAGES[lang].writing.sentences.join(filter(None, sentences))


def bars(document: CheckDocument, lang: str) -> str:
    """The meaning of the bars in the table of the columns' utility."""
    keys = utility_keys(document)
    if not keys:
        return ""
    scale = "utility.scale" if REVERSED not in keys else "utility.scale-reverse" if keys[1:] else "utility.scale-other"
    what = message_text(lang, f"column.{keys[0]}")
    return join_sentences(lang, message_text(lang, scale), message_text(lang, "utility.bars", what=what))


def waiver(facts: WaiverFacts, lang: str) -> str:
    """A waiver as a line of text."""
    reason = policy_text(facts.reason, lang).rstrip(".。")
    text = message_text(lang, f"waiver.{facts.state}", expires=facts.expires, reason=reason)
    owner = "" if facts.owner is None else message_text(lang, "waiver.owner", owner=policy_text(facts.owner, lang))
    return join_sentences(lang, text, owner)


def finding(column: ColumnFacts, lang: str) -> str:
    """The findings about a column with their reasons, and the reason why it has no role."""
    sentences = [sentence for found in column.found for sentence in _finding(column, found, lang)]
    if column.no_role is not None:
        sentences.append(policy_text(column.no_role, lang))
    return LANGUAGES[lang].writing.clauses.join(sentences)


def _finding(column: ColumnFacts, finding: ColumnFinding, lang: str) -> list[str]:
    reasons = []
    if finding.points_to is not None:
        reasons.append(message_text(lang, "finding.points-to", what=message_text(lang, f"subject.{finding.points_to}")))
    if finding.looks_like is not None:
        share = percent(finding.share, lang)
        reasons.append(
            message_text(lang, "finding.looks-like", share=share, what=message_text(lang, f"look.{finding.looks_like}"))
        )
    if finding.details:
        reasons.append(personal_details(finding.details, lang))
    is_secret = column.role == SENSITIVE_ATTRIBUTE and finding.kind == "perhaps known"
    text = message_text(lang, "finding.perhaps known, judged as secret" if is_secret else f"finding.{finding.kind}")
    return [message_text(lang, "write.labelled", label=text, text=reason) for reason in reasons] or [text]


def personal_details(details: Mapping[str, int], lang: str) -> str:
    """The number of personal details found of each kind."""
    kinds = [
        message_text(lang, "finding.detail", what=message_text(lang, f"look.{kind}"), n=n)
        for kind, n in details.items()
    ]
    return LANGUAGES[lang].writing.separator.join(kinds)


def reason_text(why: Reason, lang: str) -> str:
    """The reason for suggesting a role."""
    what = "" if why.what is None else message_text(lang, f"{'look' if why.kind in LOOKING else 'subject'}.{why.what}")
    share = percent(why.part / why.whole, lang) if why.whole else ""
    return message_text(lang, f"reason.{why.kind}", what=what, share=share, n=why.whole)


def suggestion_text(proposed: Suggestion, lang: str) -> str:
    """The reason for suggesting a role, with the counts."""
    if lang == ENGLISH:
        return proposed.reason
    why = reason_text(proposed.why, lang)
    return LANGUAGES[lang].writing.clauses.join([why, translated(proposed.facts, lang)]) if proposed.adds_facts else why


def comment_translators(lang: str) -> dict[str, Any]:
    """The functions that translate the comments of a new policy into a language."""

    def say(text: str) -> str:
        return translated(text, lang) if isinstance(text, Phrase) else in_language(text, lang, POLICY_COMMENT)

    return {
        "say": say,
        "why": lambda proposed: suggestion_text(proposed, lang),
        "typed": command_line,
        "home": LANGUAGES[lang].home,
    }


def assumptions(document: CheckDocument, lang: str) -> list[str]:
    """The assumptions behind the numbers, one sentence each."""
    policy, described = document.policy, document.table
    sentences = [message_text(lang, f"release.{policy.release or 'unknown'}")]
    if policy.purpose:
        sentences.append(message_text(lang, "context.purpose", purpose=policy_text(policy.purpose, lang)))
    if policy.recipients:
        sentences.append(message_text(lang, "context.recipients", who=policy_text(policy.recipients, lang)))
    if policy.review_by:
        sentences.append(message_text(lang, "context.review", date=policy.review_by))
    sentences.append(message_text(lang, "context.known", columns=described.quasi_identifiers))
    secret = [column.column for column in document.columns if column.released and column.role in SECRET]
    if secret:
        sentences.append(message_text(lang, "context.unknown", columns=secret))
    sentences += [
        message_text(lang, "context.adversary", who=policy_text(adversary.who, lang), columns=adversary.knows)
        for adversary in document.adversaries
    ]
    if policy.kind != GENERALISED:
        sentences += _comparison(document, lang)
    else:
        has_weights = described.sampling_weight is not None or any(
            notice.notice == "individual-risk-when-made" for notice in document.notices
        )
        name = "sample" if has_weights else "no-population" if described.population is None else "population"
        sentences.append(message_text(lang, f"context.{name}", n=described.population))
    in_money = [result.parameters for result in document.results if find_measure(result.measure).unit == "money"]
    if in_money:
        sentences.append(message_text(lang, "context.amounts", **{name: in_money[-1][name] for name in AMOUNTS}))
    sentences += other_releases.assumptions(document, lang)
    texts = (policy_text(text, lang) for text in policy.assumptions)
    sentences += [text for text in texts if not other_releases.is_replaced(text)]
    if policy.kind != GENERALISED:
        return sentences
    ways = dict(described.treatment)
    if described.classes is not None and not described.classes.suppressed_records:
        del ways["suppressed"]
    return sentences + treatment(ways, lang)


def _comparison(document: CheckDocument, lang: str) -> list[str]:
    """Sentences about the comparison by which a release that is not generalised is judged."""
    described = document.table
    sentences = [message_text(lang, f"context.kind.{described.kind}")] if described.kind else []
    if described.control_records:
        sentences.append(message_text(lang, "context.control", n=described.control_records))
    if described.compared_at:
        levels = [
            message_text(lang, "context.compared-at", column=[column], level=level)
            for column, level in described.compared_at.items()
        ]
        of_rules = any(rule.details.get("compared_at") for rule in document.rules)
        sentences.append(message_text(lang, "context.levels-of-rules" if of_rules else "context.levels", levels=levels))
    return sentences


def treatment(ways: Mapping[str, str | None], lang: str) -> list[str]:
    """Sentences about the treatment of missing values, suppressed records, sensitive attributes and people."""
    known = [
        *("treatment.missing.value", "treatment.missing.apart"),
        *("treatment.suppressed.apart", "treatment.suppressed.class"),
        *("treatment.several_sensitive.alone", "treatment.several_sensitive.quasi-identifiers"),
        *("treatment.sensitive_values.exact", "treatment.sensitive_values.folded"),
    ]
    chosen = {f"treatment.{name}.{value}" for name, value in ways.items()}
    sentences = [message_text(lang, way) for way in known if way in chosen]
    if ways.get("privacy_unit"):
        sentences.append(message_text(lang, "context.unit", column=[ways["privacy_unit"]]))
    return sentences


def residual(document: CheckDocument, lang: str) -> str:
    """The remaining risk in one or two sentences."""
    none = "residual.none" if document.edition == INTERNAL else "word.inside"
    return join_sentences(lang, *residual_texts(document, lang)) or message_text(lang, none)


def residual_texts(document: CheckDocument, lang: str, *, of_identity: bool = True) -> list[str]:
    """The remaining risk: the chance to find a person, and the chance to guess a sensitive value."""
    if document.policy.kind != GENERALISED:
        return _told_by_lookups(document, lang)
    results = {result.measure: result for result in document.results if not _is_withheld(result)}
    texts = []
    if of_identity and "re-identification" in results:
        values = {"known": len(document.table.quasi_identifiers), "chance": _chance(results["re-identification"], lang)}
        highest = highest_chance(document)
        if highest is None:
            texts.append(message_text(lang, "residual.identity", **values))
        else:
            texts.append(message_text(lang, "residual.identity-highest", highest=percent(highest, lang), **values))
    if "attribute-inference" in results:
        attributes = results["attribute-inference"].details.get("attributes", {})
        if attributes:
            texts.append(_guessed(document, attributes, lang))
        else:
            chance = _chance(results["attribute-inference"], lang)
            texts.append(message_text(lang, "residual.attributes", chance=chance))
    return texts


def _guessed(document: CheckDocument, attributes: Mapping[str, Mapping[str, Any]], lang: str) -> str:
    """How well sensitive values can be guessed, on average and at worst; first the one of which most is told."""
    worst = {
        name: notice for notice in document.notices if notice.notice == LIKELY_VALUE for name in notice.columns or ()
    }
    order = sorted(attributes, key=lambda name: attributes[name]["prior"] - attributes[name]["posterior"])
    texts = []
    for column in order[:MAX_ATTRIBUTES]:
        numbers_shown = [attributes[column][name] for name in ("posterior", "prior")]
        chances = dict(zip(("posterior", "prior"), (percent(share, lang) for share in numbers_shown), strict=True))
        if column not in worst or worst[column].share == attributes[column]["posterior"]:
            texts.append(message_text(lang, "residual.attribute", column=[column], **chances))
            continue
        highest = percent(worst[column].share, lang)
        message = "residual.attribute-also" if texts else "residual.attribute-at-worst"
        texts.append(message_text(lang, message, column=[column], highest=highest, **chances))
        if worst[column].records:
            likely = percent(LIKELY, lang)
            texts.append(message_text(lang, "residual.attribute-likely", n=worst[column].records, likely=likely))
    return join_sentences(lang, *texts)


def _told_by_lookups(document: CheckDocument, lang: str) -> list[str]:
    """Sentences about lookups in a release that is not generalised, for people of the original and control people."""
    measured = {result.measure: {"share": result.value, **result.details} for result in document.results}
    results = dict(measured)
    # Rules are judged on several levels of hierarchies: shown are the numbers of the level that decided.
    decided = {rule.measure: rule for rule in document.rules if rule.details.get("compared_at")}
    for measure, rule in decided.items():
        exact = rule.details.get("exact")
        results[measure] = {**({} if exact is None else {"share": float(Fraction(exact))}), **rule.details}
    limits = {measure: rule.parameters.get("excess") for measure, rule in decided.items()}
    as_they_are = not any((document.table.compared_at or {}).values())

    def coarser(measure: str) -> list[str]:
        levels = decided[measure].details["compared_at"] if measure in decided else {}
        return levels_text(levels, lang)

    def copies(found: Mapping[str, Any], without_control: str, with_control: str, **more: Any) -> str:
        control = found.get("control")
        message = without_control if control is None else with_control
        shares = {"share": percent(found["share"], lang), "control": percent(control, lang)}
        return message_text(lang, message, **shares, **more)

    texts = []
    if "copies" in results:
        found, levels = results["copies"], coarser("copies")
        if not levels:
            texts.append(copies(found, "residual.copies", "residual.copies-control"))
        else:
            texts.append(copies(found, "residual.copies-coarser", "residual.copies-coarser-control", levels=levels))
            exactly = ("residual.copies-as-they-are", "residual.copies-as-they-are-control")
            if as_they_are:
                texts.append(join_sentences(lang, texts.pop(), copies(measured["copies"], *exactly)))
    if "best-guess" in results:
        attributes = results["best-guess"]["attributes"]
        column = max(attributes, key=lambda name: attributes[name].get("interval", (0, attributes[name]["share"]))[1])
        numbers = attributes[column]
        beside = [numbers[name] for name in ("share", "control", "excess") if name in numbers]
        told = {name: percent(numbers[name], lang, beside) for name in ("share", "prior", "control") if name in numbers}
        message = "residual.guess" if "control" not in numbers else "residual.guess-control"
        levels = coarser("best-guess")
        made_coarser = message_text(lang, "residual.coarser", levels=levels) if levels else ""
        texts.append(join_sentences(lang, message_text(lang, message, column=[column], **told), made_coarser))
        if "interval" in numbers:
            excess, (_, high) = numbers["excess"], numbers["interval"]
            limit = limits.get("best-guess")
            message = "residual.no-excess" if excess <= 0 else "residual.excess"
            values = {"share": percent(excess, lang, beside), "high": percent(min(max(high, 0.0), 1.0), lang, beside)}
            if limit is not None:
                message, values = f"{message}-limit", {**values, "limit": percent(limit, lang)}
            texts.append(
                join_sentences(
                    lang,
                    message_text(lang, message, **values),
                    _people_told(numbers, results["best-guess"].get("original_records"), lang),
                    _told_to_fewer(document, column, excess, lang),
                )
            )
    return texts


def _told_to_fewer(document: CheckDocument, column: str, excess: float, lang: str) -> str:
    """What the table tells those who know only some columns, if that is more than all columns tell.

    Empty if a rule limits every combination of columns, which is then said with that rule.
    """
    lookups = document.lookups
    if lookups is None or any(limit.limit == "best-guess" for limit in lookups.limits):
        return ""
    columns = sum(facts.role == QUASI_IDENTIFIER for facts in document.columns)
    fewer = [
        known for known in lookups.if_they_know if known.attack == f"best-guess of {column}" and known.known < columns
    ]
    most, case = excess, None
    for found in (known.highest for known in fewer):
        if isinstance(found.excess, int | float) and found.excess > most:
            most, case = found.excess, found
    if case is None or case.interval is None:
        return ""
    shares = {"share": percent(most, lang), "high": percent(min(case.interval[1], 1.0), lang)}
    combinations = sum(known.subsets for known in fewer)
    return message_text(lang, "residual.excess-fewer", columns=list(case.attributes), n=combinations, **shares)


def _people_told(told: Mapping[str, Any], people: Any, lang: str) -> str:
    """The number of people about whom the table makes guesses right, and at most how many; empty if none are known."""
    if told["excess"] <= 0 or not isinstance(people, int):
        return ""
    guessed_wrong = (1 - told["control"]) * people
    number, most = (round(min(share, 1.0) * guessed_wrong) for share in (told["excess"], told["interval"][1]))
    if not number:
        return ""
    return message_text(lang, "residual.excess-people", n=number, all=people, most=most)


def highest_chance(document: CheckDocument) -> float | Bound | None:
    """The chance to find the person most at risk, in any record, including records set aside by rules.

    None if it is not known. The bounds in the external edition come from measures of classes, which leave out records
    that are set aside.
    """
    results = {result.measure: result for result in document.results if not _is_withheld(result)}
    smallest = results["re-identification"].details.get("smallest_class") if "re-identification" in results else None
    if isinstance(smallest, int) and smallest:
        return 1 / smallest
    sets_aside = APART in (document.table.treatment["suppressed"], document.table.treatment["missing"])
    value = results["prosecutor-risk"].value if "prosecutor-risk" in results and not sets_aside else None
    return value if isinstance(value, int | float | Bound) else None


def _is_withheld(result: MeasureResult) -> bool:
    return isinstance(result.value, Bound) and result.value.withheld is not None


def _chance(result: MeasureResult, lang: str) -> str:
    assert isinstance(result.value, int | float | Bound | None)
    return percent(result.value, lang)


def method(document: CheckDocument, lang: str) -> list[str]:
    """Sentences about the computation of the numbers."""
    sentences = [
        message_text(lang, "method.exact"),
        message_text(lang, "method.seed"),
        message_text(
            lang,
            "method.version-as-of" if document.as_of_given else "method.version",
            version=document.petworks,
            schema=document.schema,
            moment=moment(document),
        ),
        repeat(document, lang),
    ]
    if document.edition == "external":
        sentences.append(message_text(lang, "method.external", n=document.policy.cell_size))
        sentences.append(message_text(lang, "method.commitment"))
    return sentences


def repeat(document: CheckDocument, lang: str) -> str:
    """The command that repeats the check with the same result."""
    if document.inputs[0].file is None:
        return message_text(
            lang,
            "method.repeat-in-python",
            policy=document.policy.file,
            moment=document.generated,
            edition=document.edition,
        )
    arguments = {**document.options, "as-of": document.generated, "edition": document.edition, "json": None}
    options = (part for name, value in arguments.items() for part in (f"--{name}", value) if part is not None)
    command = command_line(["petworks", "check", file_argument(document.policy.file), *options])
    return message_text(lang, "method.repeat", command=command)


def file_argument(path: str) -> str:
    """A path as an argument of a command, which must not look like an option."""
    return f"./{path}" if path.startswith("-") else path


def checked_file(document: CheckDocument, lang: str) -> str:
    """The checked file, if it still has the column that names people and so is not the file to release."""
    unit, file = linking_column(document), document.inputs[0].file
    if unit is None:
        return ""
    if file is None:
        return message_text(lang, "summary.unit-in-memory", column=[unit])
    return message_text(lang, "summary.unit", file=file, column=[unit])


def linking_column(document: CheckDocument) -> str | None:
    """The column of the checked table that names people and must not be released: the privacy unit, or the key."""
    key = None if document.releases is None else document.releases.key
    released = {column.column for column in document.columns if column.released}
    unit = document.table.treatment["privacy_unit"]
    return next((column for column in (unit, key) if column in released), None)


def not_measured(document: CheckDocument, lang: str) -> list[str]:
    """The measures that were not computed, with the reasons."""
    judged = {rule.measure for rule in document.rules if rule.details.get(JUDGED_WHEN_MADE)}
    reasons = [
        (measure_name(measure, lang), _reason(document, measure, lang))
        for measure in document.not_applicable
        if measure not in judged
    ]
    if document.subsets is None and document.lookups is None:
        why = "drivers.unit" if document.table.treatment["privacy_unit"] else "drivers.not-counted"
        reasons.append((message_text(lang, "section.drivers"), message_text(lang, why)))
    return [message_text(lang, "write.labelled", label=label, text=text) for label, text in reasons]


def _reason(document: CheckDocument, measure: str, lang: str) -> str:
    needs = unmet_needs(document, find_measure(measure))
    if find_measure(measure).unit == "money" and not needs:
        return message_text(lang, "needs.amounts")
    if needs:
        return message_text(lang, "needs", what=[message_text(lang, f"need.{need}") for need in needs])
    reason = document.not_applicable[measure]
    # A document read from a file has the reason in English only.
    return translated(reason, lang) if isinstance(reason, Phrase) else message_text(lang, "needs.other")


# What a passing verdict rests on, or leaves open, by the notice that says so.
CAVEATS = {"explained": "assumed", "found-by-amount": "warned"}
MOST = 0.5  # share of the records that an exact value finds


def caveat_of(document: CheckDocument) -> str | None:
    """Whether a passing verdict rests on an assumption, or leaves most records to those who know an exact value."""
    said = {notice.notice for notice in document.notices if notice.share is None or notice.share > MOST}
    words = (word for notice, word in CAVEATS.items() if notice in said and document.verdict in (PASS, WAIVED))
    return next(words, None)


def notices(document: CheckDocument, lang: str, advice: str = "advice.") -> list[str]:
    """The notices besides the verdict; for the external edition, its published bound of the worst case.

    advice   where the page has other words for what to do: its texts
    """
    if document.edition == EXTERNAL:
        compared = document.policy.kind != GENERALISED
        return [message_text(lang, "notice.outside-compared") if compared else _worst_case_outside(document, lang)]
    assumed = assumed_unknown(document) if document.verdict in (PASS, WAIVED) else []
    return notice_texts([*assumed, *(notice for notice in document.notices if notice not in assumed)], lang, advice)


def assumed_unknown(document: CheckDocument) -> list[Notice]:
    """The notices of columns that no outsider knows, as the policy says: the verdict holds only then."""
    return [notice for notice in document.notices if notice.notice == "explained"]


def _worst_case_outside(document: CheckDocument, lang: str) -> str:
    highest = highest_chance(document)
    if not isinstance(highest, Bound):
        return message_text(lang, "notice.outside")
    return message_text(lang, "notice.outside-highest", share=percent(highest, lang))


def notice_texts(notices_shown: Sequence[Notice], lang: str, advice: str | None = "advice.") -> list[str]:
    """The notices as texts.

    advice   the texts of what to do about them: by default in the words of policies and commands; None for nothing
    """
    certain = [notice for notice in notices_shown if notice.notice == CERTAIN_VALUE]
    texts = []
    for notice in notices_shown:
        if notice.notice == LIKELY_VALUE:  # said with the residual risk
            continue
        if len(certain) < 2 or notice not in certain:
            texts.append(join_sentences(lang, *_notice(notice, lang, advice)))
        elif notice is certain[0]:
            columns = [
                message_text(lang, "notice.certain-of", columns=one.columns or (), n=one.records) for one in certain
            ]
            texts.append(message_text(lang, "notice.certain-values", certain=list_text(columns, lang)))
    return texts


def _notice(notice: Notice, lang: str, advice: str | None) -> Iterator[str]:
    if notice.notice == "explained" and notice.reason is None:  # in documents of earlier versions
        yield message_text(lang, "notice.explained-alone", columns=notice.columns or ())
        return
    advised = [f"{group}{notice.notice}" for group in (advice, advice and "advice.")]
    for text in (f"notice.{notice.notice}", *[text for text in advised if text in TEXTS][:1]):
        yield message_text(
            lang,
            text,
            columns=notice.columns or (),
            n=notice.records or 0,
            rules=[rule_name(rule, lang) for rule in notice.rules or ()],
            share=percent(notice.share, lang, _numbers(notice.average)),
            average=percent(notice.average, lang, _numbers(notice.share)),
            reason="" if notice.reason is None else policy_text(notice.reason, lang),
            below=notice.below,
            size=notice.size,
            files=list_text([shorten_name(name) for name in notice.files or ()], lang),
        )


def _numbers(share: float | None) -> list[float]:
    """The other share shown beside a share, if any."""
    return [] if share is None else [share]


# The steps for rules about roles; these steps do not name their rule.
STEPS_FOR_ROLES = {
    NO_IDENTIFIERS: ("remove-identifiers",),
    NO_HIDDEN: ("hidden-identifiers", "personal-details", "unmeasured-values", "rename-column"),
    ALL_ROLES: ("give-roles", "measure-or-explain", "secret-or-explain"),
    APPROVER: ("name-approver",),
    RECORDS_LEFT: ("nothing-left", "plan-anew"),
    UP_TO_DATE: ("make-again",),
    NOT_ALONE: ("declare-releases",),
}
MOST_LEFT_OUT = 0.2  # share of the records that one may be advised to leave out by hand
MAX_REMOVALS = 3  # quasi-identifiers for which a step describes the effect of removal
ALLOWING = ("root", "network")  # options of a check that the policy cannot be read without


def step_texts(document: CheckDocument, lang: str) -> list[str]:
    """The next steps, one text each."""
    return [_step(step, lang, document) for step in document.next_steps]


def steps_for(document: CheckDocument, rule: RuleResult, lang: str) -> list[str]:
    """The steps for a rule, in texts that name no other rule; always at least one."""
    steps = [
        structs.replace(step, rules=(rule.name,)) for step in document.next_steps if rule.name in (step.rules or ())
    ]
    steps += [step for step in document.next_steps if step.step in STEPS_FOR_ROLES.get(rule.measure, ())]
    return [_step(step, lang, document) for step in steps] or [message_text(lang, "step.other")]


def _step(step: NextStep, lang: str, document: CheckDocument) -> str:
    if step.step == "merge-classes":
        return _merge_classes(step, lang)
    if step.step == "anonymize":
        return _anonymize(step, lang, document)
    values = {name: value for name, value in structs.asdict(step).items() if name != "step" and value is not None}
    if step.items is not None:
        values["items"] = [message_text(lang, f"item.{item}") for item in step.items]
    if step.details is not None:
        values["details"] = personal_details(step.details, lang)
    if step.share is not None:
        values["share"] = percent(step.share, lang)
    return message_text(lang, f"step.{step.step}", **values)


def _merge_classes(step: NextStep, lang: str) -> str:
    """The step about larger classes; the external edition names helpful columns without numbers of records."""
    removals = (step.without or ())[:MAX_REMOVALS]
    if step.records is None:
        text = message_text(lang, "step.merge-some-classes", size=step.size, rules=step.rules)
        columns = [row.column for row in removals]
        return text + (message_text(lang, "step.begin", columns=columns) if columns else "")
    share = percent(step.share, lang)
    text = message_text(lang, "step.merge-classes", n=step.records, share=share, size=step.size, rules=step.rules)
    return text + "".join(
        message_text(lang, "step.without", column=[row.column], n=row.records)
        for row in removals
        if _fewer(row.records, step.records)
    )


def fixing_command(document: CheckDocument) -> str:
    """The command that makes a release which keeps the rules."""
    options = [part for name in ALLOWING if name in document.options for part in (f"--{name}", document.options[name])]
    arguments = [file_argument(document.policy.file), *(part for part in options if part is not None)]
    return command_line(["petworks", "anonymize", *arguments, "-o", "RELEASED.csv"])


def _anonymize(step: NextStep, lang: str, document: CheckDocument) -> str:
    """The command that fixes the failing rules, and the manual alternatives."""
    command = fixing_command(document)
    if step.records is None:
        return message_text(lang, "step.anonymize", command=command)
    text = message_text(lang, "step.anonymize", command=command)
    if isinstance(step.share, float) and step.share > MOST_LEFT_OUT:
        return text
    by_hand = message_text(lang, "step.by-hand", n=step.records, share=percent(step.share, lang))
    return join_sentences(lang, text, by_hand) + "".join(
        message_text(
            lang,
            "step.raise",
            column=[level.column],
            level=level.level,
            n=level.records,
            loss=numbers.amount(level.loss),
        )
        for level in step.raised or ()
    )


def _fewer(records: Count, than: Count) -> bool:
    """Whether a count is lower than another; bounds cannot be compared."""
    return isinstance(records, int) and isinstance(than, int) and records < than
