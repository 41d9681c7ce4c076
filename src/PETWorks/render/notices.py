"""What stands beside a verdict, above the rules, in any language."""

from collections.abc import Sequence

from PETWorks.gate.bounds import Bound
from PETWorks.gate.document import EXTERNAL, CheckDocument
from PETWorks.gate.steps_document import Notice
from PETWorks.render.language import percent, rule_name, said
from PETWorks.render.prose import highest_chance


def notices(document: CheckDocument, lang: str) -> list[str]:
    """What to know besides the verdict; of the external edition, what it has published of the worst case."""
    if document.edition == EXTERNAL:
        return [_worst_case_outside(document, lang)]
    return notice_texts(document.notices, lang)


def _worst_case_outside(document: CheckDocument, lang: str) -> str:
    highest = highest_chance(document)
    if not isinstance(highest, Bound):
        return said(lang, "notice.outside")
    return said(lang, "notice.outside-highest", share=percent(highest, lang))


def notice_texts(given: Sequence[Notice], lang: str) -> list[str]:
    """What to know besides the verdict."""
    return [
        said(
            lang,
            f"notice.{one.notice}",
            columns=one.columns or (),
            n=one.records or 0,
            rules=[rule_name(rule, lang) for rule in one.rules or ()],
            share=percent(one.share, lang, _numbers(one.average)),
            average=percent(one.average, lang, _numbers(one.share)),
        )
        for one in given
    ]


def _numbers(share: float | None) -> list[float]:
    """The share that stands beside another one, if there is any."""
    return [] if share is None else [share]
