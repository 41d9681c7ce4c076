"""The first page of a report, for those who sign: contents, losses, remaining risk, and the declaration."""

from pathlib import PurePosixPath
from typing import Any

from msgspec.structs import replace

from PETWorks.about.kinds import GENERALISED, SYNTHETIC
from PETWorks.attributetypes import INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.gate.document import EXTERNAL, INTERNAL, PASS, WAIVED, CheckDocument, ColumnFacts, Notice, RuleResult
from PETWorks.gate.external.protected import class_size_demanded, range_of
from PETWorks.gate.policy.policy_rules import BUILT_IN_RULES
from PETWorks.json_types import Bound
from PETWorks.locale import LANGUAGES
from PETWorks.measures.catalogue import catalogue
from PETWorks.render.language.language import (
    MAX_NAMES,
    list_text,
    measure_summary,
    message_text,
    percent,
    policy_text,
    rule_name,
    shorten_name,
    thresholds,
    value_text,
)
from PETWorks.render.language.texts import TEXTS
from PETWorks.render.report import making, other_releases, prose
from PETWorks.render.report.sections import texts_of_document

DIGITS_OF_DIGEST = 12
CONTROLLED = "controlled"
LINE_TO_FILL = "_" * 16  # for facts that the policy does not state
MAX_COLUMNS = 12  # in the table; more columns are listed by kind and by state
MAX_REMARKS = 8
LITTLE = 0.05  # share of the information of a column below which almost nothing is left
LOST = ("nothing-left", "one-value", "little-left")  # notices about columns that are lost
# The notices that say most to those who sign come first.
FIRST = (
    "other-releases",
    "people-not-counted",
    "identifiers-left",
    "set-aside",
    "certain-value",
    "near-value",
    "found-by-amount",
    "nearly-unique",
    "removed-alike",
    "few-removed",
    "minimality",
    "explained",
    "perhaps-known",
    "perhaps-sensitive",
    "perhaps-sensitive-coarser",
    "not-covered",
    "not-covered-columns",
    "not-covered-tables",
)
BY_WEIGHTS = ("individual-risk", "individual-risk-when-made")
CHANCES = (*BY_WEIGHTS, "highest-risk-in-sample", "highest-risk")  # notices that begin the remaining risk
MAX_KNOWN = 5  # columns that outsiders may know; of more, the number is said
IN_THE_TABLE = (*LOST, *CHANCES)  # notices that repeat the figures or the table of the columns


def meaning(document: CheckDocument, lang: str) -> str:
    """The meaning of the verdict, and its limits."""
    if document.verdict not in (PASS, WAIVED):
        return "" if document.rule_verdicts.failed == 0 else message_text(lang, "front.means.fail")
    inside, waived = document.edition == INTERNAL, document.rule_verdicts.waived
    means = f"front.means.{document.verdict}" if inside or not waived else "front.means.waived-outside"
    texts = [message_text(lang, means, n=waived)]
    if inside:
        texts += _reviewed_too_late(document, lang)
    texts += prose.notice_texts(prose.assumed_unknown(document), lang)
    texts.append(message_text(lang, "front.means.no-promise"))
    if inside:
        texts.append(message_text(lang, "front.means.to-decide"))
    return prose.join_sentences(lang, *texts)


def _reviewed_too_late(document: CheckDocument, lang: str) -> list[str]:
    """That an exception ends before the review, if one does."""
    ends = [rule.waiver.expires for rule in document.rules if rule.verdict == WAIVED and rule.waiver is not None]
    review = document.policy.review_by
    if not ends or review is None or review <= min(ends):
        return []
    return [message_text(lang, "front.means.review-later", date=review)]


