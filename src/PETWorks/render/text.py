"""Results as tables for a terminal."""

import re
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from typing import Any

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from PETWorks.errors import printable
from PETWorks.measures.catalogue import Metric, find
from PETWorks.measures.evaluation import Evaluation
from PETWorks.measures.numbers import brief, count, shown
from PETWorks.measures.result import Result, flat

MOST_LISTED = 10
_STYLES = {"holds": "green", "does not hold": "bold red"}


def evaluation_text(
    evaluation: Evaluation, reasons: Mapping[str, str], *, details: bool, colour: bool, width: int
) -> str:
    """The verdicts as a table; the reasons why measures do not apply; if asked for, the details of each measure."""
    described = evaluation.table
    classes = described.get("classes", {})
    head = _head(described)
    parts: list[Any] = [_pairs(head.items()), _verdicts(evaluation, by_family=not details)]
    if classes.get("classes") == 0:
        parts.append(Text("No record is in a class, so limits on classes hold: there is nobody to assess."))
    if "people" in described:
        parts.append(Text("Several records of one person count once in each class: class sizes are people."))
    parts += [Text(f"not applicable: {name}: {reason}") for name, reason in reasons.items()]
    if details:
        for result in evaluation.results:
            parts += _details(result, {**classes, **head}, described["treatment"])
    else:
        parts.append(Text("\nMore of each: --measure NAME, or --format json."))
    return rendered(parts, colour=colour, width=width)


def _head(described: Mapping[str, Any]) -> dict[str, Any]:
    """What was evaluated, and how it was read and counted."""
    names = ("records", "quasi_identifiers", "sensitive_attributes", "identifiers_in_the_release")
    head = {name: described[name] for name in (*names, "columns_without_a_role") if described[name]}
    if described["encoding"]:
        head["read_as"] = f"{described['encoding']}, separator {described['separator']!r}"
    if described["engine"] != "memory":
        head["counted_with"] = described["engine"]
    if "people" in described:
        head["people"] = described["people"]
    if described["population"]:
        head["population"] = described["population"]
    head |= {name: value for name, value in described.get("classes", {}).items() if value is not None}
    return {**head, "treatment": _treated(described["treatment"])}


def _verdicts(evaluation: Evaluation, *, by_family: bool) -> Table:
    table = new_table("measure", "value", "parameters", "verdict")
    family = None
    for result in evaluation.results:
        if by_family and find(result.measure).family != family:
            family = find(result.measure).family
            table.add_row(Text(family, "bold"))
        table.add_row(*(Text(cell, _STYLES.get(cell, "")) for cell in result.summary_cells()))
    return table


def _treated(treatment: Mapping[str, str | None]) -> str:
    """How missing values, suppressed records and the like were treated."""
    return "; ".join(f"{_words(name)}: {value}" for name, value in treatment.items() if value is not None)


def measures_text(entries: Iterable[Metric], *, colour: bool, width: int) -> str:
    """The catalogue as a list."""
    parts: list[Any] = []
    for entry in entries:
        parts += [Text(f"{entry.name}  ", "bold") + Text(f"({entry.family}, better: {entry.better})", "not bold")]
        parts += [Padding(Text(entry.summary), (0, 0, 0, 2))]
        parts += [Padding(Text(f"needs {', '.join(entry.needs)}"), (0, 0, 0, 2))]
        for parameter in entry.parameters.values():
            default = "" if parameter.default is None else f" ({shown(parameter.default)})"
            parts += [Text(f"    {parameter.name}={parameter.rule.kind}{default}")]
    return rendered(parts, colour=colour, width=width)


def attack_text(
    results: Sequence[Result], subsets: Mapping[str, Any] | None = None, *, colour: bool, width: int
) -> str:
    """Prior, posterior and leakage of each attack."""
    table = new_table("attack", "prior", "posterior", "x better than a guess", "difference")
    for result in results:
        attributes: Mapping[str, Any] = result.details.get("attributes", {"": result.details})
        for column, row in attributes.items():
            keys = ("prior", "posterior", "multiplicative_leakage", "additive_leakage")
            name = result.measure + (f" of {column}" if column else "")
            table.add_row(Text(printable(name)), *(Text(shown(row[key])) for key in keys))
            if "gain" in row:
                before, after = row["gain"]["prior"], row["gain"]["posterior"]
                numbers = (before, after, after / before if before else 1.0, after - before)
                table.add_row(Text(printable(f"gain of {column}")), *(Text(shown(number)) for number in numbers))
    parts = (
        [table]
        if subsets is None
        else [Text("If they know all of the attributes", "bold"), table, *subsets_parts(subsets)]
    )
    return rendered(parts, colour=colour, width=width)


def subsets_parts(answers: Mapping[str, Any]) -> list[Any]:
    """What adversaries who know some of the quasi-identifiers can do."""
    attacks = list(dict.fromkeys(answer["attack"] for answer in answers["if_they_know"]))
    parts: list[Any] = []
    for attack in attacks:
        rows = [answer for answer in answers["if_they_know"] if answer["attack"] == attack]
        parts += [Text(f"\nIf they know some of the attributes: {printable(attack)}", "bold"), _known(rows, attack)]
    if answers["limits"]:
        parts += [Text("\nMinimal risky sets, among the subsets counted", "bold"), _risky(answers)]
    for attack in attacks if answers["drivers"] is not None else ():
        drivers = [driver for driver in answers["drivers"] if driver["attack"] == attack]
        parts += [Text(f"\nWhat drives the risk: {printable(attack)}", "bold"), _drivers(drivers)]
    return parts


