"""What stands below a verdict, in any language."""

from collections.abc import Sequence

from PETWorks.gate.document import CheckDocument
from PETWorks.gate.steps_document import Notice
from PETWorks.render.language import percent, rule_name, said


def notices(document: CheckDocument, lang: str) -> list[str]:
    """What to know besides the verdict."""
    return notice_texts(document.notices, lang)


def notice_texts(given: Sequence[Notice], lang: str) -> list[str]:
    """What to know besides the verdict."""
    return [
        said(
            lang,
            f"notice.{one.notice}",
            columns=one.columns or (),
            n=one.records or 0,
            rules=[rule_name(rule, lang) for rule in one.rules or ()],
            share=percent(one.share, lang) if one.share is not None else "",
        )
        for one in given
    ]