def figures(document: CheckDocument, lang: str) -> list[list[str]]:
    """The figures in large type, each with its name and a note."""
    table, made = document.table, document.anonymization
    before = table.original_records if made is None else made.records
    notes = [message_text(lang, "front.figure.people", n=table.people)] if isinstance(table.people, int) else []
    notes += [] if before is None else [message_text(lang, "front.figure.records-before", n=before)]
    notes += [] if isinstance(table.records, int) else [_rounded(document, lang)]
    rows = [["front.figure.records", value_text(table.records, lang), _clauses(notes, lang)]]
    highest = prose.highest_chance(document) if table.quasi_identifiers else None
    by_weights = next(filter(None, (_notice(document, kind) for kind in BY_WEIGHTS)), None)
    if highest is not None and by_weights is not None:
        low, high = percent(by_weights.share, lang), percent(highest, lang)
        note = message_text(lang, "front.figure.by-weights", low=low, share=high)
        span = message_text(lang, "front.figure.from-to", low=low, high=high)
        rows.append(["front.figure.risk", low if low == high else span, note])
    elif highest is not None:
        risk_before = table.original_highest_risk if made is None else made.before.highest_risk
        notes = [_who_looks_alike(document, lang)]
        assumed = [name for notice in prose.assumed_unknown(document) for name in notice.columns or ()]
        notes += [message_text(lang, "front.figure.without", columns=assumed)] if assumed else []
        if risk_before is not None:
            share = percent(risk_before, lang)
            notes.append(message_text(lang, "front.figure.risk-before", share=share))
        rows.append(["front.figure.risk", _highest(document, highest, lang), _clauses(notes, lang)])
    kept = _information_kept(document)
    if kept is not None:
        note = message_text(lang, "front.figure.kept-of", n=len(table.quasi_identifiers))
        rows.append(["front.figure.kept", percent(kept, lang), note])
    return [[message_text(lang, name), number, note] for name, number, note in rows]


def _rounded(document: CheckDocument, lang: str) -> str:
    """That the number of records is rounded, with its range: it follows from the middle of it, which is shown."""
    middle = document.table.records.about if isinstance(document.table.records, Bound) else None
    if not isinstance(middle, int):
        return message_text(lang, "front.figure.rounded")
    low, high = range_of(middle, document.policy.cell_size)
    return message_text(lang, "front.figure.rounded-between", low=low, high=high)


def _highest(document: CheckDocument, highest: float | Bound, lang: str) -> str:
    """The highest chance; in the external edition with the upper limit that follows from rules that are met."""
    if not isinstance(highest, Bound) or highest.above is None:
        return percent(highest, lang)
    sizes = (class_size_demanded(rule) for rule in document.rules if rule.verdict == PASS)
    smallest = max(filter(None, sizes), default=0)
    if smallest < 2:  # a rule that any table keeps
        return percent(highest, lang)
    values = {"share": percent(highest.above, lang), "most": percent(1 / smallest, lang)}
    return message_text(lang, "front.figure.between", **values)


def _information_kept(document: CheckDocument) -> float | None:
    """The information left in the columns that outsiders may know, on average; None if that is not known."""
    made = document.anonymization
    if made is not None:
        return None if made.utility is None else made.utility.information_kept
    known = document.table.quasi_identifiers
    kept = [column.information_kept for column in document.columns if column.column in known]
    shares = [share for share in kept if share is not None]
    return sum(shares) / len(shares) if shares and len(shares) == len(known) else None


def rules_in_words(document: CheckDocument, lang: str) -> str:
    """The rules that were met, with their limits; empty if one was not."""
    if document.verdict != PASS or document.edition == EXTERNAL:
        return ""
    own = [rule for rule in document.rules if rule.name not in BUILT_IN_RULES]
    texts = [
        message_text(lang, "write.exact", value=rule_name(rule.name, lang), exact=thresholds(rule, lang))
        if rule.name == rule.measure and thresholds(rule, lang)
        else rule_name(rule.name, lang)
        for rule in own[:MAX_NAMES]
    ]
    built_in = len(document.rules) - len(own)
    return message_text(lang, "front.rules", rules=list_text(texts, lang), n=built_in) if own and built_in else ""


def _clauses(texts: list[str], lang: str) -> str:
    return LANGUAGES[lang].writing.clauses.join(filter(None, texts))


def _who_looks_alike(document: CheckDocument, lang: str) -> str:
    """The least number of people who look alike, or of those who look like nobody; empty if unknown or not shown."""
    highest = prose.highest_chance(document)
    if document.edition == EXTERNAL or highest is None or isinstance(highest, Bound):
        return ""
    others = round(1 / highest) - 1
    if others:
        sizes = [(class_size_demanded(rule) or 0, rule.verdict == WAIVED) for rule in document.rules]
        asked, is_waived = max(sizes, default=(0, False), key=lambda size: (size[0], not size[1]))
        required = "front.figure.alike-waived" if is_waived else "front.figure.alike-required"
        return message_text(lang, "front.figure.alike" if asked < 2 else required, n=others + 1, required=asked)
    worst = _notice(document, "highest-risk") or _notice(document, "highest-risk-in-sample")
    return (
        "" if worst is None or worst.records is None else message_text(lang, "front.figure.only-ones", n=worst.records)
    )