def _known(answers: Sequence[Mapping[str, Any]], attack: str) -> Table:
    """For each number of known attributes, the subsets with the lowest, the median and the highest risk."""
    unique = ["unique records"] if attack == "re-identification" else []
    table = new_table("they know", "risk", "attributes", _chance(attack), *unique)
    for answer in answers:
        same = answer["lowest"]["posterior"] == answer["highest"]["posterior"]
        for name in ("highest",) if same else ("lowest", "median", "highest"):
            case, known = answer[name], str(answer["known"]) if same or name == "lowest" else ""
            names = "any" if same and answer["subsets"] > 1 else _names(case["attributes"])
            cells = [known, "all the same" if same else name, names, in_words(case, attack)]
            table.add_row(*map(Text, cells + [f"{brief(100 * case['unique_share'])} %" for _ in unique]))
    return table


def _risky(answers: Mapping[str, Any]) -> Table:
    """The smallest sets of attributes that exceed each limit."""
    table = new_table("limit", "smallest sets of attributes beyond it", "value", "verdict")
    for limit in answers["limits"]:
        risks = [risk for risk in answers["minimal_risky"] if risk["limit"] == limit["limit"]]
        name = f"{printable(limit['limit'])} <= {shown(limit['at_most'])}"
        names = "none" if not risks else _names(risks[0]["attributes"]) or "none needed: by guessing alone"
        worst = shown(limit["worst"] if not risks else risks[0]["value"])
        table.add_row(*map(Text, (name, names, worst)), verdict_text(limit["satisfied"]))
        for risk in risks[1:MOST_LISTED]:
            table.add_row("", Text(_names(risk["attributes"])), Text(shown(risk["value"])), "")
        if len(risks) > MOST_LISTED:
            table.add_row("", Text(f"and {count(len(risks) - MOST_LISTED)} more (--format json has all)"), "", "")
    return table


def _drivers(drivers: Sequence[Mapping[str, Any]]) -> Table:
    """What each attribute adds to the risk, in descending order."""
    what = _chance(drivers[0]["attack"])
    table = new_table("attribute", f"adds to the {what}", f"{what} without it")
    for driver in sorted(drivers, key=lambda driver: -driver["shapley"]):
        numbers = (shown(driver["shapley"]), shown(driver["without"]))
        table.add_row(*map(Text, (printable(driver["attribute"]), *numbers)))
    return table


def _chance(attack: str) -> str:
    """What an attack is measured by."""
    return "gain" if attack.startswith("gain of ") else "chance"


def in_words(case: Mapping[str, Any], attack: str) -> str:
    """A chance in words.

    >>> in_words({"posterior": 1 / 12, "multiplicative_leakage": 5000.0}, "re-identification")
    '1 in 12; 5,000 times better than guessing'
    >>> in_words({"posterior": 0.75, "multiplicative_leakage": 1.5}, "attribute-inference of income")
    '75 in 100; 1.5 times better than guessing'
    """
    if attack.startswith("gain of "):
        return f"{shown(case['posterior'])}; guessing gains {shown(case['prior'])}"
    chance = f"1 in {brief(1 / case['posterior'])}"
    if attack != "re-identification":
        chance = f"{brief(100 * case['posterior'])} in 100"
    better = case["multiplicative_leakage"]
    how = "no" if better == 1 else "hardly" if better < 1.005 else f"{brief(better)} times"
    return f"{chance}; {how} better than guessing"


def _names(names: Sequence[str]) -> str:
    return printable(", ".join(names))


def _details(result: Result, known: Mapping[str, Any], treatment: Mapping[str, Any]) -> list[Any]:
    """The other numbers of a measure, except those at the top; a table if there are several for each column."""
    tables: list[Any] = []
    otherwise = {name: value for name, value in result.treatment.items() if treatment[name] != value}
    singles: dict[str, Any] = {"treatment": _treated(otherwise)} if any(otherwise.values()) else {}
    for name, value in result.details.items():
        if isinstance(value, Mapping) and value and all(isinstance(row, Mapping) for row in value.values()):
            table = new_table(*(_words(header) for header in (name, *next(iter(value.values())))))
            for column, row in value.items():
                table.add_row(Text(printable(column)), *(Text(shown(cell)) for cell in row.values()))
            tables.append(table)
        elif known.get(name) != value:
            singles |= flat({name: value})
    parts = [_pairs(singles.items())] if singles else []
    return [Text(f"\n{result.measure}", "bold"), *parts, *tables] if parts or tables else []


def verdict_text(satisfied: bool) -> Text:
    """Whether something holds, in colour."""
    word = "holds" if satisfied else "does not hold"
    return Text(word, _STYLES[word])


def new_table(*headers: str) -> Table:
    """An empty table with a line below its headers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for header in headers:
        table.add_column(header, overflow="fold")
    return table


def _pairs(pairs: Iterable[tuple[str, Any]]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in pairs:
        table.add_row(
            Text(f"  {_words(name)}"), Text(printable(", ".join(value)) if _is_names(value) else shown(value))
        )
    return table


def _words(name: str) -> str:
    """A key of the details as words."""
    return printable(name.replace("_", " "))


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def rendered(parts: Iterable[Any], *, colour: bool, width: int) -> str:
    """Parts as text for a terminal; wide characters count double."""
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
        console.print(part)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines).strip("\n") + "\n"
