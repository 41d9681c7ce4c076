"""The first page of a report, for those who sign: contents, losses, remaining risk, and the declaration."""

from pathlib import PurePosixPath
from typing import Any

from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.gate.document import EXTERNAL, INTERNAL, PASS, WAIVED, CheckDocument, ColumnFacts, Notice, RuleResult
from PETWorks.json_types import Bound
from PETWorks.locale import LANGUAGES
from PETWorks.measures.catalogue import catalogue
from PETWorks.render.language.language import (
    measure_summary,
    message_text,
    percent,
    policy_text,
    shorten_name,
    value_text,
)
from PETWorks.render.language.texts import TEXTS
from PETWorks.render.report import making, other_releases, prose
from PETWorks.render.report.sections import texts_of_document

DIGITS_OF_DIGEST = 12
LINE_TO_FILL = "_" * 16  # for facts that the policy does not state
MAX_COLUMNS = 12  # in the table; more columns are listed by kind and by state
MAX_REMARKS = 8
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
    "perhaps-known",
    "perhaps-sensitive",
    "perhaps-sensitive-coarser",
    "not-covered",
    "not-covered-columns",
    "not-covered-tables",
)
CHANCES = ("individual-risk", "highest-risk-in-sample", "highest-risk")  # notices that begin the remaining risk
IN_THE_TABLE = (*LOST, *CHANCES)  # notices that repeat the figures or the table of the columns


def meaning(document: CheckDocument, lang: str) -> str:
    """The meaning of the verdict, and its limits."""
    if document.verdict not in (PASS, WAIVED):
        return "" if document.rule_verdicts.failed == 0 else message_text(lang, "front.means.fail")
    texts = [message_text(lang, f"front.means.{document.verdict}")]
    texts += prose.notice_texts(prose.assumed_unknown(document), lang)
    texts.append(message_text(lang, "front.means.no-promise"))
    if document.edition == INTERNAL:
        texts.append(message_text(lang, "front.means.to-decide"))
    return prose.join_sentences(lang, *texts)


def figures(document: CheckDocument, lang: str) -> list[list[str]]:
    """The figures in large type, each with its name and a note."""
    table, made = document.table, document.anonymization
    before = table.original_records if made is None else made.records
    notes = [message_text(lang, "front.figure.people", n=table.people)] if isinstance(table.people, int) else []
    notes += [] if before is None else [message_text(lang, "front.figure.records-before", n=before)]
    rows = [["front.figure.records", value_text(table.records, lang), _clauses(notes, lang)]]
    highest = prose.highest_chance(document) if table.quasi_identifiers else None
    if highest is not None:
        notes = [_who_looks_alike(document, lang)]
        assumed = [name for notice in prose.assumed_unknown(document) for name in notice.columns or ()]
        notes += [message_text(lang, "front.figure.without", columns=assumed)] if assumed else []
        if made is not None:
            share = percent(made.before.highest_risk, lang)
            notes.append(message_text(lang, "front.figure.risk-before", share=share))
        rows.append(["front.figure.risk", percent(highest, lang), _clauses(notes, lang)])
    if made is not None and made.utility is not None and made.utility.information_kept is not None:
        known = len(table.quasi_identifiers)
        kept = percent(made.utility.information_kept, lang)
        rows.append(["front.figure.kept", kept, message_text(lang, "front.figure.kept-of", n=known)])
    return [[message_text(lang, name), number, note] for name, number, note in rows]


def _clauses(texts: list[str], lang: str) -> str:
    return LANGUAGES[lang].writing.clauses.join(filter(None, texts))


def _who_looks_alike(document: CheckDocument, lang: str) -> str:
    """The least number of people who look alike, or of those who look like nobody; empty if unknown or not shown."""
    highest = prose.highest_chance(document)
    if document.edition == EXTERNAL or highest is None or isinstance(highest, Bound):
        return ""
    others = round(1 / highest) - 1
    if others:
        return message_text(lang, "front.figure.alike", n=others)
    worst = _notice(document, "highest-risk") or _notice(document, "highest-risk-in-sample")
    return (
        "" if worst is None or worst.records is None else message_text(lang, "front.figure.only-ones", n=worst.records)
    )


def _notice(document: CheckDocument, kind: str) -> Notice | None:
    return next((notice for notice in document.notices if notice.notice == kind), None)


def column_states(document: CheckDocument) -> dict[str, str]:
    """The state of each column, `kept`, `coarser` or `lost`; empty if the original is not known."""
    if document.anonymization is not None:
        return {column.column: column.state for column in document.anonymization.column_states}
    lost = {name for notice in document.notices if notice.notice in LOST for name in notice.columns or ()}
    return {
        column.column: "lost" if column.column in lost else "coarser" if column.changed else "kept"
        for column in document.columns
        if column.released and column.changed is not None
    }


def has_table(document: CheckDocument) -> bool:
    """Whether the columns are shown as a table: if their states are known, and there is room for all."""
    return bool(column_states(document)) and len(document.columns) <= MAX_COLUMNS


