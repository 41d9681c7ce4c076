"""The external edition of a check: no cell, no class, and no count of people below the cell size.

It is put together from what may be seen, not by striking out what may not, so that what is new stays inside until
somebody decides otherwise. What may not be seen exactly stands there as {"below": x}, {"above": x} or
{"withheld": why}. Numbers are rounded, so that a fraction does not tell the counts it was made of.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PETWorks.metric import Text, find

INTERNAL, EXTERNAL = "internal", "external"
SMALL_CLASS = {"withheld": "small class"}
FIGURES = 2
MOST_FIGURES = 6


@dataclass(frozen=True)
class Guard:
    """What may be said of a table of so many records."""

    cell_size: int
    records: int

    def count(self, number: int | None) -> Any:
        """A number of people, unless it is small; none is none."""
        return number if not number or number >= self.cell_size else {"below": self.cell_size}

    def share(self, share: float | None) -> Any:
        """A share of the records, unless it is of few of them or of all but few."""
        if share is None or share in (0, 1) or not 0 < share < 1:
            return share if share is None else rounded(share)
        least = self.cell_size / self.records
        if least >= 0.5:
            return {"withheld": "few records"}
        if share < least:
            return {"below": rounded(least)}
        return {"above": rounded(1 - least)} if share > 1 - least else rounded(share)

    def highest(self, risk: float | None) -> Any:
        """One over the size of the smallest class, unless that is small."""
        if risk is None or risk * self.cell_size <= 1:
            return None if risk is None else rounded(risk)
        return {"above": rounded(1 / self.cell_size)}

    def value(self, measure: str, value: Any, parameters: Mapping[str, Any], classes_are_small: bool) -> Any:
        """What a measure found, as far as it is not about a class below the cell size."""
        if find(measure).of_one_class and classes_are_small:
            return dict(SMALL_CLASS)
        if isinstance(value, list | tuple):
            return [self._number(one, parameters) for one in value]
        return self._number(value, parameters)

    def _number(self, value: Any, limits: Mapping[str, Any]) -> Any:
        if isinstance(value, int):
            return self.count(value)
        guarded = self.share(value) if isinstance(value, float) and 0 <= value <= 1 else value
        return rounded(value, limits.values()) if isinstance(guarded, float) else guarded


def rounded(number: float, limits: Any = ()) -> float:
    """Two figures that count, from the nearer of 0 and 1; more where a limit would otherwise seem to be kept or broken.

    >>> rounded(0.45125), rounded(0.991234), rounded(0.0904, [0.09]), rounded(415908.4)
    (0.45, 0.9912, 0.0904, 420000.0)
    """
    compared = [limit for limit in limits if isinstance(limit, int | float) and not isinstance(limit, bool)]
    for figures in range(FIGURES, MOST_FIGURES + 1):
        near_one = 0.5 < number < 1
        found = 1 - _figures(1 - number, figures) if near_one else _figures(number, figures)
        found = round(found, 12)
        if all((found <= limit) == (number <= limit) and (found < limit) == (number < limit) for limit in compared):
            break
    return found


def _figures(number: float, figures: int) -> float:
    return number if number == 0 else round(number, figures - 1 - math.floor(math.log10(abs(number))))


def external(document: Mapping[str, Any]) -> dict[str, Any]:
    """What outsiders may see of a check."""
    table = document["table"]
    guard = Guard(document["policy"]["cell_size"], table["records"])
    smallest = table["classes"]["smallest_class"]
    among_known = table["treatment"]["several_sensitive"] != "alone" and len(table["sensitive_attributes"]) > 1
    small = smallest is not None and (smallest < guard.cell_size or among_known)
    kept = ("schema", "petworks", "generated", "title", "verdict", "rule_verdicts", "policy")
    return {
        **{name: document[name] for name in kept},
        "edition": EXTERNAL,
        "inputs": [
            {"is": one["is"], "file": one["file"], "bytes": None, "sha256": one["sha256"]}
            for one in document["inputs"]
            if one["is"] == "data"
        ],
        "table": _table(table, guard),
        "columns": [_column(column, guard) for column in document["columns"]],
        "rules": [_rule(rule, guard, small) for rule in document["rules"]],
        "small_classes": [
            {"size": row["size"], "records": None, "share": guard.share(row["share"])}
            for row in document["small_classes"]
            if row["size"] >= guard.cell_size
        ],
        "adversaries": [
            {
                "who": one["who"],
                "knows": one["knows"],
                "chance": guard.share(one["chance"]),
                "unique_share": guard.share(one["unique_share"]),
            }
            for one in document["adversaries"]
        ],
        "subsets": None if document["subsets"] is None else _subsets(document["subsets"], guard),
        "payout_curve": None,
        "results": [_result(result, guard, small) for result in document["results"]],
        "not_applicable": {
            name: reason if reason.startswith("needs ") else "does not apply to this release"
            for name, reason in document["not_applicable"].items()
        },
        "next_steps": [_step(step, guard) for step in document["next_steps"]],
    }


def _table(table: Mapping[str, Any], guard: Guard) -> dict[str, Any]:
    names = (
        "treatment",
        "quasi_identifiers",
        "sensitive_attributes",
        "hierarchies",
        "identifiers_in_the_release",
        "columns_without_a_role",
    )
    return {
        **{name: table[name] for name in names},
        "records": guard.count(table["records"]),
        "population": guard.count(table["population"]),
    }


def _column(column: Mapping[str, Any], guard: Guard) -> dict[str, Any]:
    shares = ("missing", "precision", "granularity", "non_uniform_entropy", "total_variation")
    return {
        **{name: column[name] for name in ("column", "role", "released")},
        **{name: guard.share(float(column[name])) for name in shares if name in column},
    }


def _parameters(result: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that are no text: a text may be a value of the table."""
    if result["measure"] == "every-subset":
        return dict(result["parameters"])
    rules = find(result["measure"]).parameters
    return {name: value for name, value in result["parameters"].items() if not isinstance(rules[name].rule, Text)}


