"""Measures, attacks and hierarchies as tables for a terminal."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from typing import Any

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from PETWorks.about.hierarchies.hierarchy import Hierarchy
from PETWorks.about.kinds import WORDS
from PETWorks.errors import Phrase, printable
from PETWorks.locale import DETAIL, ENGLISH, LANGUAGES, PARAMETER
from PETWorks.measures.catalogue import Metric, find_measure
from PETWorks.measures.disclosure.lookups import COUNTED as LOOKUPS
from PETWorks.measures.evaluation import Evaluation
from PETWorks.measures.numbers import brief, count, format_value
from PETWorks.measures.result import Result, flatten
from PETWorks.render.language.language import (
    attack_name,
    list_text,
    measure_name,
    measure_summary,
    message_text,
    percent,
    with_levels,
)
from PETWorks.render.language.messages import translated

MAX_LISTED = 10
_STYLES = {True: "green", False: "bold red"}


def evaluation_text(
    evaluation: Evaluation, reasons: Mapping[str, str], *, details: bool, lang: str, colour: bool, width: int
) -> str:
    """The verdicts as a table, the reasons why measures do not apply, and optionally the details of each measure."""
    table = evaluation.table
    classes = table.get("classes", {})
    head = _table_facts(table, lang)
    parts: list[Any] = [_pairs_table(head.items(), lang), _verdicts_table(evaluation, lang, by_family=not details)]
    if classes.get("classes") == 0:
        parts.append(Text(message_text(lang, "evaluate.nobody")))
    if "people" in table and classes:
        parts.append(Text(message_text(lang, "evaluate.people")))
    if any(find_measure(result.measure).compares for result in evaluation.results):
        parts.append(_lookups_by_measure(evaluation, lang))
    parts += comparison_notes(table, lang)
    parts += [
        Text(
            message_text(lang, "evaluate.not-applicable", measure=measure_label(name, lang)) + translated(reason, lang)
        )
        for name, reason in reasons.items()
    ]
    if details:
        for result in evaluation.results:
            parts += _details(result, {**classes, **head}, table["treatment"], lang)
    else:
        parts.append(Text("\n" + message_text(lang, "evaluate.more")))
    return render(parts, colour=colour, width=width)


def measure_label(measure: str, lang: str) -> str:
    """The name of a measure as used in commands, with its translated name in languages other than English.

    >>> measure_label("k-map", "en"), measure_label("k-anonymity", "zh-TW"), measure_label("k-map", "zh-TW")
    ('k-map', 'k-anonymity（k-匿名性）', 'k-map（k-對映）')
    """
    if lang == ENGLISH:
        return measure
    translated_name = measure_name(measure, lang)
    return (
        translated_name
        if translated_name.startswith(measure)
        else message_text(lang, "write.named", id=measure, name=translated_name)
    )


def _table_facts(table: Mapping[str, Any], lang: str) -> dict[str, Any]:
    """The table that was evaluated, and how it was read and counted."""
    names = ("records", "quasi_identifiers", "sensitive_attributes", "identifiers_in_the_release")
    facts = {name: table[name] for name in (*names, "columns_without_a_role") if table[name]}
    if table["encoding"]:
        separator = repr(table["separator"])
        facts["read_as"] = message_text(lang, "evaluate.read-as", encoding=table["encoding"], separator=separator)
    if "kind" in table:
        facts["kind"] = translated(WORDS[table["kind"]], lang)
    facts |= {name: table[name] for name in ("original_records", "control_records") if name in table}
    facts |= {"compared_at": table["compared_at"]} if "compared_at" in table else {}
    if table.get("without_counterpart"):
        shares = {name: max(own.values()) for name, own in table["without_counterpart"].items()}
        told = [message_text(lang, "write.exact", value=name, exact=percent(own, lang)) for name, own in shares.items()]
        facts["without_counterpart"] = list_text(told, lang)
    if table["engine"] != "memory":
        facts["counted_with"] = table["engine"]
    if "people" in table:
        facts["people"] = table["people"]
    if table["population"]:
        facts["population"] = table["population"]
    facts |= {name: value for name, value in table.get("classes", {}).items() if value is not None}
    return {**facts, "treatment": _treatment_text(table["treatment"], lang)}


def _verdicts_table(evaluation: Evaluation, lang: str, *, by_family: bool) -> Table:
    table = new_table(*(message_text(lang, f"head.{head}") for head in ("measure", "value", "parameters", "verdict")))
    family = None
    for result in evaluation.results:
        if by_family and find_measure(result.measure).family != family:
            family = find_measure(result.measure).family
            table.add_row(Text(message_text(lang, f"family.{family}"), "bold"))
        _, _, parameters, _ = result.summary_cells()
        value = message_text(lang, "word.none") if result.value is None else _value_text(result.value, lang)
        verdict = "" if result.satisfied is None else verdict_text(result.satisfied, lang)
        table.add_row(*map(Text, (measure_label(result.measure, lang), value, parameters)), verdict)
    return table


def _treatment_text(treatment: Mapping[str, str | None], lang: str) -> str:
    """The treatment of missing values, suppressed records and the like."""
    return LANGUAGES[lang].writing.clauses.join(
        message_text(
            lang,
            "write.labelled",
            label=_words(name, lang),
            text=choice if name == "privacy_unit" else _words(choice, lang),
        )
        for name, choice in treatment.items()
        if choice is not None
    )


def measures_text(entries: Iterable[Metric], *, lang: str, colour: bool, width: int) -> str:
    """The catalogue as a list."""
    parts: list[Any] = []
    for entry in entries:
        kind = message_text(
            lang,
            "write.kind",
            family=message_text(lang, f"family.{entry.family}"),
            better=message_text(lang, f"better.{entry.better}"),
        )
        parts += [Text(f"{measure_label(entry.name, lang)}  ", "bold") + Text(kind, "not bold")]
        parts += [Padding(Text(measure_summary(entry.name, lang)), (0, 0, 0, 2))]
        needs = message_text(
            lang, "needs", what=list_text([message_text(lang, f"need.{need}") for need in entry.needs], lang)
        )
        parts += [Padding(Text(needs), (0, 0, 0, 2))]
        for parameter in entry.parameters.values():
            meaning = LANGUAGES[lang].name_of(PARAMETER, parameter.name) or ""
            default = (
                ""
                if parameter.default is None
                else message_text(lang, "write.default", value=_default_text(parameter.default))
            )
            kind = _words(parameter.rule.kind, lang)
            parts += [Text(f"    {parameter.name}={kind}{default}" + (f"  {meaning}" if meaning else ""))]
    return render(parts, colour=colour, width=width)


def _default_text(value: Any) -> str:
    """The default of a parameter, as users would type it."""
    return str(value).lower() if isinstance(value, bool) else format_value(value)


def attack_text(
    results: Sequence[Result], subsets: Mapping[str, Any] | None = None, *, lang: str, colour: bool, width: int
) -> str:
    """Prior, posterior and leakage of each attack."""
    heads = ("attack", "prior", "posterior", "times-better", "difference")
    table = new_table(*(message_text(lang, f"attack.head.{head}") for head in heads))
    for result in results:
        attributes: Mapping[str, Any] = result.details.get("attributes", {"": result.details})
        for column, row in attributes.items():
            keys = ("prior", "posterior", "multiplicative_leakage", "additive_leakage")
            attack = f"{result.measure} of {column}" if column else result.measure
            table.add_row(Text(attack_name(attack, lang)), *(Text(format_value(row[key])) for key in keys))
            if "gain" in row:
                before, after = row["gain"]["prior"], row["gain"]["posterior"]
                numbers = (before, after, after / before if before else 1.0, after - before)
                gain = attack_name(f"gain of {column}", lang)
                table.add_row(Text(gain), *(Text(format_value(number)) for number in numbers))
    parts = (
        [table]
        if subsets is None
        else [Text(message_text(lang, "attack.all-known"), "bold"), table, *subsets_parts(subsets, lang)]
    )
    return render(parts, colour=colour, width=width)


def lookups_text(
    evaluation: Evaluation, subsets: Mapping[str, Any] | None = None, *, lang: str, colour: bool, width: int
) -> str:
    """The results of lookups in a release that is not generalised, with all quasi-identifiers and with subsets."""
    table = _lookups_by_measure(evaluation, lang)
    title = Text(message_text(lang, "attack.all-known"), "bold")
    parts: list[Any] = [table] if subsets is None else [title, table]
    parts += comparison_notes(evaluation.table, lang)
    if subsets is not None:
        parts += subsets_parts(subsets, lang)
    return render(parts, colour=colour, width=width)


def _lookups_by_measure(evaluation: Evaluation, lang: str) -> Table:
    """The results of each measure with all quasi-identifiers, and for control people."""
    heads = ("attack.head.attack", "attack.share", "attack.head.prior", *_LOOKUP_HEADS[1:])
    table = new_table(*(message_text(lang, head) for head in heads))
    for result in evaluation.results:
        if not find_measure(result.measure).compares:
            continue
        attributes = result.details.get("attributes", {"": {"share": result.value, **result.details}})
        for column, row in attributes.items():
            attack = f"{result.measure} of {column}" if column else result.measure
            table.add_row(*map(Text, (attack_name(attack, lang), *_lookup_cells(row, "share", "prior", "control"))))
    return table


_LOOKUP_HEADS = ("attack.share", "attack.head.control", "attack.head.excess", "attack.head.interval")


def _lookup_cells(numbers: Mapping[str, Any], *names: str) -> list[str]:
    """Shares of people, excess and interval; empty where there is none."""
    cells = ["" if numbers.get(name) is None else format_value(numbers[name]) for name in (*names, "excess")]
    interval = numbers.get("interval")
    return [*cells, "" if interval is None else " … ".join(map(format_value, interval))]


def comparison_notes(facts: Mapping[str, Any], lang: str) -> list[Text]:
    """Notes about control people: that there are none, or that some may be in the original."""
    notes = []
    if "original_records" in facts and "control_records" not in facts:
        notes.append(Text(message_text(lang, "evaluate.no-control")))
    if overlap := facts.get("control_in_the_original"):
        values = {"records": count(overlap), "of": count(facts["control_records"])}
        notes.append(Text(message_text(lang, "evaluate.overlap", **values)))
    return notes


def subsets_parts(answers: Mapping[str, Any], lang: str) -> list[Any]:
    """The attacks by adversaries who know some of the quasi-identifiers."""
    attacks = list(dict.fromkeys(answer["attack"] for answer in answers["if_they_know"]))
    parts: list[Any] = []
    for attack in attacks:
        rows = [answer for answer in answers["if_they_know"] if answer["attack"] == attack]
        title = message_text(lang, "attack.some-known", attack=attack_name(attack, lang))
        parts += [Text(f"\n{title}", "bold"), _known_table(rows, attack, lang)]
    if answers["limits"]:
        parts += [Text("\n" + message_text(lang, "attack.risky-sets"), "bold"), _risky_table(answers, lang)]
    for attack in attacks if answers["drivers"] is not None else ():
        drivers = [driver for driver in answers["drivers"] if driver["attack"] == attack]
        title = message_text(lang, "attack.drivers", attack=attack_name(attack, lang))
        cases = [answer["highest"] for answer in answers["if_they_know"] if answer["attack"] == attack]
        unit = "share" if _unit(attack) == "excess" and cases[0].get("excess") is None else _unit(attack)
        parts += [Text(f"\n{title}", "bold"), _drivers_table(drivers, unit, lang)]
    return parts


def _known_table(answers: Sequence[Mapping[str, Any]], attack: str, lang: str) -> Table:
    """The subsets with the lowest, the median and the highest risk, for each number of known attributes."""
    if _unit(attack) == "excess":
        return _lookups_table(answers, lang)
    unique = [message_text(lang, "head.unique")] if attack == "re-identification" else []
    heads = (message_text(lang, head) for head in ("attack.head.known", "attack.head.risk", "head.attributes"))
    table = new_table(*heads, message_text(lang, f"attack.{_unit(attack)}"), *unique)
    for answer in answers:
        same = answer["lowest"]["posterior"] == answer["highest"]["posterior"]
        for name in ("highest",) if same else ("lowest", "median", "highest"):
            case, known = answer[name], str(answer["known"]) if same or name == "lowest" else ""
            names = (
                message_text(lang, "attack.any") if same and answer["subsets"] > 1 else _names_text(case["attributes"])
            )
            risk = message_text(lang, "attack.all-the-same" if same else f"head.{name}")
            cells = [known, risk, names, chance_text(case, attack, lang)]
            table.add_row(
                *map(
                    Text,
                    cells + [brief(100 * case["unique_share"]) + LANGUAGES[lang].writing.percent for _ in unique],
                )
            )
    return table


def _lookups_table(answers: Sequence[Mapping[str, Any]], lang: str) -> Table:
    """The subsets with the lowest, the median and the highest excess, for each number of known attributes."""
    heads = ("attack.head.known", "attack.head.excess", "head.attributes", *_LOOKUP_HEADS)
    table = new_table(*(message_text(lang, head) for head in heads))
    for answer in answers:
        names = ("highest",) if answer["subsets"] == 1 else ("lowest", "median", "highest")
        for name in names:
            case, known = answer[name], str(answer["known"]) if name == names[0] else ""
            names_of_case = with_levels(_names_text(case["attributes"]), case.get("compared_at"), lang)
            cells = (known, message_text(lang, f"head.{name}"), names_of_case)
            table.add_row(*map(Text, (*cells, *_lookup_cells(case, "share", "control"))))
    return table


def _risky_table(answers: Mapping[str, Any], lang: str) -> Table:
    """The smallest sets of attributes that exceed each limit."""
    table = new_table(
        *(message_text(lang, head) for head in ("head.limit", "attack.smallest", "head.value", "head.verdict"))
    )
    for limit in answers["limits"]:
        risks = [risk for risk in answers["minimal_risky"] if risk["limit"] == limit["limit"]]
        name = f"{printable(limit['limit'])} <= {format_value(limit['at_most'])}"
        names = message_text(lang, "word.none")
        if risks:
            names = _risky_names(risks[0], lang)
        worst = format_value(limit["worst"] if not risks else risks[0]["value"])
        table.add_row(*map(Text, (name, names, worst)), verdict_text(limit["satisfied"], lang))
        for risk in risks[1:MAX_LISTED]:
            table.add_row("", Text(_risky_names(risk, lang)), Text(format_value(risk["value"])), "")
        if len(risks) > MAX_LISTED:
            more = message_text(lang, "attack.more", n=len(risks) - MAX_LISTED)
            table.add_row("", Text(more), "", "")
    return table


def _risky_names(risk: Mapping[str, Any], lang: str) -> str:
    """The attributes that exceed a limit, with the levels on which they do."""
    names = _names_text(risk["attributes"]) or message_text(lang, "attack.by-guessing")
    return with_levels(names, risk.get("compared_at"), lang)


def _drivers_table(drivers: Sequence[Mapping[str, Any]], unit: str, lang: str) -> Table:
    """The contribution of each attribute to the risk, in descending order."""
    what = message_text(lang, f"attack.{unit}")
    numbers = (message_text(lang, "attack.adds", what=what), message_text(lang, "attack.without", what=what))
    table = new_table(message_text(lang, "head.attribute"), *numbers)
    for driver in sorted(drivers, key=lambda driver: -driver["shapley"]):
        numbers = (format_value(driver["shapley"]), format_value(driver["without"]))
        table.add_row(*map(Text, (printable(driver["attribute"]), *numbers)))
    return table


def _unit(attack: str) -> str:
    """The unit in which an attack is measured."""
    if attack.partition(" of ")[0] in LOOKUPS:
        return "excess"
    return "gain" if attack.startswith("gain of ") else "chance"


def chance_text(case: Mapping[str, Any], attack: str, lang: str) -> str:
    """A chance in words.

    >>> chance_text({"posterior": 1 / 12, "multiplicative_leakage": 5000.0}, "re-identification", "en")
    '1 in 12; 5,000 times better than guessing'
    >>> chance_text({"posterior": 0.75, "multiplicative_leakage": 1.5}, "attribute-inference of income", "zh-TW")
    '100 次中 75 次；為猜測的 1.5 倍'
    """
    if attack.startswith("gain of "):
        return message_text(
            lang, "attack.gains", gain=format_value(case["posterior"]), guessing=format_value(case["prior"])
        )
    if attack == "re-identification":
        chance = message_text(lang, "attack.one-in", number=brief(1 / case["posterior"]))
    else:
        chance = message_text(lang, "attack.in-hundred", number=brief(100 * case["posterior"]))
    better = case["multiplicative_leakage"]
    how = "not-better" if better == 1 else "hardly-better" if better < 1.005 else "better"
    return LANGUAGES[lang].writing.clauses.join([chance, message_text(lang, f"attack.{how}", times=brief(better))])


def _names_text(names: Sequence[str]) -> str:
    return printable(", ".join(names))


def _details(result: Result, known: Mapping[str, Any], treatment: Mapping[str, Any], lang: str) -> list[Any]:
    """The further numbers of a measure that are not at the top; a table if there are several for each column."""
    tables: list[Any] = []
    differing = {name: value for name, value in result.treatment.items() if treatment[name] != value}
    singles: dict[str, Any] = {"treatment": _treatment_text(differing, lang)} if any(differing.values()) else {}
    for name, value in result.details.items():
        if isinstance(value, Mapping) and value and all(isinstance(row, Mapping) for row in value.values()):
            table = new_table(*(_words(header, lang) for header in (name, *next(iter(value.values())))))
            for column, row in value.items():
                table.add_row(Text(printable(column)), *(Text(_value_text(cell, lang)) for cell in row.values()))
            tables.append(table)
        elif known.get(name) != value:
            singles |= flatten({name: value})
    parts = [_pairs_table(singles.items(), lang)] if singles else []
    return [Text(f"\n{measure_label(result.measure, lang)}", "bold"), *parts, *tables] if parts or tables else []


def verdict_text(satisfied: bool, lang: str) -> Text:
    """Whether a rule holds, in colour."""
    return Text(message_text(lang, "word.holds" if satisfied else "word.does-not-hold"), _STYLES[satisfied])


def new_table(*headers: str) -> Table:
    """An empty table with a line below its headers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for header in headers:
        table.add_column(header, overflow="fold")
    return table


