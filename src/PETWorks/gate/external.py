"""The external edition of a check: no cell, no class, and no count of people below the cell size.

It is put together from what may be seen, not by striking out what may not, so that what is new stays inside until
somebody decides otherwise. What may not be seen exactly stands there as {"below": x}, {"above": x}, {"at_most": x},
{"at_least": x}, {"about": x} or {"withheld": why}.

Two harmless numbers can give a small count away by subtraction. So every share is told in cells: the middle of a range
that is at least (cell size)/(people it may be a share of, at the fewest) wide. Then each number stands for as many
counts as a cell has people, and what is computed from several of them for more.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PETWorks.gate.policy import NO_IDENTIFIERS, SUBSETS
from PETWorks.measures.catalogue import find
from PETWorks.measures.parameters import Text

INTERNAL, EXTERNAL = "internal", "external"
SMALL_CLASS, FEW_RECORDS, COUNTS = ({"withheld": why} for why in ("small class", "few records", "tells counts"))
FIGURES = 2
FEWEST_CELLS = 3  # below, above, and a range between them
INSIDE = ("tells-outside", "waiver-not-needed", "waiver-ends")  # steps for those who keep the policy
OF_A_CLASS = {"highest", "cell_size"}  # limits that are compared with the smallest class


@dataclass(frozen=True)
class Guard:
    """What may be said of so many people, in cells of so many; `none` says whether none and all may be told as such."""

    cell_size: int
    people: float
    none: bool = True

    def count(self, number: int | None) -> Any:
        """A number of people, unless it is small; none is none."""
        return number if not number or number >= self.cell_size else {"below": self.cell_size}

    def at_least(self, number: int | None) -> Any:
        """A class size: a round number that is no more. Exact, it could be subtracted from the records."""
        counted = self.count(number)
        return counted if counted is None or counted != number else {"at_least": self._round(number or 0)}

    def highest(self, risk: float | None) -> Any:
        """One over the size of the smallest class, likewise."""
        if risk is None or risk == 0:
            return risk
        if risk * self.cell_size > 1:
            return {"above": figures(1 / self.cell_size)}
        return {"at_most": figures(1 / self._round(1 / risk + 1e-9))}

    def share(self, share: float | None) -> Any:
        """A share of the people: the middle of its cell; none and all are told, few and all but few are not."""
        if share is None or (self.none and share in (0, 1)):
            return share
        step = self.cell_size / round_number(self.people)
        if step > 1 / FEWEST_CELLS:
            return dict(FEW_RECORDS)
        if share < step:
            return {"below": figures(step)}
        if share > 1 - step:
            return {"above": figures(1 - step)}
        room = 1 - 2 * step
        cells = max(math.floor(room / step), 1)
        width = room / cells
        middle = step + (min(math.floor((share - step) / width), cells - 1) + 0.5) * width
        return {"about": round(middle, 1 - math.floor(math.log10(step)))}

    def number(self, value: Any) -> Any:
        """What a measure found: a size, a share, or neither, which may be a count times something."""
        if value is None or isinstance(value, int):
            return self.at_least(value)
        return self.share(value) if 0 <= value <= 1 else dict(COUNTS)

    def _round(self, number: float) -> int:
        return max(int(round_number(number)), self.cell_size)


def round_number(people: float) -> float:
    """A number that is no more, and tells little of it: the width of a cell is seen from what is shown.

    >>> [round_number(people) for people in (9.5, 83, 1200, 836000)]
    [5.0, 50.0, 1000.0, 500000.0]
    """
    if people < 1:
        return 1.0
    power = 10.0 ** math.floor(math.log10(people))
    return max(power * figure for figure in (1, 2, 5) if power * figure <= people)


def figures(number: float) -> float:
    """Two figures that count.

    >>> figures(0.45125), figures(0.9909), figures(415908.4)
    (0.45, 0.99, 420000.0)
    """
    return number if number == 0 else round(number, FIGURES - 1 - math.floor(math.log10(abs(number))))


def kept_to(guarded: Any, value: Any, limits: Mapping[str, Any]) -> Any:
    """A guarded number, or how it stands to a limit that it would otherwise seem to keep or to break."""
    about: Any = guarded.get("about") if isinstance(guarded, Mapping) else None
    for limit in limits.values() if about is not None else ():
        if isinstance(limit, int | float) and not isinstance(limit, bool) and (about <= limit) != (value <= limit):
            return {"at_most": limit} if value <= limit else {"above": limit}
    return guarded


class _Edition:
    """A document as outsiders may see it."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        table = document["table"]
        classes = table["classes"]
        cell_size = document["policy"]["cell_size"]
        people = table.get("people", table["records"])
        self.document, self.table = document, table
        # To an attacker suppressed records are a class, and it may be the smallest.
        seen = [
            one["details"]["smallest_class"] for one in document["results"] if one["measure"] == "re-identification"
        ]
        sizes = [size for size in (classes["smallest_class"], *seen) if size is not None]
        among_known = table["treatment"]["several_sensitive"] != "alone" and len(table["sensitive_attributes"]) > 1
        self.small = any(size < cell_size for size in sizes) or among_known
        # How wide a cell is can be seen: it must not tell that a few records stand aside.
        counted = min(people, classes["records_in_classes"] or people)
        aside = people - counted
        counted = counted if aside >= cell_size else people * 2 / 3
        self.guard = Guard(cell_size, counted)
        self.of_classes = Guard(cell_size, counted, none=not self.small and not 0 < aside < cell_size)
        self.of_a_class = Guard(cell_size, min(sizes, default=0))

    def made(self) -> dict[str, Any]:
        document, guard = self.document, self.guard
        kept = ("schema", "petworks", "generated", "as_of_given", "title", "verdict", "rule_verdicts", "policy")
        return {
            **{name: document[name] for name in kept},
            "edition": EXTERNAL,
            "inputs": [{**one, "bytes": None} for one in document["inputs"] if one["is"] == "data"],
            "table": self._table(),
            "columns": [self._column(column) for column in document["columns"]],
            "rules": [self._rule(rule) for rule in document["rules"]],
            "small_classes": [
                {"size": row["size"], "records": None, "share": self.of_classes.share(row["share"])}
                for row in document["small_classes"]
                if row["size"] >= guard.cell_size
            ],
            "adversaries": [
                {
                    **{name: one[name] for name in ("who", "knows")},
                    **{name: self.of_classes.share(one[name]) for name in ("chance", "unique_share")},
                }
                for one in document["adversaries"]
            ],
            "subsets": None if document["subsets"] is None else self._subsets(document["subsets"]),
            "payout_curve": None,
            "results": [self._result(result) for result in document["results"]],
            "not_applicable": {
                name: reason if reason.startswith("needs ") else "does not apply to this release"
                for name, reason in document["not_applicable"].items()
            },
            "next_steps": [self._step(step) for step in document["next_steps"] if self._is_for_outsiders(step)],
        }

    def _table(self) -> dict[str, Any]:
        table, guard = self.table, self.guard
        names = (
            "treatment",
            "quasi_identifiers",
            "sensitive_attributes",
            "hierarchies",
            "identifiers_in_the_release",
            "columns_without_a_role",
        )
        people = table.get("people", table["records"])
        few = "people" in table and people < guard.cell_size
        population = table["population"]
        tells = population is not None and (people < guard.cell_size or 0 < population - people < guard.cell_size)
        return {
            **{name: table[name] for name in names},
            "records": dict(FEW_RECORDS) if few else guard.count(table["records"]),
            "population": dict(COUNTS) if tells else guard.count(population),
        }

    def _column(self, column: Mapping[str, Any]) -> dict[str, Any]:
        shares = ("missing", "precision", "granularity", "non_uniform_entropy", "total_variation")
        return {
            **{name: column[name] for name in ("column", "role", "released")},
            **{name: self.guard.share(float(column[name])) for name in shares if name in column},
        }

    def _value(self, result: Mapping[str, Any]) -> Any:
        """What a measure found, as far as it is not about a class below the cell size."""
        entry, value, compared = find(result["measure"]), result["value"], result.get("compared")
        if compared == "excess":
            priors = [found["prior"] for found in result["details"].get("attributes", {}).values()]
            missed = self.guard.people * min((1 - prior for prior in priors), default=1.0)  # by guessing
            few = round_number(missed) < FEWEST_CELLS * self.guard.cell_size
            return dict(FEW_RECORDS) if few else Guard(self.guard.cell_size, missed).share(value)
        if compared in OF_A_CLASS or (entry.of_one_class and compared is None):
            if self.small:
                return dict(SMALL_CLASS)
            if isinstance(value, float) and entry.family == "risk":
                return self.guard.highest(value)
            return self._numbers(self.of_a_class, value)
        return self._numbers(self.guard if entry.family == "utility" else self.of_classes, value)

    def _numbers(self, guard: Guard, value: Any) -> Any:
        return [guard.number(one) for one in value] if isinstance(value, list | tuple) else guard.number(value)

    def _rule(self, rule: Mapping[str, Any]) -> dict[str, Any]:
        if rule["measure"] == NO_IDENTIFIERS:
            parameters, guarded = {}, rule["value"]
        elif rule["measure"] == SUBSETS:
            parameters = dict(rule["parameters"])
            guarded = self._limited(next(iter(parameters)), rule["value"])
        else:
            parameters, guarded = _parameters(rule), self._value(rule)
        waiver = rule["waiver"]
        return {
            **{name: rule[name] for name in ("name", "preset", "why", "verdict", "measure", "satisfied")},
            "parameters": parameters,
            "value": kept_to(guarded, rule["value"], parameters),
            "compared": rule["compared"],
            "details": {},
            "waiver": None if waiver is None else {**waiver, "owner": None},
        }

    def _result(self, result: Mapping[str, Any]) -> dict[str, Any]:
        return {
            **{name: result[name] for name in ("measure", "satisfied", "treatment")},
            "parameters": _parameters(result),
            "value": self._value(result),
            "details": {},
        }

    def _limited(self, limit: str, value: float) -> Any:
        return self.guard.highest(value) if limit == "highest-risk" else self.of_classes.share(value)

    def _subsets(self, answers: Mapping[str, Any]) -> dict[str, Any]:
        def case(found: Mapping[str, Any]) -> dict[str, Any]:
            shares = ("posterior", "unique_share", "prior")
            return {"attributes": found["attributes"], **{name: self.of_classes.share(found[name]) for name in shares}}

        return {
            "records": self.guard.count(answers["records"]),
            "number": answers["number"],
            "if_they_know": [
                {
                    **{name: answer[name] for name in ("known", "attack", "subsets")},
                    **{name: case(answer[name]) for name in ("lowest", "median", "highest")},
                }
                for answer in answers["if_they_know"]
            ],
            "limits": [
                {**one, "worst": kept_to(self._limited(one["limit"], one["worst"]), one["worst"], {"": one["at_most"]})}
                for one in answers["limits"]
            ],
            "minimal_risky": [
                {**one, "value": kept_to(self._limited(one["limit"], one["value"]), one["value"], {"": one["at_most"]})}
                for one in answers["minimal_risky"]
            ],
            "drivers": answers["drivers"]
            and [
                {
                    **{name: driver[name] for name in ("attribute", "attack")},
                    **{name: self.of_classes.share(driver[name]) for name in ("shapley", "without")},
                }
                for driver in answers["drivers"]
            ],
        }

    def _is_for_outsiders(self, step: Mapping[str, Any]) -> bool:
        few = step["step"] == "many-suppressed" and step["records"] < self.guard.cell_size
        return step["step"] not in INSIDE and not few

    def _step(self, step: Mapping[str, Any]) -> dict[str, Any]:
        kept = {name: step[name] for name in ("step", "rules", "columns", "size") if name in step}
        if "share" in step:
            kept["share"] = self.of_classes.share(step["share"])
        if "without" in step:
            kept["without"] = [{"column": row["column"]} for row in step["without"]]
        return kept


def _parameters(result: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that are no text: a text may be a value of the table."""
    rules = find(result["measure"]).parameters
    return {name: value for name, value in result["parameters"].items() if not isinstance(rules[name].rule, Text)}


def external(document: Mapping[str, Any]) -> dict[str, Any]:
    """What outsiders may see of a check."""
    return _Edition(document).made()
