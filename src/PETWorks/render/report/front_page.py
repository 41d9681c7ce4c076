"""The first page of a report, for those who sign: contents, losses, remaining risk, and the declaration."""

from pathlib import PurePosixPath

from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.gate.document import INTERNAL, PASS, WAIVED, CheckDocument
from PETWorks.render.language.language import message_text, percent, policy_text
from PETWorks.render.report import making, prose
from PETWorks.render.report.sections import texts_of_document

DIGITS_OF_DIGEST = 12
LINE_TO_FILL = "_" * 16  # for what the policy does not say


def contents(document: CheckDocument, lang: str) -> list[str]:
    """What the file contains now: records, and the columns by what outsiders may do with them."""
    table = document.table
    people = table.people if isinstance(table.people, int) else None
    records = (
        message_text(lang, "front.records", n=table.records)
        if people is None
        else message_text(lang, "front.records-of-people", records=table.records, n=people)
    )
    unit = table.treatment["privacy_unit"]
    present = [column for column in document.columns if column.released and column.column != unit]
    groups = {
        "front.known": [column.column for column in present if column.role == QUASI_IDENTIFIER],
        "front.sensitive": [column.column for column in present if column.role == SENSITIVE_ATTRIBUTE],
        "front.identifiers": list(table.identifiers_in_the_release),
        "front.left-out": [column.column for column in document.columns if not column.released],
    }
    named = {column for columns in groups.values() for column in columns}
    groups["front.other"] = [column.column for column in present if column.column not in named]
    texts = [message_text(lang, group, n=len(columns), columns=columns) for group, columns in groups.items() if columns]
    if table.shown:
        texts.append(message_text(lang, "summary.shown", columns=prose.shown_columns(table.shown, lang)))
    checked = prose.checked_file(document, lang)
    return [records, *texts, *([checked] if checked else [])]


def losses(document: CheckDocument, lang: str) -> list[str]:
    """What was lost since the original; nothing if the original is not known."""
    made = document.anonymization
    if made is None:
        return [*prose.utility(document, lang), *texts_of_document(document, lang)]
    kept = None if made.utility is None else made.utility.information_kept
    told = [] if kept is None else [message_text(lang, "front.information", share=percent(kept, lang))]
    return [
        *making.suppression_texts(made, lang),
        *told,
        *making.column_state_texts(made, lang),
        *texts_of_document(document, lang),
    ]


def remaining(document: CheckDocument, lang: str) -> list[str]:
    """What could still happen to whom."""
    means = document.edition == INTERNAL and document.verdict in (PASS, WAIVED)
    is_told = document.edition == INTERNAL and any(
        notice.notice.startswith("highest-risk") for notice in document.notices
    )
    texts = [*prose.notices(document, lang), *prose.residual_texts(document, lang, of_identity=not is_told)]
    return [*texts, message_text(lang, "front.pass-means")] if means else texts


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
    text = message_text(lang, f"front.sign.{document.verdict}", **values, n=document.rule_verdicts.waived)
    if policy.purpose:
        purpose = message_text(lang, "context.purpose", purpose=policy_text(policy.purpose, lang))
        text = prose.join_sentences(lang, text, purpose)
    return text


def is_signed(document: CheckDocument) -> bool:
    """Whether the first page has fields for signatures: on a release that may go out, in the internal edition."""
    return document.sign_off is not None and document.verdict in (PASS, WAIVED)