def _pairs_table(pairs: Iterable[tuple[str, Any]], lang: str) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in pairs:
        text = printable(", ".join(value)) if _is_names(value) else _value_text(value, lang)
        table.add_row(Text(f"  {_words(name, lang)}"), Text(text))
    return table


def _words(name: str, lang: str) -> str:
    """A key of the details, possibly nested, in words."""
    language = LANGUAGES[lang]
    return ": ".join(language.name_of(DETAIL, part) or printable(part.replace("_", " ")) for part in name.split(": "))


def _value_text(value: Any, lang: str) -> str:
    """A value as text; words of the program are translated."""
    text = translated(value, lang) if isinstance(value, Phrase) else format_value(value)
    return LANGUAGES[lang].text(text, DETAIL)


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def render(parts: Iterable[Any], *, colour: bool, width: int) -> str:
    """The parts as text for a terminal; wide characters count double."""
    console = Console(
        file=StringIO(),
        force_terminal=colour,
        no_color=not colour,
        width=width,
        emoji=False,
        markup=False,
        highlight=False,
    )
    for part in parts:
        console.print(part, soft_wrap=getattr(part, "no_wrap", None) is True)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines).strip("\n") + "\n"


MAX_GROUPS = 40  # groups of a level shown on a terminal at most


def hierarchy_groups(hierarchy: Hierarchy, counts: Mapping[str | None, int]) -> list[dict[str, Any]]:
    """The groups of each level: label, number of values, and number of records with one of them."""
    levels = []
    records = [counts.get(leaf, 0) for leaf in hierarchy.leaves]
    for level, labels in enumerate(hierarchy.levels):
        records_by_label: Counter[str] = Counter()
        for label, number in zip(labels, records, strict=True):
            records_by_label[label] += number
        values = Counter(labels)
        groups = [{"label": label, "values": values[label], "records": records_by_label[label]} for label in values]
        levels.append({"level": level, "groups": groups})
    return levels


def hierarchy_text(levels: list[dict[str, Any]], *, lang: str, colour: bool, width: int) -> str:
    """The groups of each level above the values themselves."""
    table = new_table(*(message_text(lang, f"head.{head}") for head in ("level", "group", "values", "records")))
    for level in levels[1:]:
        groups = level["groups"]
        for group in groups[:MAX_GROUPS]:
            numbers = (count(group["values"]), count(group["records"]))
            table.add_row(*map(Text, (str(level["level"]), printable(group["label"]), *numbers)))
        if len(groups) > MAX_GROUPS:
            table.add_row(str(level["level"]), message_text(lang, "hierarchy.more", n=len(groups) - MAX_GROUPS))
    return render([table], colour=colour, width=width)