def _notice(document: CheckDocument, kind: str) -> Notice | None:
    return next((notice for notice in document.notices if notice.notice == kind), None)


def column_states(document: CheckDocument) -> dict[str, str]:
    """The state of each column, `kept`, `coarser` or `lost`; empty if the original is not known."""
    facts = {column.column: column for column in document.columns if column.released and column.changed is not None}
    if document.anonymization is not None:
        states: dict[str, str] = {column.column: column.state for column in document.anonymization.column_states}
    else:
        lost = {name for notice in document.notices if notice.notice in LOST for name in notice.columns or ()}
        states = {
            name: "lost" if name in lost else "coarser" if column.changed else "kept" for name, column in facts.items()
        }
    return {
        name: _finer_state(facts[name]) if state == "coarser" and name in facts else state
        for name, state in states.items()
    }


def _finer_state(column: ColumnFacts) -> str:
    """The state of a column that changed: next to nothing is left, a few cells are `*`, or values are coarser."""
    if column.information_kept is not None and column.information_kept < LITTLE:
        return "little"
    return "starred" if column.stars and not column.recoded else "coarser"


def has_table(document: CheckDocument) -> bool:
    """Whether the columns are shown as a table: if their states are known, and there is room for all."""
    return bool(column_states(document)) and len(document.columns) <= MAX_COLUMNS


def kind_of(document: CheckDocument, column: ColumnFacts) -> str:
    """The id of the message for the kind of a column: known to outsiders, sensitive, left out and so on."""
    if not column.released or column.column == document.table.treatment["privacy_unit"]:
        return "front.kind.left-out"
    if column.column in document.table.identifiers_in_the_release:
        return "front.kind.identifier"
    if column.column in (document.table.sampling_weight, document.table.household):
        return "front.kind.for-check"
    kinds = {QUASI_IDENTIFIER: "front.kind.known", SENSITIVE_ATTRIBUTE: "front.kind.sensitive", None: "front.kind.none"}
    return kinds.get(column.role, "front.kind.other")


def contents(document: CheckDocument, lang: str) -> list[str]:
    """The columns that the file contains now, by kind."""
    groups: dict[str, list[str]] = {
        name: []
        for name in (
            *("front.known", "front.sensitive", "front.identifiers", "front.for-check"),
            *("front.other", "front.left-out"),
        )
    }
    names = {
        "front.kind.known": "front.known",
        "front.kind.sensitive": "front.sensitive",
        "front.kind.identifier": "front.identifiers",
        "front.kind.for-check": "front.for-check",
        "front.kind.left-out": "front.left-out",
    }
    for column in document.columns:
        groups[names.get(kind_of(document, column), "front.other")].append(column.column)
    texts = [message_text(lang, group, n=len(columns), columns=columns) for group, columns in groups.items() if columns]
    return [*_made_up(document, lang), *texts, *_about_the_file(document, lang)]


def _made_up(document: CheckDocument, lang: str) -> list[str]:
    return [message_text(lang, "front.made-up")] if document.table.kind == SYNTHETIC else []


def _about_the_file(document: CheckDocument, lang: str) -> list[str]:
    shown = document.table.shown
    texts = [message_text(lang, "summary.shown", columns=prose.shown_columns(shown, lang))] if shown else []
    checked = prose.checked_file(document, lang)
    return [*texts, *([checked] if checked else [])]


def losses(document: CheckDocument, lang: str) -> list[str]:
    """The losses since the original; empty if the original is not known."""
    made = document.anonymization
    if made is None:
        texts = _lost_records(document, lang)
    else:
        texts = making.removal_texts(made, lang)
        if not has_table(document):
            texts += making.column_state_texts(made, lang)
    return [*texts, *texts_of_document(document, lang)]


def _lost_records(document: CheckDocument, lang: str) -> list[str]:
    """Records that left the file or have only `*`, if nothing else is known about its making."""
    table = document.table
    texts = []
    if table.original_records is not None and table.original_records != table.records:
        texts += prose.utility(document, lang)[:1]  # the others are about measures
    suppressed = 0 if table.classes is None else table.classes.suppressed_records
    if suppressed and isinstance(table.records, int):
        share = percent(suppressed / table.records, lang)
        texts.append(message_text(lang, "front.blanked", n=suppressed, records=table.records, share=share))
    return texts