def kind_of(document: CheckDocument, column: ColumnFacts) -> str:
    """The id of the message for the kind of a column: known to outsiders, sensitive, left out and so on."""
    if not column.released or column.column == document.table.treatment["privacy_unit"]:
        return "front.kind.left-out"
    if column.column in document.table.identifiers_in_the_release:
        return "front.kind.identifier"
    kinds = {QUASI_IDENTIFIER: "front.kind.known", SENSITIVE_ATTRIBUTE: "front.kind.sensitive", None: "front.kind.none"}
    return kinds.get(column.role, "front.kind.other")


def contents(document: CheckDocument, lang: str) -> list[str]:
    """The columns that the file contains now, by kind."""
    groups: dict[str, list[str]] = {
        name: [] for name in ("front.known", "front.sensitive", "front.identifiers", "front.other", "front.left-out")
    }
    names = {
        "front.kind.known": "front.known",
        "front.kind.sensitive": "front.sensitive",
        "front.kind.identifier": "front.identifiers",
        "front.kind.left-out": "front.left-out",
    }
    for column in document.columns:
        groups[names.get(kind_of(document, column), "front.other")].append(column.column)
    texts = [message_text(lang, group, n=len(columns), columns=columns) for group, columns in groups.items() if columns]
    return [*texts, *_about_the_file(document, lang)]


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
    return [*texts, *losses(document, lang), *_about_the_file(document, lang)]


def remaining(document: CheckDocument, lang: str) -> list[str]:
    """The remaining risks, the most important first."""
    if document.edition == EXTERNAL:
        outside = message_text(lang, "front.outside")
        return [*prose.residual_texts(document, lang), *other_releases.outcome(document, lang), outside]
    in_table = IN_THE_TABLE if has_table(document) else CHANCES
    said = ("explained",) if document.verdict in (PASS, WAIVED) else ()  # with the verdict
    told = sorted(
        (notice for notice in document.notices if notice.notice not in (*in_table, *said)),
        key=lambda notice: FIRST.index(notice.notice) if notice.notice in FIRST else len(FIRST),
    )
    together = other_releases.outcome(document, lang)
    texts = [*_chances(document, lang), *together, *prose.notice_texts(told, lang, advised=False)]
    more = len(texts) - MAX_REMARKS
    if more > 0:
        section = message_text(lang, "rules.besides")
        texts = [*texts[:MAX_REMARKS], message_text(lang, "front.more", n=more, section=section)]
    return texts


def _chances(document: CheckDocument, lang: str) -> list[str]:
    """The chances to find a person and to learn something about them."""
    by_weights = [notice for notice in document.notices if notice.notice in CHANCES[:2]]
    if by_weights:
        return [*prose.notice_texts(by_weights, lang), *prose.residual_texts(document, lang, of_identity=False)]
    worst = _notice(document, "highest-risk")
    if worst is None or not document.table.quasi_identifiers:
        return prose.residual_texts(document, lang)
    shares = [share for share in (worst.share, worst.average) if share is not None]
    found = message_text(
        lang, "front.found", n=len(document.table.quasi_identifiers), average=percent(worst.average, lang, shares)
    )
    if worst.share != worst.average:
        share = percent(worst.share, lang, shares)
        at_worst = message_text(lang, "front.found-at-worst", share=share, n=worst.records)
        found = prose.join_sentences(lang, found, at_worst)
    return [found, *prose.residual_texts(document, lang, of_identity=False)]


def plain_rule(rule: RuleResult, lang: str) -> str:
    """The meaning of a rule in plain words, otherwise in those of its measure."""
    if rule.measure in catalogue:
        message = f"plain.{rule.measure}"
        return message_text(lang, message) if message in TEXTS else measure_summary(rule.measure, lang)
    return ""


def declaration(document: CheckDocument, lang: str) -> str:
    """The sentence to sign; another one if there is nothing to sign."""
    if document.verdict not in (PASS, WAIVED):
        return message_text(lang, "front.nothing-to-sign")
    policy, data = document.policy, document.inputs[0]
    recipients = policy_text(policy.recipients, lang) if policy.recipients else ""
    if not recipients:
        recipients = LINE_TO_FILL if policy.release is None else message_text(lang, f"front.to.{policy.release}")
    values = {
        "file": message_text(lang, "file.memory") if data.file is None else PurePosixPath(data.file).name,
        "digest": LINE_TO_FILL if data.sha256 is None else data.sha256[:DIGITS_OF_DIGEST],
        "recipients": recipients,
    }
    texts = [message_text(lang, f"front.sign.{document.verdict}", **values, n=document.rule_verdicts.waived)]
    if (unit := prose.linking_column(document)) is not None:
        texts.append(message_text(lang, "front.sign.without", column=[unit]))
    if policy.purpose:
        texts.append(message_text(lang, "context.purpose", purpose=policy_text(policy.purpose, lang)))
    return prose.join_sentences(lang, *texts)


def is_signed(document: CheckDocument) -> bool:
    """Whether the first page has fields for signatures: on a release that may go out, in the internal edition."""
    return document.sign_off is not None and document.verdict in (PASS, WAIVED)


KINDS = ("identifier", "known", "sensitive", "other", "none")  # in the order of the table


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
