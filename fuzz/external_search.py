"""A search for counts that outsiders can compute from the external edition.

It enumerates all small tables of a kind, groups those whose external documents are equal, and looks for counts that
every table of a group shares: an outsider who has the document then knows such a count. A count is pinned if it is
above zero and below the cell size. The outsider is assumed to know the number of records from elsewhere.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import pyarrow as pa
from msgspec.structs import replace

from PETWorks import check
from PETWorks.gate.document import CheckDocument, Classes, RuleResult, SmallClasses
from PETWorks.gate.external.protected import ProtectedStatistics, protect_statistics
from PETWorks.gate.policy.policy import Policy
from PETWorks.gate.policy.policy_rules import BUILT_IN_RULES

NOT_CONTENT = ("generated", "as_of_given", "inputs", "policy", "salt", "commitments", "content_sha256")


class Table(NamedTuple):
    """A table with one quasi-identifier: the records of each class by sensitive value, and the suppressed ones."""

    classes: tuple[tuple[int, ...], ...]
    suppressed: int = 0

    @property
    def sizes(self) -> list[int]:
        """The size of each class."""
        return [sum(values) for values in self.classes]

    @property
    def records(self) -> int:
        """The number of records."""
        return sum(self.sizes) + self.suppressed

    def counts(self, cell_size: int) -> dict[str, int]:
        """Numbers of people that an outsider must not learn if they are small."""
        sizes = self.sizes
        values = [sum(column) for column in zip(*self.classes, strict=True)] if len(self.classes[0]) > 1 else []
        return {
            "suppressed": self.suppressed,
            "unique": sizes.count(1),
            "in small classes": sum(size for size in sizes if size < cell_size),
            "in classes of two": 2 * sizes.count(2),
            "in the smallest classes": min(sizes) * sizes.count(min(sizes)),
            "with the rarest value": min(values, default=0),
            "with the rarest value in the smallest class": min(
                (min(values) for values in self.classes if sum(values) == min(sizes)), default=0
            )
            if values
            else 0,
        }

    def written(self) -> pa.Table:
        """The table as Arrow table."""
        rows = [
            (f"c{place}", f"v{value}")
            for place, values in enumerate(self.classes)
            for value, count in enumerate(values)
            for _ in range(count)
        ]
        rows += [("*", "v0")] * self.suppressed
        return pa.table({"a": [row[0] for row in rows], "s": [row[1] for row in rows]})


def partitions(number: int, most: int | None = None, parts: int | None = None) -> Iterator[tuple[int, ...]]:
    """The partitions of a number into positive parts, in descending order; into `parts` parts if that is given."""
    if number == 0 and not parts:
        yield ()
    for first in range(min(number, most or number) if parts != 0 else 0, 0, -1):
        for rest in partitions(number - first, first, None if parts is None else parts - 1):
            yield (first, *rest)


def by_class_sizes(records: int) -> Iterator[Table]:
    """All tables with this number of records, of which any number is suppressed, by their class sizes."""
    for suppressed in range(records):
        for sizes in partitions(records - suppressed):
            yield Table(tuple((size,) for size in sizes), suppressed)


def with_a_binary_attribute(records: int, classes: int = 2) -> Iterator[Table]:
    """All tables with this number of records, at most `classes` classes, and a binary sensitive attribute.

    The names of the values do not matter: the second is the rarer one.
    """
    for number in range(1, classes + 1):
        for sizes in partitions(records, parts=number):
            yield from (Table(rows) for rows in _binary(sizes) if 2 * sum(ones for _, ones in rows) <= records)


def _binary(sizes: Sequence[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    if not sizes:
        yield ()
        return
    for rest in _binary(sizes[1:]):
        for ones in range(sizes[0] + 1):
            yield ((sizes[0] - ones, ones), *rest)


class _Counts(NamedTuple):
    """What differs between the internal editions of two tables; many tables agree in all of it."""

    records: int
    suppressed: int
    classes: tuple[int, int, int, int]  # their records, their number, the smallest, the largest
    in_small_classes: tuple[int, ...]
    guesses: int
    rules_hold: tuple[bool, ...]


class Twin:
    """A literal implementation of the counts of a check, fast enough for the many tables of a search."""

    def __init__(self, policy: Policy) -> None:
        template = Table(((2, 1), (1, 2)), 1)
        self.template = check(policy, data=template.written(), as_of="2026-11-16").content

        self._protected = cache(lambda counts: protect_statistics(self._document(counts)))

    def document(self, table: Table) -> CheckDocument:
        """The internal edition, as far as the protected statistics need it."""
        return self._document(self._counts(table))

    def protected(self, table: Table) -> ProtectedStatistics:
        """The protected statistics of a table."""
        return self._protected(self._counts(table))

    def _counts(self, table: Table) -> _Counts:
        sizes = table.sizes
        return _Counts(
            table.records,
            table.suppressed,
            (sum(sizes), len(sizes), min(sizes), max(sizes)),
            tuple(sum(size for size in sizes if size < limit) for limit in (2, self.template.policy.cell_size)),
            self._guesses(table),
            tuple(rule.measure in BUILT_IN_RULES or self._holds(rule, table, sizes) for rule in self.template.rules),
        )

    def _document(self, counts: _Counts) -> CheckDocument:
        template, limits = self.template, (2, self.template.policy.cell_size)
        classes = Classes(*counts.classes, counts.suppressed, 0)
        return replace(
            template,
            table=replace(template.table, records=counts.records, classes=classes),
            small_classes=tuple(
                SmallClasses(size, count, 0.0) for size, count in zip(limits, counts.in_small_classes, strict=True)
            ),
            results=tuple(
                replace(result, value=counts.guesses / counts.records)
                for result in template.results
                if result.measure == "attribute-inference"
            ),
            columns=(replace(template.columns[0], missing=counts.suppressed / counts.records), template.columns[1]),
            rules=tuple(
                replace(rule, verdict="pass" if holds else "fail")
                for rule, holds in zip(template.rules, counts.rules_hold, strict=True)
            ),
        )

    @staticmethod
    def _guesses(table: Table) -> int:
        """Number of records with the most frequent value of their class; suppressed ones are a class with one value."""
        return sum(max(values) for values in table.classes) + table.suppressed

    def _holds(self, rule: RuleResult, table: Table, sizes: Sequence[int]) -> bool:
        limits, records = rule.parameters, sum(sizes)
        if rule.measure == "k-anonymity":
            return bool(min(sizes) >= limits["k"])
        if rule.measure == "sample-uniqueness":
            return Fraction(sizes.count(1), records) <= exactly(limits["share"])
        if rule.measure == "average-risk":
            return Fraction(len(sizes), records) <= exactly(limits["average"])
        if rule.measure == "re-identification":
            classes = len(sizes) + (table.suppressed > 0)
            return Fraction(classes, table.records) <= exactly(limits["at_most"])
        if rule.measure == "prosecutor-risk":
            at_risk = sum(size for size in sizes if Fraction(1, size) > exactly(limits["threshold"]))
            return Fraction(at_risk, records) <= exactly(limits["at_risk"])
        if rule.measure == "attribute-inference":
            return Fraction(self._guesses(table), table.records) <= exactly(limits["at_most"])
        if rule.measure == "l-diversity":
            return bool(min(sum(count > 0 for count in values) for values in table.classes) >= limits["l"])
        assert rule.measure == "t-closeness", rule.measure
        totals = [Fraction(sum(column), records) for column in zip(*table.classes, strict=True)]
        distances = [
            sum(abs(Fraction(count, sum(values)) - share) for count, share in zip(values, totals, strict=True)) / 2
            for values in table.classes
        ]
        return max(distances) <= exactly(limits["t"])


@cache
def exactly(limit: float) -> Fraction:
    """A limit as the exact fraction that was written."""
    return Fraction(str(limit))


def external_text(policy: Policy, table: Table) -> str:
    """The external document of a table, without the keys that identify the check."""
    document = check(policy, data=table.written(), as_of="2026-11-16").to_dict("external")
    return json.dumps({name: value for name, value in document.items() if name not in NOT_CONTENT}, sort_keys=True)


def find_pinned(
    tables: Iterable[Table], cell_size: int, shown: Callable[[Table], Any]
) -> tuple[int, dict[str, list[tuple[int, Table]]]]:
    """The number of tables, and for each count the tables (one per group) in which it is pinned."""
    groups: dict[Any, list[Table]] = defaultdict(list)
    number = 0
    for table in tables:
        groups[shown(table), table.records].append(table)
        number += 1
    pins: dict[str, list[tuple[int, Table]]] = defaultdict(list)
    for alike in groups.values():
        for name, values in _by_name(table.counts(cell_size) for table in alike).items():
            if len(values) == 1 and 0 < next(iter(values)) < cell_size:
                pins[name].append((next(iter(values)), alike[0]))
    return number, dict(pins)


def _by_name(counted: Iterable[Mapping[str, int]]) -> dict[str, set[int]]:
    values: dict[str, set[int]] = defaultdict(set)
    for counts in counted:
        for name, count in counts.items():
            values[name].add(count)
    return values
