"""Checks, comparisons, suggestions and presets as tables for a terminal."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from PETWorks.attributetypes import QUASI_IDENTIFIER
from PETWorks.errors import printable
from PETWorks.gate.check.inputs import VerifiedItem
from PETWorks.gate.diff import DIGEST, NOT_MEASURED, Comparison, Difference, RuleState
from PETWorks.gate.document import CheckDocument, Regime, RuleResult
from PETWorks.gate.policy.policy_rules import Preset, is_foreign
from PETWorks.gate.suggest.privacy_unit import People
from PETWorks.gate.suggest.suggestion import (
    MANY,
    MAX_LISTED,
    TO_CHANGE,
    Suggestion,
    columns_to_decide,
    how_well_known,
    is_first_to_decide,
)
from PETWorks.json_types import Bound
from PETWorks.locale import DETAIL, ENGLISH, LANGUAGES
from PETWorks.measures.numbers import format_value
from PETWorks.render.language.language import (
    found_value,
    limit_name,
    measure_name,
    message_text,
    policy_text,
    preset_note,
    rule_name,
    shorten_name,
    source_date,
    thresholds,
    value_text,
)
from PETWorks.render.language.messages import parse_language, translated
from PETWorks.render.report import other_releases, prose, sections
from PETWorks.render.report.prose import fixing_command, notices, step_texts
from PETWorks.render.report.sections import rule_rows
from PETWorks.render.terminal import lines_of
from PETWorks.render.text.measures_text import new_table, render
from PETWorks.tables.yaml_files import yaml_text

MAX_ROWS = 60
STYLES = {"pass": "bold green", "waived": "bold yellow", "fail": "bold red", "withheld": "bold"}


def check_text(document: CheckDocument, lang: str, *, colour: bool, width: int, policy: str | None = None) -> str:
    """The verdict, the rules and the next steps; `policy` is the path of the policy, which a document lacks."""
    lang = parse_language(lang)
    if policy is not None:
        document = replace(document, policy=replace(document.policy, file=policy))
    parts: list[Any] = [
        verdict_word(document.verdict, lang) + Text(f" {policy_text(document.title, lang)}", "bold"),
        Text(prose.summary(document, lang), "not bold"),
        *(Text(notice) for notice in notices(document, lang)),
    ]
    parts.append(rules_table(document.rules, lang))
    parts += [
        Text(
            message_text(lang, "write.labelled", label=rule_name(rule.name, lang), text=prose.waiver(rule.waiver, lang))
        )
        for rule in document.rules
        if rule.waiver
    ]
    about_releases = other_releases.outcome(document, lang)
    if about_releases:
        parts.append(Text(f"\n{message_text(lang, 'section.releases')}", "bold"))
        parts += [Text(sentence) for sentence in about_releases]
        for heads, rows in other_releases.short_tables(document, lang):
            parts.append(new_table(*heads))
            for row in rows:
                parts[-1].add_row(*map(Text, row))
    lost = [*sections.texts_of_document(document, lang), *prose.utility(document, lang)]
    if lost:
        parts.append(Text(f"\n{message_text(lang, 'section.utility')}", "bold"))
        parts += [Text(sentence) for sentence in lost]
        parts += _losses(document, lang)
    parts.append(Text(f"\n{message_text(lang, 'head.residual')}", "bold"))
    parts.append(Text(prose.residual(document, lang)))
    command = fixing_command(document)
    for place, step in enumerate(step_texts(document, lang), 1):
        before, found, after = f"{place}. {step}".partition(command)
        # A command must stay on one line to be copied.
        lines = [*lines_of(before, width), *([f"   {found}", *lines_of(after, width)] if found else [])]
        parts += [Text(line, no_wrap=True) for line in lines if line]
    return render(parts, colour=colour, width=width)


def rules_table(rules: Sequence[RuleResult], lang: str) -> Any:
    """The rules with value, threshold and verdict; built-in rules that hold share one row."""
    table = new_table(
        *(message_text(lang, f"head.{head}") for head in ("rule", "measure", "found", "wanted", "verdict"))
    )
    listed, holding = rule_rows(rules, lang)
    for rule in listed:
        cells = (rule_name(rule.name, lang), measure_name(rule.measure, lang), found_value(rule, lang))
        table.add_row(*map(Text, (*cells, thresholds(rule, lang))), verdict_word(rule.verdict, lang))
    if holding is not None:
        table.add_row(*map(Text, (*holding, "", "")), verdict_word("pass", lang))
    return table


def _losses(document: CheckDocument, lang: str) -> list[Any]:
    """The columns with the largest loss since the original."""
    columns = sections.columns_with_loss(document)
    if not columns:
        return []
    table = new_table(*(message_text(lang, head) for head in sections.LOSSES))
    for column in columns[: sections.MAX_LOSSES]:
        table.add_row(*map(Text, prose.loss(column, lang)))
    more = len(columns) - sections.MAX_LOSSES
    return [table, *([Text(message_text(lang, "word.more", n=more))] if more > 0 else [])]


def comparison_text(comparison: Comparison, *, lang: str, colour: bool, width: int) -> str:
    """The changes between two checks."""
    old, new = (verdict_word(verdict, lang) for verdict in (comparison.verdict.old, comparison.verdict.new))
    parts: list[Any] = [
        Text(message_text(lang, "write.labelled", label=message_text(lang, "head.verdict"), text=""))
        + old
        + " -> "
        + new
    ]
    if comparison.different:
        different = LANGUAGES[lang].writing.separator.join(
            _fact_name(fact, lang).replace("_", " ") for fact in comparison.different
        )
        parts.append(Text(message_text(lang, "diff.different", what=different), "bold red"))
    if comparison.new_built_in_rules:
        names = LANGUAGES[lang].writing.separator.join(rule_name(rule, lang) for rule in comparison.new_built_in_rules)
        parts.append(Text(message_text(lang, "diff.new built-in rules", rules=names)))
    if not comparison.rules and not comparison.measures and not comparison.table:
        parts.append(Text(message_text(lang, "diff.same")))
    name_functions = {"rule": rule_name, "measure": measure_name, "table": _fact_name}
    by_kind = {"rule": comparison.rules, "measure": comparison.measures, "table": comparison.table}
    for kind, differences in by_kind.items():
        if differences:
            parts.append(_differences(kind, differences, name_functions[kind], lang))
    return render(parts, colour=colour, width=width)


def _differences(
    kind: str, differences: Sequence[Difference], name_function: Callable[[str, str], str], lang: str
) -> Any:
    table = new_table(*(message_text(lang, f"diff.head.{head}") for head in (kind, "old", "new", "change")))
    colours = {"worse": "bold red", "other threshold": "bold red", "better": "green"}
    for difference in differences:
        cells = (
            name_function(difference.name, lang),
            *(_state(value, text, lang) for value, text in _sides(difference)),
        )
        table.add_row(
            *map(Text, cells), Text(message_text(lang, f"diff.{difference.change}"), colours.get(difference.change, ""))
        )
    return table


def _fact_name(fact: str, lang: str) -> str:
    if lang != ENGLISH and fact.startswith(DIGEST):
        return message_text(lang, "studio.compare.digest", what=message_text(lang, f"file.{fact.removeprefix(DIGEST)}"))
    return LANGUAGES[lang].name_of(DETAIL, fact) or shorten_name(fact)


def _sides(difference: Difference) -> list[tuple[Any, str]]:
    return [(difference.old, difference.old_text), (difference.new, difference.new_text)]


def _state(value: Any, text: str, lang: str) -> str:
    """One side of a difference; in English its own text."""
    if lang == ENGLISH:
        return text
    if isinstance(value, RuleState):
        asked = LANGUAGES[lang].writing.separator.join(
            f"{limit_name(parameter, lang)} = {format_value(limit)}" for parameter, limit in value.parameters.items()
        )
        return message_text(
            lang,
            "write.state",
            verdict=message_text(lang, f"verdict.{value.verdict}"),
            value=_state(value.value, format_value(value.value), lang),
            asked=asked,
        )
    if isinstance(value, Mapping):
        return LANGUAGES[lang].writing.clauses.join(prose.treatment(value, lang))
    if value == NOT_MEASURED:
        return message_text(lang, "releases.unmeasured")
    return value_text(value, lang) if isinstance(value, bool | list | tuple | None | Bound) else text


def suggestions_text(
    suggestions: Sequence[Suggestion], people: People | None, *, lang: str, colour: bool, width: int
) -> str:
    """The suggested role of each column, and the reason."""
    table = new_table(*(message_text(lang, f"head.{head}") for head in ("column", "role", "reason")))
    for suggestion in suggestions[:MAX_ROWS]:
        role = (
            message_text(lang, f"role.{suggestion.role or 'none'}")
            if lang != ENGLISH
            else (suggestion.role or "none").replace("_", " ")
        )
        table.add_row(*map(Text, (shorten_name(suggestion.column), role, prose.suggestion_text(suggestion, lang))))
    parts: list[Any] = [table]
    if len(suggestions) > MAX_ROWS:
        parts.append(Text(message_text(lang, "init.more-columns", n=len(suggestions) - MAX_ROWS)))
    if not any(suggestion.role == QUASI_IDENTIFIER for suggestion in suggestions):
        parts.append(Text(message_text(lang, "init.no-quasi-identifier")))
    if people is not None:
        kind = "unit" if people.unit is not None else "part-of-values" if people.cut else "together"
        parts.append(Text(message_text(lang, f"init.{kind}", column=people.columns, columns=people.columns)))
        if people.missing:
            parts.append(Text(message_text(lang, "init.unit-missing", column=people.columns, n=people.missing)))
    parts += _many_known(suggestions, lang)
    dates = [suggestion.column for suggestion in suggestions if suggestion.unread_dates]
    if dates:
        parts.append(Text(message_text(lang, "init.unread-dates", columns=dates)))
    spellings = [suggestion.column for suggestion in suggestions if suggestion.spellings]
    if spellings:
        parts.append(Text(message_text(lang, "init.spellings", columns=spellings)))
    if any(suggestion.records == 1 for suggestion in suggestions):
        parts.append(Text(message_text(lang, "init.one-record")))
    return render(parts, colour=colour, width=width)


def _many_known(suggestions: Sequence[Suggestion], lang: str) -> Iterator[Any]:
    """Too many quasi-identifiers: which to decide about first, and the lines to change."""
    ranked = columns_to_decide(suggestions)
    if not ranked:
        return
    yield Text("\n" + message_text(lang, "init.many-known", n=len(ranked), many=MANY))
    table = new_table(*(message_text(lang, f"head.{head}") for head in ("column", "outsiders-know", "as-many-values")))
    for suggestion in ranked[:MAX_LISTED]:
        known = message_text(lang, f"init.known.{how_well_known(suggestion)}")
        table.add_row(*map(Text, (shorten_name(suggestion.column), known, format_value(round(suggestion.values, 1)))))
    yield table
    if len(ranked) > MAX_LISTED:
        yield Text(message_text(lang, "init.more-columns", n=len(ranked) - MAX_LISTED))
    first = [yaml_text(suggestion.column) for suggestion in ranked if is_first_to_decide(suggestion)][:TO_CHANGE]
    if first:
        yield Text(message_text(lang, "init.lines-to-change"))
        reason = yaml_text(message_text(lang, "init.reason"))
        lines = ["roles:", "  insensitive_attributes:", *(f"    - {column}" for column in first), "role_reasons:"]
        yield Text("\n".join(printable(line) for line in [*lines, *(f"  {column}: {reason}" for column in first)]))


def presets_text(presets: Sequence[Preset], *, lang: str, colour: bool, width: int) -> str:
    """The published thresholds, each as a cell size and as a probability."""
    heads = ("preset", "cell-size", "probability", "stated-as", "source")
    table = new_table(*(message_text(lang, f"head.{head}") for head in heads))
    for preset in presets:
        stated = message_text(lang, f"stated.{preset.stated_as}")
        if preset.rule_of_thumb:
            stated += "\n" + message_text(lang, "write.bracketed", text=message_text(lang, "word.rule-of-thumb"))
        if is_foreign(preset, LANGUAGES[lang].home):
            stated += "\n" + message_text(lang, "write.bracketed", text=message_text(lang, "word.foreign"))
        cells = (preset.name, str(preset.cell_size), preset.probability, stated, _source(preset, lang))
        table.add_row(*map(Text, cells))
    return render([table], colour=colour, width=width)


def _source(entry: Preset | Regime, lang: str) -> str:
    citation = message_text(
        lang, "write.labelled", label=entry.organisation, text=f"{entry.title}, {source_date(entry, lang)}"
    )
    return f"{citation}\n{preset_note(entry, lang)}\n{entry.source}"


def regimes_text(regimes: Sequence[Regime], *, lang: str, colour: bool, width: int) -> str:
    """The items that standards and laws require a data holder to document, as far as a policy can state them."""
    table = new_table(*(message_text(lang, head) for head in ("regimes.regime", "regimes.asks", "head.source")))
    for regime in regimes:
        asks = "\n".join(message_text(lang, f"item.{item.item}") for item in regime.items)
        table.add_row(*map(Text, (regime.name, asks, _source(regime, lang))))
    return render([table], colour=colour, width=width)


def verified_text(verified: Sequence[VerifiedItem], *, lang: str, colour: bool, width: int) -> str:
    """The compared items, and whether they match."""
    words = {True: message_text(lang, "verify.matches"), False: message_text(lang, "verify.does-not-match")}
    table = Table.grid(padding=(0, 2))
    table.add_column(min_width=max(map(cell_len, words.values())))
    table.add_column()
    for comparison in verified:
        table.add_row(
            Text(words[comparison.matches], "green" if comparison.matches else "bold red"),
            Text(translated(comparison.what, lang)),
        )
    return render([table], colour=colour, width=width)


def lint_text(policy: str, rules: int, lang: str) -> str:
    """A message that a policy has no mistakes."""
    return message_text(lang, "lint.passed", file=policy, n=rules)


def verdict_word(verdict: str, lang: str) -> Text:
    """The verdict in its colour."""
    return Text(message_text(lang, f"verdict.{verdict}"), STYLES[verdict])