def _rule(rule: Mapping[str, Any], guard: Guard, small: bool) -> dict[str, Any]:
    parameters = _parameters(rule)
    if rule["measure"] == "every-subset":
        value = _limited(next(iter(parameters)), rule["value"], guard)
    else:
        value = guard.value(rule["measure"], rule["value"], parameters, small)
    waiver = rule["waiver"]
    return {
        **{name: rule[name] for name in ("name", "preset", "why", "verdict", "measure", "satisfied")},
        "parameters": parameters,
        "value": value,
        "details": {},
        "waiver": None if waiver is None else {**waiver, "owner": None},
    }


def _result(result: Mapping[str, Any], guard: Guard, small: bool) -> dict[str, Any]:
    parameters = _parameters(result)
    return {
        **{name: result[name] for name in ("measure", "satisfied", "treatment")},
        "parameters": parameters,
        "value": guard.value(result["measure"], result["value"], parameters, small),
        "details": {},
    }


def _limited(limit: str, value: float, guard: Guard) -> Any:
    return guard.highest(value) if limit == "highest-risk" else guard.share(value)


def _subsets(answers: Mapping[str, Any], guard: Guard) -> dict[str, Any]:
    def case(found: Mapping[str, Any]) -> dict[str, Any]:
        shares = ("posterior", "unique_share", "prior")
        return {"attributes": found["attributes"], **{name: guard.share(found[name]) for name in shares}}

    risky: Sequence[Mapping[str, Any]] = answers["minimal_risky"]
    return {
        "records": guard.count(answers["records"]),
        "number": answers["number"],
        "if_they_know": [
            {
                **{name: answer[name] for name in ("known", "attack", "subsets")},
                **{name: case(answer[name]) for name in ("lowest", "median", "highest")},
            }
            for answer in answers["if_they_know"]
        ],
        "limits": [{**limit, "worst": _limited(limit["limit"], limit["worst"], guard)} for limit in answers["limits"]],
        "minimal_risky": [{**risk, "value": _limited(risk["limit"], risk["value"], guard)} for risk in risky],
        "drivers": answers["drivers"]
        and [
            {
                "attribute": driver["attribute"],
                "attack": driver["attack"],
                "shapley": rounded(driver["shapley"]),
                "without": guard.share(driver["without"]),
            }
            for driver in answers["drivers"]
        ],
    }


def _step(step: Mapping[str, Any], guard: Guard) -> dict[str, Any]:
    kept = {name: step[name] for name in ("step", "rules", "columns", "size") if name in step}
    if "records" in step:
        kept["share"] = guard.share(step["records"] / guard.records)
    if "without" in step:
        kept["without"] = [{"column": row["column"]} for row in step["without"]]
    return kept
