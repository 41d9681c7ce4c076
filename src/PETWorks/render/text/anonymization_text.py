"""How a release was made, as tables for a terminal."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from PETWorks.anonymizer.anonymization_facts import AnonymizationFacts, FrontierFacts, LocalRecoding
from PETWorks.anonymizer.problem import METHODS
from PETWorks.anonymizer.replay import Replayed
from PETWorks.errors import printable, quoted
from PETWorks.gate.check.notices import ALWAYS_SHOWN
from PETWorks.gate.document import FAIL, Notice, RuleResult, combine_verdicts
from PETWorks.measures.utility.models import ModelResult
from PETWorks.render.language.language import message_text, percent, rule_name, shorten_name, value_text
from PETWorks.render.report import making
from PETWorks.render.report.prose import notice_texts
from PETWorks.render.report.sections import model_texts
from PETWorks.render.text.check_text import rules_table, verdict_word
from PETWorks.render.text.measures_text import new_table, render


def anonymization_text(
    file: str,
    facts: AnonymizationFacts,
    rules: Sequence[RuleResult],
    columns_to_look_at: tuple[str, ...],
    notices: Sequence[Notice],
    lang: str,
    *,
    models: Sequence[ModelResult] = (),
    detailed: bool,
    colour: bool,
    width: int,
) -> str:
    """Loss, before and after, levels with their reasons, the verdict of each rule, and columns to look at.

    detailed   whether to show the information left in each column, and the loss by each objective
    """
    parts: list[Any] = [_title(file, rules, lang), *(Text(sentence) for sentence in notice_texts(notices, lang))]
    parts += _columns_not_named(columns_to_look_at, notices, lang)
    parts += [Text(sentence) for sentence in making.outcome_texts(facts, lang)]
    parts += [Text(sentence) for sentence in making.column_state_texts(facts, lang)]
    parts += _choice_parts(facts, lang)
    parts += [Text(sentence) for sentence in model_texts(models, lang)]
    table = new_table("", message_text(lang, "head.before"), message_text(lang, "head.after"))
    for row in making.state_rows(facts, lang):
        table.add_row(*map(Text, row))
    parts += [table, levels_table(facts, lang) if facts.local is None else _levels_used_table(facts, facts.local, lang)]
    parts.append(Text(message_text(lang, "anonymize.levels")))
    if detailed:
        parts.append(_table(making.KEPT_HEADINGS, making.kept_rows(facts, lang), lang))
        parts.append(_table(making.LOSS_HEADINGS, making.loss_rows(facts, lang), lang))
        parts += [Text(sentence) for sentence in making.undefined_objectives(facts, lang)]
    if detailed and facts.choice is not None and facts.choice.made == "local":
        parts.append(Text(message_text(lang, "choice.explained")))
    if facts.next_best:
        parts += [Text(message_text(lang, "anonymize.next-best"), "bold"), _next_best_table(facts, lang)]
    parts += [Text(sentence) for sentence in making.cost_texts(facts, lang)]
    if facts.frontier is not None:
        parts += [Text(message_text(lang, "frontier.title"), "bold"), *frontier_parts(facts.frontier, lang)]
    parts.append(rules_table(rules, lang))
    return render(parts, colour=colour, width=width)


def _choice_parts(facts: AnonymizationFacts, lang: str) -> list[Any]:
    """The ways to recode the table as a table, and how to get the other one."""
    texts = [Text(sentence) for sentence in making.choice_texts(facts, lang)]
    rows = making.choice_rows(facts, lang)
    return [_table(making.CHOICE_HEADINGS, rows, lang), *texts] if rows else texts


def _columns_not_named(columns: Sequence[str], notices: Sequence[Notice], lang: str) -> Iterator[Text]:
    """A text about the columns to look at that no notice names."""
    named = {column for notice in notices if notice.notice not in ALWAYS_SHOWN for column in notice.columns or ()}
    unnamed = [column for column in columns if column not in named]
    if unnamed:
        yield Text(message_text(lang, "anonymize.look-at", columns=unnamed))


def frontier_text(file: str, facts: FrontierFacts, lang: str, *, colour: bool, width: int) -> str:
    """The points of a frontier, with the position of the rules."""
    title = Text(printable(file), "bold")
    return render([title, *frontier_parts(facts, lang)], colour=colour, width=width)


def frontier_parts(facts: FrontierFacts, lang: str) -> list[Any]:
    """Sentences, and the least loss for each threshold and limit."""
    parts: list[Any] = [Text(sentence) for sentence in making.frontier_texts(facts, lang)]
    methods = METHODS if facts.method == "local" else ("global",)
    for method in methods:
        heads, rows = making.frontier_grid(facts, method, lang)
        table = new_table(*heads)
        for row in rows:
            table.add_row(*map(Text, row))
        parts += [Text(message_text(lang, f"frontier.{method}"))] if len(methods) > 1 else []
        parts.append(table)
    return parts


def applied_text(
    file: str,
    suppressed: int,
    records: int,
    rules: Sequence[RuleResult],
    notices: Sequence[Notice],
    *,
    lang: str,
    colour: bool,
    width: int,
) -> str:
    """The number of suppressed records, notices, and the verdict of each rule."""
    sentences = [message_text(lang, "apply.suppressed", n=suppressed, all=records), *notice_texts(notices, lang)]
    parts = [_title(file, rules, lang), *map(Text, sentences), rules_table(rules, lang)]
    return render(parts, colour=colour, width=width)


def replayed_text(
    file: str,
    result: Replayed,
    rules: Sequence[RuleResult],
    columns_to_look_at: tuple[str, ...],
    notices: Sequence[Notice],
    *,
    lang: str,
    colour: bool,
    width: int,
) -> str:
    """Differences from the table of the plan, reasons for suppression, and the verdict of each rule."""
    plan_table, limit = result.then, result.problem.suppression
    parts: list[Any] = [_title(file, rules, lang, fails=not result.within_the_limit)]
    parts += map(Text, notice_texts(notices, lang))
    parts += _columns_not_named(columns_to_look_at, notices, lang)
    compared = new_table("", message_text(lang, "apply.plan"), message_text(lang, "apply.now"))
    shares = [table.suppressed / table.records for table in (plan_table, result)]
    most = percent(limit, lang, shares)
    for label, *numbers in (
        ("head.records", value_text(plan_table.records, lang), value_text(result.records, lang)),
        (
            "state.suppressed",
            *(_count_and_share(made.suppressed, made.records, limit, lang) for made in (plan_table, result)),
        ),
        ("apply.at-most", most, most),
        ("head.loss", making.loss_text(plan_table.loss), making.loss_text(result.loss)),
    ):
        compared.add_row(message_text(lang, label), *numbers)
    parts.append(compared)
    if result.without_place:
        table = new_table(
            *(message_text(lang, head) for head in ("head.column", "apply.without-place", "head.records"))
        )
        for column, unplaced in result.without_place.items():
            table.add_row(
                Text(shorten_name(column)), value_text(unplaced.values, lang), value_text(unplaced.records, lang)
            )
        parts.append(table)
    parts += map(Text, _reasons(result, lang))
    if result.missing_columns:
        parts.append(Text(message_text(lang, "apply.missing", columns=quoted(result.missing_columns))))
    return render([*parts, rules_table(rules, lang)], colour=colour, width=width)


def _reasons(result: Replayed, lang: str) -> Iterator[str]:
    """The reasons for suppression; a record may be in a class that breaks several rules."""
    if result.not_placed:
        yield message_text(lang, "apply.not-placed", n=result.not_placed)
    if result.sweep is not None and result.sweep.suppressed:
        yield message_text(lang, "apply.swept", n=result.sweep.suppressed)
    for rule, failing in result.failing.items():
        if failing:
            yield message_text(lang, "apply.failing", rule=rule_name(rule, lang), n=failing)


def _count_and_share(number: int, records: int, limit: float, lang: str) -> str:
    share = percent(number / records, lang, [limit])
    return message_text(lang, "write.exact", value=value_text(number, lang), exact=share)


def _title(file: str, rules: Sequence[RuleResult], lang: str, *, fails: bool = False) -> Text:
    verdict = FAIL if fails else combine_verdicts([rule.verdict for rule in rules])
    return verdict_word(verdict, lang) + Text(f" {printable(file)}", "bold")


def levels_table(facts: AnonymizationFacts, lang: str) -> Any:
    """The level of each column, and the effect of one level finer."""
    table = new_table(*(message_text(lang, f"head.{head}") for head in ("column", "level", "one-finer")))
    for column in facts.columns:
        cells = (shorten_name(column.column), making.level_text(column, lang), making.finer_text(column, lang))
        table.add_row(*map(Text, cells))
    return table


def _levels_used_table(facts: AnonymizationFacts, local: LocalRecoding, lang: str) -> Any:
    """The combinations of levels with the most records."""
    table = new_table(*(shorten_name(column.column) for column in facts.columns), message_text(lang, "head.records"))
    for used in local.most_used:
        table.add_row(*map(str, used.levels), Text(value_text(used.records, lang)))
    return table


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], lang: str) -> Any:
    table = new_table(*(message_text(lang, head) for head in heads))
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _next_best_table(facts: AnonymizationFacts, lang: str) -> Any:
    table = new_table(*(message_text(lang, f"head.{head}") for head in ("levels", "loss", "suppressed")))
    best = [(column.column, column.level) for column in facts.columns]
    for other in facts.next_best:
        cells = (
            making.change_text(best, other, lang),
            making.loss_text(other.loss),
            value_text(other.suppressed, lang),
        )
        table.add_row(*map(Text, cells))
    return table