def contents_and_losses(document: CheckDocument, lang: str) -> list[str]:
    """The texts below the table of the columns."""
    left_out = [column.column for column in document.columns if kind_of(document, column) == "front.kind.left-out"]
    texts = [message_text(lang, "front.left-out", n=len(left_out), columns=left_out)] if left_out else []
    return [*_made_up(document, lang), *texts, *losses(document, lang), *_about_the_file(document, lang)]


def remaining_risks(document: CheckDocument, lang: str) -> list[str]:
    """The remaining risks, the most important first."""
    if document.edition == EXTERNAL:
        together = other_releases.outcome(document, lang)
        return [*prose.residual_texts(document, lang), *together, *_not_told_outside(document, lang)]
    texts = [*_chances(document, lang), *other_releases.outcome(document, lang)]
    said, further = _split_notices(document, MAX_REMARKS - len(texts))
    texts += prose.notice_texts(said, lang, None)
    if document.policy.kind != GENERALISED:  # there, no notice says so
        texts.append(message_text(lang, "notice.not-covered-tables"))
    if further:
        section = message_text(lang, "rules.besides")
        texts.append(message_text(lang, "front.more", n=len(further), section=section))
    return texts


def _split_notices(document: CheckDocument, room: int) -> tuple[list[Notice], list[Notice]]:
    """The notices that the first page says, the most important first, and those for which there is no room."""
    with_verdict = ("explained",) if document.verdict in (PASS, WAIVED) else ()
    said_elsewhere = (*(IN_THE_TABLE if has_table(document) else CHANCES), *with_verdict, prose.LIKELY_VALUE)
    told = sorted(
        (notice for notice in document.notices if notice.notice not in said_elsewhere),
        key=lambda notice: FIRST.index(notice.notice) if notice.notice in FIRST else len(FIRST),
    )
    return told[:room], told[room:]


def further_remarks(document: CheckDocument, lang: str) -> list[str]:
    """The notices for the section of the rules: those that the first page lacks, or says without advice."""
    room = MAX_REMARKS - len(_chances(document, lang)) - len(other_releases.outcome(document, lang))
    said, _ = _split_notices(document, room)
    further = [
        notice
        for notice in document.notices
        if notice.notice not in (*CHANCES, "explained") and (notice not in said or f"advice.{notice.notice}" in TEXTS)
    ]
    return prose.notice_texts(further, lang)


def steps(document: CheckDocument, lang: str) -> list[str]:
    """The next steps: first what mends everything, last what is about waived rules only."""
    waived = {rule.name for rule in document.rules if rule.verdict == WAIVED}
    order = sorted(
        document.next_steps,
        key=lambda step: 0 if step.step == "anonymize" else 2 if step.rules and waived.issuperset(step.rules) else 1,
    )
    return prose.step_texts(replace(document, next_steps=tuple(order)), lang)


def _chances(document: CheckDocument, lang: str) -> list[str]:
    """The chances to find a person and to learn something about them."""
    by_weights = [notice for notice in document.notices if notice.notice in CHANCES[:-1]]
    if any(notice.notice in BY_WEIGHTS for notice in by_weights):
        return [*prose.notice_texts(by_weights, lang), *prose.residual_texts(document, lang, of_identity=False)]
    worst, known = _notice(document, "highest-risk"), document.table.quasi_identifiers
    if worst is None or not known:
        return prose.residual_texts(document, lang)
    shares = [share for share in (worst.share, worst.average) if share is not None]
    many = len(known) > MAX_KNOWN
    columns = message_text(lang, "front.known-columns", n=len(known)) if many else known
    chances = {"average": percent(worst.average, lang, shares), "share": percent(worst.share, lang, shares)}
    message = "front.found-alike" if worst.share == worst.average else "front.found"
    found = message_text(lang, message, columns=columns, n=worst.records, **chances)
    return [found, *prose.residual_texts(document, lang, of_identity=False)]


