"""Checks, comparisons, suggestions and presets as tables for a terminal."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rich.text import Text

from PETWorks.attributetypes import QUASI_IDENTIFIER
from PETWorks.gate.diff import Comparison, Difference
from PETWorks.gate.document import CheckDocument, RuleResult
from PETWorks.gate.presets import Preset
from PETWorks.gate.sign_off_document import Regime
from PETWorks.gate.suggestion import Suggestion
from PETWorks.render import other_releases, prose, sections
from PETWorks.render.language import checked_language, measure_name, name, own, put, rule_name, said, thresholds
from PETWorks.render.languages import ENGLISH
from PETWorks.render.steps import step_texts
from PETWorks.render.text import new_table, rendered

MOST_ROWS = 60
STYLES = {"pass": "bold green", "waived": "bold yellow", "fail": "bold red", "withheld": "bold"}


def check_text(document: CheckDocument, lang: str, *, colour: bool, width: int, policy: str | None = None) -> str:
    """The verdict, the rules, and what to do next; `policy` is its path, which a document does not have."""
    lang = checked_language(lang)
    if policy is not None:
        document = replace(document, policy=replace(document.policy, file=policy))
    parts: list[Any] = [
        verdict_word(document.verdict, lang) + Text(f" {own(document.title, lang)}", "bold"),
        Text(prose.summary(document, lang), "not bold"),
    ]
    parts.append(rules_table(document.rules, lang))
    parts += [
        Text(said(lang, "write.labelled", label=rule_name(rule.name, lang), text=prose.waiver(rule.waiver, lang)))
        for rule in document.rules
        if rule.waiver
    ]
    others = other_releases.outcome(document, lang)
    if others:
        parts.append(Text(f"\n{said(lang, 'section.releases')}", "bold"))
        parts += [Text(sentence) for sentence in others]
        for heads, rows in other_releases.short_tables(document, lang):
            parts.append(new_table(*heads))
            for row in rows:
                parts[-1].add_row(*map(Text, row))
    lost = prose.utility(document, lang)
    if lost:
        parts.append(Text(f"\n{said(lang, 'section.utility')}", "bold"))
        parts += [Text(sentence) for sentence in lost]
        parts += _losses(document, lang)
    steps = step_texts(document, lang)
    if steps:
        parts.append(Text(f"\n{said(lang, 'section.steps')}", "bold"))
        parts.append(Text(prose.residual(document, lang)))
        parts += [Text(f"{place}. {step}") for place, step in enumerate(steps, 1)]
    return rendered(parts, colour=colour, width=width)


def rules_table(rules: Sequence[RuleResult], lang: str) -> Any:
    """The rules with what was found, what is required, and the verdict."""
    table = new_table(*(said(lang, f"head.{head}") for head in ("rule", "measure", "found", "wanted", "verdict")))
    for rule in rules:
        cells = (rule_name(rule.name, lang), measure_name(rule.measure, lang), put(rule.value, lang))
        table.add_row(*map(Text, (*cells, thresholds(rule, lang))), verdict_word(rule.verdict, lang))
    return table


def _losses(document: CheckDocument, lang: str) -> list[Any]:
    """The columns that lost most since the original."""
    columns = sections.lossy(document)
    if not columns:
        return []
    table = new_table(*(said(lang, head) for head in sections.LOSSES))
    for column in columns[: sections.MOST_LOSSES]:
        table.add_row(*map(Text, prose.loss(column, lang)))
    more = len(columns) - sections.MOST_LOSSES
    return [table, *([Text(said(lang, "word.more", n=more))] if more > 0 else [])]


def comparison_text(comparison: Comparison, *, colour: bool, width: int) -> str:
    """What changed between two checks."""
    parts: list[Any] = [
        Text("verdict: ")
        + verdict_word(comparison.verdict.old, ENGLISH)
        + Text(" -> ")
        + verdict_word(comparison.verdict.new, ENGLISH)
    ]
    if comparison.different:
        parts.append(
            Text(f"Not comparable: different {', '.join(comparison.different).replace('_', ' ')}.", "bold red")
        )
    if not comparison.rules and not comparison.measures and not comparison.table:
        parts.append(Text("No rule, measure or fact of the table has changed."))
    by_kind = {"rule": comparison.rules, "measure": comparison.measures, "table": comparison.table}
    parts += [_differences(kind, differences) for kind, differences in by_kind.items() if differences]
    return rendered(parts, colour=colour, width=width)


def _differences(kind: str, differences: Sequence[Difference]) -> Any:
    table = new_table(kind, "old", "new", "change")
    colours = {"worse": "bold red", "other threshold": "bold red", "better": "green"}
    for one in differences:
        cells = (name(one.name), one.old_text, one.new_text)
        table.add_row(*map(Text, cells), Text(one.change, colours.get(one.change, "")))
    return table


def suggestions_text(suggestions: Sequence[Suggestion], unit: str | None, *, colour: bool, width: int) -> str:
    """The role that is suggested for each column, and why."""
    table = new_table("column", "role", "reason")
    for one in suggestions[:MOST_ROWS]:
        table.add_row(*map(Text, (name(one.column), (one.role or "none").replace("_", " "), one.reason)))
    parts: list[Any] = [table]
    if len(suggestions) > MOST_ROWS:
        parts.append(Text(f"and {len(suggestions) - MOST_ROWS:,} more columns"))
    if not any(one.role == QUASI_IDENTIFIER for one in suggestions):
        parts.append(Text("No column looks like a quasi-identifier: name one in the policy, and add rules."))
    if unit is not None:
        parts.append(Text(f"{name(unit)} identifies the person: several records of one person count once."))
    return rendered(parts, colour=colour, width=width)


def presets_text(presets: Sequence[Preset], *, colour: bool, width: int) -> str:
    """The published thresholds, each as a cell size and as a probability."""
    table = new_table("preset", "cell size", "probability", "stated as", "source")
    for preset in presets:
        thumb = "\n(rule of thumb)" if preset.rule_of_thumb else ""
        source = f"{preset.organisation}: {preset.title}, {preset.date}\n{preset.note}\n{preset.source}"
        cells = (preset.name, str(preset.cell_size), preset.probability, preset.stated_as + thumb, source)
        table.add_row(*map(Text, cells))
    return rendered([table], colour=colour, width=width)


def regimes_text(regimes: Sequence[Regime], *, colour: bool, width: int) -> str:
    """What standards and laws ask a data holder to write down, as far as a policy can state it."""
    table = new_table("regime", "asks for, in our reading", "source")
    for regime in regimes:
        asks = "\n".join(said(ENGLISH, f"item.{one.item}") for one in regime.items)
        source = f"{regime.organisation}: {regime.title}, {regime.date}\n{regime.note}\n{regime.source}"
        table.add_row(*map(Text, (regime.name, asks, source)))
    return rendered([table], colour=colour, width=width)


def lint_text(policy: str, rules: int, lang: str) -> str:
    """That a policy has no mistakes."""
    return said(lang, "lint.passed", file=policy, n=rules)


def verdict_word(verdict: str, lang: str) -> Text:
    """A verdict in its colour."""
    return Text(said(lang, f"verdict.{verdict}"), STYLES[verdict])
