"""How a release was made, in words: the same for the terminal and for the report."""

from collections.abc import Sequence

from PETWorks.gate.anonymization_document import AnonymizationFacts, ColumnLevel, OtherLevels, State
from PETWorks.measures import numbers
from PETWorks.measures.catalogue import catalogue
from PETWorks.render.language import listed, measure_name, name, percent, put, rule_name, said

SHARES = ("highest_risk", "unique")
STATES = ("records", "suppressed", "classes", "smallest_class", "highest_risk", "unique", "granularity", "precision")


def outcome(facts: AnonymizationFacts, lang: str) -> list[str]:
    """What was lost, what is suppressed, and whether it is proved that nothing better exists."""
    limit = percent(facts.suppression_limit, lang)
    suppressed = said(lang, "anonymize.none-suppressed", limit=limit)
    if facts.suppressed:
        share = percent(facts.suppressed / facts.records, lang)
        suppressed = said(
            lang, "anonymize.suppressed", n=facts.suppressed, records=facts.records, share=share, limit=limit
        )
    known = facts.objective in catalogue
    objective = measure_name(facts.objective, lang) if known else facts.objective
    if facts.aggregate is not None:
        objective = said(
            lang, "anonymize.aggregated", objective=objective, how=said(lang, f"aggregate.{facts.aggregate}")
        )
    proof = {"checked": facts.checked, "nodes": facts.nodes}
    return [
        said(lang, "anonymize.loss", objective=objective, loss=loss(facts.loss)),
        suppressed,
        said(lang, "anonymize.optimal", **proof)
        if facts.optimal
        else said(lang, "anonymize.stopped", **proof, bound=loss(facts.bound)),
    ]


def loss(value: float) -> str:
    """A loss: a share with four figures, an amount with separators."""
    return numbers.amount(value)


def level(column: ColumnLevel, lang: str) -> str:
    """The level of a column among all of them."""
    if column.level == column.height:
        return said(lang, "anonymize.level-top", height=column.height)
    return said(lang, "anonymize.level", level=column.level, height=column.height)


def finer(column: ColumnLevel, lang: str) -> str:
    """What would happen one level finer."""
    if column.broken:
        reasons = [
            rule_name(one.rule, lang)
            if one.records is None
            else said(lang, "anonymize.broken", rule=rule_name(one.rule, lang), n=one.records)
            for one in column.broken
        ]
        return said(lang, "anonymize.breaks", reasons=listed(reasons, lang))
    if column.finer_loss is None or column.finer_suppressed is None:
        return said(lang, "anonymize.finest") if column.level == 0 else ""
    return said(lang, "anonymize.finer", n=column.finer_suppressed, loss=loss(column.finer_loss))


def change(best: Sequence[tuple[str, int]], other: OtherLevels, lang: str) -> str:
    """How other levels differ from the best ones."""
    both = zip(best, other.levels, strict=True)
    changes = [f"{name(column)} {was} → {now}" for (column, was), now in both if now != was]
    return said(lang, "write.separator").join(changes)


def costs(facts: AnonymizationFacts, lang: str) -> list[str]:
    """What each rule costs."""
    return [
        said(lang, "anonymize.without-none", rule=rule_name(one.rule, lang))
        if one.loss_without is None
        else said(lang, "anonymize.without", rule=rule_name(one.rule, lang), loss=loss(one.loss_without))
        for one in facts.rules
    ]


def states(facts: AnonymizationFacts, lang: str) -> list[tuple[str, str, str]]:
    """The table before and after, row by row."""
    return [
        (said(lang, f"state.{fact}"), _shown(facts.before, fact, lang), _shown(facts.after, fact, lang))
        for fact in STATES
        if getattr(facts.before, fact) is not None or getattr(facts.after, fact) is not None
    ]


def _shown(state: State, fact: str, lang: str) -> str:
    value = getattr(state, fact)
    return percent(value, lang) if fact in SHARES else put(value, lang)