def _not_told_outside(document: CheckDocument, lang: str) -> list[str]:
    """What the external edition does not show, and what the verdict does not consider."""
    if document.policy.kind != GENERALISED:
        is_met = document.verdict in (PASS, WAIVED)
        return [message_text(lang, "front.outside-compared-met" if is_met else "front.outside-compared")]
    texts = [message_text(lang, "front.outside")] if document.table.quasi_identifiers else []
    sensitive = document.table.sensitive_attributes
    if sensitive and all(result.measure != "attribute-inference" for result in document.results):
        texts.append(message_text(lang, "front.outside-guess", columns=sensitive))
    roles = (SENSITIVE_ATTRIBUTE, INSENSITIVE_ATTRIBUTE)
    columns = tuple(column.column for column in document.columns if column.released and column.role in roles)
    alone = document.releases is None
    if columns or alone:
        about = "" if columns and alone else "-columns" if columns else "-tables"
        texts.append(message_text(lang, f"notice.not-covered{about}", columns=columns))
    return texts


def plain_rule(rule: RuleResult, lang: str) -> str:
    """The meaning of a rule in plain words, otherwise in those of its measure."""
    message = f"plain.{rule.measure}.excess" if rule.compared == "excess" else f"plain.{rule.measure}"
    if message in TEXTS:
        return message_text(lang, message)
    return measure_summary(rule.measure, lang) if rule.measure in catalogue else ""


def waiver(rule: RuleResult, lang: str) -> str:
    """A waiver as a line of text, with the number of records in groups that are smaller than the rule asks for."""
    assert rule.waiver is not None
    below = rule.details.get("records_below_k") if rule.verdict == WAIVED else None
    smaller = message_text(lang, "front.smaller", n=below) if below and isinstance(below, int) else ""
    return prose.join_sentences(lang, smaller, prose.waiver(rule.waiver, lang))


def declaration(document: CheckDocument, lang: str) -> str:
    """The sentences to sign."""
    policy, data = document.policy, document.inputs[0]
    recipients = policy_text(policy.recipients, lang) if policy.recipients else ""
    if not recipients:
        recipients = LINE_TO_FILL if policy.release is None else message_text(lang, f"front.to.{policy.release}")
        if policy.release == CONTROLLED:  # who they are must be said
            recipients = message_text(lang, "front.sign.to-name", line=LINE_TO_FILL, who=recipients)
    values = {
        "file": message_text(lang, "file.memory") if data.file is None else PurePosixPath(data.file).name,
        "digest": LINE_TO_FILL if data.sha256 is None else data.sha256[:DIGITS_OF_DIGEST],
        "recipients": recipients,
    }
    texts = [message_text(lang, "front.sign", **values)]
    if policy.purpose:
        texts.append(message_text(lang, "context.purpose", purpose=policy_text(policy.purpose, lang).rstrip(".。")))
    if (unit := prose.linking_column(document)) is not None:
        texts.append(message_text(lang, "front.sign.without", column=[unit]))
    if policy.review_by:
        texts.append(message_text(lang, "context.review", date=policy.review_by))
    waived = [_waived_until(rule, lang) for rule in document.rules if rule.verdict == WAIVED]
    if waived:
        texts.append(message_text(lang, "front.sign.although", rules=list_text(waived, lang)))
    texts.append(message_text(lang, "front.sign.accept"))
    return prose.join_sentences(lang, *texts)


def _waived_until(rule: RuleResult, lang: str) -> str:
    name = rule_name(rule.name, lang)
    if rule.waiver is None:
        return name
    until = message_text(lang, "front.sign.until", expires=rule.waiver.expires)
    return message_text(lang, "write.exact", value=name, exact=until)


def is_signed(document: CheckDocument) -> bool:
    """Whether the first page has fields for signatures: on a release that may go out, in the internal edition."""
    return document.sign_off is not None and document.verdict in (PASS, WAIVED)


KINDS = ("identifier", "for-check", "known", "sensitive", "other", "none")  # in the order of the table


def column_rows(document: CheckDocument) -> list[dict[str, Any]]:
    """The released columns: name, kind, state, and the share of information that is left if it changed."""
    states = column_states(document)
    made = document.anonymization
    kept = {column.column: column.information_kept for column in made.utility.columns} if made and made.utility else {}
    rows = [
        {
            "name": shorten_name(column.column),
            "kind": kind_of(document, column),
            "state": states.get(column.column),
            "stars": column.stars,
            "kept": None
            if states.get(column.column) == "kept"
            else kept.get(column.column)
            if column.information_kept is None
            else column.information_kept,
        }
        for column in document.columns
    ]
    order = [f"front.kind.{kind}" for kind in KINDS]
    return sorted((row for row in rows if row["kind"] in order), key=lambda row: order.index(row["kind"]))
