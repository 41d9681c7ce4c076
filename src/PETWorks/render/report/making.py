"""The making of a release in words, for the terminal and the report."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from PETWorks.anonymizer.anonymization_facts import (
    UTILITY,
    AnonymizationFacts,
    ColumnLevel,
    FrontierFacts,
    OtherLevels,
    ProtectedColumn,
    State,
    WhyGlobal,
)
from PETWorks.anonymizer.model_choice import CLEAR_SHIFT
from PETWorks.anonymizer.problem import METHODS, proposal_for
from PETWorks.anonymizer.released import RecordOrder
from PETWorks.counting.release import Release
from PETWorks.locale import LANGUAGES
from PETWorks.measures import numbers
from PETWorks.render.language.language import (
    limit_name,
    list_text,
    measure_name,
    message_text,
    objective_name,
    percent,
    rule_name,
    shorten_name,
    value_text,
)
from PETWorks.render.report.prose import shown_columns
from PETWorks.render.terminal import command_line
from PETWorks.tables.yaml_files import in_yaml

KEPT_HEADINGS = (
    "head.column",
    "head.values-before",
    "column.values_per_cell",
    "column.information_kept",
    "column.shift",
)
LOSS_HEADINGS = ("head.objective", "head.before", "head.after", "head.all-suppressed")
CHOICE_HEADINGS = (
    "head.recoding",
    "head.loss",
    "head.lost",
    "head.suppressed",
    "studio.levels.highest",
    "studio.levels.average",
    "head.option",
)
MOST_LOST_NAMED = 4  # lost columns that are named in the table of the choice
SHARES = ("highest_risk", "unique")
STILL_IMPROVING = 0.5  # share of the search time after which a new best release means that it was still improving
STATE_FACTS = (
    "records",
    "suppressed",
    "classes",
    "smallest_class",
    "highest_risk",
    "unique",
    "granularity",
    "precision",
)


def why_in_order(order: RecordOrder, lang: str) -> str:
    """The reason why records keep the order of the table."""
    return message_text(lang, f"cli.in-order.{order.why_not}", **dict(order.values))


def two_levels_texts(release: Release, lang: str) -> Iterator[str]:
    """A text about columns without a hierarchy, whose values stay as they are or become `*`."""
    if release.on_two_levels:
        first = release.on_two_levels[0]
        words = proposal_for(release, first)
        text = message_text(lang, "cli.two-levels", columns=list(release.on_two_levels))
        more = "" if words is None else message_text(lang, "cli.two-levels.proposed", column=[first], words=words)
        yield f"{text}{more}"


def outcome_texts(facts: AnonymizationFacts, lang: str) -> list[str]:
    """The loss, the suppressed records, and whether the result is proved to be the best."""
    objective = objective_name(facts.objective, lang)
    if facts.aggregate is not None:
        objective = message_text(
            lang, "anonymize.aggregated", objective=objective, how=message_text(lang, f"aggregate.{facts.aggregate}")
        )
    texts = [message_text(lang, "anonymize.loss", objective=objective, loss=loss_text(facts.loss))]
    weights = [
        (shorten_name(column.column), value_text(column.weight, lang))
        for column in facts.columns
        if column.weight is not None
    ]
    if weights:
        weighed = list_text(
            [message_text(lang, "anonymize.weight", name=column, weight=weight) for column, weight in weights], lang
        )
        texts.append(message_text(lang, "anonymize.weighted", weights=weighed))
        losses = [facts.loss, *(way.loss for way in (facts.choice.ways if facts.choice is not None else ()))]
        if max(losses) > 1 and facts.aggregate is not None:
            texts.append(message_text(lang, "anonymize.above-one"))
    texts += [*suppression_texts(facts, lang), _proof(facts, lang), *_stopped_search_texts(facts, lang)]
    texts += kept_columns_texts(facts, lang)
    if facts.waived:
        texts.append(message_text(lang, "anonymize.waived", rules=facts.waived))
    texts += by_models_text(facts, lang)
    return [*texts, *_shown_texts(facts, lang), *(_protection_text(column, lang) for column in facts.protected)]


def _shown_texts(facts: AnonymizationFacts, lang: str) -> Iterator[str]:
    """The columns that show means or medians, and what keeps their labels."""
    if facts.shown:
        columns = shown_columns({column.column: column.how for column in facts.shown}, lang)
        yield message_text(lang, "anonymize.shown", columns=columns, k=facts.after.smallest_class or 1)
    if facts.labels_kept:
        yield message_text(lang, "anonymize.labels-kept", n=facts.labels_kept)
    if facts.labels_kept_for:
        yield message_text(lang, "anonymize.labels-kept-for", rules=facts.labels_kept_for)


def choice_rows(facts: AnonymizationFacts, lang: str) -> list[tuple[str, ...]]:
    """The ways to recode the table, with their losses and risks; the one that was taken is marked."""
    if facts.choice is None:
        return []
    ways = facts.choice.ways
    return [
        (
            message_text(lang, f"choice.{way.method}") + (" ◀" if way.method == facts.choice.made else ""),
            loss_text(way.loss),
            _lost_text(way.lost, lang),
            value_text(way.suppressed, lang),
            percent(way.highest_risk, lang, [other.highest_risk for other in ways]),
            percent(way.average_risk, lang, [other.average_risk for other in ways]),
            f"--{way.method}",
        )
        for way in ways
    ]


def _lost_text(lost: Sequence[str], lang: str) -> str:
    if not lost:
        return message_text(lang, "word.none")
    names = [shorten_name(column) for column in lost[:MOST_LOST_NAMED]]
    more = len(lost) - len(names)
    return list_text([*names, *([f"+ {more}"] if more else [])], lang)


def choice_texts(facts: AnonymizationFacts, lang: str) -> list[str]:
    """Other ways to recode the table and their consequences, or the reason why there are none."""
    choice = facts.choice
    if choice is None:
        return []
    if facts.local is not None and facts.local.combinations == 1:
        return []  # the search was stopped, as another sentence says
    if choice.why_global is not None:
        kept = facts.kept_columns
        if choice.why_global == "not possible" and kept is not None and kept.keep:
            return [message_text(lang, "choice.why.not-keeping", columns=kept.keep)]
        return [why_global_text(choice.why_global, lang)]
    if choice.made == "global":
        return [message_text(lang, "choice.made-global")]
    if len(choice.ways) < 2:  # one level per column would lose a column that is to be kept
        return []
    by_method = {way.method: way.average_risk for way in choice.ways}
    is_proved = facts.seconds is None and facts.local is not None and facts.local.proved
    texts = [message_text(lang, "choice.made-local" if is_proved else "choice.made-local-unproved")]
    if by_method["local"] > by_method["global"]:
        risks = {name: percent(by_method[name], lang, by_method.values()) for name in ("local", "global")}
        texts.append(message_text(lang, "choice.average", local=risks["local"], all=risks["global"]))
    return texts


def why_global_text(reason: WhyGlobal, lang: str) -> str:
    """The reason why there is one level per column."""
    return message_text(lang, f"choice.why.{reason.replace(' ', '-')}")


def _protection_text(column: ProtectedColumn, lang: str) -> str:
    """The protection of a column, and its cost."""
    values = {"column": [column.column], "how": in_yaml(column.how)[1:-1], "changed": percent(column.changed, lang)}
    if column.variance_kept is None:
        return message_text(lang, "anonymize.protected-texts", **values)
    return message_text(lang, "anonymize.protected", **values, kept=percent(column.variance_kept, lang))


def order_text(facts: AnonymizationFacts, lang: str) -> list[str]:
    """The order of the records, if it is known."""
    if facts.shuffled is None:
        return []
    return [message_text(lang, "anonymize.shuffled" if facts.shuffled else "anonymize.in-order")]


def suppression_texts(facts: AnonymizationFacts, lang: str) -> list[str]:
    """The number of suppressed records, and a warning if nothing is left."""
    suppressed = facts.suppressed / facts.records
    limit = percent(facts.suppression_limit, lang, [suppressed])
    is_local = facts.local is not None and facts.local.combinations > 1  # its columns are on other levels as well
    all_on_top = not is_local and all(column.level == column.height for column in facts.columns)
    all_gone = facts.after.suppressed == facts.after.records
    if all_gone and facts.suppressed < facts.after.suppressed - facts.before.suppressed:
        text = message_text(lang, "anonymize.all-suppressed", n=facts.after.suppressed)
    elif facts.suppressed:
        share = percent(suppressed, lang, [facts.suppression_limit])
        text = message_text(
            lang, "anonymize.suppressed", n=facts.suppressed, records=facts.records, share=share, limit=limit
        )
    else:
        text = message_text(lang, "anonymize.none-suppressed", limit=limit)
    return [message_text(lang, "anonymize.nothing-left"), text] if all_gone or all_on_top else [text]


def removal_texts(facts: AnonymizationFacts, lang: str) -> list[str]:
    """The number of suppressed records in plain words, and a warning if nothing is left."""
    *warning, text = suppression_texts(facts, lang)
    if facts.after.suppressed == facts.after.records:
        return [*warning, text]
    is_removed = facts.after.records < facts.records
    message = "front.removed" if is_removed else "front.blanked" if facts.suppressed else "front.none-removed"
    share = percent(facts.suppressed / facts.records, lang)
    return [*warning, message_text(lang, message, n=facts.suppressed, records=facts.records, share=share)]


def _proof(facts: AnonymizationFacts, lang: str) -> str:
    """The optimality that is proved: among all levels, or among the allowed ones."""
    proof = {"checked": facts.checked, "nodes": facts.nodes}
    if facts.local is not None:
        best = facts.local.global_loss
        text = "anonymize.local" if facts.seconds is None or best is None else "anonymize.local-stopped"
        loss = loss_text(facts.loss if best is None else best)
        if facts.local.combinations == 1:
            return message_text(lang, f"{text}-no-better", loss=loss)
        return message_text(lang, text, n=facts.local.combinations, loss=loss)
    bounded = any(column.allowed_levels is not None for column in facts.columns)
    kept = facts.kept_columns
    has_cheaper = kept is not None and any(other.may_lose != kept.may_lose for other in kept.others)
    if facts.optimal and kept is not None and (kept.keep or has_cheaper):
        if not kept.lost and not kept.may_lose:
            return message_text(lang, "anonymize.optimal-every", **proof)
        if kept.keep:
            return message_text(lang, "anonymize.optimal-keeping", columns=kept.keep, **proof)
        return message_text(lang, "anonymize.optimal-fewest", **proof)
    if facts.optimal:
        return message_text(lang, "anonymize.optimal-allowed" if bounded else "anonymize.optimal", **proof)
    if facts.seconds is None and facts.by_models:
        return message_text(lang, "anonymize.not-least", loss=loss_text(facts.bound))
    text = "anonymize.stopped-allowed" if bounded else "anonymize.stopped"
    return message_text(lang, text, **proof, bound=loss_text(facts.bound))


def kept_columns_texts(facts: AnonymizationFacts, lang: str) -> Iterator[str]:
    """The cost of keeping the columns that are lost, or the gain by losing others, with the options for that."""
    if facts.kept_columns is None:
        return
    kept = facts.kept_columns
    for other in kept.others:
        more = [name for name in other.keep if name not in kept.keep]
        less = [name for name in other.may_lose if name not in kept.may_lose]
        options = [*(["--keep", name] for name in more), *(["--may-lose", name] for name in less)]
        values: dict[str, Any] = {
            "columns": more or less,
            "options": command_line([part for option in options for part in option]),
            "loss": loss_text(facts.loss),
        }
        if other.loss is None or other.suppressed is None:
            yield message_text(lang, "anonymize.cannot-keep", columns=more)
        else:
            by_record = facts.local is not None and facts.local.combinations > 1
            keeping = "anonymize.keep-costs-local" if by_record else "anonymize.keep-costs"
            text = keeping if more else "anonymize.loss-saved"
            values |= {
                "other": loss_text(other.loss),
                "records": other.suppressed,
                "lost": _lost_text(other.lost, lang),
            }
            yield message_text(lang, text, **values)


def _stopped_search_texts(facts: AnonymizationFacts, lang: str) -> list[str]:
    """The distance of a stopped search from the best release, and whether it was still improving."""
    if facts.seconds is None or facts.improved_after is None or facts.local is not None:
        return []
    gap = (
        message_text(lang, "anonymize.no-gap")
        if facts.gap is None
        else message_text(lang, "anonymize.gap", gap=percent(facts.gap, lang))
    )
    is_improving = facts.improved_after > STILL_IMPROVING * facts.seconds
    text = "anonymize.improving" if is_improving else "anonymize.settled"
    times = {"found": _tenths(facts.improved_after, lang), "seconds": _tenths(facts.seconds, lang)}
    return [gap, message_text(lang, text, **times)]


def _tenths(seconds: float, lang: str) -> str:
    """Seconds with one decimal, rounded up so that they are never zero."""
    return value_text(max(1, math.ceil(seconds * 10)) / 10, lang)


def loss_text(value: float) -> str:
    """A loss as text: a share with four figures, an amount with separators."""
    return numbers.amount(value)


def level_text(column: ColumnLevel, lang: str) -> str:
    """The level of a column among all its levels, and the allowed ones."""
    if column.level == column.height:
        text = message_text(lang, "anonymize.level-top", height=column.height)
    else:
        what = (
            ""
            if column.named is None
            else message_text(lang, "write.level-named", what=_level_meaning(column.named, lang))
        )
        text = message_text(lang, "anonymize.level", level=column.level, height=column.height) + what
    if column.allowed_levels is None:
        return text
    low, high = column.allowed_levels
    return text + message_text(lang, "anonymize.fixed" if low == high else "anonymize.allowed", low=low, high=high)


def _level_meaning(level: str, lang: str) -> str:
    """The meaning of a level in a few words."""
    kind, _, item = level.partition(" ")
    if kind in ("dates", "icd10", "address", "uk_postcode"):
        return message_text(lang, f"studio.levels.unit.{item}")
    return message_text(lang, f"level.{kind}", n=1 if item == "1" else item)


def finer_text(column: ColumnLevel, lang: str) -> str:
    """The effect of one level finer."""
    if column.broken:
        reasons = [
            rule_name(rule.rule, lang)
            if rule.records is None
            else message_text(lang, "anonymize.broken", rule=rule_name(rule.rule, lang), n=rule.records)
            for rule in column.broken
        ]
        return message_text(lang, "anonymize.breaks", reasons=list_text(reasons, lang))
    if column.finer_loss is None or column.finer_suppressed is None:
        if column.level == 0:
            return message_text(lang, "anonymize.finest")
        lowest = column.allowed_levels is not None and column.level == column.allowed_levels[0]
        return message_text(lang, "anonymize.not-allowed") if lowest else ""
    return message_text(lang, "anonymize.finer", n=column.finer_suppressed, loss=loss_text(column.finer_loss))


def change_text(best: Sequence[tuple[str, int]], other: OtherLevels, lang: str) -> str:
    """The difference of other levels from the best ones."""
    pairs = zip(best, other.levels, strict=True)
    changes = [f"{shorten_name(column)} {old} → {new}" for (column, old), new in pairs if new != old]
    return LANGUAGES[lang].writing.separator.join(changes)


def frontier_texts(facts: FrontierFacts, lang: str) -> list[str]:
    """A description of a frontier, and the position of the rules on it."""
    losses = {method: facts.least_loss(facts.threshold, facts.suppression, method) for method in METHODS}
    texts = [message_text(lang, "frontier.what" if facts.method == "global" else "frontier.what-both")]
    if facts.why_global is not None:
        texts.append(why_global_text(facts.why_global, lang))
    if any(point.stopped for point in facts.points):
        texts.append(message_text(lang, "frontier.stopped"))
    if losses["global"] is None or losses["local"] is None:
        return [*texts, message_text(lang, "frontier.own-none")]
    values = {
        "limit": percent(facts.suppression, lang),
        "rule": varied_threshold(facts, lang),
        "loss": loss_text(losses["global"]),
        "local": loss_text(losses["local"]),
    }
    if facts.measure is not None:
        values["threshold"] = value_text(facts.threshold, lang)
    text = "frontier.own-limit" if facts.measure is None else "frontier.own"
    return [*texts, message_text(lang, text if facts.method == "global" else f"{text}-both", **values)]


def varied_threshold(facts: FrontierFacts, lang: str) -> str:
    """The threshold that varies."""
    if facts.measure is None or facts.parameter is None:
        return ""
    return message_text(
        lang, "write.threshold", measure=measure_name(facts.measure, lang), name=limit_name(facts.parameter, lang)
    )


def frontier_grid(facts: FrontierFacts, method: str, lang: str) -> tuple[list[str], list[list[str]]]:
    """The least loss with a row per threshold and a column per limit; the position of the rules is marked."""
    limits = sorted({point.suppression for point in facts.points} | {facts.suppression})
    stopped = {(point.threshold, point.suppression) for point in facts.points if point.stopped}
    rows = []
    for threshold in facts.thresholds:
        row = [value_text(threshold, lang)] if facts.measure is not None else []
        for limit in limits:
            index = facts.best_point(threshold, limit, method)
            mark = " ◀" if (threshold, limit) == (facts.threshold, facts.suppression) else ""
            at_most = "≤ " if method == "local" and (threshold, limit) in stopped else ""
            loss = None if index is None else facts.points[index].loss_by(method)
            row.append(("–" if loss is None else at_most + loss_text(loss)) + mark)
        rows.append(row)
    return [
        *([varied_threshold(facts, lang)] if facts.measure is not None else []),
        *(percent(limit, lang) for limit in limits),
    ], rows


def frontier_heads(facts: FrontierFacts, lang: str) -> list[str]:
    """The heads of the table of a frontier; the threshold only where it varies."""
    heads = [message_text(lang, f"head.{head}") for head in ("suppression-limit", "loss", "suppressed", "levels")]
    if facts.method == "local":
        both = [
            message_text(lang, "frontier.head", way=message_text(lang, f"choice.{method}"), what=head)
            for method in METHODS
            for head in heads[1:3]
        ]
        heads = [heads[0], *both, heads[-1]]
    return heads if facts.measure is None else [varied_threshold(facts, lang), *heads]


def frontier_rows(facts: FrontierFacts, lang: str) -> list[list[str]]:
    """The points of a frontier, row by row."""
    rows = []
    for point in facts.points:
        levels = LANGUAGES[lang].writing.separator.join(
            f"{shorten_name(column)} {level}" for column, level in zip(facts.columns, point.levels, strict=True)
        )
        cells = [loss_text(point.loss), value_text(point.suppressed, lang), levels]
        if facts.method == "local":
            at_most = "≤ " if point.stopped else ""
            cells = [at_most + loss_text(point.loss_by("local")), value_text(point.local_suppressed, lang), *cells]
        cells = [percent(point.suppression, lang), *cells]
        rows.append(cells if facts.measure is None else [value_text(point.threshold, lang), *cells])
    return rows


def by_models_text(facts: AnonymizationFacts, lang: str) -> list[str]:
    """The release that answers the models best, if several were found."""
    if len(facts.by_models) < 2:
        return []
    taken, *others = facts.by_models
    shares = [way.kept for way in facts.by_models]
    other = max(way.kept for way in others)
    values = {"kept": percent(taken.kept, lang, shares), "other": percent(other, lang, shares), "n": len(shares)}
    texts = [message_text(lang, f"models.{'next-best' if taken.next_best else taken.method}", **values)]
    better = [way.largest_shift for way in others if way.kept > taken.kept]
    shift = taken.largest_shift
    if better and shift is not None and all(more is None or more > shift + CLEAR_SHIFT for more in better):
        texts.append(message_text(lang, "models.steadier", shift=numbers.amount(float(f"{shift:.2g}"))))
    is_usual = taken.means == (taken.method == "local")
    if not is_usual and any(way.means != taken.means for way in others):
        texts.append(message_text(lang, "models.means" if taken.means else "models.intervals"))
    return texts


def other_levels(facts: AnonymizationFacts, lang: str) -> str:
    """How many combinations of levels, with how many records, are not in the table of local recoding."""
    if facts.local is None:
        return ""
    shown = facts.local.most_used
    others, records = facts.local.combinations - len(shown), facts.after.records - sum(row.records for row in shown)
    return message_text(lang, "anonymize.other-levels", n=others, records=records) if others > 0 else ""


def column_state_texts(facts: AnonymizationFacts, lang: str) -> list[str]:
    """The columns that are unchanged, those that are coarser, and those that are lost."""
    texts = []
    for state, message in (("kept", "columns.kept"), ("coarser", "columns.coarser"), ("lost", "columns.lost")):
        columns = [column.column for column in facts.column_states if column.state == state]
        if columns:
            texts.append(message_text(lang, message, n=len(columns), columns=columns))
    return texts


def cost_texts(facts: AnonymizationFacts, lang: str) -> list[str]:
    """The cost of each rule."""
    return [
        message_text(lang, "anonymize.without-none", rule=rule_name(cost.rule, lang))
        if cost.loss_without is None
        else message_text(lang, "anonymize.without", rule=rule_name(cost.rule, lang), loss=loss_text(cost.loss_without))
        for cost in facts.rules
    ]


def state_rows(facts: AnonymizationFacts, lang: str) -> list[tuple[str, str, str]]:
    """The table before and after, row by row."""
    rows = [
        (
            message_text(lang, f"state.{fact}"),
            _state_text(facts.before, fact, lang),
            _state_text(facts.after, fact, lang),
        )
        for fact in STATE_FACTS
        if getattr(facts.before, fact) is not None or getattr(facts.after, fact) is not None
        # Suppressed records that left the table are not in it: two zeros would say that there were none.
        if fact != "suppressed" or facts.before.suppressed or facts.after.suppressed or not facts.suppressed
    ]
    kept = facts.utility
    if kept is None:
        return rows
    if kept.information_kept is not None:
        share = percent(kept.information_kept, lang)
        rows.append((message_text(lang, "column.information_kept"), percent(1.0, lang), share))
    rows.append((message_text(lang, "column.shift"), percent(0.0, lang), percent(kept.shift, lang)))
    return rows


def kept_rows(facts: AnonymizationFacts, lang: str) -> list[tuple[str, ...]]:
    """The information left in each column: its name, values before and per cell, and shares.

    Protected columns are compared with their protected values, as the heading of their row says.
    """
    protected = {column.column: in_yaml(column.how)[1:-1] for column in facts.protected}
    return [
        (
            message_text(lang, "column.protected", column=shorten_name(column.column), how=protected[column.column])
            if column.column in protected
            else shorten_name(column.column),
            value_text(column.values_before, lang),
            value_text(column.values_per_cell, lang),
            percent(column.information_kept, lang),
            percent(column.shift, lang),
        )
        for column in (facts.utility.columns if facts.utility is not None else ())
    ]


def undefined_objectives(facts: AnonymizationFacts, lang: str) -> list[str]:
    """The objectives that are not defined for such a release."""
    names = [
        objective_name(objective, lang) for objective in (facts.utility.undefined if facts.utility is not None else ())
    ]
    return [message_text(lang, "anonymize.undefined", objectives=list_text(names, lang))] if names else []


def loss_rows(facts: AnonymizationFacts, lang: str) -> list[tuple[str, ...]]:
    """The loss by each objective: before, after, and at most."""
    return [
        (
            objective_name(objective.objective, lang),
            loss_text(objective.before),
            loss_text(objective.after),
            loss_text(objective.most),
        )
        for objective in (facts.utility.losses if facts.utility is not None else ())
    ]


def _state_text(state: State, fact: str, lang: str) -> str:
    value = getattr(state, fact)
    if value is None and fact in UTILITY:
        return message_text(lang, "state.not-measured")
    return percent(value, lang) if fact in SHARES else value_text(value, lang)
